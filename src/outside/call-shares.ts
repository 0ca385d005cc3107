/**
 * Shares the calls of a process to external parties, by party and by book: those of jobs, of requests and of pages alike. A call
 * to a slow party delays no call to another, and one book takes half of a party's slots at most. What a call's own time limit
 * counts begins when the call is made, not while it waits for its turn.
 * Next: called-party.ts (how everybody but a party's own folder meets it), job-calls.ts (calls that nobody waits for).
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

/** Somebody waits for the answer of a `request`. A `job` waits for none: its row stays due until the call was made. */
export type CallFor = 'request' | 'job';

/** Places to wait that a book has however many others wait: a party of few slots refuses the books that fill it, and no other. */
const PLACES_ASSURED = 4;

/** Jobs that wait for one party, about 2 kB each: a healthy party answers them within seconds. */
const JOBS_WAITING = 5_000;

interface Share {
  readonly slots: Room;
  readonly waiting: Readonly<Record<CallFor, Waiting>>;
}

/** Who waits for a party. Beyond those assured, a book has as many places as it leaves free for others: half, if it is alone. */
interface Waiting {
  readonly limit: number;
  count: number;
  readonly byBook: Map<string, number>;
}

export class CallShares {
  readonly #parties = new Map<string, Share>();
  readonly #jobsWaiting: number;

  constructor({ jobsWaiting = JOBS_WAITING } = {}) {
    this.#jobsWaiting = jobsWaiting;
  }

  /**
   * Makes the call in its book's turn, and resolves with its answer. Rejects with what the call throws, and at once with PartyBusy
   * where the book's places to wait are taken.
   */
  async inTurn<Answer>(
    { party, bookId, callFor }: { party: CalledParty; bookId: string; callFor: CallFor },
    call: () => Promise<Answer>,
  ): Promise<Answer> {
    const { slots, waiting } = this.#share(party);
    const queue = waiting[callFor];
    if (slots.hasRoom(bookId)) return slots.run(bookId, call);
    const before = queue.byBook.get(bookId) ?? 0;
    if (before >= Math.max(queue.limit - queue.count, PLACES_ASSURED)) throw new PartyBusy(party);
    count(queue, bookId, 1);
    return slots.run(bookId, () => {
      count(queue, bookId, -1);
      return call();
    });
  }

  #share({ name, callsAtOnce }: CalledParty): Share {
    let share = this.#parties.get(name);
    if (!share) {
      const waiting = (limit: number): Waiting => ({ limit, count: 0, byBook: new Map() });
      // Requests: as many as are called at once. So who waits is called when the calls before it have ended, and not later.
      share = {
        slots: new Room(callsAtOnce),
        waiting: { request: waiting(callsAtOnce), job: waiting(this.#jobsWaiting) },
      };
      this.#parties.set(name, share);
    }
    return share;
  }
}

function count(queue: Waiting, bookId: string, change: 1 | -1): void {
  const waiting = (queue.byBook.get(bookId) ?? 0) + change;
  queue.count += change;
  if (waiting > 0) queue.byBook.set(bookId, waiting);
  else queue.byBook.delete(bookId);
}
