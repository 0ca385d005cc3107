/**
 * Reports pool: makes a checkpoint of every book with new rows, each CHECKPOINT_INTERVAL_SECONDS. Postgres knows which
 * books are due, so nothing is enqueued and nothing is forgotten; of several processes at once, the first one's
 * checkpoint counts. It works under the signer's role, the only one that may add checkpoints. Beside them, it writes the reports that are asked
 * for by API: these are rows that are due, and have jobs.
 * Next: src/proofs/plan-checkpoint.ts (where a checkpoint begins), src/proofs/make-checkpoint.ts.
 */

import { setTimeout as pause } from 'node:timers/promises';
import type { Config } from '../src/config.ts';
import { createPool, type Pool } from '../src/db/pool.ts';
import { checkSignerRole } from '../src/db/signer-role.ts';
import type { BookId } from '../src/ledger/book/book.ts';
import type { Metrics } from '../src/metrics/metrics.ts';
import type { Logger } from '../src/process/log.ts';
import { warnSeldom } from '../src/process/seldom.ts';
import { withinLimit } from '../src/process/time-limit.ts';
import { type CheckpointContext, JournalDoesNotVerify } from '../src/proofs/checkpoint-context.ts';
import { findBooksToCheckpoint } from '../src/proofs/checkpoint-store.ts';
import { carryOut } from '../src/proofs/make-checkpoint.ts';
import { planCheckpoint } from '../src/proofs/plan-checkpoint.ts';
import { formerKeyIdFrom, signingKeyFrom } from '../src/proofs/signing-key.ts';
import { TreeContradicted } from '../src/proofs/tree-store.ts';
import { definePool, type PoolDefinition } from '../src/queue/pool.ts';
import { type CarryOutRuntime, RunsInHand } from '../src/reconciliation/runs/carry-out-runs.ts';
import { ReportWriting, type WriteRuntime } from '../src/reports/report/write-report.ts';
import type { Clock } from '../src/values/clock.ts';
import { publicId } from '../src/values/ids.ts';
import { further } from '../src/values/progress.ts';

export interface ReportsPool {
  readonly definition: PoolDefinition;
  /** What is under way stops behind its page. */
  stop(): void;
}

export function reportsPool(runtime: WriteRuntime & CarryOutRuntime): ReportsPool {
  const writing = new ReportWriting(runtime);
  const runs = new RunsInHand(runtime);
  const definition = definePool('reports', {
    concurrency: 2, // a report reads page after page, and rests as long: one core at most
    jobs: {
      'report.write': ({ bookId, ids }) => writing.write(bookId, ids),
      'reconciliation.run': ({ bookId, ids }) => runs.carryOut(bookId, ids),
    },
  });
  return {
    definition,
    stop() {
      writing.close();
      runs.close();
    },
  };
}

export interface ReportsRuntime {
  /** Connections of the signer's role. Undefined without one. */
  readonly signer: Pool | undefined;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Pick<Metrics, 'checkpoints'>;
  readonly config: Pick<Config, 'CHECKPOINT_SIGNING_KEY' | 'CHECKPOINT_FORMER_KEYS' | 'CHECKPOINT_INTERVAL_SECONDS'>;
}

export interface Reports {
  /** One round, now: resolves to how many checkpoints were made. Long books continue after it. */
  round(): Promise<number>;
  /** No further book; the current one is abandoned and done again from its last checkpoint. */
  close(): Promise<void>;
}

/** Between two searches for due books: a tenth of their interval, within bounds. */
const POLL_MS = { least: 1_000, most: 60_000 };
const BOOKS_PAGE = 100;
const CLOSE_LIMIT_MS = 5_000;
/** One for long books, one for the round. */
const SIGNER_CONNECTIONS = 2;
/** A page takes some 30 ms, and then as much rest three times over: a quarter of one core and one connection at most. */
const RESTS_PER_PAGE = 3;
/** More entries and events than this, some ten seconds, are read beside the rounds: other books do not wait for it. */
const LONG_ROWS = 100_000n;
/** Long books, under way, waiting or refused. Further ones stay due. */
const LONG_BOOKS = 100;

/** Undefined where no signer is configured. Throws DatabaseRoleError for a role that may do more than a signer needs. */
export async function openSigner(runtime: { config: Config; log: Logger; pool: Pool }): Promise<Pool | undefined> {
  const { config, log, pool } = runtime;
  if (!config.SIGNER_DATABASE_URL) return undefined;
  const signer = createPool({
    url: config.SIGNER_DATABASE_URL,
    name: 'countinghouse-signer',
    size: SIGNER_CONNECTIONS,
    log,
    namedStatements: config.DATABASE_NAMED_STATEMENTS,
  });
  try {
    await checkSignerRole(signer, pool);
    return signer;
  } catch (error) {
    await signer.end();
    throw error;
  }
}

