/**
 * The parts of a process, put together in one place: connections, committer, queues, rails. API and workers take the
 * parts they need; a process that is both has one of each.
 */
import { type Acquirers, createAcquirers } from './acquirers/acquirers.ts';
import type { DisputeTerms } from './acquirers/dispute-terms.ts';
import type { ReleaseSchedule } from './calendar/release-schedule.ts';
import type { Config } from './config.ts';
import { createDatabaseClock } from './db/database-clock.ts';
import { type Forms, watchForms } from './db/forms.ts';
import { createListReads, LIST_CONNECTION_TIMEOUT_MS, type ListReads } from './db/list-reads.ts';
import { createPool, type Pool } from './db/pool.ts';
import { createSecretBox, type SecretBox } from './db/secret-box.ts';
import { watchRoleSettings } from './db/watch-role-settings.ts';
import type { Appointment } from './group/appointment.ts';
import type { Group } from './group/group.ts';
import type { RowFailure } from './group/moved-rows.ts';
import { GROUPS } from './groups.ts';
import { createFingerprints, type Fingerprints } from './idempotency/fingerprints.ts';
import type { AppointmentRuntime } from './journal/keep-appointments.ts';
import type { BookId } from './ledger/book.ts';
import type { ClosingBlocker } from './ledger/closing-blocker.ts';
import { Committer } from './ledger/commit/committer.ts';
import { RecentAccounts } from './ledger/recent-accounts.ts';
import { createMetrics, type Metrics } from './metrics/metrics.ts';
import { markStuck } from './operations/stuck-store.ts';
import { type Authenticator, createAuthenticator } from './organisations/authenticate.ts';
import { CallShares } from './outside/call-shares.ts';
import { movedNotices } from './outside/moved-notices.ts';
import type { Inbox } from './outside/notice.ts';
import { passesOutside } from './outside/passes.ts';
import { movedOperations } from './payments/operations/moved-operations.ts';
import { withCheckoutUrls } from './payments/payment/checkout-link.ts';
import { movedPayouts } from './payouts/payout/moved-payouts.ts';
import type { Logger } from './process/log.ts';
import { warnSeldom } from './process/seldom.ts';
import { createEnqueuer, type Enqueuer } from './queue/enqueuer.ts';
import { createQueues, type Queues } from './queue/queues.ts';
import { createRails, type Rails } from './rails/rails.ts';
import type { SharedRail } from './rails/shared-rail.ts';
import type { Clock } from './values/clock.ts';
import type { Uuid } from './values/ids.ts';
import { webhookSink } from './webhooks/event-sink.ts';

export interface Runtime {
  readonly config: Config;
  readonly log: Logger;
  readonly clock: Clock;
  readonly pool: Pool;
  readonly lists: ListReads;
  readonly committer: Committer;
  readonly queues: Queues;
  readonly enqueuer: Enqueuer;
  readonly rails: Rails;
  readonly acquirers: Acquirers;
  readonly recentAccounts: RecentAccounts;
  /** When what payments earn is released. */
  readonly release: ReleaseSchedule;
  /** For how long an authorization can be captured. */
  readonly authorizationMs: number;
  readonly disputeTerms: DisputeTerms;
  readonly secretBox: SecretBox;
  /** Which stored forms may be written. Ask at each write: the answer changes while the process runs. */
  readonly forms: Forms;
  readonly fingerprints: Fingerprints;
  readonly authenticator: Authenticator;
  readonly metrics: Metrics;
  readonly groups: readonly Group[];
  /** What keeps an account open, of every group. */
  readonly blocksClosing: readonly ClosingBlocker[];
  /** Where integrators reach the API, without a slash at the end. */
  readonly publicUrl: string;
  /** JSON that is about to leave, with the links that are stored without their secret part (docs/decisions/checkout.md). */
  withLinks(bookId: BookId, json: string, publicUrl?: string): string;
  rail(name: string): SharedRail;
  payoutFailed: RowFailure;
  operationFailed: RowFailure;
  /** The same for a rail's notice in the inbox. */
  noticeFailed(inbox: Inbox, id: Uuid, error: unknown): Promise<void>;
  /** What falls due in a book's own time, of every group. */
  readonly appointments: readonly Appointment[];
  appointmentFailed: AppointmentRuntime['appointmentFailed'];
  /** Reads the time of Postgres, to judge this machine's clock. Call it before anything is written. */
  readTime(): Promise<void>;
  /** Reads the key and the stored forms that all processes share. Call it before anything is written. */
  readInstallation(): Promise<void>;
  /** Finishes the commands that the committer holds, then closes every connection. */
  close(): Promise<void>;
}

