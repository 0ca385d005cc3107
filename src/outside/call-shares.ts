/**
 * Limits calls to outside parties, by party and by book. A call to a slow party delays neither its job nor the calls to
 * other parties. The calls of one book leave places for those of other books.
 *
 * Calls are not guaranteed. A call that finds no room to wait, or that still waits when the process ends, is dropped:
 * its row stays due in Postgres and is enqueued again.
 */
import { Room } from '../room.ts';
import { withinLimit } from '../time-limit.ts';

export interface OutsideCall {
  /** For example the name of a rail. */
  readonly party: string;
  readonly bookId: string;
  /** The row that the call is for. One call at a time. */
  readonly id: string;
}

/** Makes calls to outside parties. */
export interface OutsideCalls {
  /** Resolves when the call is accepted, or dropped to be enqueued again. `call` must not reject. */
  make(of: OutsideCall, call: () => Promise<void>): Promise<void>;
}

/** Makes each call at once and waits for it: for callers with a single row. */
export const CALLS_AT_ONCE: OutsideCalls = { make: (_, call) => call() };

/** Calls under way to one party: one statement of the sandbox rail, and twice what 1,000 payouts a second need. */
const PLACES_PER_PARTY = 500;
/** Calls waiting for one party, about 2 kB each: a healthy party answers them within seconds. */
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

  /** Starts no further call. Resolves to false when those under way do not end within the limit. */
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
