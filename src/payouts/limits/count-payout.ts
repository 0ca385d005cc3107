/** Counts payouts against the limits of their book: where money is held for them, and where they end without having left. */
import { windowStartsOf } from '../../calendar/counting-windows.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Refusal, Touch } from '../../ledger/command/command.ts';
import type { Draft } from '../../ledger/command/draft.ts';
import { currencyExponent } from '../../money/currency.ts';
import type { PayoutLimits } from '../../rails/settings/rail-settings.ts';
import { formatInstantOrNull } from '../../values/clock.ts';
import { counted, type LimitUsage, newPayoutCounter, onDay, remainingOf, usagesOf } from './payout-counter.ts';
import { payoutCounterId, payoutCounters, type StoredPayoutCounter } from './payout-counter-table.ts';

interface LimitedPayout {
  readonly amount: bigint;
  readonly currency: string;
  /** Null where nothing limits payouts in the currency. */
  readonly limits: PayoutLimits | null;
}

/** A payout that counts, or did until it ended. */
interface CountedPayout {
  readonly amount: bigint;
  readonly currency: string;
  readonly countedOn: string | null;
}

/** A payout within its limits. */
export interface WithinLimits {
  readonly refused?: undefined;
  /** The counter with the payout, to be put once money is held for it. Null where no window counts. */
  readonly counter: StoredPayoutCounter | null;
}

const isCounted = (limits: PayoutLimits | null) => limits !== null && (limits.day !== null || limits.month !== null);

/** The counter that a payout reads before it is held. No row is touched where no window counts. */
export function limitTouches(bookId: BookId, { currency, limits }: Omit<LimitedPayout, 'amount'>): Touch[] {
  return isCounted(limits) ? [counterTouch(bookId, currency)] : NO_TOUCHES;
}

/** The counter that a step of a payout may change. One that waits counts with its release, which may come before the step. */
export function countTouches(
  bookId: BookId,
  { currency, countedOn, unheld }: Omit<CountedPayout, 'amount'> & { readonly unheld: boolean },
): Touch[] {
  return countedOn === null && !unheld ? NO_TOUCHES : [counterTouch(bookId, currency)];
}

const NO_TOUCHES: Touch[] = [];
const counterTouch = (bookId: BookId, currency: string): Touch => ({
  table: payoutCounters,
  ids: [payoutCounterId(bookId, currency)],
});

/** Changes nothing: `putCounter` does, once money is held. The command declares `limitTouches`. */
export function withinLimits(draft: Draft, { amount, currency, limits }: LimitedPayout): WithinLimits | Refusal {
  if (limits === null) return { counter: null };
  const { id: bookId, timeZone } = draft.book;
  const today = windowStartsOf(draft.moment.book, timeZone).day;
  const id = payoutCounterId(bookId, currency);
  const known = isCounted(limits) ? draft.get(payoutCounters, id) : undefined;
  const current = onDay(known ?? newPayoutCounter(currency, today), today);
  const exceeded = usagesOf(limits, current, timeZone).find((usage) => amount > remainingOf(usage));
  if (exceeded) return refuse(exceeded, currency);
  return { counter: isCounted(limits) ? { ...counted(current, amount, current.day), id } : null };
}

/** The limit of one payout counts nothing, so that it is certain before money is held. */
export function refuseAlone({ amount, currency, limits }: LimitedPayout): Refusal | undefined {
  const limit = limits?.payout ?? null;
  if (limit === null || amount <= limit) return undefined;
  return refuse({ window: 'payout', limit, used: 0n, resetsAt: null }, currency);
}

/** Counts the payout, on the day of the counter. */
export function putCounter(draft: Draft, { counter }: WithinLimits): void {
  if (counter !== null) draft.put(payoutCounters, counter.id, counter);
}

/** It certainly never left: its day and month have room for others again. The command declares `countTouches`. */
export function giveBackCount(draft: Draft, { amount, currency, countedOn }: CountedPayout): void {
  change(draft, { amount: -amount, currency, countedOn });
}

/** It left after all: it counts again where it did, above a limit if others have taken its room. */
export function countAgain(draft: Draft, payout: CountedPayout): void {
  change(draft, payout);
}

function change(draft: Draft, { amount, currency, countedOn }: CountedPayout): void {
  if (countedOn === null) return;
  const counter = draft.get(payoutCounters, payoutCounterId(draft.book.id, currency));
  if (!counter) throw new Error(`Nothing has counted payouts in ${currency}`);
  draft.put(payoutCounters, counter.id, { ...counter, ...counted(counter, amount, countedOn) });
}

const WINDOW_NAMES = { payout: 'one payout', day: 'payouts of a day', month: 'payouts of a month' } as const;

function refuse(usage: LimitUsage, currency: string): Refusal {
  const { window, limit, used, resetsAt } = usage;
  const remaining = remainingOf(usage);
  return {
    refused: 'limit_exceeded',
    param: '/amount',
    detail: `The limit of ${WINDOW_NAMES[window]} is ${limit} ${currency}; ${remaining} of it remains.`,
    facts: {
      window,
      currency,
      currency_exponent: currencyExponent(currency),
      limit,
      used,
      remaining,
      resets_at: formatInstantOrNull(resetsAt),
    },
  };
}
