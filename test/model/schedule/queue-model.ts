/**
 * Queues in memory, as unreliable as the job contract allows: jobs may be lost, repeated and out of order, and adding
 * may fail with or without effect. Jobs of a dead process may come again.
 */
import { type QueuePool, rowsIn } from '../../../src/queue/job.ts';
import type { QueueJob, Queues } from '../../../src/queue/queues.ts';
import type { Fault, Owner, Scheduler } from './scheduler.ts';

export interface WaitingJob extends QueueJob {
  readonly pool: QueuePool;
}

const ADD_FAULTS: readonly Fault[] = ['lost', 'refused', 'late', 'dies before', 'dies after'];

export class QueueModel {
  readonly #scheduler: Scheduler;
  #waiting: WaitingJob[] = [];
  readonly #inHand = new Map<WaitingJob, Owner>();
  /** The odds that a job vanishes, or stays in the queue when it is taken. */
  readonly #odds: { readonly vanish: number; readonly repeat: number };
  isFaulty = true;

  constructor(scheduler: Scheduler, odds: { vanish: number; repeat: number }) {
    this.#scheduler = scheduler;
    this.#odds = odds;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  get inHand(): number {
    return this.#inHand.size;
  }

  /** The queues as one process sees them. */
  of(owner: Owner): Pick<Queues, 'add' | 'depth' | 'partitions'> {
    return {
      partitions: 1,
      add: (pool, _partition, jobs) =>
        this.#scheduler.come(owner, {
          what: `add ${jobs.map(({ name, data }) => `${name} ×${rowsIn(data)}`).join(', ')}`,
          faults: ADD_FAULTS,
          act: () => this.#add(jobs.map((job) => ({ ...job, pool }))),
          failure: () => new Error('The queue did not answer'),
        }),
      depth: (pool, partition) =>
        this.#scheduler.come(owner, {
          what: `depth of ${pool}`,
          faults: ['refused', 'dies before'],
          act: () => ({
            queue: `${pool}-${partition}`,
            pool,
            partition,
            states: { waiting: this.#waiting.length, active: 0, delayed: 0, failed: 0 },
          }),
          failure: () => new Error('The queue did not answer'),
        }),
    };
  }

  /** Takes any waiting job for a process; undefined when the job vanishes. */
  take(owner: Owner): WaitingJob | undefined {
    const { random } = this.#scheduler;
    const at = random.below(this.#waiting.length);
    const job = this.#waiting[at]!;
    const repeats = this.isFaulty && random.chance(this.#odds.repeat);
    if (!repeats) this.#waiting.splice(at, 1);
    if (this.isFaulty && random.chance(this.#odds.vanish)) return undefined;
    const taken = { ...job };
    this.#inHand.set(taken, owner);
    return taken;
  }

  done(job: WaitingJob): void {
    this.#inHand.delete(job);
  }

  /** The lock of a dead process expires and another process gets the job, unless it was already removed. */
  died(owner: Owner): void {
    for (const [job, by] of this.#inHand) {
      if (by !== owner) continue;
      this.#inHand.delete(job);
      if (this.#scheduler.random.chance(0.5)) this.#waiting.push(job);
    }
  }

  flush(): void {
    this.#waiting = [];
  }

  #add(jobs: readonly WaitingJob[]): void {
    for (const job of jobs) {
      const isKnown =
        job.deduplicationId !== undefined && this.#waiting.some((one) => one.deduplicationId === job.deduplicationId);
      if (!isKnown) this.#waiting.push(job);
    }
  }
}
