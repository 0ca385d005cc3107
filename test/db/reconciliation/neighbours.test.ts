/** Neighbours of the golden rows on a real Postgres: what is undone stays so, a line of nothing, what a statement states less. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { undoMatch } from '../../../src/reconciliation/matches/match-by-hand.ts';
import { encodeActor } from '../../../src/values/actor.ts';
import { newId } from '../../../src/values/ids.ts';
import { camt, mt940, OperatorsBank } from '../../support/bank-statements.ts';
import { findingsOf } from '../../support/findings.ts';
import { expectItems, matchesOf, saidOf } from '../../support/matched-bank.ts';
import { OURS } from '../../support/matching.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';

let database: TestDatabase;
let bank: OperatorsBank;

beforeEach(async () => {
  database = await createTestDatabase();
  bank = await OperatorsBank.open(database.applicationUrl);
});
afterEach(async () => {
  const findings = await findingsOf({ pool: bank.pool, id: bank.book.id });
  await bank.close();
  await database.drop();
  expect(findings).toEqual([]);
});

const lines = async () => (await bank.lines()).map(({ amount, status }) => `${amount} ${status}`);
const FILE = [10_000n, 20_000n, 30_000n].map((amount, index) => ({
  ...{ amount: -amount, batchId: 'F1', endToEndId: OURS('ABC'[index]!) },
}));

test('46: what a person has undone is confirmed by no later run, and a new line of the item is', async () => {
  await bank.account();
  await expectItems(bank.taker, [{ amount: -25_000n, endToEndId: 'E1' }]);
  await bank.take(camt([{ opening: 0, entries: [{ amount: -25_000, endToEndId: 'E1', reference: 'S1' }] }]));
  const [match] = await matchesOf(bank);
  const asked = { bookId: bank.book.id, requestId: newId() };
  const actor = encodeActor({ type: 'person', id: newId(), keyId: newId() });
  await bank.book.submit(
    undoMatch({ ...asked, actor, match: match!, bankAccountIds: [], reason: 'It is of another bank' }),
  );
  await bank.take(camt([{ number: '2', on: '2026-11-04', opening: -25_000, entries: [] }], { id: 'M2' }));
  expect(await lines()).toEqual(['-25000 open']);
  expect(await bank.exceptions()).toEqual([{ kind: 'bank_line_unmatched', stage: 'open' }]);
  const entries = [{ amount: -25_000, endToEndId: 'E1', reference: 'S2' }];
  await bank.take(camt([{ number: '3', on: '2026-11-05', opening: -25_000, entries }], { id: 'M3' }));
  expect(await lines()).toEqual(['-25000 open', '-25000 matched']);
  expect(await bank.balances()).toEqual({ bank: -50_000n, suspense: 25_000n, rail_clearing: -25_000n });
});

test('a line of nothing is kept, moves nothing, and nobody is asked about it', async () => {
  await bank.account();
  const entries = [{ amount: 0, text: 'Interest' }];
  const run = await bank.take(camt([{ opening: 0, entries }]));
  expect(run).toMatchObject({ lines: 1, openLines: 0 });
  expect(await lines()).toEqual(['0 matched']);
  expect(await bank.exceptions()).toEqual([]);
  expect(await bank.balances()).toEqual({});
});

test('16: the file of an MT940 that names it by KREF', async () => {
  await bank.account();
  await expectItems(bank.taker, FILE);
  const details = [':61:2611031103D60,000NTRFKREF+//B1', ':86:191?00SEPA?20KREF+F1?21SVWZ+Wages'];
  const [opening, closing] = [':60F:C261102JOD0,', ':62F:D261103JOD60,000'];
  await bank.take(mt940({ number: '1', opening, closing, lines: details }));
  expect(await saidOf(bank)).toEqual(['batch: -60000 ↔ -30000, -20000, -10000']);
  expect(await bank.balances()).toEqual({ bank: -60_000n, rail_clearing: -60_000n });
});

test('18: movements that come to the line with its charges', async () => {
  await bank.account();
  await expectItems(bank.taker, FILE);
  const details = FILE.map(({ amount, endToEndId }) => ({ amount: Number(-amount), endToEndId }));
  const entries = [{ amount: -60_250, batch: { id: 'F1', transactions: 3 }, details, charge: 250 }];
  const run = await bank.take(camt([{ opening: 0, entries }]));
  expect(run.findings).toEqual([]);
  expect(await saidOf(bank)).toEqual(['charges: -60250 ↔ -10000, -20000, -30000 (-250 to rail_costs)']);
  expect(await bank.balances()).toEqual({ bank: -60_250n, rail_clearing: -60_000n, rail_costs: 250n });
});

test.each`
  what             | restated          | left                                                       | balances
  ${'a line less'} | ${[10_000]}       | ${['10000 open', '2000 open', '-2000 open']}               | ${{ bank: 10_000n, unallocated: 12_000n, suspense: 2_000n }}
  ${'another one'} | ${[9_000, 2_000]} | ${['10000 open', '2000 open', '-10000 open', '9000 open']} | ${{ bank: 11_000n, unallocated: 21_000n, suspense: 10_000n }}
`('44: restated with $what, the account stands where the bank says', async ({ restated, left, balances }) => {
  await bank.account();
  const statement = (amounts: readonly number[]) => ({
    ...{ number: '7', opening: 0 },
    entries: amounts.map((amount) => ({ amount })),
  });
  await bank.take(camt([statement([10_000, 2_000])]));
  await bank.take(camt([statement(restated)], { id: 'M2' }));
  const [, held] = await bank.statements();
  await bank.decide(held!.id, 'accept');
  expect(await lines()).toEqual(left);
  expect(await bank.balances()).toEqual(balances);
});

test('40: four statements in the order 11, 14, 13, 12', async () => {
  await bank.account();
  const statements = [
    { number: '11', on: '2026-11-11', opening: 0, entries: [{ amount: 100 }] },
    { number: '14', on: '2026-11-14', opening: 600, entries: [{ amount: 50 }] },
    { number: '13', on: '2026-11-13', opening: 300, entries: [{ amount: 300 }] },
    { number: '12', on: '2026-11-12', opening: 100, entries: [{ amount: 200 }] },
  ];
  for (const statement of statements) await bank.take(camt([statement], { id: statement.number }));
  expect((await bank.statements()).map(({ status }) => status)).toEqual(['posted', 'posted', 'posted', 'posted']);
  expect(await lines()).toEqual(['100 open', '200 open', '300 open', '50 open']);
  expect(await bank.balances()).toEqual({ bank: 650n, unallocated: 650n });
});
