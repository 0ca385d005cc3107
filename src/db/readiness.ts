/**
 * Whether Postgres answers this process, asked on a connection of its own. A slow statement of one book, or a pool
 * whose connections are all taken, shows nothing about Postgres. Concurrent probes share one statement.
 */
import type { Logger } from '../process/log.ts';
import { TimeLimitExceeded, withinLimit } from '../process/time-limit.ts';
import { createPool, type Pool } from './pool.ts';
import { classifyFailure } from './postgres-errors.ts';

/** A probe times out after about a second. */
const TIMEOUT_MS = 1_000;
/**
 * For this long after its last answer, a slow Postgres counts as available: behind a pooler whose connections are all
 * taken, the statement waits until one is free. After that, Postgres counts as hanging.
 */
const GRACE_PERIOD_MS = 10_000;

export interface ReadinessOptions {
  timeoutMs?: number;
  gracePeriodMs?: number;
  now?: () => number;
}

export class Readiness {
  readonly #pool: Pool;
  readonly #timeoutMs: number;
  readonly #gracePeriodMs: number;
  readonly #now: () => number;
  #asked: Promise<void> | undefined;
  #answeredAt = Number.NEGATIVE_INFINITY;

  constructor(config: { DATABASE_URL: string }, log: Logger, options: ReadinessOptions = {}) {
    this.#timeoutMs = options.timeoutMs ?? TIMEOUT_MS;
    this.#gracePeriodMs = options.gracePeriodMs ?? GRACE_PERIOD_MS;
    this.#now = options.now ?? (() => performance.now());
    this.#pool = createPool({
      url: config.DATABASE_URL,
      name: 'countinghouse-readiness',
      size: 1,
      log,
      queryTimeoutMs: this.#gracePeriodMs,
      namedStatements: false,
    });
  }

  /** Answers within about a second. False when Postgres cannot be reached, or has not answered for GRACE_PERIOD_MS. */
  async postgresAnswers(): Promise<boolean> {
    this.#asked ??= this.#ask().finally(() => {
      this.#asked = undefined;
    });
    try {
      await withinLimit(this.#asked, { what: 'Postgres', limitMs: this.#timeoutMs });
      return true;
    } catch (error) {
      return error instanceof TimeLimitExceeded && this.#now() - this.#answeredAt < this.#gracePeriodMs;
    }
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }

  async #ask(): Promise<void> {
    try {
      await askPostgres(this.#pool);
    } catch (error) {
      // The connection may have been lost since the last probe. The second attempt opens a new one.
      if (classifyFailure(error) !== 'transient') throw error;
      await askPostgres(this.#pool);
    }
    this.#answeredAt = this.#now();
  }
}

/** The cheapest statement: probes come every few seconds. */
async function askPostgres(pool: Pool): Promise<void> {
  await pool.query('SELECT 1');
}
