/** Each rule of matching, and what none of them confirms. Numbers are rows of the golden scenarios. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { matchLines } from '../../../../src/reconciliation/matches/match-lines.ts';
import {
  type AccountRules,
  type MatchItem,
  type OpenLine,
  RULES,
} from '../../../../src/reconciliation/matches/matching.ts';
import { truncateCardNumbers } from '../../../../src/values/card-number.ts';
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
import { runs } from '../../../support/runs.ts';

interface Row {
  readonly name: string;
  readonly lines: readonly OpenLine[];
  readonly items?: readonly MatchItem[];
  readonly rules?: Partial<AccountRules>;
  readonly said: readonly string[];
}

const E1 = OURS('A');
const E2 = OURS('B');
const E3 = OURS('C');
const P1 = itemOf({ id: 'P1', amount: -25_000n, endToEndId: E1 });
const P2 = itemOf({ id: 'P2', amount: -25_000n, endToEndId: E2 });
const ofRail = (change: Partial<OpenLine>) =>
  lineOf({ id: 'L1', amount: -25_000n, counterpartyAccount: RAIL_ACCOUNT, ...change });
const ofAcme = (change: Partial<OpenLine>) =>
  lineOf({ id: 'L1', amount: 97_500n, counterpartyAccount: ACME_ACCOUNT, ...change });
const R1 = reportOf({ id: 'R1', amount: 97_500n, documentReference: 'ACME-2026-11-03' });
/** In the order in which they came. */
const THREE_OF_A_DAY = [49_400n, 19_760n, 29_640n].map((amount, index) => reportOf({ id: `R${index + 1}`, amount }));
const OF_F1 = [E1, E2, E3].map((endToEndId, index) =>
  itemOf({ id: `P${index + 1}`, amount: BigInt(index + 1) * -10_000n, endToEndId, batchId: 'F1' }),
);
/** A file of ours that the bank books as one line of 60,000, with its movements. */
const detailed = (...details: readonly (readonly [endToEndId: string, amount: bigint])[]) =>
  lineOf({
    ...{ id: 'L1', amount: -60_000n, batchId: 'F1' },
    details: details.map(([endToEndId, amount]) => ({ endToEndId, amount: String(-amount) })),
  });
const DAILY: Partial<AccountRules> = {
  parties: [{ party: 'rail', accounts: [RAIL_ACCOUNT], names: [], settles: 'day' }],
};

