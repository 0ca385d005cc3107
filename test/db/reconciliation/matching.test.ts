/** Matches on a real Postgres: what a run confirms and books, what it leaves, and what people do. Numbers are rows of the golden scenarios. */
import { expect, test } from 'vitest';
import { camt, type OperatorsBank } from '../../support/bank-statements.ts';
import { eachBank } from '../../support/each-bank.ts';
import { expectItems, openItemsOf, saidOf } from '../../support/matched-bank.ts';
import { RAIL_ACCOUNT } from '../../support/matching.ts';

let bank: OperatorsBank;
eachBank(
  (opened) => {
    ({ bank } = opened);
  },
  { equal: 'statements' },
);

const RAIL = { party: 'rail', accounts: [RAIL_ACCOUNT], names: [], settles: 'single' } as const;

test('1, 9: a line and its payout; the same file again changes nothing', async () => {
  await bank.account();
  await expectItems(bank.taker, [{ amount: -25_000n, endToEndId: 'E1' }]);
  const file = camt([{ opening: 0, entries: [{ amount: -25_000, endToEndId: 'E1', reference: 'S1' }] }]);
  const run = await bank.take(file);
  expect(run).toMatchObject({
    matched: 1,
    openLines: 0,
    byRule: [{ rule: 'end_to_end_id', lines: 1, amount: '25000' }],
  });
  expect(await saidOf(bank)).toEqual(['end_to_end_id: -25000 ↔ -25000']);
  expect(await bank.balances()).toEqual({ bank: -25_000n, rail_clearing: -25_000n });
  expect(await bank.exceptions()).toEqual([]);
  const before = await bank.digest();
  expect(await bank.take(file)).toEqual(run);
  expect(await bank.digest()).toBe(before);
  expect((await bank.lines()).map(({ status }) => status)).toEqual(['matched']);
});

/** The second could be a card's: a line that was stored is matched by it all the same. */
test.each([RAIL_ACCOUNT, '4532015112830366'])(
  '4, 3: one line and two items wait for the second line, of %s',
  async (account) => {
    await bank.account({ parties: [{ ...RAIL, accounts: [account] }] });
    await expectItems(bank.taker, [
      { amount: -25_000n, endToEndId: 'E1' },
      { amount: -25_000n, endToEndId: 'E2' },
    ]);
    const entry = { amount: -25_000, account };
    await bank.take(camt([{ opening: 0, entries: [entry] }]));
    expect(await saidOf(bank)).toEqual([]);
    expect(await bank.exceptions()).toEqual([{ kind: 'bank_line_unmatched', stage: 'open' }]);
    const [{ proposals }] = (await bank.book.rows<{ proposals: { rule: string; items: string[] }[] }>(
      'SELECT proposals FROM exceptions WHERE book_id = $1',
    )) as [{ proposals: { rule: string; items: string[] }[] }];
    expect(proposals.map(({ rule, items }) => [rule, items.length])).toEqual([
      ['amount_counterparty', 1],
      ['amount_counterparty', 1],
    ]);
    await bank.take(camt([{ number: '2', on: '2026-11-04', opening: -25_000, entries: [entry] }]));
    expect(await saidOf(bank)).toEqual([
      'amount_counterparty: -25000 ↔ -25000',
      'amount_counterparty: -25000 ↔ -25000',
    ]);
    expect(await bank.exceptions()).toEqual([{ kind: 'bank_line_unmatched', stage: 'approved' }]);
    expect(await bank.balances()).toEqual({ bank: -50_000n, rail_clearing: -50_000n });
  },
);

test('14: what the bank paid twice is left in suspense', async () => {
  await bank.account();
  await expectItems(bank.taker, [{ amount: -25_000n, endToEndId: 'E1' }]);
  const entries = ['S1', 'S2'].map((reference) => ({ amount: -25_000, endToEndId: 'E1', reference }));
  await bank.take(camt([{ opening: 0, entries }]));
  expect(await saidOf(bank)).toEqual(['end_to_end_id: -25000 ↔ -25000']);
  expect(await bank.exceptions()).toEqual([{ kind: 'bank_paid_twice', stage: 'open' }]);
  expect(await bank.balances()).toEqual({ bank: -50_000n, suspense: 25_000n, rail_clearing: -25_000n });
});

test('15: two parts of one item', async () => {
  await bank.account();
  await expectItems(bank.taker, [{ amount: -90_000n, endToEndId: 'E1' }]);
  await bank.take(camt([{ opening: 0, entries: [{ amount: -50_000, endToEndId: 'E1' }] }]));
  expect(await openItemsOf(bank)).toEqual([40_000n]);
  await bank.take(
    camt([{ number: '2', on: '2026-11-04', opening: -50_000, entries: [{ amount: -40_000, endToEndId: 'E1' }] }]),
  );
  expect(await saidOf(bank)).toEqual(['split: -50000 ↔ -50000', 'split: -40000 ↔ -40000']);
  expect(await openItemsOf(bank)).toEqual([]);
  expect(await bank.balances()).toEqual({ bank: -90_000n, rail_clearing: -90_000n });
});

