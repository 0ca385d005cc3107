/**
 * Limits the calls of a process to external parties, by party and by book: those of jobs, of requests and of pages
 * alike. A call to a slow party delays no call to another, and one book takes half of a party's slots at most. The time
 * limit of a call begins when the call is made, not while it waits for its turn.
 * Next: called-party.ts (how code outside a party's folder calls it), job-calls.ts (calls that jobs do not wait for).
 */
import { Room } from '../fairness/room.ts';
import { type Party, PartyUnreachable } from './party.ts';

export type CalledParty = Pick<Party, 'name' | 'callsAtOnce'>;

/** The call was not made, and nothing was sent: the book has as many calls waiting for the party as it may. */
export class PartyBusy extends PartyUnreachable {
  override name = 'PartyBusy';
  constructor({ name }: CalledParty) {
    super(`There is no free slot for another call to ${name}`);
  }
}

/**
 * A caller waits for the answer of a `request`. No caller waits for a `job`: its row stays due until the call was made. A call that is
 * made `now` or not at all waits for no turn: whoever asks can do without its answer, and not without an answer in time.
 */
export type CallFor = 'request' | 'job' | 'now';

/** Waiting calls that a book may have however many others wait: a party of few slots refuses the books that fill it, and no other. */
const PLACES_ASSURED = 4;

/** Jobs that wait for one party, about 2 kB each: a healthy party answers them within seconds. */
const JOBS_WAITING = 5_000;

interface PartyLimits {
  readonly slots: Room;
  readonly waiting: Readonly<Record<Exclude<CallFor, 'now'>, Waiting>>;
}

/** Calls that wait for a party. Beyond those assured, a book may have as many as it leaves free for others: half, if it is alone. */
interface Waiting {
  readonly limit: number;
  count: number;
  readonly byBook: Map<string, number>;
}

/** Whose turn a call is made in. */
interface Turn {
  readonly party: CalledParty;
  readonly bookId: string;
  readonly callFor: CallFor;
}

export class CallLimits {
  readonly #parties = new Map<string, PartyLimits>();
  readonly #jobsWaiting: number;

  constructor({ jobsWaiting = JOBS_WAITING } = {}) {
    this.#jobsWaiting = jobsWaiting;
  }

  /**
   * Makes the call in its book's turn, and resolves with its answer. Rejects with the call's error, and at once with
   * PartyBusy where the book has as many waiting calls as it may, or where the call would have to wait and must not.
   */
  async inTurn<Answer>({ party, bookId, callFor }: Turn, call: () => Promise<Answer>): Promise<Answer> {
    const limits = this.#limitsOf(party);
    try {
      return await inTurnOf(limits, { party, bookId, callFor }, call);
    } finally {
      // There is a party for each book that has an endpoint (asked-endpoints.ts).
      if (limits.slots.isEmpty) this.#parties.delete(party.name);
    }
  }

  #limitsOf({ name, callsAtOnce }: CalledParty): PartyLimits {
    let limits = this.#parties.get(name);
    if (!limits) {
      const waiting = (limit: number): Waiting => ({ limit, count: 0, byBook: new Map() });
      // Requests: as many as are called at once. So a waiting request is called once the calls before it have ended,
      // and not later.
      limits = {
        slots: new Room(callsAtOnce),
        waiting: { request: waiting(callsAtOnce), job: waiting(this.#jobsWaiting) },
      };
      this.#parties.set(name, limits);
    }
    return limits;
  }
}

async function inTurnOf<Answer>(
  { slots, waiting }: PartyLimits,
  { party, bookId, callFor }: Turn,
  call: () => Promise<Answer>,
): Promise<Answer> {
  if (slots.hasRoom(bookId)) return slots.run(bookId, call);
  if (callFor === 'now') throw new PartyBusy(party);
  const queue = waiting[callFor];
  const before = queue.byBook.get(bookId) ?? 0;
  if (before >= Math.max(queue.limit - queue.count, PLACES_ASSURED)) throw new PartyBusy(party);
  count(queue, bookId, 1);
  return slots.run(bookId, () => {
    count(queue, bookId, -1);
    return call();
  });
}

function count(queue: Waiting, bookId: string, change: 1 | -1): void {
  const waiting = (queue.byBook.get(bookId) ?? 0) + change;
  queue.count += change;
  if (waiting > 0) queue.byBook.set(bookId, waiting);
  else queue.byBook.delete(bookId);
}