const GOLDEN: readonly Row[] = [
  {
    name: 'a document whose number looks like that of a card, in a text as it is stored',
    lines: [lineOf({ id: 'L1', amount: 97_500n, text: truncateCardNumbers('Payment 4242 4242 4242 4242.') })],
    items: [reportOf({ id: 'R1', amount: 97_500n, documentReference: '4242424242424242' })],
    said: ['reference_in_text: L1 97500 ↔ R1 97500'],
  },
  {
    name: 'of two documents whose numbers are stored alike neither is named',
    lines: [lineOf({ id: 'L1', amount: 97_500n, text: truncateCardNumbers('Payment 4242424242424242') })],
    items: [
      reportOf({ id: 'R1', amount: 97_500n, documentReference: '4242424242424242' }),
      reportOf({ id: 'R2', amount: 97_500n, documentReference: '4242420000004242' }),
    ],
    said: ['inbound_unallocated: L1, perhaps R1 by amount, perhaps R2 by amount'],
  },
  {
    name: '1: the end-to-end id',
    lines: [ofRail({ endToEndId: E1 })],
    items: [P1],
    said: ['end_to_end_id: L1 -25000 ↔ P1 -25000'],
  },
  {
    name: '2: the same amount twice a day',
    lines: [
      lineOf({ id: 'L1', amount: -25_000n, endToEndId: E2 }),
      lineOf({ id: 'L2', amount: -25_000n, endToEndId: E1, place: 2 }),
    ],
    items: [P1, P2],
    said: ['end_to_end_id: L2 -25000 ↔ P1 -25000', 'end_to_end_id: L1 -25000 ↔ P2 -25000'],
  },
  {
    name: '3: two and two of one amount and party, in order',
    lines: [ofRail({}), ofRail({ id: 'L2', place: 2 })],
    items: [P1, P2],
    said: ['amount_counterparty: L1 -25000 ↔ P1 -25000', 'amount_counterparty: L2 -25000 ↔ P2 -25000'],
  },
  {
    name: '4: one line and two items',
    lines: [ofRail({})],
    items: [P1, P2],
    said: ['bank_line_unmatched: L1, perhaps P1 by amount_counterparty, perhaps P2 by amount_counterparty'],
  },
  {
    name: '5: a reference that is cut',
    lines: [lineOf({ id: 'L1', amount: -25_000n, refs: [E1.slice(0, 16)] })],
    items: [P1, P2],
    said: ['reference_cut: L1 -25000 ↔ P1 -25000'],
  },
  {
    name: 'a cut reference with which two begin',
    lines: [lineOf({ id: 'L1', amount: -25_000n, refs: [E1.slice(0, 16)] })],
    items: [P1, itemOf({ id: 'P9', amount: 0n, direction: 'out', endToEndId: `${E1.slice(0, 20)}${'Z'.repeat(14)}0` })],
    said: ['bank_line_unmatched: L1, perhaps P1 by amount'],
  },
  {
    name: 'a beginning that is too short',
    lines: [lineOf({ id: 'L1', amount: -25_000n, refs: [E1.slice(0, 11)] })],
    items: [P1],
    said: ['bank_line_unmatched: L1, perhaps P1 by amount'],
  },
  {
    name: '6: a reference broken in the text',
    lines: [lineOf({ id: 'L1', amount: -25_000n, text: `Payment ${E1.slice(0, 20)} ${E1.slice(20)} thanks` })],
    items: [P1, P2],
    said: ['reference_in_text: L1 -25000 ↔ P1 -25000'],
  },
  {
    name: '7: a foreign end-to-end id',
    lines: [ofRail({ endToEndId: 'INV-9' })],
    items: [P1],
    said: ['bank_line_unmatched: L1'],
  },
  ...[{ text: `To ${E3}` }, { endToEndId: E3.slice(0, 16) }, { refs: [E3] }].map((stated) => ({
    name: `an id of ours of which nothing is expected yet, in ${Object.keys(stated).join()}`,
    lines: [ofRail(stated)],
    items: [P1],
    said: [`bank_line_unmatched: L1${'endToEndId' in stated ? '' : ', perhaps P1 by amount_counterparty'}`],
    rules: { parties: [{ party: 'rail', accounts: [RAIL_ACCOUNT], names: [], settles: 'reference' as const }] },
  })),
  {
    name: '8: the amount alone',
    lines: [lineOf({ id: 'L1', amount: -25_000n })],
    items: [P1],
    said: ['bank_line_unmatched: L1, perhaps P1 by amount'],
  },
  { name: '11: money of nobody', lines: [lineOf({ id: 'L1', amount: 10_000n })], said: ['inbound_unallocated: L1'] },
  {
    name: '14: the bank paid twice',
    lines: [ofRail({ endToEndId: E1, bankReference: 'S1' }), ofRail({ id: 'L2', endToEndId: E1, bankReference: 'S2' })],
    items: [P1],
    said: ['end_to_end_id: L1 -25000 ↔ P1 -25000', 'bank_paid_twice: L2'],
  },
  {
    name: '15: two parts of one item',
    lines: [
      ofRail({ amount: -50_000n, endToEndId: E1 }),
      ofRail({ id: 'L2', amount: -40_000n, endToEndId: E1, bookedOn: '2026-11-04' }),
    ],
    items: [itemOf({ id: 'P1', amount: -90_000n, endToEndId: E1 })],
    said: ['split: L1 -50000 ↔ P1 -50000', 'split: L2 -40000 ↔ P1 -40000'],
  },
  {
    name: '16: a file that the bank booked as one',
    lines: [lineOf({ id: 'L1', amount: -60_000n, batchId: 'F1', batchTransactions: 3 })],
    items: [10_000n, 20_000n, 30_000n].map((amount, index) =>
      itemOf({ id: `P${index + 1}`, amount: -amount, batchId: 'F1' }),
    ),
    said: ['batch: L1 -60000 ↔ P3 -30000, P2 -20000, P1 -10000'],
  },
  {
    name: 'a file of which the bank counts more',
    lines: [lineOf({ id: 'L1', amount: -30_000n, batchId: 'F1', batchTransactions: 3 })],
    items: [10_000n, 20_000n].map((amount, index) => itemOf({ id: `P${index + 1}`, amount: -amount, batchId: 'F1' })),
    said: ['bank_line_unmatched: L1'],
  },
  {
    name: '17: the movements that the bank states of one line',
    lines: [detailed([E1, 10_000n], [E2, 20_000n], [E3, 30_000n])],
    items: OF_F1,
    said: ['details: L1 -60000 ↔ P1 -10000, P2 -20000, P3 -30000'],
  },
  {
    name: '18: movements that do not come to the line',
    lines: [detailed([E1, 10_000n], [E2, 20_000n])],
    items: OF_F1,
    said: ['bank_line_unmatched: L1'],
  },
  {
    name: 'movements of which one has another amount than its item',
    lines: [detailed([E1, 10_000n], [E2, 25_000n], [E3, 25_000n])],
    items: OF_F1.map((item) => ({ ...item, batchId: null })),
    said: ['bank_line_unmatched: L1'],
  },
  {
    name: 'movements that name one item twice',
    lines: [detailed([E1, 30_000n], [E1, 30_000n])],
    items: [itemOf({ id: 'P1', amount: -30_000n, endToEndId: E1 })],
    said: ['bank_line_unmatched: L1'],
  },
  {
    name: 'movements that other lines have shown',
    lines: [
      detailed([E1, 10_000n], [E2, 50_000n]),
      lineOf({ id: 'L2', amount: -10_000n, endToEndId: E1, place: 2 }),
      lineOf({ id: 'L3', amount: -50_000n, endToEndId: E2, place: 3 }),
    ],
    items: [
      itemOf({ id: 'P1', amount: -10_000n, endToEndId: E1 }),
      itemOf({ id: 'P2', amount: -50_000n, endToEndId: E2 }),
    ],
    said: ['end_to_end_id: L3 -50000 ↔ P2 -50000', 'end_to_end_id: L2 -10000 ↔ P1 -10000', 'bank_paid_twice: L1'],
  },
  {
    name: '19: a day of a rail that settles net',
    lines: [ofRail({ bookedOn: '2026-11-04' })],
    items: [
      itemOf({ id: 'P1', amount: -10_000n }),
      itemOf({ id: 'P2', amount: -20_000n }),
      itemOf({ id: 'P0', amount: 5_000n, resource: 'payout_return' }),
    ],
    rules: DAILY,
    said: ['day: L1 -25000 ↔ P2 -20000, P1 -10000, P0 5000'],
  },
  {
    name: '20: a day that differs',
    lines: [ofRail({ amount: -30_500n })],
    items: [itemOf({ id: 'P1', amount: -10_000n }), itemOf({ id: 'P2', amount: -20_000n })],
    rules: DAILY,
    said: ['bank_amount_differs: L1, perhaps P2 and P1 by day with -500'],
  },
  {
    name: '21: a report that the text names',
    lines: [ofAcme({ text: 'Settlement ACME-2026- 11-03' })],
    items: [R1],
    said: ['reference_in_text: L1 97500 ↔ R1 97500'],
  },
  {
    name: 'a report whose name is the beginning of another',
    lines: [ofAcme({ text: 'Settlement ACME-2026-11-031', counterpartyAccount: null })],
    items: [R1],
    said: ['inbound_unallocated: L1, perhaps R1 by amount'],
  },
  {
    name: '23: two consecutive reports',
    lines: [ofAcme({ amount: 147_500n })],
    items: [R1, reportOf({ id: 'R2', amount: 50_000n, expectedOn: '2026-11-04' })],
    said: ['sequence: L1 147500 ↔ R1 97500, R2 50000'],
  },
  {
    name: '23: consecutive are reports of a day that came one behind the other, whatever they come to',
    lines: [ofAcme({ amount: 69_160n })],
    items: THREE_OF_A_DAY,
    said: ['sequence: L1 69160 ↔ R1 49400, R2 19760'],
  },
  {
    name: '23: two reports of a day with another between them',
    lines: [ofAcme({ amount: 79_040n })],
    items: THREE_OF_A_DAY,
    said: ['inbound_unallocated: L1'],
  },
  {
    name: '24: a report that costs',
    lines: [ofAcme({ amount: -3_000n })],
    items: [reportOf({ id: 'R1', amount: -3_000n })],
    said: ['sequence: L1 -3000 ↔ R1 -3000'],
  },
  {
    name: '25: less than the report that it names',
    lines: [ofAcme({ amount: 96_000n, text: 'ACME-2026-11-03' })],
    items: [R1],
    said: ['bank_amount_differs: L1, perhaps R1 by reference_in_text with -1500'],
  },
  {
    name: '26: charges of a payout',
    lines: [
      ofRail({ amount: -25_250n, endToEndId: E1, charges: [{ amount: '250', currency: 'JOD', included: true }] }),
    ],
    items: [P1],
    said: ['charges: L1 -25250 ↔ P1 -25000 (-250 to rail_costs)'],
  },
  {
    name: '27: charges of a settlement',
    lines: [ofAcme({ amount: 97_400n, charges: [{ amount: '100', currency: 'JOD', included: true }] })],
    items: [R1],
    said: ['charges: L1 97400 ↔ R1 97500 (-100 to bank_charges)'],
  },
  {
    name: '28: what a rule books, up to its limit',
    lines: [lineOf({ id: 'L1', amount: -1_200n, code: 'CHRG' }), lineOf({ id: 'L2', amount: -6_000n, code: 'CHRG' })],
    rules: {
      bookings: [
        {
          name: 'charges',
          direction: 'out',
          code: 'CHRG',
          text: null,
          counterparty: null,
          amountMax: 5_000n,
          to: 'bank_charges',
        },
      ],
    },
    said: ['booking_rule: L1 -1200 ↔ nothing (-1200 to bank_charges)', 'bank_line_unmatched: L2'],
  },
  {
    name: '29: within the tolerance of the party, and beyond it',
    lines: [ofRail({ amount: -25_030n, endToEndId: E1 }), ofRail({ id: 'L2', amount: -25_051n, endToEndId: E2 })],
    items: [P1, P2],
    rules: { tolerances: [{ party: 'rail', amount: 50n, to: 'differences' }] },
    said: [
      'tolerance: L1 -25030 ↔ P1 -25000 (-30 to differences)',
      'bank_amount_differs: L2, perhaps P2 by end_to_end_id with -51',
    ],
  },
  {
    name: '30: a line and its reversal',
    lines: [
      lineOf({ id: 'L1', amount: 30_000n, bankReference: 'S1' }),
      lineOf({ id: 'L2', amount: -30_000n, bankReference: 'S1', place: 2 }),
    ],
    said: ['reversal: L2 -30000, L1 30000 ↔ nothing'],
  },
  {
    name: '31: a return that the rail told',
    lines: [lineOf({ id: 'L1', amount: 25_000n, endToEndId: E1 })],
    items: [{ ...P1, amount: 0n }, itemOf({ id: 'X1', amount: 25_000n, endToEndId: E1, resource: 'payout_return' })],
    said: ['end_to_end_id: L1 25000 ↔ X1 25000'],
  },
  {
    name: '32: a return that the rail did not tell',
    lines: [lineOf({ id: 'L1', amount: 25_000n, endToEndId: E1 })],
    items: [{ ...P1, amount: 0n }],
    said: ['payout_returned_at_bank: L1, perhaps P1 by end_to_end_id with 25000'],
  },
  {
    name: '47: two own accounts',
    lines: [
      lineOf({ id: 'L1', amount: -500_000n, bankReference: 'S1' }),
      lineOf({ id: 'L2', amount: 500_000n, bankReference: 'S1', bankAccountId: 'B2' }),
    ],
    said: ['own_transfer: L1 -500000, L2 500000 ↔ nothing'],
  },
  {
    name: 'two own accounts that the lines name',
    lines: [
      lineOf({ id: 'L1', amount: -500_000n, counterpartyAccount: 'OWN2' }),
      lineOf({ id: 'L2', amount: 500_000n, counterpartyAccount: 'OWN1', bankAccountId: 'B2', bookedOn: '2026-11-05' }),
    ],
    said: ['own_transfer: L1 -500000, L2 500000 ↔ nothing'],
  },
  {
    name: '48: currencies never meet',
    lines: [lineOf({ id: 'L1', amount: -10_000n, currency: 'USD', endToEndId: E1 })],
    items: [
      itemOf({ id: 'U', amount: -10_000n, currency: 'USD', endToEndId: E1 }),
      itemOf({ id: 'E', amount: -10_000n, currency: 'EUR', endToEndId: E1 }),
    ],
    said: ['end_to_end_id: L1 -10000 ↔ U -10000'],
  },
  {
    name: 'the reference that the party stated',
    lines: [lineOf({ id: 'L1', amount: 40_000n, bankReference: 'S7' })],
    items: [itemOf({ id: 'T', amount: 40_000n, party: null, bankReference: 'S7', resource: 'inbound_transfer' })],
    said: ['bank_reference: L1 40000 ↔ T 40000'],
  },
  {
    name: 'a reference of the bank that lines share',
    lines: [
      lineOf({ id: 'L1', amount: 40_000n, bankReference: 'S7' }),
      lineOf({ id: 'L2', amount: 1_000n, bankReference: 'S7' }),
    ],
    items: [itemOf({ id: 'T', amount: 40_000n, party: null, bankReference: 'S7', resource: 'inbound_transfer' })],
    said: [
      'bank_amount_differs: L2, perhaps T by bank_reference with -39000',
      'inbound_unallocated: L1, perhaps T by bank_reference',
    ],
  },
  {
    name: 'a line that names another item falls through every weaker rule',
    lines: [ofRail({ endToEndId: E3 })],
    items: [P1, itemOf({ id: 'P3', amount: -9_000n, endToEndId: E3 })],
    said: ['bank_amount_differs: L1, perhaps P3 by end_to_end_id with -16000'],
  },
  {
    name: 'beyond the window',
    lines: [ofRail({ bookedOn: '2026-11-11' })],
    items: [P1],
    said: ['bank_line_unmatched: L1'],
  },
];

