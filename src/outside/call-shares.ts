/**
 * Limits calls to external parties, by party and by book. A call to a slow party delays neither its job nor the calls to
 * other parties, and one book does not take all slots of a party.
 *
 * Calls are not guaranteed. A call that finds no room to wait, or that still waits when the process ends, is dropped:
 * its row stays due in Postgres and is enqueued again.
 */
import { Room } from '../room.ts';
import { withinLimit } from '../time-limit.ts';
import { type Party, PartyUnreachable } from './party.ts';

export type CalledParty = Pick<Party, 'name' | 'callsAtOnce'>;

export interface OutsideCall {
  readonly party: CalledParty;
  readonly bookId: string;
  /** The row that the call is for. One call at a time. */
  readonly id: string;
}

/** The call was not made, and nothing was sent: too many calls wait for the party, or the process ends. */
export class PartyBusy extends PartyUnreachable {
  override name = 'PartyBusy';
  constructor({ name }: CalledParty) {
    super(`There is no free slot for another call to ${name}`);
  }
}

/** Makes calls to external parties. */
export interface OutsideCalls {
  /** Resolves when the call is accepted, or dropped to be enqueued again. `call` must not reject. */
  make(of: OutsideCall, call: () => Promise<void>): Promise<void>;
}

/** Calls waiting for one party, about 2 kB each: a healthy party answers them within seconds. */
const WAITING_PER_PARTY = 5_000;

interface Share {
  readonly slots: Room;
  waiting: number;
  readonly waitingBy: Map<string, number>;
}

export class CallShares implements OutsideCalls {
  readonly #parties = new Map<string, Share>();
  readonly #inHand = new Map<string, Promise<void>>();
  readonly #limits: { waiting: number };
  #closed = false;

  constructor(limits = { waiting: WAITING_PER_PARTY }) {
    this.#limits = limits;
  }

  make(of: OutsideCall, call: () => Promise<void>): Promise<void> {
    const name = `${of.bookId} ${of.id}`;
    const party = this.#shareFor(of, name);
    if (party)
      this.#inHand.set(
        name,
        this.#makeInTurn(party, of.bookId, call).finally(() => this.#inHand.delete(name)),
      );
    return Promise.resolve();
  }

  /**
   * Makes the call in its turn and resolves with its answer: for a use case whose request waits for it. Rejects with what
   * the call throws, and with PartyBusy when the call was not made.
   */
  ask<Answer>(of: OutsideCall, call: () => Promise<Answer>): Promise<Answer> {
    const name = `${of.bookId} ${of.id}`;
    const party = this.#shareFor(of, name);
    if (!party) return Promise.reject(new PartyBusy(of.party));
    return new Promise((resolve, reject) => {
      const made = this.#makeInTurn(party, of.bookId, () => call().then(resolve, reject)).finally(() => {
        this.#inHand.delete(name);
        // Changes nothing once the call was made.
        reject(new PartyBusy(of.party));
      });
      this.#inHand.set(name, made);
    });
  }

  /** The share of the party. Undefined if too many calls wait for it, or this call is in progress. */
  #shareFor(of: OutsideCall, name: string): Share | undefined {
    const party = this.#party(of.party);
    const waitingOfBook = party.waitingBy.get(of.bookId) ?? 0;
    const full = waitingOfBook >= this.#limits.waiting - party.waiting;
    return this.#closed || full || this.#inHand.has(name) ? undefined : party;
  }

  /** Starts no further call. Resolves to false when calls in progress do not end within the limit. */
  async close({ limitMs }: { limitMs: number }): Promise<boolean> {
    this.#closed = true;
    const over = Promise.all(this.#inHand.values()).then(() => true);
    return withinLimit(over, { what: 'calls in progress', limitMs }).catch(() => false);
  }

  async #makeInTurn(party: Share, bookId: string, call: () => Promise<void>): Promise<void> {
    this.#count(party, bookId, 1);
    await party.slots.enter(bookId, 1);
    this.#count(party, bookId, -1);
    try {
      if (!this.#closed) await call();
    } finally {
      party.slots.leave(bookId, 1);
    }
  }

  #count(party: Share, bookId: string, change: 1 | -1): void {
    const waiting = (party.waitingBy.get(bookId) ?? 0) + change;
    party.waiting += change;
    if (waiting > 0) party.waitingBy.set(bookId, waiting);
    else party.waitingBy.delete(bookId);
  }

  #party({ name, callsAtOnce }: CalledParty): Share {
    let party = this.#parties.get(name);
    if (!party) {
      party = { slots: new Room(callsAtOnce), waiting: 0, waitingBy: new Map() };
      this.#parties.set(name, party);
    }
    return party;
  }
}
