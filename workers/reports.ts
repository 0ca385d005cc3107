/**
 * Reports pool: makes a checkpoint of every book that has gone on, each CHECKPOINT_INTERVAL_SECONDS. Which are due is in
 * Postgres, so nothing has to ring and nothing is forgotten; of several processes at once, the first one's is kept.
 */
import type { Clock } from '../src/clock.ts';
import type { Config } from '../src/config.ts';
import type { Pool } from '../src/db/pool.ts';
import { publicId } from '../src/ids.ts';
import type { BookId } from '../src/ledger/book.ts';
import type { Logger } from '../src/log.ts';
import type { Metrics } from '../src/metrics.ts';
import { findBooksToCheckpoint } from '../src/proofs/checkpoint-store.ts';
import { JournalDoesNotVerify, makeCheckpoint } from '../src/proofs/make-checkpoint.ts';
import { signingKeyFrom } from '../src/proofs/signing-key.ts';
import { TreeContradicted } from '../src/proofs/tree-store.ts';
import { warnSeldom } from '../src/seldom.ts';
import { withinLimit } from '../src/time-limit.ts';

export interface ReportsRuntime {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Pick<Metrics, 'checkpoints'>;
  readonly config: Pick<Config, 'CHECKPOINT_SIGNING_KEY' | 'CHECKPOINT_INTERVAL_SECONDS'>;
}

export interface Reports {
  /** One round, now: resolves to how many checkpoints were made. */
  round(): Promise<number>;
  /** No further book; the one in hand is left as it is and done again from its last checkpoint. */
  close(): Promise<void>;
}

/** Between two looks for books that are due: a tenth of their interval, but neither busy nor asleep. */
const LOOK_MS = { least: 1_000, most: 60_000 };
const BOOKS_PAGE = 100;
const CLOSE_LIMIT_MS = 5_000;

/** Runs by itself. Without a key there is nothing to sign with, and it says so once. */
export function startReports(runtime: ReportsRuntime): Reports {
  const reports = createReports(runtime);
  const { CHECKPOINT_SIGNING_KEY: key, CHECKPOINT_INTERVAL_SECONDS: seconds } = runtime.config;
  if (key === undefined) {
    runtime.log.info('no checkpoints are made: CHECKPOINT_SIGNING_KEY is not set');
    return reports;
  }
  const lookMs = Math.min(Math.max(seconds * 100, LOOK_MS.least), LOOK_MS.most);
  const warn = warnSeldom(runtime.log, 'looking for books to checkpoint failed');
  let timer: NodeJS.Timeout | undefined;
  let closed = false;
  const next = () => {
    if (!closed) timer = setTimeout(() => void reports.round().catch(warn).then(next), lookMs);
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

/** Goes round when it is told to. */
export function createReports({ pool, clock, log, metrics, config }: ReportsRuntime): Reports {
  const key = config.CHECKPOINT_SIGNING_KEY === undefined ? undefined : signingKeyFrom(config.CHECKPOINT_SIGNING_KEY);
  const closing = new AbortController();
  let under: Promise<number> | undefined;

  async function goRound(): Promise<number> {
    if (!key) return 0;
    const madeBefore = clock.now() - config.CHECKPOINT_INTERVAL_SECONDS * 1_000;
    let [made, refused] = [0, 0];
    for (let after: BookId | undefined; !closing.signal.aborted; ) {
      const books = await findBooksToCheckpoint(pool, { madeBefore, after, limit: BOOKS_PAGE });
      for (const bookId of books) {
        const outcome = await makeOne(bookId);
        if (outcome === 'made') made++;
        if (outcome === 'refused') refused++;
      }
      after = books.at(-1);
      if (books.length < BOOKS_PAGE) break;
    }
    if (!closing.signal.aborted) metrics.checkpoints.round(refused);
    return made;
  }

  /** One book's fault must not keep the others waiting. */
  async function makeOne(bookId: BookId): Promise<'made' | 'refused' | 'nothing'> {
    const { signal } = closing;
    if (signal.aborted) return 'nothing';
    const book = publicId('book', bookId);
    try {
      const newest = await makeCheckpoint({ pool, clock, key: key!, signal }, bookId);
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

  return {
    round() {
      under ??= goRound().finally(() => {
        under = undefined;
      });
      return under;
    },
    async close() {
      closing.abort();
      if (!under) return;
      const limit = { what: 'the last checkpoint', limitMs: CLOSE_LIMIT_MS };
      await withinLimit(under, limit).catch(warnSeldom(log, 'left a checkpoint unfinished'));
    },
  };
}
