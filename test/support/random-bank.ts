/**
 * A bank that says of a random journal what banks say: references cut, split and merged lines, charges, lines that are late, early or there twice. The
 * generator knows what each line is of, so that a match can be called wrong. What nobody could tell apart is not asked for: lines without a reference
 * stand within the window, and their amounts are those of what they are of.
 */
import fc from 'fast-check';

export interface Movement {
  readonly kind: 'payout' | 'return' | 'merged' | 'report' | 'arrival' | 'charge' | 'transfer' | 'reversed';
  /** Few amounts, so that many movements have the same. */
  readonly amount: number;
  readonly book: 0 | 1;
  /** Of the journal. */
  readonly day: number;
  /** Days between the books and the bank. */
  readonly lag: number;
  readonly noise: string;
  /** Whether the line states the account of the party. */
  readonly isNamed: boolean;
}

export interface World {
  readonly settles: 'single' | 'reference' | 'day';
  readonly tolerance: number;
  readonly movements: readonly Movement[];
  /** Days of statements in one file. */
  readonly daysInFile: number;
  /** Whether every second file comes before the one that it follows. */
  readonly isTurned: boolean;
}

export const JOURNAL_DAYS = 7;

const NOISE: Readonly<Record<Movement['kind'], readonly string[]>> = {
  payout: [
    ...['plain', 'plain', 'cut', 'in text', 'split', 'twice', 'charged', 'netted', 'short', 'late', 'early', 'early'],
    ...[
      'early in text',
      'early cut',
      'missing',
      'foreign',
      'bare',
      'bare',
      'bare',
      'blank',
      'bank reference',
      'misdated',
    ],
  ],
  return: ['reported', 'reported', 'reported late', 'not reported', 'bare', 'missing', 'part'],
  merged: ['details', 'unnamed', 'one named'],
  report: ['named', 'unnamed', 'charged', 'missing', 'merged', 'negative'],
  arrival: ['named', 'named', 'unknown', 'recalled', 'unknown and recalled', 'notified', 'twice'],
  charge: ['charge'],
  transfer: ['reference', 'end-to-end id', 'accounts', 'one side'],
  reversed: ['same day'],
};

const KINDS = [
  ...Array<'payout'>(10).fill('payout'),
  ...([
    'return',
    'return',
    'merged',
    'report',
    'report',
    'arrival',
    'arrival',
    'charge',
    'transfer',
    'reversed',
  ] as const),
];

const movement: fc.Arbitrary<Movement> = fc.constantFrom(...KINDS).chain((kind) =>
  fc.record({
    kind: fc.constant(kind),
    amount: fc.integer({ min: 1, max: 4 }).map((amount) => amount * 1_000),
    book: fc.constantFrom(0 as const, 1 as const),
    day: fc.integer({ min: 0, max: JOURNAL_DAYS - 1 }),
    lag: fc.integer({ min: 0, max: 2 }),
    noise: fc.constantFrom(...NOISE[kind]),
    isNamed: fc.boolean(),
  }),
);

export const worlds: fc.Arbitrary<World> = fc.record({
  settles: fc.constantFrom('single' as const, 'single' as const, 'reference' as const, 'day' as const),
  tolerance: fc.constantFrom(0, 50),
  movements: fc.array(movement, { minLength: 1, maxLength: 25 }),
  daysInFile: fc.integer({ min: 1, max: 4 }),
  isTurned: fc.boolean(),
});