test('16: a file of ours that the bank booked as one', async () => {
  await bank.account();
  await expectItems(
    bank.taker,
    [10_000n, 20_000n, 30_000n].map((amount, index) => ({ amount: -amount, batchId: 'F1', endToEndId: `E${index}` })),
  );
  await bank.take(camt([{ opening: 0, entries: [{ amount: -60_000, batch: { id: 'F1', transactions: 3 } }] }]));
  expect(await saidOf(bank)).toEqual(['batch: -60000 ↔ -30000, -20000, -10000']);
  expect(await bank.balances()).toEqual({ bank: -60_000n, rail_clearing: -60_000n });
});

test('19: a day of a rail that settles net', async () => {
  await bank.account({ parties: [{ ...RAIL, settles: 'day' }] });
  await expectItems(bank.taker, [
    { amount: -10_000n, endToEndId: 'E1' },
    { amount: -20_000n, endToEndId: 'E2' },
    { amount: 5_000n, endToEndId: 'E0', resource: 'payout_return' },
  ]);
  await bank.take(camt([{ on: '2026-11-04', opening: 0, entries: [{ amount: -25_000, account: RAIL_ACCOUNT }] }]));
  expect(await saidOf(bank)).toEqual(['day: -25000 ↔ -20000, -10000, 5000']);
  expect(await bank.balances()).toEqual({ bank: -25_000n, rail_clearing: -25_000n });
});

test('26: charges that the line states are costs of the rail', async () => {
  await bank.account();
  await expectItems(bank.taker, [{ amount: -25_000n, endToEndId: 'E1' }]);
  await bank.take(camt([{ opening: 0, entries: [{ amount: -25_250, endToEndId: 'E1', charge: 250 }] }]));
  expect(await saidOf(bank)).toEqual(['charges: -25250 ↔ -25000 (-250 to rail_costs)']);
  expect(await bank.balances()).toEqual({ bank: -25_250n, rail_clearing: -25_000n, rail_costs: 250n });
});

test('30: a line that the bank took back under its reference', async () => {
  await bank.account();
  const entries = [
    { amount: 30_000, reference: 'S1' },
    { amount: -30_000, reference: 'S1' },
  ];
  await bank.take(camt([{ opening: 0, entries }]));
  expect(await saidOf(bank)).toEqual(['reversal: -30000, 30000 ↔ nothing']);
  expect(await bank.balances()).toEqual({});
});

test('47: between two own accounts', async () => {
  await bank.account();
  await bank.account({ identifiers: ['JO94SECOND'] });
  await bank.take(camt([{ opening: 0, entries: [{ amount: -500_000, reference: 'S1' }] }]));
  await bank.take(camt([{ account: 'JO94SECOND', opening: 0, entries: [{ amount: 500_000, reference: 'S1' }] }]));
  expect(await saidOf(bank)).toEqual(['own_transfer: -500000, 500000 ↔ nothing']);
  expect(await bank.balances()).toEqual({});
  expect(await bank.exceptions()).toEqual([{ kind: 'bank_line_unmatched', stage: 'approved' }]);
});

test('7, 8, 11: what no rule confirms is an exception a line, and a second run opens none', async () => {
  await bank.account({ parties: [RAIL] });
  await expectItems(bank.taker, [{ amount: -25_000n, endToEndId: 'E1' }]);
  const entries = [
    { amount: -25_000, endToEndId: 'INV-9', account: RAIL_ACCOUNT },
    { amount: -25_000 },
    { amount: 10_000, reference: 'S9', text: 'one text' },
    { amount: 10_000, reference: 'S9', text: 'one text' },
  ];
  const run = await bank.take(camt([{ opening: 0, entries }]));
  expect(run).toMatchObject({ matched: 0, openLines: 4, proposed: 1 });
  const kinds = ['bank_line_unmatched', 'bank_line_unmatched', 'inbound_unallocated', 'inbound_unallocated'];
  expect((await bank.exceptions()).map(({ kind }) => kind)).toEqual(kinds);
  await bank.take(camt([{ number: '2', on: '2026-11-04', opening: -30_000, entries: [] }]));
  expect((await bank.exceptions()).map(({ kind }) => kind)).toEqual(kinds);
  expect(await bank.balances()).toEqual({ bank: -30_000n, suspense: 50_000n, unallocated: 20_000n });
});

test('more lines than exceptions: one a statement', async () => {
  await bank.account();
  const entries = Array.from({ length: 1_001 }, (_, index) => ({ amount: 10, reference: `S${index}` }));
  const run = await bank.take(camt([{ opening: 0, entries }]));
  expect(run.openLines).toBe(1_001);
  expect(await bank.exceptions()).toEqual([{ kind: 'bank_line_unmatched', stage: 'open' }]);
});
