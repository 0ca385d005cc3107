/** In which order money that goes back to payers is taken, and that none is lost or taken twice on the way. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MAX_TOUCHED } from '../../../src/ledger/commit/committer.ts';
import { CAPTURES_MAX } from '../../../src/payments/payment/payment.ts';
import { SHARES_MAX } from '../../../src/payments/refunds/funding-store.ts';
import { wayBackTouches } from '../../../src/payments/refunds/give-back.ts';
import { type Money, planTaking } from '../../../src/payments/refunds/take-funding.ts';
import { newId } from '../../../src/values/ids.ts';

const money = (own: [string, string, bigint][], available: bigint, held: Record<string, bigint>): Money => ({
  own: own.map(([captureId, shareId, amount]) => ({ captureId, shareId, amount })),
  available,
  others: Object.keys(held),
  held: new Map(Object.entries(held)),
});

const own = (captureId: string, shareId: string, amount: bigint) => ({ captureId, shareId, amount });
const other = (shareId: string, amount: bigint) => ({ shareId, amount });
const customer = (amount: bigint) => ({ shareId: null, amount });

test.each<[string, bigint, Money, object[], bigint]>([
  ['own share first', 50n, money([['c', 's', 97n]], 500n, { s: 97n }), [own('c', 's', 50n)], 0n],
  ['then the customer', 120n, money([['c', 's', 97n]], 500n, { s: 97n }), [own('c', 's', 97n), customer(23n)], 0n],
  [
    'what of the own share is of other payments comes last',
    120n,
    money([['c', 's', 97n]], 10n, { s: 150n }),
    [own('c', 's', 97n), customer(10n), other('s', 13n)],
    0n,
  ],
  [
    'others in their order',
    30n,
    money([], 0n, { late: 20n, early: 20n }),
    [other('late', 20n), other('early', 10n)],
    0n,
  ],
  ['a released share has nothing', 50n, money([['c', 'gone', 97n]], 60n, {}), [customer(50n)], 0n],
  [
    'a share that others emptied gives what it has',
    50n,
    money([['c', 's', 97n]], 60n, { s: 5n }),
    [own('c', 's', 5n), customer(45n)],
    0n,
  ],
  [
    'two captures in one share take no more than it holds',
    100n,
    money(
      [
        ['a', 's', 60n],
        ['b', 's', 60n],
      ],
      0n,
      { s: 80n },
    ),
    [own('a', 's', 60n), own('b', 's', 20n)],
    20n,
  ],
  ['an account below zero gives nothing', 10n, money([], -5n, {}), [], 10n],
  ['nothing is needed', 0n, money([['c', 's', 97n]], 5n, { s: 97n }), [], 0n],
  ['too little', 10n, money([], 4n, { s: 3n }), [customer(4n), other('s', 3n)], 3n],
])('%s', (_, needed, given, portions, missing) => {
  expect(planTaking(needed, given)).toEqual({ portions, missing });
});

const amount = fc.bigInt({ min: 0n, max: 1_000n });
const shareIds = ['s1', 's2', 's3', 's4'] as const;
const anyMoney = fc.record({
  own: fc.array(
    fc.record({ captureId: fc.constantFrom('a', 'b', 'c'), shareId: fc.constantFrom(...shareIds), amount }),
    {
      maxLength: 5,
    },
  ),
  available: fc.bigInt({ min: -500n, max: 1_000n }),
  others: fc.uniqueArray(fc.constantFrom(...shareIds)),
  held: fc.array(fc.tuple(fc.constantFrom(...shareIds), amount), { maxLength: 4 }).map((pairs) => new Map(pairs)),
});

test('all that is needed is taken or missing; no source gives more than it has, and none is passed over', () => {
  fc.assert(
    fc.property(amount, anyMoney, (needed, given) => {
      const { portions, missing } = planTaking(needed, given);
      const taken = portions.reduce((sum, portion) => sum + portion.amount, 0n);
      expect(taken + missing).toBe(needed);
      expect(portions.every((portion) => portion.amount > 0n)).toBe(true);
      const of = (shareId: string | null) =>
        portions.reduce((sum, portion) => (portion.shareId === shareId ? sum + portion.amount : sum), 0n);
      for (const shareId of shareIds) expect(of(shareId) <= (given.held.get(shareId) ?? 0n)).toBe(true);
      expect(of(null) <= (given.available > 0n ? given.available : 0n)).toBe(true);
      // Nothing is missing while a source that may be used has something left.
      if (missing === 0n) return;
      expect(of(null)).toBe(given.available > 0n ? given.available : 0n);
      for (const shareId of given.others) expect(of(shareId)).toBe(given.held.get(shareId) ?? 0n);
    }),
  );
});

test('the customer gives nothing while the payment has money of its own, and other payments nothing while the customer has', () => {
  fc.assert(
    fc.property(amount, anyMoney, (needed, given) => {
      const { portions } = planTaking(needed, given);
      const rank = ({ shareId, captureId }: (typeof portions)[number]) => (captureId ? 0 : shareId === null ? 1 : 2);
      const ranks = portions.map(rank);
      expect(ranks).toEqual(ranks.toSorted());
      const others = portions.filter((portion) => rank(portion) === 2);
      const ofCustomer = portions.find(({ shareId }) => shareId === null)?.amount ?? 0n;
      if (others.length > 0 && given.available > 0n) expect(ofCustomer).toBe(given.available);
    }),
  );
});

test('what gives back all that a refund may take from touches no more rows than a command may, and leaves it some of its own', () => {
  const own = Array.from({ length: CAPTURES_MAX }, newId).flatMap((captureId) =>
    ['ordinary', 'reserve'].map(() => ({ captureId, shareId: newId(), amount: 1n })),
  );
  const others = Array.from({ length: SHARES_MAX }, () => ({ shareId: newId(), amount: 1n }));
  const portions = [...own, ...others];
  // All of them wait, each with a ready share of its day.
  const back = portions.flatMap(({ shareId }) => [shareId, newId()]);
  const touched = wayBackTouches({ portions }, back).reduce((sum, { ids }) => sum + ids.length, 0);
  expect(touched).toBe(850);
  expect(touched).toBeLessThanOrEqual(MAX_TOUCHED - 100);
});
