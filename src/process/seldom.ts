import { BoundedMap } from '../values/bounded-map.ts';
import type { Logger } from './log.ts';

/** Ten seconds: an operator sees an outage begin and last, and ten retries a second fill no disk. */
const EVERY_MS = 10_000;
/** Messages may contain ports and ids: those logged longest ago are forgotten. */
const MESSAGES_MAX = 100;

/**
 * Logs a warning that repeats while an outage lasts: each distinct text at once, then at most every ten seconds, with
 * the number of repeats that were left out. `rows` is the number of rows that the text is about.
 */
export function warnSeldom(log: Logger, context: string): (error: unknown, rows?: number) => void {
  const logged = new BoundedMap<string, { at: number; repeats: number }>(MESSAGES_MAX);
  return (error, rows) => {
    const message = error instanceof Error ? error.message || error.name : String(error);
    const now = performance.now();
    const before = logged.get(message);
    if (before && now - before.at < EVERY_MS) {
      before.repeats += 1;
      return;
    }
    logged.set(message, { at: now, repeats: 0 });
    log.warn(
      { err: error, ...(rows === undefined ? {} : { rows }), ...(before?.repeats ? { repeated: before.repeats } : {}) },
      context,
    );
  };
}