test.each(GOLDEN)('$name', ({ lines, items = [], rules, said: expected }) => {
  expect(said(inputOf(lines, items, rules))).toEqual(expected);
});

test('a line that has the amount of what it names differs by nothing, and is said so', () => {
  const [left] = matchLines(inputOf([ofRail({ endToEndId: 'INV-9', text: `Payment ${E1}` })], [P1])).left;
  expect(left).toMatchObject({
    kind: 'bank_line_unmatched',
    detail: expect.stringContaining('has the amount that was expected'),
    proposals: [{ itemIds: ['P1'], difference: 0n, reason: 'The line names the item, and has its amount.' }],
  });
});

test('every rule confirms in one of the rows', () => {
  const confirmed = new Set(
    GOLDEN.flatMap((row) => matchLines(inputOf(row.lines, row.items ?? [], row.rules)).matches.map(({ rule }) => rule)),
  );
  expect(RULES.filter((rule) => !confirmed.has(rule))).toEqual([]);
});

/** What really moved, and what the bank made of it. */
interface World {
  readonly items: readonly MatchItem[];
  readonly lines: readonly OpenLine[];
  /** The items that a line is of. */
  readonly truth: ReadonlyMap<string, ReadonlySet<string>>;
}

const NOISE = [
  'plain',
  'no reference',
  'cut',
  'in text',
  'foreign',
  'fee',
  'split',
  'twice',
  'missing',
  'late',
  'bare',
] as const;

