/**
 * Calls to parties outside, with shares by party and by book. A call that waits for a slow party holds up neither the job
 * that asked for it nor the calls of other parties, and one book's calls leave places for those of others.
 *
 * Nothing here is promised: what finds no place to wait, and what waits when the process ends, stays due in Postgres and is
 * enqueued again.
 */
import { Room } from '../room.ts';
import { withinLimit } from '../time-limit.ts';

export interface OutsideCall {
  /** A rail's name, say. */
  readonly party: string;
  readonly bookId: string;
  /** The row that the call is for: one call at a time. */
  readonly id: string;
}

/** Who makes calls to the outside. */
export interface OutsideCalls {
  /** Resolves when the call is taken in hand, or is left to be enqueued again. `call` must not reject. */
  make(of: OutsideCall, call: () => Promise<void>): Promise<void>;
}

/** Each call at once, and waited for: for whoever has one row in hand. */
export const CALLS_AT_ONCE: OutsideCalls = { make: (_, call) => call() };

/** Under way to one party: as many as the sandbox rail takes in one statement, and twice what 1,000 payouts a second need. */
const PLACES_PER_PARTY = 500;
/** Waiting for one party, about 2 kB each: what it answers within seconds when it is well. */
const WAITING_PER_PARTY = 5_000;

interface Party {
  readonly places: Room;
  waiting: number;
  readonly waitingBy: Map<string, number>;
}

export class CallShares implements OutsideCalls {
  readonly #parties = new Map<string, Party>();
  readonly #inHand = new Map<string, Promise<void>>();
  readonly #limits: { places: number; waiting: number };
  #closed = false;

  constructor(limits = { places: PLACES_PER_PARTY, waiting: WAITING_PER_PARTY }) {
    this.#limits = limits;
  }

  make(of: OutsideCall, call: () => Promise<void>): Promise<void> {
    const name = `${of.bookId} ${of.id}`;
    const party = this.#party(of.party);
    const waitingOfBook = party.waitingBy.get(of.bookId) ?? 0;
    const full = waitingOfBook >= this.#limits.waiting - party.waiting;
    if (this.#closed || full || this.#inHand.has(name)) return Promise.resolve();
    const made = this.#makeInTurn(party, of.bookId, call).finally(() => this.#inHand.delete(name));
    this.#inHand.set(name, made);
    return Promise.resolve();
  }

  /** Makes no further call. Resolves to false when those under way are not over within the limit. */
  async close({ limitMs }: { limitMs: number }): Promise<boolean> {
    this.#closed = true;
    const over = Promise.all(this.#inHand.values()).then(() => true);
    return withinLimit(over, { what: 'calls under way', limitMs }).catch(() => false);
  }

  async #makeInTurn(party: Party, bookId: string, call: () => Promise<void>): Promise<void> {
    this.#count(party, bookId, 1);
    await party.places.enter(bookId, 1);
    this.#count(party, bookId, -1);
    try {
      if (!this.#closed) await call();
    } finally {
      party.places.leave(bookId, 1);
    }
  }

  #count(party: Party, bookId: string, change: 1 | -1): void {
    const waiting = (party.waitingBy.get(bookId) ?? 0) + change;
    party.waiting += change;
    if (waiting > 0) party.waitingBy.set(bookId, waiting);
    else party.waitingBy.delete(bookId);
  }

  #party(name: string): Party {
    let party = this.#parties.get(name);
    if (!party) {
      party = { places: new Room(this.#limits.places), waiting: 0, waitingBy: new Map() };
      this.#parties.set(name, party);
    }
    return party;
  }
}
