/**
 * An operator who pauses payouts and resumes them, by the code of `npm run ops`, statement by statement at gates: it may die in between. Remembers
 * from when to when a pause was certainly in force.
 */

import type { Pool } from '../../../src/db/pool.ts';
import { classifyFailure } from '../../../src/db/postgres-errors.ts';
import { pause, resume } from '../../../src/payouts/pauses/change-pause.ts';
import type { Paused } from '../../../src/payouts/pauses/pause.ts';
import { listPauses } from '../../../src/payouts/pauses/pause-store.ts';
import type { Uuid } from '../../../src/values/ids.ts';
import { type DatabaseOfSchedule, gatedPool } from './gated-pool.ts';
import type { Owner, Scheduler } from './scheduler.ts';
import type { VirtualClock } from './virtual-time.ts';

/** By the right clock. */
export interface InForce {
  readonly paused: Paused;
  readonly from: number;
  /** Its end was asked for; undefined while it was not. */
  to?: number;
}

interface World {
  readonly scheduler: Scheduler;
  readonly clock: VirtualClock;
  readonly pool: Pool;
  readonly database: DatabaseOfSchedule;
  readonly bookIds: readonly Uuid[];
  readonly onBug: (error: unknown) => void;
}

const RAIL = 'sandbox';

export class OperatorModel {
  readonly pauses: InForce[] = [];
  readonly #world: World;
  readonly #odds: number;
  #born = 0;
  /** Who acts now, or has died at it. */
  #running: Owner | undefined;

  /** `odds`: that it pauses when it acts. */
  constructor(world: World, odds: number) {
    this.#world = world;
    this.#odds = odds;
  }

  /** Nothing is paused when a schedule begins: one that failed may have left something. */
  static async clear(pool: Pool): Promise<void> {
    for (const left of await listPauses(pool)) await resume(pool, left, Date.now());
  }

  act(): void {
    const { random } = this.#world.scheduler;
    if (this.#isBusy) return;
    if (this.pauses.some(({ to }) => to === undefined)) {
      if (random.chance(0.3)) this.#do('resumes', (pool) => this.#resumeAll(pool));
    } else if (random.chance(this.#odds)) this.#do('pauses', (pool) => this.#pause(pool, this.#drawn()));
  }

  /** The day ends: whatever is paused goes on. */
  close(): void {
    if (!this.#isBusy) this.#do('resumes', (pool) => this.#resumeAll(pool));
  }

  get #isBusy(): boolean {
    return this.#running?.isAlive === true;
  }

  async #pause(pool: Pool, paused: Paused): Promise<void> {
    const { clock, scheduler } = this.#world;
    if (!(await pause(pool, paused, { pausedBy: 'operator', now: clock.now() }))) return;
    this.pauses.push({ paused, from: clock.now() });
    scheduler.count(`pauses of ${paused.scope}`);
  }

  async #resumeAll(pool: Pool): Promise<void> {
    const { clock } = this.#world;
    for (const one of this.pauses) one.to ??= clock.now();
    for (const paused of await listPauses(pool)) await resume(pool, paused, clock.now());
  }

  #drawn(): Paused {
    const { scheduler, bookIds } = this.#world;
    const { random } = scheduler;
    return random.pick<Paused>([
      { scope: 'all', name: '' },
      { scope: 'rail', name: RAIL },
      { scope: 'book', name: random.pick(bookIds) },
    ]);
  }

  #do(what: string, work: (pool: Pool) => Promise<void>): void {
    const { scheduler, pool, database, onBug } = this.#world;
    const owner: Owner = { name: `operator ${++this.#born}`, isAlive: true };
    scheduler.note(`${owner.name} ${what}`);
    this.#running = owner;
    void work(gatedPool(scheduler, owner, pool, database))
      .catch((error: unknown) => classifyFailure(error) === 'transient' || onBug(error))
      .finally(() => {
        this.#running = undefined;
      });
  }
}
