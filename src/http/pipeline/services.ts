/**
 * State that one API process keeps between requests: failed authentications, used points, requests in flight, waiting
 * answers, follow-ups of commits.
 */

import type { ApiRuntime } from '../../api/api-runtime.ts';
import type { RouteServices } from '../../api/route.ts';
import { Waiters } from '../../api/waiting.ts';
import type { WaitersByTable } from '../../api/waits.ts';
import type { Pool } from '../../db/pool.ts';
import { Readiness } from '../../db/readiness.ts';
import { Following } from '../../idempotency/following.ts';
import { RowLoads } from '../../ledger/rows/row-loads.ts';
import type { DeclaredTable } from '../../ledger/rows/table-of.ts';
import { SharedInquiries } from '../../outside/calls/shared-inquiries.ts';
import type { Logger } from '../../process/log.ts';
import { warnSeldom } from '../../process/seldom.ts';
import type { RedisConnection } from '../../queue/redis-connection.ts';
import { Gate } from '../authentication/authentication.ts';
import { Uploads } from '../input/upload.ts';
import { InFlight } from '../limits/in-flight.ts';
import { createUsageCounter } from '../limits/rate-limit-counter.ts';
import { RateLimiter } from '../limits/rate-limiter.ts';

export class ApiServices implements RouteServices, WaitersByTable {
  readonly gate: Gate;
  readonly limiter: RateLimiter;
  readonly inFlight = new InFlight();
  readonly uploads = new Uploads();
  readonly inquiries = new SharedInquiries();
  readonly cardTries = new SharedInquiries({ pauseMs: 0 });
  readonly readiness: Readiness;
  /** What follows commits after their answers. */
  readonly following: Following;
  readonly #pool: Pool;
  readonly #log: Logger;
  readonly #waiters = new Map<string, Waiters<unknown>>();
  #draining = false;

  /** `redis` counts points for all processes together. Without it, this process counts by itself. */
  constructor(
    runtime: ApiRuntime,
    { redis, limiter }: { redis?: RedisConnection | undefined; limiter?: RateLimiter | undefined } = {},
  ) {
    const { config, log, pool } = runtime;
    this.gate = new Gate(runtime.authenticator);
    this.limiter = limiter ?? new RateLimiter(createUsageCounter({ redis, prefix: config.REDIS_PREFIX, log }));
    this.readiness = new Readiness(config, log);
    this.following = new Following(warnSeldom(log, 'what follows a commit failed; workers move its row'));
    this.#pool = pool;
    this.#log = log;
  }

  /** True once the process shuts down. Readiness then fails, and no answer waits any longer. */
  get draining(): boolean {
    return this.#draining;
  }

  drain(): void {
    this.#draining = true;
    for (const waiters of this.#waiters.values()) waiters.close();
  }

  waitersOf<Row>(table: DeclaredTable<Row>): Waiters<Row> {
    let waiters = this.#waiters.get(table.name) as Waiters<Row> | undefined;
    if (!waiters) {
      // Books that are looked at together share a statement, and so a connection.
      const loads = new RowLoads(this.#pool, table);
      waiters = new Waiters((bookId, ids) => loads.load(bookId, ids), this.#log);
      if (this.#draining) waiters.close();
      this.#waiters.set(table.name, waiters as Waiters<unknown>);
    }
    return waiters;
  }

  /** To be called after the last request. */
  close(): Promise<void> {
    return this.readiness.close();
  }
}
