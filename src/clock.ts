/** A moment in whole milliseconds since the Unix epoch. Every time in the domain has this shape and this precision. */
export type Instant = number;

/** Where a process reads the time. Injected, so that tests and schedules can set it. */
export interface Clock {
  now(): Instant;
}

export const systemClock: Clock = { now: () => Date.now() };

/** RFC 3339, UTC, milliseconds: the form of every time on the wire and in the hash chain. */
export function formatInstant(instant: Instant): string {
  if (instant !== last.instant) last = { instant, text: new Date(instant).toISOString() };
  return last.text;
}
/** A batch has one moment and writes it dozens of times. */
let last = { instant: 0, text: '1970-01-01T00:00:00.000Z' };

export function formatInstantOrNull(instant: Instant | null): string | null {
  return instant === null ? null : formatInstant(instant);
}