const isBare = (noise: string, isNamed: boolean) => noise === 'bare' && isNamed;

const movement = fc.record({
  amount: fc.integer({ min: 1, max: 6 }).map((amount) => BigInt(amount) * 1_000n),
  day: fc.integer({ min: 1, max: 8 }),
  noise: fc.constantFrom(...NOISE),
  isNamed: fc.boolean(),
});

const world = fc.array(movement, { minLength: 1, maxLength: 30 }).map((movements): World => {
  const items: MatchItem[] = [];
  const lines: OpenLine[] = [];
  const truth = new Map<string, ReadonlySet<string>>();
  const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
  for (const [index, { amount, day, noise, isNamed }] of movements.entries()) {
    const id = `P${index}`;
    const endToEndId = `CH${digits[index % 32]}${digits[Math.floor(index / 32)]}${digits[index % 32]!.repeat(30)}0`;
    items.push(itemOf({ id, amount: -amount, endToEndId, expectedOn: `2026-11-0${day}` }));
    const add = (change: Partial<OpenLine> & Pick<OpenLine, 'amount'>, of: readonly string[] = [id]) => {
      const line = lineOf({
        ...{ id: `L${lines.length}`, place: lines.length + 1, bookedOn: `2026-11-${String(day + 1).padStart(2, '0')}` },
        ...{ bankReference: `S${lines.length}`, counterpartyAccount: isNamed ? RAIL_ACCOUNT : null },
        ...change,
      });
      lines.push(line);
      truth.set(line.id, new Set(of));
    };
    const told: Record<(typeof NOISE)[number], () => void> = {
      plain: () => add({ amount: -amount, endToEndId }),
      'no reference': () => add({ amount: -amount, counterpartyAccount: null }),
      cut: () => add({ amount: -amount, refs: [endToEndId.slice(0, 16)] }),
      'in text': () => add({ amount: -amount, text: `To ${endToEndId.slice(0, 9)} ${endToEndId.slice(9)}` }),
      foreign: () => add({ amount: -amount, endToEndId: `INV-${index}` }, []),
      fee: () => add({ amount: -amount - 10n, endToEndId }),
      split: () => {
        add({ amount: -amount + 400n, endToEndId });
        add({ amount: -400n, endToEndId });
      },
      twice: () => {
        add({ amount: -amount, endToEndId });
        add({ amount: -amount, endToEndId });
      },
      missing: () => undefined,
      // Lines of one amount and party are alike: any of these items is right.
      bare: () =>
        add(
          { amount: -amount },
          movements.flatMap((one, at) => (one.amount === amount && isBare(one.noise, one.isNamed) ? [`P${at}`] : [])),
        ),
      late: () => add({ amount: -amount, endToEndId, bookedOn: '2026-12-24' }),
    };
    told[noise]();
  }
  return { items, lines, truth };
});

