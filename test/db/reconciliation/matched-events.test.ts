/** `reconciliation.matched`: one event for all that a run has matched, whatever comes in between. Each match has one of its own beside it. */
import { expect, test } from 'vitest';
import type { Command } from '../../../src/ledger/command/command.ts';
import { FIRST_EVENT, KEPT_COLUMNS } from '../../../src/ledger/events/event-read-store.ts';
import { type KeptEventRow, wholePayload } from '../../../src/ledger/events/render-event.ts';
import type { Uuid } from '../../../src/values/ids.ts';
import { camt, type OperatorsBank, takeBankFile } from '../../support/bank-statements.ts';
import { eachBank } from '../../support/each-bank.ts';
import { expectItems } from '../../support/matched-bank.ts';

let bank: OperatorsBank;
eachBank((opened) => {
  ({ bank } = opened);
});

/** Of a run, in order: the type, with the status and the number of matched lines that it shows. */
async function saidOfRun(id: Uuid): Promise<string[]> {
  const rows = await bank.book.rows<KeptEventRow>(
    `SELECT ${KEPT_COLUMNS} FROM events ${FIRST_EVENT} WHERE book_id = $1 AND object_id = $2 ORDER BY sequence`,
    id,
  );
  return rows.map((row) => {
    const { type, data } = JSON.parse(wholePayload(row)) as {
      type: string;
      data: { object: { status: string; matched: number; by_rule: { rule: string; lines: number }[] } };
    };
    const { status, matched, by_rule: rules } = data.object;
    return `${type}: ${status}, ${matched} (${rules.map(({ rule, lines }) => `${rule} ${lines}`).join(', ')})`;
  });
}

const E = [1, 2, 3].map((at) => `E${at}`);
const expectAll = () =>
  expectItems(
    bank.taker,
    E.map((endToEndId) => ({ amount: -25_000n, endToEndId })),
  );
const LINES = [...E.map((endToEndId) => ({ amount: -25_000, endToEndId })), { amount: -1 }];
const BOTH = [
  'reconciliation.matched: running, 3 (end_to_end_id 3)',
  'reconciliation.completed: completed, 3 (end_to_end_id 3)',
];

test('a run has one before its end, however many lines it has matched; one that has matched nothing has none', async () => {
  await bank.account();
  await expectAll();
  const run = await bank.take(camt([{ opening: 0, entries: LINES }]));
  expect(await saidOfRun(run.id)).toEqual(BOTH);
  const matches = await bank.book.rows("SELECT FROM events WHERE book_id = $1 AND type = 'bank_match.approved'");
  expect(matches).toHaveLength(3);
  await bank.take(camt([{ opening: 0, entries: LINES }]));
  expect(await saidOfRun(run.id)).toEqual(BOTH);
  const other = await bank.take(camt([{ number: '2', on: '2026-11-04', opening: -75_001, entries: [{ amount: -2 }] }]));
  expect(await saidOfRun(other.id)).toEqual(['reconciliation.completed: completed, 0 ()']);
});

test('a run that dies behind it does not announce the same again', async () => {
  await bank.account();
  await expectAll();
  const committer = {
    submit: <Answer>(bookId: Uuid, command: Command<Answer>): Promise<Answer> =>
      command.name === 'reconciliation.complete'
        ? Promise.reject(new Error('It dies here.'))
        : bank.book.committer.submit(bookId, command),
  };
  const file = camt([{ opening: 0, entries: LINES }]);
  await expect(takeBankFile({ ...bank.taker, committer }, file)).rejects.toThrow('It dies here.');
  const run = await bank.take(file);
  expect(await saidOfRun(run.id)).toEqual(BOTH);
});

test('what a run matches once a statement of it is taken up is announced then', async () => {
  await bank.account();
  await expectAll();
  const file = camt([
    { opening: 0, entries: LINES.slice(0, 1) },
    { account: 'JO71LATER', opening: 0, entries: LINES.slice(1, 3) },
  ]);
  const run = await bank.take(file);
  await bank.account({ identifiers: ['JO71LATER'] });
  expect(await bank.take(file)).toMatchObject({ id: run.id, matched: 3 });
  expect(await saidOfRun(run.id)).toEqual([
    'reconciliation.matched: running, 1 (end_to_end_id 1)',
    'reconciliation.completed: completed, 1 (end_to_end_id 1)',
    'reconciliation.matched: completed, 3 (end_to_end_id 3)',
    'reconciliation.completed: completed, 3 (end_to_end_id 3)',
  ]);
});
