/**
 * Time in a schedule: a clock that the schedule moves, and pauses that the schedule ends. The test's mocks of
 * `node:timers/promises` and `performance.now` lead the product's timers here.
 */
import type { Clock, Instant } from '../../../src/values/clock.ts';
import { type Scheduler, WORLD } from './scheduler.ts';

let current: Scheduler | undefined;

export function leadPausesTo(scheduler: Scheduler | undefined): void {
  current = scheduler;
}

/** Replaces `setTimeout` of `node:timers/promises`. A process that died meanwhile reaches no further gate. */
export function pause(ms: number): Promise<void> {
  if (!current) throw new Error('A pause outside of any schedule');
  return current.come(WORLD, {
    what: `a pause of ${ms} ms`,
    faults: [],
    act: () => undefined,
    failure: () => new Error('A pause does not fail'),
  });
}

export class VirtualClock implements Clock {
  #now: Instant;

  constructor(start: Instant) {
    this.#now = start;
  }

  readonly now = (): Instant => this.#now;

  advance(ms: number): void {
    this.#now += ms;
  }

  /** The clock of a machine that is off by this much. */
  skewed(ms: number): Clock {
    return { now: () => this.#now + ms };
  }
}
