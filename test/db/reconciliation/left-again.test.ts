/** What a run leaves to people, in attempts whose state differs: the answer to the first one's commit was lost. */
import { expect, test } from 'vitest';
import { expectedItems } from '../../../src/reconciliation/items/expected-item-table.ts';
import { leaveItems } from '../../../src/reconciliation/matches/leave-items.ts';
import { leaveLines } from '../../../src/reconciliation/matches/leave-lines.ts';
import { newId, type Uuid } from '../../../src/values/ids.ts';
import { camt, type OperatorsBank } from '../../support/bank-statements.ts';
import { eachBank } from '../../support/each-bank.ts';
import { expectItems } from '../../support/matched-bank.ts';

let bank: OperatorsBank;
eachBank((opened) => {
  ({ bank } = opened);
});

/** What the exceptions of a request are about, in the order in which they were opened. */
async function openedBy(requestId: Uuid): Promise<Uuid[]> {
  const opened = await bank.book.rows<{ about: Uuid }>(
    `SELECT x.resource_id AS about FROM events e JOIN exceptions x ON x.book_id = e.book_id AND x.id = e.object_id
     WHERE e.book_id = $1 AND e.request_id = $2 ORDER BY e.sequence`,
    requestId,
  );
  return opened.map(({ about }) => about);
}

test('a line that another run has left, and gives back, has ids of its own', async () => {
  await bank.account();
  await bank.take(camt([{ opening: 0, entries: ['S1', 'S2'].map((reference) => ({ amount: -25_000, reference })) }]));
  const lines = await bank.book.rows<{ id: Uuid }>('SELECT id FROM bank_lines WHERE book_id = $1 ORDER BY id');
  const [first, second] = lines.map(({ id }) => id) as [Uuid, Uuid];
  const give = (id: Uuid) =>
    bank.book.rows('UPDATE bank_lines SET exception_id = NULL WHERE book_id = $1 AND id = $2', id);
  const command = leaveLines({
    left: [first, second].map((lineId) => ({
      line: { id: lineId, exceptionId: null },
      why: { lineId, kind: 'bank_line_unmatched', detail: 'No rule explains the line.', proposals: [] },
    })),
    ...{ known: new Map(), requestId: newId(), actor: 'test' },
  });
  await give(second);
  await bank.book.submit(command);
  expect(await openedBy(command.requestId)).toEqual([second]);
  await give(first);
  await bank.book.submit(command);
  expect(await openedBy(command.requestId)).toEqual([second, first]);
  expect(bank.book.errors).toEqual([]);
});

test('an item whose match is undone between two attempts has ids of its own', async () => {
  await bank.account();
  const items = await expectItems(bank.taker, [{ amount: -25_000n }, { amount: -25_000n }]);
  const [first, second] = items.map(({ id }) => id) as [Uuid, Uuid];
  const open = (amount: bigint) =>
    bank.book.rows(
      `UPDATE expected_items SET amount_open = $3::bigint, status = CASE WHEN $3::bigint = 0 THEN 'matched' ELSE 'open' END
       WHERE book_id = $1 AND id = $2`,
      first,
      amount,
    );
  const command = leaveItems({
    cases: items.map((item) => ({ item, counter: undefined })),
    ...{ requestId: newId(), actor: 'test' },
  });
  await open(0n);
  await bank.book.submit(command);
  expect(await openedBy(command.requestId)).toEqual([second]);
  await open(25_000n);
  await bank.book.submit(command);
  expect(await openedBy(command.requestId)).toEqual([second, first]);
  expect(bank.book.errors).toEqual([]);
  const left = await expectedItems.load(bank.pool, bank.book.id, [first, second]);
  expect([...left.values()].filter(({ exceptionId }) => exceptionId === null)).toEqual([]);
});