export interface RuntimeOptions {
  clock?: Clock;
  /** Shown in pg_stat_activity. */
  name?: string;
  publicUrl?: string;
}

export function createRuntime(config: Config, log: Logger, options: RuntimeOptions = {}): Runtime {
  const groups = GROUPS;
  const publicUrl = (options.publicUrl ?? config.PUBLIC_URL ?? `http://127.0.0.1:${config.PORT}`).replace(/\/+$/, '');
  const pool = createPool({
    url: config.DATABASE_URL,
    name: options.name ?? 'countinghouse',
    size: config.DATABASE_POOL_SIZE,
    log,
    namedStatements: config.DATABASE_NAMED_STATEMENTS,
  });
  const listPool = createPool({
    url: config.DATABASE_URL,
    name: `${options.name ?? 'countinghouse'} lists`,
    size: config.DATABASE_LIST_POOL_SIZE,
    log,
    queryTimeoutMs: LIST_CONNECTION_TIMEOUT_MS,
    namedStatements: config.DATABASE_NAMED_STATEMENTS,
  });
  const databaseClock = createDatabaseClock(pool, { onFailure: warnSeldom(log, 'the time of Postgres was not read') });
  const clock = options.clock ?? databaseClock;
  const forms = watchForms(pool, { onFailure: warnSeldom(log, "the installation's row was not read") });
  const [key, oldKeys] = [config.COUNTINGHOUSE_ENCRYPTION_KEY, config.COUNTINGHOUSE_ENCRYPTION_KEYS_OLD];
  const secretBox = createSecretBox(key, oldKeys);
  const fingerprints = createFingerprints({ pool, secretBox });
  const queues = createQueues(config, log);
  const metrics = createMetrics({ groups, pool, queues, clock, log });
  const roleSettings = watchRoleSettings({ pool, url: config.DATABASE_URL, log, count: metrics.roleTimeouts });
  const enqueuer = createEnqueuer({ queues, log, forms, counts: metrics.enqueuer });
  // Of a party's slots a book has its half in this process, whoever calls: jobs, requests or pages.
  const shares = new CallShares();
  const rails = createRails(config, log, { clock, shares });
  const acquirers = createAcquirers(config, log, { clock, shares, publicUrl, ownPool: pool });
  const committer = new Committer({
    pool,
    clock,
    sink: webhookSink,
    forms,
    enqueue: (bookId, jobs) => enqueuer.enqueue(bookId, jobs),
    observe: (batch) => metrics.observeBatch(batch),
    onDissolved(reason, { error, bookIds, commands }) {
      metrics.batchDissolved(reason);
      log.warn(
        { err: error, reason, ...booksOf(bookIds), commands },
        'shared batch dissolved; each of its books goes by itself',
      );
    },
    onError: (error, { bookIds, commands, attempt }) =>
      log.warn({ err: error, ...booksOf(bookIds), commands, attempt }, 'batch failed'),
  });
  const authenticator = createAuthenticator({ pool, clock, log });
  const warnOfNotices = warnSeldom(log, 'notices of a rail not booked; they are attempted again');

  return {
    config,
    log,
    clock,
    pool,
    lists: createListReads(listPool),
    committer,
    queues,
    enqueuer,
    rails,
    acquirers,
    recentAccounts: new RecentAccounts(pool),
    authorizationMs: config.PAYMENT_AUTHORIZATION_DAYS * 24 * 60 * 60_000,
    disputeTerms: { fees: config.PAYMENT_DISPUTE_FEE, feeRefunded: config.PAYMENT_DISPUTE_FEE_REFUNDED },
    release: {
      days: config.PAYMENT_RELEASE_DAYS,
      unit: config.PAYMENT_RELEASE_UNIT,
      calendar: config.PAYMENT_RELEASE_CALENDAR,
      cutOff: config.PAYMENT_RELEASE_CUT_OFF ?? null,
      onceSettled: config.PAYMENT_RELEASE_ONCE_SETTLED,
      reserve: null,
    },
    secretBox,
    forms,
    fingerprints,
    authenticator,
    metrics,
    groups,
    blocksClosing: groups.flatMap((group) => group.blocksClosing),
    publicUrl,
    withLinks: (bookId, json, url = publicUrl) => withCheckoutUrls(json, { fingerprints, publicUrl: url, bookId }),
    rail: (name) => rails.get(name),
    payoutFailed: async (bookId: BookId, id, error) => {
      if (passesOutside(error)) {
        log.warn({ err: error, payout: id }, 'payout not moved; the sweeper enqueues it again');
        return;
      }
      log.error({ err: error, payout: id }, 'payout stuck');
      await markStuck(pool, movedPayouts, { bookId, id, error, at: clock.now() }).catch((failure: unknown) => {
        log.error({ err: failure, payout: id }, 'stuck payout not marked; the sweeper enqueues it again');
      });
    },
    operationFailed: async (bookId, id, error) => {
      if (passesOutside(error)) {
        log.warn({ err: error, operation: id }, 'operation of a payment not moved; the sweeper enqueues it again');
        return;
      }
      log.error({ err: error, operation: id }, 'operation of a payment stuck');
      await markStuck(pool, movedOperations, { bookId, id, error, at: clock.now() }).catch((failure: unknown) => {
        log.error({ err: failure, operation: id }, 'stuck operation not marked; the sweeper enqueues it again');
      });
    },
    noticeFailed: async ({ bookId, party }, id, error) => {
      // Whoever takes a notice in may ask its party for more, and get no answer.
      if (passesOutside(error)) {
        warnOfNotices(error);
        return;
      }
      const row = { bookId, id: `${party}:${id}`, error, at: clock.now() };
      log.error({ err: error, rail: party, notice: id }, 'notice of a rail stuck');
      await markStuck(pool, movedNotices, row).catch(warnOfNotices);
    },
    appointments: groups.flatMap(({ resources }) => resources.flatMap(({ appointments }) => appointments)),
    appointmentFailed: async ({ rows }, { bookId, id }, error) => {
      const row = rows.shownId(id);
      log.error({ err: error, row }, `${rows.kind} stuck`);
      await markStuck(pool, rows, { bookId, id, error, at: clock.now() }).catch((failure: unknown) => {
        log.error({ err: failure, row }, 'stuck row not marked; the sweeper enqueues it again');
      });
    },
    readTime: databaseClock.read,
    async readInstallation() {
      await fingerprints.readKey();
      await forms.read();
    },
    async close() {
      databaseClock.close();
      forms.close();
      roleSettings.close();
      await committer.close();
      await enqueuer.close();
      await authenticator.close();
      await queues.close();
      await rails.close();
      await acquirers.close();
      await listPool.end();
      await pool.end();
    },
  };
}

/** A batch has up to 64 books: a log line names the first. */
const BOOKS_NAMED = 5;

function booksOf(bookIds: readonly BookId[]): { books: number; bookIds: readonly BookId[] } {
  return { books: bookIds.length, bookIds: bookIds.slice(0, BOOKS_NAMED) };
}
