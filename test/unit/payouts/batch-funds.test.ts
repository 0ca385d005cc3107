/** What the release of a batch may take from an account: what single payouts may. */
import { expect, test } from 'vitest';
import { holds } from '../../../src/ledger/hold/hold-table.ts';
import { payoutUploads } from '../../../src/payouts/batches/batch-item-table.ts';
import { createBatch } from '../../../src/payouts/batches/create-batch.ts';
import { newId } from '../../../src/values/ids.ts';
import { LATEST_FORMS } from '../../support/forms.ts';
import { PayoutScene } from '../../support/memory-payouts.ts';

test.each`
  has     | floor    | amount  | answer
  ${100n} | ${0n}    | ${100n} | ${'held'}
  ${100n} | ${0n}    | ${101n} | ${'insufficient_funds'}
  ${100n} | ${-500n} | ${600n} | ${'held'}
  ${100n} | ${-500n} | ${601n} | ${'insufficient_funds'}
  ${0n}   | ${null}  | ${900n} | ${'held'}
`('$amount of an account with $has and the floor $floor: $answer', ({ has, floor, amount, answer }) => {
  const scene = new PayoutScene(LATEST_FORMS);
  const { memory, source } = scene;
  scene.change(source, { postedCredits: has, floor });
  const [batchId, holdId] = [newId(), newId()];
  memory.put(payoutUploads, batchId, { batchId, done: false, begunAt: memory.now });
  const paying = { accountId: source, currency: 'EUR', amount, holdId, isDefault: false };
  const said = memory.answer(
    createBatch({
      ...{ batchId, bookId: memory.book.id, sha256: 'ab'.repeat(32), items: 1, payingAccounts: [paying] },
      ...{ totals: [{ currency: 'EUR', amount, fee: 0n }], places: new Map([[source, '/account']]) },
      ...{ rails: ['sandbox'], newPayees: false, configuration: null, isSubmitted: true, isApprovalRequested: false },
      ...{ allowsDuplicate: false, externalId: null, metadata: {}, known: undefined, dryRun: false },
      ...{ requestId: newId(), actor: 'test' },
    }),
  );
  const held = memory.rows(holds).get(holdId)?.remaining;
  expect(said.refused ?? 'held').toBe(answer);
  expect(held).toBe(answer === 'held' ? amount : undefined);
});
