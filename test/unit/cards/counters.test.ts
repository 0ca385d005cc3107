import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CALENDAR_WINDOWS, windowStartsOf, windowsOfDay } from '../../../src/calendar/counting-windows.ts';
import { atMoment, type Counter, countChange, newCounter } from '../../../src/cards/counters/counter.ts';
import { limitUsage, usedOf } from '../../../src/cards/counters/limit-usage.ts';
import { countOf, firstUse, NO_USAGE, type Usage } from '../../../src/cards/counters/usage.ts';
import { DAY_MS, limitOf, START } from './decision-values.ts';

const ZONE = 'Asia/Amman';

/** One purchase: when each of its usages was, in hours from the beginning. */
interface Played {
  readonly steps: readonly { readonly afterHours: number; readonly usage: Usage }[];
}

const amount = fc.oneof(fc.constant(0n), fc.bigInt({ min: 0n, max: 1_000n }));
const usage = fc.record({ amount, refunded: amount });
const steps = fc.array(fc.record({ afterHours: fc.integer({ min: 0, max: 24 * 40 }), usage }), { maxLength: 6 });
const purchases = fc.array(fc.record({ steps }), { minLength: 1, maxLength: 6 });

interface Change {
  readonly at: number;
  readonly purchase: number;
  readonly usage: Usage;
}

/** What all purchases use, one change behind the other. */
function play(changes: readonly Change[]) {
  const state = new Map<number, { usage: Usage; firstUsedAt: number | null }>();
  let counter = newCounter(windowStartsOf(START, ZONE));
  for (const { at, purchase, usage: after } of changes) {
    const known = state.get(purchase) ?? { usage: NO_USAGE, firstUsedAt: null };
    const firstUsedAt = firstUse(after, { known: known.firstUsedAt, now: at });
    const countsIn = firstUsedAt === null ? null : windowStartsOf(firstUsedAt, ZONE);
    counter = countChange(counter, { before: known.usage, after, countsIn }, windowStartsOf(at, ZONE));
    state.set(purchase, { usage: after, firstUsedAt });
  }
  return { counter, state };
}

function changesOf(played: readonly Played[]): Change[] {
  const all = played.flatMap(({ steps: taken }, purchase) =>
    taken.map(({ afterHours, usage: used }) => ({ at: START + (afterHours * DAY_MS) / 24, purchase, usage: used })),
  );
  return all.toSorted((one, other) => one.at - other.at);
}

describe('a counter', () => {
  test('is the sum of what the purchases that count in its windows use', () => {
    fc.assert(
      fc.property(purchases, (played) => {
        const { counter, state } = play(changesOf(played));
        const all = [...state.values()];
        for (const window of CALENDAR_WINDOWS) {
          const { startsOn, ...counted } = counter[window];
          const within = all.filter(
            ({ firstUsedAt }) => firstUsedAt !== null && windowStartsOf(firstUsedAt, ZONE)[window] === startsOn,
          );
          expect(counted).toEqual(sumOf(within));
        }
        expect(counter.allTime).toEqual(sumOf(all));
        expect(counter.refunded).toBe(all.reduce((sum, one) => sum + one.usage.refunded, 0n));
      }),
    );
  });

  test('is never below 0, whatever it is told', () => {
    const change = fc.record({ before: usage, after: usage, days: fc.integer({ min: 0, max: 60 }) });
    fc.assert(
      fc.property(fc.array(change), (changes) => {
        let counter = newCounter(windowStartsOf(START, ZONE));
        for (const { before, after, days } of changes) {
          const now = windowStartsOf(START + days * DAY_MS, ZONE);
          counter = countChange(counter, { before, after, countsIn: now }, now);
          const all = [counter.allTime, ...CALENDAR_WINDOWS.map((window) => counter[window])];
          expect(all.every((counted) => counted.amount >= 0n && counted.count >= 0n)).toBe(true);
          expect(counter.refunded).toBeGreaterThanOrEqual(0n);
        }
      }),
    );
  });

  test('comes to the same in whatever order purchases of the same windows change', () => {
    const within = fc.array(fc.record({ purchase: fc.integer({ min: 0, max: 4 }), usage }), { maxLength: 10 });
    fc.assert(
      fc.property(within, fc.infiniteStream(fc.nat()), (told, random) => {
        const changes = told.map((one) => ({ ...one, at: START }));
        expect(play(interleaved(changes, random)).counter).toEqual(play(changes).counter);
      }),
    );
  });

  test('begins its windows anew, and never an earlier one', () => {
    const day = windowsOfDay('2027-03-31');
    const used: Counter = countChange(
      newCounter(day),
      { before: NO_USAGE, after: { amount: 500n, refunded: 0n }, countsIn: day },
      day,
    );
    const later = atMoment(used, windowsOfDay('2027-04-01'));
    expect(later).toMatchObject({
      day: { startsOn: '2027-04-01', amount: 0n, count: 0n },
      week: { startsOn: '2027-03-29', amount: 500n, count: 1n },
      month: { startsOn: '2027-04-01', amount: 0n },
      year: { startsOn: '2027-01-01', amount: 500n },
      allTime: { amount: 500n, count: 1n },
    });
    expect(atMoment(later, day)).toBe(later);
  });

  test('has no part of a purchase of a window that has ended', () => {
    const [march, april] = [windowsOfDay('2027-03-31'), windowsOfDay('2027-04-01')];
    const before = { amount: 500n, refunded: 0n };
    const counter = countChange(newCounter(march), { before: NO_USAGE, after: before, countsIn: march }, march);
    const increased = countChange(counter, { before, after: { ...before, amount: 900n }, countsIn: march }, april);
    expect([increased.day.amount, increased.month.amount]).toEqual([0n, 0n]);
    expect([increased.week.amount, increased.year.amount, increased.allTime.amount]).toEqual([900n, 900n, 900n]);
  });
});

