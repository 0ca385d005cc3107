/**
 * Time in a schedule: a clock that moves when the schedule says so, and pauses that end when the schedule lets them.
 * The product's own timers are led here by the test's mock of `node:timers/promises` and of `performance.now`.
 */
import type { Clock, Instant } from '../../../src/clock.ts';
import { type Scheduler, WORLD } from './scheduler.ts';

let current: Scheduler | undefined;

export function leadPausesTo(scheduler: Scheduler | undefined): void {
  current = scheduler;
}

/** In the place of `setTimeout` of `node:timers/promises`. Whoever died meanwhile comes to no gate after it. */
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

  /** As a machine sees it whose clock is off. */
  skewed(ms: number): Clock {
    return { now: () => this.#now + ms };
  }
}
