/** Rules of bank accounts, and items that no bank shows, on a real Postgres. Numbers are rows of the golden scenarios. */
import { describe, expect, test } from 'vitest';
import { requestProposal } from '../../../src/reconciliation/matches/handle-match.ts';
import type { StoredBookingRule } from '../../../src/reconciliation/rules/bank-account-rules.ts';
import { newId, type Uuid } from '../../../src/values/ids.ts';
import { camt, type OperatorsBank } from '../../support/bank-statements.ts';
import { eachBank } from '../../support/each-bank.ts';
import { activeRules, expectItems, matchByHand, matchesOf, openItemsOf, saidOf } from '../../support/matched-bank.ts';
import { RAIL_ACCOUNT } from '../../support/matching.ts';

let bank: OperatorsBank;
eachBank(
  (opened) => {
    ({ bank } = opened);
  },
  { equal: 'statements' },
);

const RAIL = { party: 'rail', accounts: [RAIL_ACCOUNT], names: [], settles: 'single' } as const;
const CHARGES: StoredBookingRule = {
  ...{ name: 'Charges', direction: 'out', code: 'CHRG', text: null, counterparty: null },
  ...{ amountMax: '5000', to: 'bank_charges' },
};

describe('28: a booking rule books charges up to its limit', () => {
  const entries = [
    { amount: -1_200, code: 'CHRG', reference: 'S1' },
    { amount: -6_000, code: 'CHRG', reference: 'S2' },
  ];

  test('once it is active', async () => {
    const account = await bank.account();
    await activeRules(bank.taker, account, { bookings: [CHARGES] });
    const run = await bank.take(camt([{ opening: 0, entries }]));
    expect(run.byRule).toMatchObject([{ rule: 'booking_rule', lines: 1, amount: '1200' }]);
    expect(await saidOf(bank)).toEqual(['booking_rule: -1200 ↔ nothing (-1200 to bank_charges)']);
    expect(await matchesOf(bank)).toMatchObject([{ rulesVersion: 1 }]);
    expect(await bank.exceptions()).toEqual([{ kind: 'bank_line_unmatched', stage: 'open' }]);
    expect(await bank.balances()).toEqual({ bank: -7_200n, suspense: 6_000n, bank_charges: 1_200n });
  });

  test('and nothing of it while it is a draft; a later run goes by the version that is active then', async () => {
    const account = await bank.account();
    await bank.take(camt([{ opening: 0, entries }]));
    expect(await saidOf(bank)).toEqual([]);
    await activeRules(bank.taker, account, {});
    expect(await activeRules(bank.taker, account, { bookings: [CHARGES] })).toBe(2);
    await bank.take(camt([{ number: '2', on: '2026-11-04', opening: -7_200, entries: [] }]));
    expect(await saidOf(bank)).toEqual(['booking_rule: -1200 ↔ nothing (-1200 to bank_charges)']);
    expect(await matchesOf(bank)).toMatchObject([{ rulesVersion: 2 }]);
    const versions = await bank.book.rows<{ number: number; status: string }>(
      'SELECT number, status FROM bank_account_rules WHERE book_id = $1 ORDER BY number',
    );
    expect(versions).toEqual([
      { number: 1, status: 'retired' },
      { number: 2, status: 'active' },
    ]);
  });
});

test('interest and own money are booked by rules, by text and by counterparty', async () => {
  const account = await bank.account();
  const any = { direction: 'in', code: null, amountMax: '90000' } as const;
  await activeRules(bank.taker, account, {
    bookings: [
      { ...any, name: 'Interest', text: 'credit interest', counterparty: null, to: 'interest' },
      { ...any, name: 'Capital', text: null, counterparty: 'JO71OWNER', to: 'own_funds' },
    ],
  });
  const entries = [
    { amount: 700, text: 'Credit Interest October' },
    { amount: 80_000, account: 'JO71OWNER' },
    { amount: 80_001, account: 'JO71OTHER' },
  ];
  await bank.take(camt([{ opening: 0, entries }]));
  expect((await saidOf(bank)).sort()).toEqual([
    'booking_rule: 700 ↔ nothing (700 to interest)',
    'booking_rule: 80000 ↔ nothing (80000 to own_funds)',
  ]);
  expect(await bank.balances()).toEqual({ bank: 160_701n, interest: 700n, own_funds: 80_000n, unallocated: 80_001n });
});

test('29: a tolerance takes what is within it, and 51 of 50 is proposed', async () => {
  const account = await bank.account({ parties: [RAIL] });
  await activeRules(bank.taker, account, { tolerances: [{ party: 'rail', amount: '50', to: 'differences' }] });
  await expectItems(bank.taker, [
    { amount: -25_000n, endToEndId: 'E1' },
    { amount: -25_000n, endToEndId: 'E2' },
  ]);
  const entries = [
    { amount: -25_030, endToEndId: 'E1' },
    { amount: -25_051, endToEndId: 'E2' },
  ];
  await bank.take(camt([{ opening: 0, entries }]));
  expect(await saidOf(bank)).toEqual(['tolerance: -25030 ↔ -25000 (-30 to differences)']);
  expect(await matchesOf(bank)).toMatchObject([{ rulesVersion: 1 }]);
  expect(await openItemsOf(bank)).toEqual([25_000n]);
  expect(await bank.exceptions()).toEqual([{ kind: 'bank_amount_differs', stage: 'open' }]);
  expect(await bank.balances()).toEqual({
    ...{ bank: -50_081n, suspense: 25_051n },
    ...{ rail_clearing: -25_000n, differences: 30n },
  });
});

