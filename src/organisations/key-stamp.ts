/**
 * The stamp of all API keys, as this process knows it. Every change of a key moves it in the same database transaction
 * (migration 0023). Rows that were read together with a stamp are right as long as the stamp has not moved.
 *
 * The stamp is read twice as often as it becomes too old, and with every lookup of a key. While no stamp is young
 * enough, nothing in memory is valid. So a revocation takes effect within MAX_AGE_MS, also where a process has been
 * stopped, or cannot reach the database.
 */
import { readKeyStamp } from '../db/installation-store.ts';
import type { Pool } from '../db/pool.ts';
import { timedQuery } from '../db/timed-query.ts';

/** A change of a key takes effect this much later at most. */
export const MAX_AGE_MS = 1_000;
/** Leaves as long again for the answer. */
const READ_EVERY_MS = 500;

export interface KeyStamp {
  /** The newest stamp that is known, if it was asked for less than MAX_AGE_MS ago. Asking keeps the readings going. */
  current(): string | undefined;
  /** Records a stamp. `askedAt` is the monotonic time just before its query. */
  record(stamp: string | null, askedAt: number): void;
  /** Ends the readings. Later stamps come from lookups alone. */
  close(): void;
}

export interface KeyStampOptions {
  pool: Pool;
  /** Monotonic milliseconds. */
  now: () => number;
  /** The readings end when no request has come for this long, and begin again with the next one. */
  idleAfterMs: number;
  onFailure: (error: unknown) => void;
}

export function watchKeyStamp({ pool, now, idleAfterMs, onFailure }: KeyStampOptions): KeyStamp {
  let known: { stamp: string; askedAt: number } | undefined;
  let timer: NodeJS.Timeout | undefined;
  let usedAt = 0;
  let reading = false;
  let closed = false;

  function record(stamp: string | null, askedAt: number): void {
    // Answers may overtake each other. The newest query's answer is right for longest.
    if (stamp !== null && !(known && known.askedAt > askedAt)) known = { stamp, askedAt };
  }

  function stop(): void {
    clearInterval(timer);
    timer = undefined;
  }

  async function read(): Promise<void> {
    if (now() - usedAt > idleAfterMs) return stop();
    // A reading that hangs is not joined by another every half second.
    if (reading) return;
    reading = true;
    try {
      const { answer, askedAt } = await timedQuery(pool, now, readKeyStamp);
      record(answer, askedAt);
    } catch (error) {
      if (!closed) onFailure(error);
    } finally {
      reading = false;
    }
  }

  return {
    current() {
      usedAt = now();
      if (!closed) timer ??= setInterval(() => void read(), READ_EVERY_MS).unref();
      return known && usedAt - known.askedAt < MAX_AGE_MS ? known.stamp : undefined;
    },
    record,
    close() {
      closed = true;
      stop();
    },
  };
}
