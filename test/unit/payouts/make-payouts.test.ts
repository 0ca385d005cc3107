/** How many items a command makes payouts of: no commit touches more rows than the committer takes. */
import { expect, test } from 'vitest';
import type { BookId } from '../../../src/ledger/book/book.ts';
import { MAX_TOUCHED } from '../../../src/ledger/commit/committer.ts';
import { evidence } from '../../../src/outside/evidence/evidence.ts';
import type { PayoutBatch } from '../../../src/payouts/batches/batch.ts';
import { makePayouts, type OpenItem, PAYOUTS_PER_COMMAND } from '../../../src/payouts/batches/make-payouts.ts';
import { payees } from '../../../src/payouts/payees/payee-table.ts';
import { newId } from '../../../src/values/ids.ts';

const bookId = newId() as BookId;
const account = newId();
const batch = {
  ...{ id: newId(), requestId: newId(), status: 'processing', made: 0, last: PAYOUTS_PER_COMMAND },
  payingAccounts: [{ accountId: account, currency: 'JOD', amount: 0n, holdId: newId(), isDefault: true }],
} as unknown as PayoutBatch;

/** To a saved payee whose card touches so many rows of its own. */
function item(touchedByCard: number): OpenItem {
  const payoutId = newId();
  const touches = [{ table: evidence, ids: Array.from({ length: touchedByCard }, () => newId()) }];
  return {
    item: { payoutId, batchId: batch.id, rowNumber: 1, accountId: account, amount: 1_000n, fee: 5n, currency: 'JOD' },
    content: { destination: { type: 'card' }, payee: { id: newId(), version: 1 }, remittance: null, metadata: {} },
    card: { touches },
  } as unknown as OpenItem;
}

test.each`
  touched | made
  ${0}    | ${PAYOUTS_PER_COMMAND}
  ${2}    | ${PAYOUTS_PER_COMMAND}
  ${4}    | ${'fewer'}
  ${12}   | ${'fewer'}
`('items whose payee has a card that touches $touched rows: $made', ({ touched, made }) => {
  const open = Array.from({ length: PAYOUTS_PER_COMMAND }, () => item(touched));
  const route = () => {
    throw new Error('Nothing is decided here.');
  };
  const command = makePayouts(bookId, batch, open, { route, batchTouches: [] });
  const rows = command.touches.reduce((sum, { ids }) => sum + ids.length, 0);
  expect(rows).toBeLessThanOrEqual(MAX_TOUCHED);
  const ofPayees = command.touches.find(({ table }) => table === payees)!.ids.length;
  expect(command.behind).toBe(ofPayees);
  if (made === 'fewer') {
    expect(ofPayees).toBeLessThan(PAYOUTS_PER_COMMAND);
    // One item more might not fit.
    expect(rows).toBeGreaterThan(MAX_TOUCHED - 16 - touched);
  } else expect(ofPayees).toBe(made);
});
