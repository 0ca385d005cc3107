/**
 * How far a drain has come with the backlog that its process has leased. The drain (drain-backlog.ts) moves every state.
 * Invariant: `behindSince` is set exactly while the drain is `reading` or `read`, where new deliveries join the backlog.
 */
import type { Transitions } from '../../ledger/resources/resource.ts';
import type { Instant } from '../../values/clock.ts';
import { StateMachine } from '../../values/state-machine.ts';
import type { LeasedBacklog } from '../backlogs/backlog-store.ts';

export type DrainState =
  /** The endpoint is behind, and pages of its backlog are read. The last page makes it `read`. */
  | 'reading'
  /** The backlog was read to its end. The endpoint catches up: `reading_rest`. What was skipped or joined is read first: `reading`. */
  | 'read'
  /** The endpoint has caught up, and what was committed before is read once more. The last page makes it `rest_read`. */
  | 'reading_rest'
  /** Nothing is left to read. Once all attempts are recorded the backlog is `cleared`. A delivery that joined makes it `reading_rest`. */
  | 'rest_read'
  /** No delivery waits any more. */
  | 'cleared'
  /** This process has released the backlog with a later due time: it stops, or the endpoint accepts nothing. */
  | 'released'
  /** The lease was lost: it expired, and another process drains or has changed the backlog. */
  | 'lost';

/** Another process, or a skipped delivery, makes the endpoint fall behind again at any time: `reading`. */
export const DRAIN_TRANSITIONS: Transitions<DrainState> = {
  reading: ['read', 'released', 'lost'],
  read: ['reading', 'reading_rest', 'released', 'lost'],
  reading_rest: ['rest_read', 'reading', 'released', 'lost'],
  rest_read: ['reading_rest', 'reading', 'cleared', 'released', 'lost'],
  cleared: [],
  released: [],
  lost: [],
};

/** What a renewal, or the end of a lease, writes. */
export interface LeaseWritten {
  readonly until: Instant;
  readonly waitingFrom: bigint;
}

export class DrainProgress {
  readonly #machine: StateMachine<DrainState>;
  #lease: { until: Instant; seenFrom: bigint };
  #behindSince: Instant | null;
  /** The event at which the next page begins. */
  #next: bigint;
  #isSparse = false;

  constructor({ until, behindSince, waitingFrom }: Pick<LeasedBacklog, 'until' | 'behindSince' | 'waitingFrom'>) {
    const first = behindSince === null ? 'reading_rest' : 'reading';
    this.#machine = new StateMachine<DrainState>('drain of a backlog', DRAIN_TRANSITIONS, first);
    this.#lease = { until, seenFrom: waitingFrom };
    this.#behindSince = behindSince;
    this.#next = waitingFrom;
  }

  get state(): DrainState {
    return this.#machine.state;
  }

  /** Whether this process has the lease of the backlog, and deliveries may wait. */
  get isOurs(): boolean {
    return DRAIN_TRANSITIONS[this.state].length > 0;
  }

  /** Whether new deliveries join the backlog. */
  get isBehind(): boolean {
    return this.state === 'reading' || this.state === 'read';
  }

  /** Whether a page is to be read. */
  get isReading(): boolean {
    return this.state === 'reading' || this.state === 'reading_rest';
  }

  /** The lease as the row has it, for compare-and-set. */
  get lease(): { readonly until: Instant; readonly seenFrom: bigint } {
    return this.#lease;
  }

  get behindSince(): Instant | null {
    return this.#behindSince;
  }

  get next(): bigint {
    return this.#next;
  }

  /** Whether the last page had few deliveries although more follow. */
  get isSparse(): boolean {
    return this.#isSparse;
  }

  /** reading → read, reading_rest → rest_read, after the last page. */
  pageRead({ next, isLast, isSparse }: { next: bigint; isLast: boolean; isSparse: boolean }): void {
    if (!this.isReading) throw new Error(`A drain that is ${this.state} reads no page`);
    if (isLast) this.#machine.move(this.state === 'reading' ? 'read' : 'rest_read');
    this.#next = next;
    this.#isSparse = isSparse;
  }

  /** Deliveries from this event on wait. read → reading, rest_read → reading_rest. */
  goBackTo(from: bigint): void {
    this.#requireOurs();
    if (this.state === 'read') this.#machine.move('reading');
    if (this.state === 'rest_read') this.#machine.move('reading_rest');
    if (from < this.#next) this.#next = from;
  }

  /** Commits write deliveries into the backlog again. reading_rest, rest_read → reading. */
  fellBehind(at: Instant): void {
    if (this.isBehind) throw new Error('The endpoint of a drain is behind already');
    this.#machine.move('reading');
    this.#behindSince = at;
  }

  /** Commits write deliveries with a due time of their own. read → reading_rest. */
  caughtUp(): void {
    this.#machine.require('read');
    this.#machine.move('reading_rest');
    this.#behindSince = null;
  }

  /**
   * The lease was written, with the first event that waits as the row has it now (`written`), or it was lost: → lost. False if
   * it was lost, or if deliveries of earlier events joined, which are read then (goBackTo).
   */
  leaseWritten({ until, waitingFrom }: LeaseWritten, written: bigint | undefined): boolean {
    if (written === undefined) {
      this.#machine.move('lost');
      return false;
    }
    this.#requireOurs();
    this.#lease = { until, seenFrom: written };
    if (written >= waitingFrom) return true;
    this.goBackTo(written);
    return false;
  }

  /** rest_read → cleared. */
  cleared(): void {
    this.#machine.move('cleared');
  }

  /** → released, unless the lease was lost. */
  released(): void {
    if (this.state !== 'lost') this.#machine.move('released');
  }

  #requireOurs(): void {
    if (!this.isOurs) throw new Error(`This process has no lease: its drain is ${this.state}`);
  }
}
