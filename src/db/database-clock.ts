/**
 * This machine's clock, while it agrees with Postgres' clock, which all processes share. A book's time never runs
 * backwards. One commit by a clock that is an hour ahead would date the book an hour ahead, and its rows would be due
 * an hour late. When the two clocks disagree, the time of Postgres counts: its last reading, carried on by the
 * monotonic clock.
 */
import { type Clock, type Instant, systemClock } from '../values/clock.ts';
import { readDatabaseTime } from './database-time-store.ts';
import type { Pool } from './pool.ts';

/** More than the difference between clocks that are set over the network, and too little to matter to a due time. */
const AGREED_MS = 1_000;
const READ_EVERY_MS = 10_000;

export interface DatabaseClock extends Clock {
  /** Reads the time of Postgres now. Until the first reading, this machine's clock counts. */
  read(): Promise<void>;
  close(): void;
}

export function createDatabaseClock(
  pool: Pool,
  { machine = systemClock, onFailure }: { machine?: Clock; onFailure: (error: unknown) => void },
): DatabaseClock {
  /** Milliseconds from the monotonic clock to the time of Postgres. */
  let offset: number | undefined;

  async function read(): Promise<void> {
    const asked = performance.now();
    const time = await readDatabaseTime(pool);
    // Postgres read its clock between the request and the answer. The offset known before is kept as far as that
    // allows.
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
