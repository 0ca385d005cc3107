/**
 * This machine's clock, as long as it agrees with that of Postgres, which all processes share. A book's time never runs
 * back, so one commit by a clock that is an hour ahead would date the book an hour ahead, and its alarms would ring an hour
 * late. Where the two disagree, the time of Postgres counts, carried on from its last reading by the monotonic clock.
 */
import { type Clock, type Instant, systemClock } from '../clock.ts';
import { readDatabaseTime } from './database-time-store.ts';
import type { Pool } from './pool.ts';

/** Beyond what clocks that are set by the network differ by, and nothing that matters to an alarm. */
const AGREED_MS = 1_000;
const READ_EVERY_MS = 10_000;

export interface DatabaseClock extends Clock {
  /** Reads the time of Postgres, now. Until it has been read once, this machine's clock counts. */
  read(): Promise<void>;
  close(): void;
}

export function createDatabaseClock(
  pool: Pool,
  { machine = systemClock, onFailure }: { machine?: Clock; onFailure: (error: unknown) => void },
): DatabaseClock {
  /** What to add to the monotonic clock for the time of Postgres. */
  let offset: number | undefined;

  async function read(): Promise<void> {
    const asked = performance.now();
    const time = await readDatabaseTime(pool);
    // It was read between the question and its answer: what we knew is kept as far as that allows.
    const [least, most] = [time - performance.now(), time - asked];
    offset = Math.min(Math.max(offset ?? (least + most) / 2, least), most);
  }

  const timer = setInterval(() => void read().catch(onFailure), READ_EVERY_MS);
  timer.unref();
  return {
    now(): Instant {
      const ours = machine.now();
      if (offset === undefined) return ours;
      const theirs = performance.now() + offset;
      return Math.abs(ours - theirs) <= AGREED_MS ? ours : Math.floor(theirs);
    },
    read,
    close: () => clearInterval(timer),
  };
}