/** Runs by itself. Without a key or a signer there are no checkpoints, which it logs once. */
export function startReports(runtime: ReportsRuntime): Reports {
  const { signer, log, config } = runtime;
  const reports = createReports(runtime);
  if (config.CHECKPOINT_SIGNING_KEY === undefined) {
    log.info('no checkpoints are made: CHECKPOINT_SIGNING_KEY is not set');
    return reports;
  }
  if (!signer) {
    log.warn(
      'no checkpoints are made: SIGNER_DATABASE_URL is not set. Make a role for it (CREATE ROLE countinghouse_signer LOGIN PASSWORD …), set the variable and run npm run migrate',
    );
    return reports;
  }
  const pollMs = Math.min(Math.max(config.CHECKPOINT_INTERVAL_SECONDS * 100, POLL_MS.least), POLL_MS.most);
  const warn = warnSeldom(log, 'looking for books to checkpoint failed');
  let timer: NodeJS.Timeout | undefined;
  let closed = false;
  const next = () => {
    if (!closed) timer = setTimeout(() => void reports.round().catch(warn).then(next), pollMs);
  };
  next();
  return {
    round: reports.round,
    close() {
      closed = true;
      clearTimeout(timer);
      return reports.close();
    },
  };
}

type Outcome = 'made' | 'refused' | 'nothing' | 'goes on';

/** Runs a round when it is called. */
export function createReports(
  { signer, clock, log, metrics, config }: ReportsRuntime,
  { longRows = LONG_ROWS } = {},
): Reports {
  const closing = new AbortController();
  const { signal } = closing;
  const intervalMs = config.CHECKPOINT_INTERVAL_SECONDS * 1_000;
  const context = contextOf();
  /** Long books: when they were refused, undefined while they wait or are under way. */
  const long = new Map<BookId, number | undefined>();
  let longWork: Promise<unknown> = Promise.resolve();
  let under: Promise<number> | undefined;

  function contextOf(): CheckpointContext | undefined {
    if (config.CHECKPOINT_SIGNING_KEY === undefined || !signer) return undefined;
    return {
      pool: signer,
      clock,
      key: signingKeyFrom(config.CHECKPOINT_SIGNING_KEY),
      formerKeyIds: new Set(config.CHECKPOINT_FORMER_KEYS.map(formerKeyIdFrom)),
      signal,
      rest: (tookMs) => pause(tookMs * RESTS_PER_PAGE, undefined, { signal }),
    };
  }

  async function goRound(): Promise<number> {
    if (!context) return 0;
    const now = clock.now();
    const due = { madeBefore: now - intervalMs, now, keyIds: [context.key.keyId, ...context.formerKeyIds!] };
    let [made, refused] = [0, 0];
    for (let after: BookId | undefined; !signal.aborted; ) {
      const books = await findBooksToCheckpoint(context.pool, { ...due, after, limit: BOOKS_PAGE });
      for (const bookId of books) {
        const outcome = await makeOne(context, bookId);
        if (outcome === 'made') made++;
        if (outcome === 'refused') refused++;
      }
      if (books.length < BOOKS_PAGE) break;
      after = further('books', after, books.at(-1)!);
    }
    if (!signal.aborted) metrics.checkpoints.round(refused);
    return made;
  }

  async function makeOne(making: CheckpointContext, bookId: BookId): Promise<Outcome> {
    if (long.has(bookId)) {
      const refusedAt = long.get(bookId);
      if (refusedAt === undefined) return 'goes on';
      // Another run before a person has looked costs much and finds the same.
      if (clock.now() - refusedAt < intervalMs) return 'refused';
      long.delete(bookId);
    }
    return attempt(making, bookId, { mayTakeLong: false });
  }

  /** One book's fault or length must not delay the others. */
  async function attempt(
    making: CheckpointContext,
    bookId: BookId,
    { mayTakeLong }: { mayTakeLong: boolean },
  ): Promise<Outcome> {
    if (signal.aborted) return 'nothing';
    const book = publicId('book', bookId);
    try {
      const plan = await planCheckpoint(making, bookId);
      if (plan.rows > longRows && !mayTakeLong) return takeLong(making, bookId);
      if (plan.distrust !== undefined) {
        metrics.checkpoints.distrusted();
        const does = plan.from ? 'an earlier one is continued' : 'both trees are built again from their first leaf';
        log.error({ book, reason: plan.distrust }, `a checkpoint in the database is not believed; ${does}`);
      }
      const newest = await carryOut(making, plan);
      if (!newest?.made) return 'nothing';
      metrics.checkpoints.made();
      return 'made';
    } catch (error) {
      if (signal.aborted) return 'nothing';
      if (error instanceof JournalDoesNotVerify || error instanceof TreeContradicted) {
        log.error({ err: error, book }, 'no checkpoint signed: the journal does not verify; run npm run verify');
        return 'refused';
      }
      log.warn({ err: error, book }, 'checkpoint not made; tried again');
      return 'nothing';
    }
  }

  /** One such book after the other. */
  function takeLong(making: CheckpointContext, bookId: BookId): Outcome {
    if (long.size >= LONG_BOOKS) return 'goes on';
    long.set(bookId, undefined);
    longWork = longWork.then(async () => {
      const outcome = await attempt(making, bookId, { mayTakeLong: true });
      if (outcome === 'refused') long.set(bookId, clock.now());
      else long.delete(bookId);
    });
    return 'goes on';
  }

  return {
    round() {
      under ??= goRound().finally(() => {
        under = undefined;
      });
      return under;
    },
    async close() {
      closing.abort();
      const limit = { what: 'the last checkpoint', limitMs: CLOSE_LIMIT_MS };
      const warn = warnSeldom(log, 'left a checkpoint unfinished');
      await withinLimit(Promise.all([under, longWork]), limit).catch(warn);
    },
  };
}
