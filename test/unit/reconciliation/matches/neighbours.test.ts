/** Neighbours of the golden rows of matching: more of each, charges on a whole file, rules that overlap, what comes back in parts. */
import { expect, test } from 'vitest';
import { openLineOf } from '../../../../src/reconciliation/matches/match-set.ts';
import type {
  AccountRules,
  BookingRule,
  MatchItem,
  OpenLine,
} from '../../../../src/reconciliation/matches/matching.ts';
import {
  ACME_ACCOUNT,
  inputOf,
  itemOf,
  lineOf,
  OURS,
  RAIL_ACCOUNT,
  reportOf,
  said,
} from '../../../support/matching.ts';

interface Row {
  readonly name: string;
  readonly lines: readonly OpenLine[];
  readonly items?: readonly MatchItem[];
  readonly rules?: Partial<AccountRules>;
  readonly said: readonly string[];
}

const [E1, E2, E3] = [OURS('A'), OURS('B'), OURS('C')];
const P1 = itemOf({ id: 'P1', amount: -25_000n, endToEndId: E1 });
const P2 = itemOf({ id: 'P2', amount: -25_000n, endToEndId: E2 });
const PAID = { ...P1, amount: 0n };
const backOf = (id: string, amount: bigint) =>
  itemOf({ id, amount, endToEndId: E1, resource: 'payout_return', resourceId: id });

type Line = Partial<OpenLine>;
const ofRail = (change: Line = {}) =>
  lineOf({ id: 'L1', amount: -25_000n, counterpartyAccount: RAIL_ACCOUNT, ...change });
const ofAcme = (change: Line = {}) =>
  lineOf({ id: 'L1', amount: 97_500n, counterpartyAccount: ACME_ACCOUNT, ...change });
const line = (id: string, amount: bigint, change: Line = {}) => lineOf({ id, amount, place: Number(id[1]), ...change });

const charge = (amount: number, included: boolean | null = true) => ({
  amount: String(amount),
  currency: 'JOD',
  included,
});
const FILE = [10_000n, 20_000n, 30_000n].map((amount, index) =>
  itemOf({ id: `P${index + 1}`, amount: -amount, endToEndId: [E1, E2, E3][index]!, batchId: 'F1' }),
);
const DETAILS = FILE.map(({ endToEndId, amount }) => ({ endToEndId, amount: String(amount) }));
const DAILY = { parties: [{ party: 'rail', accounts: [RAIL_ACCOUNT], names: [], settles: 'day' as const }] };
const TOLERANCE = { tolerances: [{ party: 'rail', amount: 50n, to: 'differences' as const }] };
const booking = (change: Partial<BookingRule>): BookingRule => ({
  ...{ name: 'charges', direction: 'out', code: 'CHRG', text: null, counterparty: null },
  ...{ amountMax: 5_000n, to: 'bank_charges' },
  ...change,
});