/** Closes the window of items that are expected on 3 November: five business days later, and no line. */
const laterDays = (opening: number) => camt([{ number: '9', on: '2026-11-20', opening, entries: [] }]);

test('7: an item that no bank shows in time is an exception, once, and over when a line shows it', async () => {
  await bank.account({ parties: [RAIL] });
  await expectItems(bank.taker, [{ amount: -25_000n, endToEndId: 'E1' }]);
  await bank.take(camt([{ opening: 0, entries: [{ amount: -25_000, endToEndId: 'INV-9', account: RAIL_ACCOUNT }] }]));
  const foreign = { kind: 'bank_line_unmatched', stage: 'open' };
  expect(await bank.exceptions()).toEqual([foreign]);
  await bank.take(laterDays(-25_000));
  expect(await bank.exceptions()).toEqual([foreign, { kind: 'item_overdue', stage: 'open' }]);
  await bank.take(camt([{ number: '10', on: '2026-11-21', opening: -25_000, entries: [] }]));
  expect(await bank.exceptions()).toHaveLength(2);
  const late = [{ amount: -25_000, endToEndId: 'E1' }];
  await bank.take(camt([{ number: '11', on: '2026-11-22', opening: -25_000, entries: late }]));
  expect(await bank.exceptions()).toEqual([foreign, { kind: 'item_overdue', stage: 'approved' }]);
  expect(await bank.balances()).toEqual({ bank: -50_000n, suspense: 25_000n, rail_clearing: -25_000n });
});

test('34: a payout that the rail confirmed and then rejected: two items that no bank shows are one exception', async () => {
  await bank.account({ parties: [RAIL] });
  const items = await expectItems(bank.taker, [
    { amount: -25_000n, endToEndId: 'E1' },
    { amount: 25_000n, endToEndId: 'E1', resource: 'payout_return' },
  ]);
  await bank.take(laterDays(0));
  expect(await bank.exceptions()).toEqual([{ kind: 'item_overdue', stage: 'open' }]);
  const [{ proposals }] = (await bank.book.rows<{ proposals: { lines: string[]; items: string[] }[] }>(
    'SELECT proposals FROM exceptions WHERE book_id = $1',
  )) as [{ proposals: { lines: string[]; items: string[] }[] }];
  expect(proposals).toMatchObject([{ lines: [], difference: '0' }]);
  expect(proposals[0]!.items).toHaveLength(2);
  await matchByHand(bank, { items: items.map(({ id }) => id) });
  expect(await saidOf(bank)).toEqual(['manual: nothing ↔ -25000, 25000']);
  expect(await matchesOf(bank)).toMatchObject([{ status: 'confirmed', entryIds: [] }]);
  expect(await openItemsOf(bank)).toEqual([]);
  expect(await bank.exceptions()).toEqual([{ kind: 'item_overdue', stage: 'approved' }]);
  expect(await bank.balances()).toEqual({});
});

test('what no bank pays back is a loss that two persons match by hand; what is gained is none', async () => {
  await bank.account();
  await bank.take(camt([{ opening: 0, entries: [{ amount: -25_000, endToEndId: 'TWICE' }] }]));
  const [item] = await expectItems(bank.taker, [{ amount: 9_000n, endToEndId: 'E1', expectedOn: '2026-11-03' }]);
  const { id: line } = await bank.book.row<{ id: Uuid }>('SELECT id FROM bank_lines WHERE book_id = $1');
  await matchByHand(bank, { lines: [line], differenceTo: 'credit_losses' });
  await matchByHand(bank, { items: [item!.id], differenceTo: 'credit_losses' });
  expect(await bank.balances()).toEqual({ bank: -25_000n, credit_losses: 34_000n, rail_clearing: 9_000n });
  expect((await bank.exceptions()).map(({ stage }) => stage)).toEqual(['approved']);

  const [gained] = await expectItems(bank.taker, [{ amount: -1_000n, endToEndId: 'E2', expectedOn: '2026-11-03' }]);
  const asked = {
    ...{ bookId: bank.book.id, requestId: newId(), actor: 'person', ownerKind: 'person' },
    ...{ lineIds: [], itemIds: [gained!.id], differenceTo: 'credit_losses' as const, reason: 'It never left' },
  };
  const refused = requestProposal.prepare(bank.taker as never, asked as never);
  await expect(refused).rejects.toThrow(/1000 more than the items, in minor units: nothing is lost/);
});
