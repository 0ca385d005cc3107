/** A moment in whole milliseconds since the Unix epoch. Every time in the domain has this shape and this precision. */
export type Instant = number;

/** A process's clock. Injected, so that tests and schedules can set the time. */
export interface Clock {
  now(): Instant;
}

/**
 * The two times of a decision. Book time dates a book's objects and journal, and decides what falls due for its users.
 * Ids, retries, inquiries, deliveries, keys and limits use wall time. They differ in test books alone.
 */
export interface Moment {
  readonly book: Instant;
  readonly wall: Instant;
}

export const systemClock: Clock = { now: () => Date.now() };

/**
 * RFC 3339, UTC, milliseconds: the form of every time on the wire and in the hash chain. A value outside the calendar,
 * which only another program can have written, is printed as its number and does not throw.
 */
export function formatInstant(instant: Instant): string {
  const place = instant & (TEXTS_KEPT - 1);
  const kept = texts[place]!;
  if (instant === kept.instant) return kept.text;
  const text = Math.abs(instant) <= LAST_INSTANT ? new Date(instant).toISOString() : String(instant);
  texts[place] = { instant, text };
  return text;
}
/** The last moment of a Date: 275760-09-13. */
const LAST_INSTANT = 8.64e15;

/**
 * Late texts, each at the last bits of its moment: the objects of a batch share a few moments, and each is written dozens of times.
 * A new text takes fifty times as long.
 */
const TEXTS_KEPT = 64;
const texts = Array.from({ length: TEXTS_KEPT }, () => ({ instant: 0, text: '1970-01-01T00:00:00.000Z' }));

export function formatInstantOrNull(instant: Instant | null): string | null {
  return instant === null ? null : formatInstant(instant);
}

/** From the first moment on, and before the second. */
export interface Between {
  readonly from?: Instant | undefined;
  readonly before?: Instant | undefined;
}