function sumOf(all: readonly { usage: Usage }[]) {
  return {
    amount: all.reduce((sum, one) => sum + one.usage.amount, 0n),
    count: all.reduce((sum, one) => sum + countOf(one.usage), 0n),
  };
}

/** The changes of each purchase in their order, those of all in any. */
function interleaved(changes: readonly Change[], random: Iterator<number>): Change[] {
  const byPurchase = new Set(changes.map(({ purchase }) => purchase));
  const left = [...byPurchase].map((one) => changes.filter(({ purchase }) => purchase === one));
  const mixed: Change[] = [];
  while (left.length > 0) {
    const place = random.next().value % left.length;
    mixed.push(left[place]!.shift()!);
    if (left[place]!.length === 0) left.splice(place, 1);
  }
  return mixed;
}

describe('what a limit shows', () => {
  const now = windowStartsOf(START, 'UTC');
  const at = { now, timeZone: 'UTC', countedSince: START };
  const counter = countChange(
    newCounter(now),
    { before: NO_USAGE, after: { amount: 700n, refunded: 200n }, countsIn: now },
    now,
  );

  test.each`
    window             | resetsAt
    ${'authorization'} | ${null}
    ${'day'}           | ${'2027-03-02'}
    ${'week'}          | ${'2027-03-08'}
    ${'month'}         | ${'2027-04-01'}
    ${'year'}          | ${'2028-01-01'}
    ${'all_time'}      | ${null}
  `('$window begins anew at $resetsAt', ({ window, resetsAt }) => {
    const shown = limitUsage(limitOf({ window, amount: 1_000n }), counter, at);
    expect(shown.resetsAt).toBe(resetsAt && Date.parse(resetsAt));
    expect(shown.amount!.used).toBe(window === 'authorization' ? 0n : 700n);
  });

  test('an amount and a count side by side, and since when a limit with a filter counts', () => {
    const limit = limitOf({ amount: 600n, count: 5n });
    expect(limitUsage(limit, counter, at)).toMatchObject({
      amount: { limit: 600n, used: 700n, remaining: 0n },
      count: { limit: 5n, used: 1n, remaining: 4n },
      countedSince: null,
    });
    expect(limitUsage({ ...limit, for: { kinds: ['cash'] } }, counter, at).countedSince).toBe(START);
  });

  test('refunds give back to a limit that is net of them, and not below 0', () => {
    const net = limitOf({ window: 'all_time', amount: 1_000n, netOfRefunds: true });
    expect(usedOf(net, counter).amount).toBe(500n);
    expect(usedOf(net, { ...counter, refunded: 900n }).amount).toBe(0n);
    expect(usedOf({ ...net, netOfRefunds: false }, counter).amount).toBe(700n);
  });
});
