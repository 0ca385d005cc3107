/**
 * Limits the calls of a process to external parties, by party and by book: those of jobs, of requests and of pages
 * alike. A call to a slow party delays no call to another, and one book takes half of a party's slots at most. Jobs leave
 * slots free: somebody waits for a request, and it does not wait for jobs, however long their calls take. The time limit
 * of a call begins when the call is made; a request waits for its turn as long as a call may take, and no longer.
 * Next: called-party.ts (how code outside a party's folder calls it), job-calls.ts (calls that jobs do not wait for).
 */
import { Room } from '../../fairness/room.ts';
import { type Party, PartyUnreachable } from '../party/party.ts';

export type CalledParty = Pick<Party, 'name' | 'callsAtOnce' | 'callTimeoutMs'>;

/** The call was not made, and nothing was sent: the book has as many calls waiting for the party as it may, or this one has waited. */
export class PartyBusy extends PartyUnreachable {
  override name = 'PartyBusy';
  constructor({ name }: Pick<CalledParty, 'name'>) {
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

/**
 * The part of a party's slots that jobs never take: an eighth, and one at least. More of it would slow down processes that have jobs
 * alone; the 8 of a gateway's 64 answer 30 requests a second where a call takes a quarter of a second.
 */
const KEPT_FOR_REQUESTS = 8;

interface PartyLimits {
  /** Each call takes one of these, of any book and purpose. */
  readonly slots: Room;
  /** A job takes one of these first: there are fewer. */
  readonly jobs: Room;
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
   * PartyBusy where the book has as many waiting calls as it may, or where the call would have to wait and must not. A
   * request that has waited for as long as a call may take is refused likewise.
   */
  async inTurn<Answer>({ party, bookId, callFor }: Turn, call: () => Promise<Answer>): Promise<Answer> {
    const limits = this.#limitsOf(party);
    try {
      return await inTurnOf(limits, { party, bookId, callFor }, call);
    } finally {
      // There is a party for each book that has an endpoint (asked-endpoints.ts).
      if (limits.slots.isEmpty && limits.jobs.isEmpty) this.#parties.delete(party.name);
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
        jobs: new Room(callsAtOnce - Math.max(Math.floor(callsAtOnce / KEPT_FOR_REQUESTS), 1)),
        waiting: { request: waiting(callsAtOnce), job: waiting(this.#jobsWaiting) },
      };
      this.#parties.set(name, limits);
    }
    return limits;
  }
}

async function inTurnOf<Answer>(limits: PartyLimits, turn: Turn, call: () => Promise<Answer>): Promise<Answer> {
  if (hasRoom(limits, turn)) await enter(limits, turn);
  else await waitAndEnter(limits, turn);
  try {
    return await call();
  } finally {
    leave(limits, turn);
  }
}

async function waitAndEnter(limits: PartyLimits, turn: Turn): Promise<void> {
  const { party, bookId, callFor } = turn;
  if (callFor === 'now') throw new PartyBusy(party);
  const queue = limits.waiting[callFor];
  const before = queue.byBook.get(bookId) ?? 0;
  if (before >= Math.max(queue.limit - queue.count, PLACES_ASSURED)) throw new PartyBusy(party);
  count(queue, bookId, 1);
  try {
    await enter(limits, turn);
  } finally {
    count(queue, bookId, -1);
  }
}

function hasRoom({ slots, jobs }: PartyLimits, { bookId, callFor }: Turn): boolean {
  if (callFor === 'job') return jobs.hasRoom(bookId) && slots.hasRoom(laneOfJobs(bookId));
  return slots.hasRoom(bookId);
}

async function enter({ slots, jobs }: PartyLimits, { party, bookId, callFor }: Turn): Promise<void> {
  if (callFor === 'job') {
    await jobs.enter(bookId, 1);
    await slots.enter(laneOfJobs(bookId), 1);
  } else if (!(await slots.enterWithin(bookId, party.callTimeoutMs))) {
    throw new PartyBusy(party);
  }
}

function leave({ slots, jobs }: PartyLimits, { bookId, callFor }: Turn): void {
  if (callFor === 'job') {
    slots.leave(laneOfJobs(bookId), 1);
    jobs.leave(bookId, 1);
  } else {
    slots.leave(bookId, 1);
  }
}

/** A book's jobs do not count as its requests: they would use up its slots. */
function laneOfJobs(bookId: string): string {
  return `${bookId} jobs`;
}

function count(queue: Waiting, bookId: string, change: 1 | -1): void {
  const waiting = (queue.byBook.get(bookId) ?? 0) + change;
  queue.count += change;
  if (waiting > 0) queue.byBook.set(bookId, waiting);
  else queue.byBook.delete(bookId);
}
