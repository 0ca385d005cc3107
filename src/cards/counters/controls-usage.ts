/** What of its limits a version of controls shows as used up, in each currency that it counts. */
import { windowStartsOf } from '../../calendar/counting-windows.ts';
import { bookTime } from '../../ledger/book/book.ts';
import { formatInstantOrNull, type Instant } from '../../values/clock.ts';
import { hasOwnCounter } from '../controls/controls-content.ts';
import type { StoredControls } from '../controls/controls-table.ts';
import { newCounter } from './counter.ts';
import { limitCounterId, scopeCounterId } from './counter-table.ts';
import { limitUsage, type Measure } from './limit-usage.ts';
import type { UsageRead } from './usage-store.ts';

/** Of one limit, by its place; a limit of a single purchase has nothing used up before it. */
export function usageView(version: StoredControls, place: number, { read, wall }: { read: UsageRead; wall: Instant }) {
  const limit = version.content.limits[place]!;
  const { timeZone } = read.program;
  const now = windowStartsOf(bookTime(read.book, wall), timeZone);
  return (read.currencies.get(version.id) ?? []).map((currency) => {
    const id = hasOwnCounter(limit)
      ? limitCounterId(version.id, place, currency)
      : scopeCounterId(version.subjectId, currency);
    const counter = read.counters.get(id) ?? newCounter(now);
    const { amount, count, resetsAt, countedSince } = limitUsage(limit, counter, {
      now,
      timeZone,
      countedSince: version.countedSince,
    });
    return {
      currency,
      amount: amount && measureView(amount),
      count: count && measureView(count),
      resets_at: formatInstantOrNull(resetsAt),
      counted_since: formatInstantOrNull(countedSince),
    };
  });
}

function measureView({ used, remaining }: Measure) {
  return { used, remaining };
}
