/** The pauses that a process obeys: read again for whoever asks once the last reading is a second old. */
import type { Queryable } from '../../db/pool.ts';
import type { KeptBack } from '../../rails/iso20022/bank.ts';
import { keptBackOf, type PauseInForce } from './pause.ts';
import { readPauses } from './pause-store.ts';

/** With the way to the rail, a pause is obeyed within two seconds. */
const FRESH_MS = 1_000;

export class RecentPauses {
  readonly #db: Queryable;
  readonly #now: () => number;
  #startedAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<readonly PauseInForce[]> | undefined;

  /** `now`: monotonic milliseconds. */
  constructor(db: Queryable, now: () => number = () => performance.now()) {
    this.#db = db;
    this.#now = now;
  }

  /** As they were at most a second ago. Rejects where the database does not answer: then nothing is sent. */
  async read(): Promise<readonly PauseInForce[]> {
    const isFresh = this.#reading !== undefined && this.#now() - this.#startedAt < FRESH_MS;
    return isFresh ? this.#reading! : this.#readNow();
  }

  /** As they are now: a payout that has been resumed is not marked by a reading from before. */
  async readAgain(): Promise<readonly PauseInForce[]> {
    return this.#readNow();
  }

  /** What is kept back of a rail that carries payouts of many books at once, as it is now. */
  async keptBack(rail: string): Promise<KeptBack> {
    return keptBackOf(await this.readAgain(), rail);
  }

  #readNow(): Promise<readonly PauseInForce[]> {
    this.#startedAt = this.#now();
    const reading = readPauses(this.#db);
    this.#reading = reading;
    // A failed reading counts for those alone who wait for it: the next one asks again.
    reading.catch(() => {
      if (this.#reading === reading) this.#reading = undefined;
    });
    return reading;
  }
}