const TEXT = (_: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value);

describe('under noise', () => {
  test('no rule confirms a wrong match, and no line or item is given twice', () => {
    fc.assert(
      fc.property(world, ({ items, lines, truth }) => {
        const { matches, left } = matchLines(inputOf(lines, items));
        for (const match of matches)
          for (const line of match.lines)
            expect(match.items.filter(({ id }) => !truth.get(line.id)!.has(id))).toEqual([]);
        const given = matches.flatMap((match) => match.lines.map(({ id }) => id));
        expect([...given, ...left.map(({ lineId }) => lineId)].sort()).toEqual(lines.map(({ id }) => id).sort());
        for (const item of items) {
          const parts = matches.flatMap((match) => match.items.filter(({ id }) => id === item.id));
          expect(parts.reduce((sum, { amount }) => sum + amount, 0n) >= item.amount).toBe(true);
        }
      }),
      { numRuns: runs(500) },
    );
  });

  test('a match is its lines less its difference, to the minor unit', () => {
    const sum = (parts: readonly { readonly amount: bigint }[]) =>
      parts.reduce((total, { amount }) => total + amount, 0n);
    fc.assert(
      fc.property(world, ({ items, lines }) => {
        for (const match of matchLines(inputOf(lines, items)).matches)
          expect(sum(match.lines)).toBe(sum(match.items) + (match.difference?.amount ?? 0n));
      }),
      { numRuns: runs(300) },
    );
  });

  test('the order of lines and items does not count', () => {
    const shuffled = world.chain(({ items, lines }) =>
      fc.record({
        items: fc.constant(items),
        lines: fc.constant(lines),
        otherItems: fc.shuffledSubarray([...items], { minLength: items.length }),
        otherLines: fc.shuffledSubarray([...lines], { minLength: lines.length }),
      }),
    );
    fc.assert(
      fc.property(shuffled, ({ items, lines, otherItems, otherLines }) => {
        const one = JSON.stringify(matchLines(inputOf(lines, items)), TEXT);
        expect(JSON.stringify(matchLines(inputOf(otherLines, otherItems)), TEXT)).toBe(one);
      }),
      { numRuns: runs(300) },
    );
  });
});
