/**
 * State that one API process keeps between requests: failed authentications, used points, requests in flight, held
 * answers.
 */

import { Readiness } from '../db/readiness.ts';
import type { Payout } from '../payouts/payout.ts';
import { payouts } from '../payouts/payout-table.ts';
import type { RedisConnection } from '../queue/redis-connection.ts';
import type { ApiRuntime } from './api-runtime.ts';
import { Gate } from './authentication.ts';
import { InFlight } from './in-flight.ts';
import { createUsageCounter } from './rate-limit-counter.ts';
import { RateLimiter } from './rate-limiter.ts';
import { Waiters } from './waiting.ts';

export class ApiServices {
  readonly gate: Gate;
  readonly limiter: RateLimiter;
  readonly inFlight = new InFlight();
  readonly readiness: Readiness;
  readonly payoutWaiters: Waiters<Payout>;
  #draining = false;

  /** `redis` counts points for all processes together. Without it, this process counts by itself. */
  constructor(runtime: ApiRuntime, redis?: RedisConnection) {
    const { config, log, pool } = runtime;
    this.gate = new Gate(runtime.authenticator);
    this.limiter = new RateLimiter(createUsageCounter({ redis, log }));
    this.readiness = new Readiness(config, log);
    this.payoutWaiters = new Waiters((bookId, ids) => payouts.load(pool, bookId, ids), log);
  }

  /** True once the process shuts down. Readiness then fails, and no answer is held any longer. */
  get draining(): boolean {
    return this.#draining;
  }

  drain(): void {
    this.#draining = true;
    this.payoutWaiters.close();
  }

  /** To be called after the last request. */
  close(): Promise<void> {
    return this.readiness.close();
  }
}