const ROWS: readonly Row[] = [
  {
    name: '3: three and three',
    lines: ['L1', 'L2', 'L3'].map((id, index) => ofRail({ id, place: index + 1 })),
    items: [P1, P2, itemOf({ id: 'P3', amount: -25_000n, endToEndId: E3 })],
    said: [1, 2, 3].map((one) => `amount_counterparty: L${one} -25000 ↔ P${one} -25000`),
  },
  ...(
    [
      ['one business day before', '2026-11-02', true],
      ['two business days before', '2026-11-01', false],
      ['five business days after, a weekend between', '2026-11-10', true],
      ['six business days after', '2026-11-11', false],
    ] as const
  ).map(([when, bookedOn, isIn]) => ({
    name: `the window at its border: ${when}`,
    lines: [ofRail({ bookedOn })],
    items: [P1],
    said: [isIn ? 'amount_counterparty: L1 -25000 ↔ P1 -25000' : 'bank_line_unmatched: L1'],
  })),
  ...['THE RAIL', 'The-Rail.', 'Thé  Räil', 'the raeil'].map((counterpartyName) => ({
    name: `a name in another spelling: ${counterpartyName}`,
    lines: [line('L1', -25_000n, { counterpartyName })],
    items: [P1],
    rules: { parties: [{ party: 'rail', accounts: [], names: ['The Rail', 'The Räil'], settles: 'single' as const }] },
    said: ['amount_counterparty: L1 -25000 ↔ P1 -25000'],
  })),
  {
    name: '14: twice, the second time under a cut reference',
    lines: [line('L1', -25_000n, { endToEndId: E1 }), line('L2', -25_000n, { refs: [E1.slice(0, 16)] })],
    items: [P1],
    said: ['end_to_end_id: L1 -25000 ↔ P1 -25000', 'bank_paid_twice: L2'],
  },
  {
    name: '15: parts that are more than the item',
    lines: [line('L1', -50_000n, { endToEndId: E1 }), line('L2', -50_000n, { endToEndId: E1 })],
    items: [itemOf({ id: 'P1', amount: -90_000n, endToEndId: E1 })],
    said: ['split: L1 -50000 ↔ P1 -50000', 'bank_amount_differs: L2, perhaps P1 by end_to_end_id with -10000'],
  },
  {
    name: '16: a file that a reference of the customer names',
    lines: [line('L1', -60_000n, { refs: ['F1'] })],
    items: FILE,
    said: ['batch: L1 -60000 ↔ P3 -30000, P2 -20000, P1 -10000'],
  },
  {
    name: '16: with charges that the line states',
    lines: [line('L1', -60_250n, { batchId: 'F1', batchTransactions: 3, charges: [charge(250)] })],
    items: FILE,
    said: ['charges: L1 -60250 ↔ P3 -30000, P2 -20000, P1 -10000 (-250 to rail_costs)'],
  },
  {
    name: '16: with another amount',
    lines: [line('L1', -61_000n, { batchId: 'F1', batchTransactions: 3 })],
    items: FILE,
    said: ['bank_amount_differs: L1, perhaps P3 and P2 and P1 by batch with -1000'],
  },
  {
    name: '18: movements that come to the line with its charges',
    lines: [line('L1', -60_250n, { details: DETAILS, charges: [charge(200), charge(50)] })],
    items: FILE,
    said: ['charges: L1 -60250 ↔ P1 -10000, P2 -20000, P3 -30000 (-250 to rail_costs)'],
  },
  {
    name: '19: two days of one sum, and a line for each',
    lines: [ofRail(), ofRail({ id: 'L2', bookedOn: '2026-11-04' })],
    items: [P1, { ...P2, expectedOn: '2026-11-04' }],
    rules: DAILY,
    said: ['day: L1 -25000 ↔ P1 -25000', 'day: L2 -25000 ↔ P2 -25000'],
  },
  {
    name: '19: two days of one sum, and one line',
    lines: [ofRail({ bookedOn: '2026-11-04' })],
    items: [P1, { ...P2, expectedOn: '2026-11-04' }],
    rules: DAILY,
    said: ['bank_line_unmatched: L1, perhaps P1 by day, perhaps P2 by day'],
  },
  {
    name: '20: a day that differs by the charges of the line',
    lines: [ofRail({ amount: -50_500n, charges: [charge(500)] })],
    items: [P1, P2],
    rules: DAILY,
    said: ['charges: L1 -50500 ↔ P1 -25000, P2 -25000 (-500 to rail_costs)'],
  },
  {
    name: '20: a day that differs by no more than the tolerance',
    lines: [ofRail({ amount: -50_050n })],
    items: [P1, P2],
    rules: { ...DAILY, ...TOLERANCE },
    said: ['tolerance: L1 -50050 ↔ P1 -25000, P2 -25000 (-50 to differences)'],
  },
  {
    name: '20: a day that differs by more than the tolerance',
    lines: [ofRail({ amount: -50_051n })],
    items: [P1, P2],
    rules: { ...DAILY, ...TOLERANCE },
    said: ['bank_amount_differs: L1, perhaps P1 and P2 by day with -51'],
  },
  {
    name: '23: two equal reports, and a line for each',
    lines: [ofAcme(), ofAcme({ id: 'L2', bookedOn: '2026-11-04' })],
    items: ['2026-11-03', '2026-11-04'].map((expectedOn, index) =>
      reportOf({ id: `R${index + 1}`, amount: 97_500n, expectedOn }),
    ),
    said: ['sequence: L1 97500 ↔ R1 97500', 'sequence: L2 97500 ↔ R2 97500'],
  },
  {
    name: '27: charges of two consecutive reports',
    lines: [ofAcme({ amount: 147_400n, charges: [charge(100, null)] })],
    items: [reportOf({ id: 'R1', amount: 97_500n }), reportOf({ id: 'R2', amount: 50_000n, expectedOn: '2026-11-04' })],
    said: ['charges: L1 147400 ↔ R1 97500, R2 50000 (-100 to bank_charges)'],
  },
  {
    name: '26: charges that are alike, without references',
    lines: ['L1', 'L2'].map((id, index) => ofRail({ id, place: index + 1, amount: -25_250n, charges: [charge(250)] })),
    items: [P1, P2],
    said: [
      'charges: L1 -25250 ↔ P1 -25000 (-250 to rail_costs)',
      'charges: L2 -25250 ↔ P2 -25000 (-250 to rail_costs)',
    ],
  },
  {
    name: '28: beyond the limit of one rule, and within that of the next',
    lines: [line('L1', -6_000n, { code: 'CHRG' })],
    rules: { bookings: [booking({}), booking({ name: 'large', amountMax: 10_000n, to: 'differences' })] },
    said: ['booking_rule: L1 -6000 ↔ nothing (-6000 to differences)'],
  },
  {
    name: '28: under an id of the bank, since no party is on the other side',
    lines: [line('L1', -5_000n, { code: 'CHRG', endToEndId: 'FEES-11' })],
    rules: { bookings: [booking({})] },
    said: ['booking_rule: L1 -5000 ↔ nothing (-5000 to bank_charges)'],
  },
  {
    name: '7, 28: a foreign id of a rail that returns ours is booked by no rule',
    lines: [ofRail({ amount: -1_200n, code: 'CHRG', endToEndId: 'INV-9' })],
    rules: { bookings: [booking({})] },
    said: ['bank_line_unmatched: L1'],
  },
  {
    name: '29: at the border of the tolerance, both ways, and behind a part',
    lines: [
      line('L1', -25_050n, { endToEndId: E1 }),
      line('L2', -24_950n, { endToEndId: E2 }),
      line('L3', -50_000n, { endToEndId: E3 }),
      line('L4', -40_020n, { endToEndId: E3, bookedOn: '2026-11-04' }),
    ],
    items: [P1, P2, itemOf({ id: 'P3', amount: -90_000n, endToEndId: E3 })],
    rules: TOLERANCE,
    said: [
      'split: L3 -50000 ↔ P3 -50000',
      'tolerance: L1 -25050 ↔ P1 -25000 (-50 to differences)',
      'tolerance: L2 -24950 ↔ P2 -25000 (50 to differences)',
      'tolerance: L4 -40020 ↔ P3 -40000 (-20 to differences)',
    ],
  },
  {
    name: '30: the reversal first, and twice',
    lines: [-30_000n, 30_000n, -30_000n, 30_000n].map((amount, index) =>
      line(`L${index + 1}`, amount, { bankReference: 'S1' }),
    ),
    said: ['reversal: L1 -30000, L2 30000 ↔ nothing', 'reversal: L3 -30000, L4 30000 ↔ nothing'],
  },
  {
    name: '30: one reversal of two equal lines',
    lines: [30_000n, 30_000n, -30_000n].map((amount, index) => line(`L${index + 1}`, amount, { bankReference: 'S1' })),
    said: ['bank_line_unmatched: L3', 'inbound_unallocated: L1', 'inbound_unallocated: L2'],
  },
  ...(
    [
      ['a cut reference', { refs: [E1.slice(0, 16)] }, 'reference_cut'],
      ['its text', { text: `RETURN ${E1} AC04` }, 'reference_in_text'],
    ] as const
  ).map(([where, stated, by]) => ({
    name: `32: a return that ${where} names`,
    lines: [line('L1', 25_000n, stated)],
    items: [PAID],
    said: [`payout_returned_at_bank: L1, perhaps P1 by ${by} with 25000`],
  })),
  {
    name: '32: the rest, behind a part that the rail has told',
    lines: [line('L1', 10_000n, { endToEndId: E1 }), line('L2', 15_000n, { endToEndId: E1 })],
    items: [PAID, backOf('X1', 10_000n)],
    said: ['end_to_end_id: L1 10000 ↔ X1 10000', 'payout_returned_at_bank: L2, perhaps P1 by end_to_end_id with 15000'],
  },
  {
    name: '32: more than can come back',
    lines: [line('L1', 25_001n, { endToEndId: E1 })],
    items: [PAID],
    said: ['bank_amount_differs: L1'],
  },
  {
    name: '32: twice, of which the rail has told one',
    lines: [line('L1', 25_000n, { endToEndId: E1 }), line('L2', 25_000n, { endToEndId: E1 })],
    items: [PAID, backOf('X1', 25_000n)],
    said: ['end_to_end_id: L1 25000 ↔ X1 25000', 'inbound_unallocated: L2'],
  },
  {
    name: '47: two alike between two own accounts',
    lines: ['L1', 'L2', 'L3', 'L4'].map((id, index) =>
      line(
        id,
        index < 2 ? -500n : 500n,
        index < 2 ? { counterpartyAccount: 'OWN2' } : { counterpartyAccount: 'OWN1', bankAccountId: 'B2' },
      ),
    ),
    said: ['own_transfer: L1 -500, L3 500 ↔ nothing', 'own_transfer: L2 -500, L4 500 ↔ nothing'],
  },
  {
    name: 'beyond what a float can count',
    lines: [line('L1', -9_007_199_254_740_993n, { endToEndId: E1 })],
    items: [itemOf({ id: 'P1', amount: -9_007_199_254_740_993n, endToEndId: E1 })],
    said: ['end_to_end_id: L1 -9007199254740993 ↔ P1 -9007199254740993'],
  },
];

test.each(ROWS)('$name', ({ lines, items = [], rules, said: expected }) => {
  expect(said(inputOf(lines, items, rules))).toEqual(expected);
});

test('an id of ours is read as ours, whatever a bank makes of its letters and blanks', () => {
  const stated = `${E1.slice(0, 9)} ${E1.slice(9)}`.toLowerCase();
  expect(openLineOf({ ...lineOf({ amount: -1n, endToEndId: stated }), matched: 0n } as never).endToEndId).toBe(E1);
});
