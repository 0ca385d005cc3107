/**
 * The parts of a process, put together in one place: connections, committer, queues, rails. API and workers take the
 * parts they need; a process that is both has one of each.
 */
import { lowBalances } from './accounts/account/low-balance.ts';
import { payableCards } from './cards/card/payable-card.ts';
import type { Config } from './config.ts';
import { createDatabaseClock } from './db/database-clock.ts';
import { type Contracted, type Forms, watchForms } from './db/forms.ts';
import { type ListReads, openListReads } from './db/list-reads.ts';
import { createPool, type Pool } from './db/pool.ts';
import { createSecretBox, type SecretBox } from './db/secret-box.ts';
import { watchRoleSettings } from './db/watch-role-settings.ts';
import type { RowFailed } from './group/moved-rows.ts';
import { type OfAllGroups, ofAllGroups } from './group/of-all-groups.ts';
import { GROUPS } from './groups.ts';
import { createFingerprints, type Fingerprints } from './idempotency/fingerprints.ts';
import type { BookId } from './ledger/book/book.ts';
import { Committer } from './ledger/commit/committer.ts';
import { createMetrics, type Metrics } from './metrics/metrics.ts';
import { createRowFailed } from './operations/row-failed.ts';
import { anyKeyOpensLive } from './organisations/api-key-store.ts';
import { type Authenticator, createAuthenticator } from './organisations/authenticate.ts';
import { operatorBooks } from './organisations/organisation-store.ts';
import { CallLimits } from './outside/calls/call-limits.ts';
import { createPaymentsRuntime, type PaymentsRuntime } from './payments/payments-runtime.ts';
import { payableTokens } from './payments/tokens/payable-token.ts';
import { createPayoutsRuntime, type PayoutsRuntime } from './payouts/payouts-runtime.ts';
import type { Logger } from './process/log.ts';
import { warnSeldom } from './process/seldom.ts';
import { createEnqueuer, type Enqueuer } from './queue/enqueuer.ts';
import { createQueues, type Queues } from './queue/queues.ts';
import { StalledQueues, type StalledQueuesOptions } from './queue/stalled-queues.ts';
import { createRailsRuntime, type RailsRuntime } from './rails/rails-runtime.ts';
import { readRailsFile } from './rails/settings/read-rails-file.ts';
import { createTransactionsRuntime, type TransactionsRuntime } from './transactions/transactions-runtime.ts';
import type { Clock } from './values/clock.ts';
import { webhookSink } from './webhooks/backlogs/event-sink.ts';

/** A group that has parts of its own builds them in its folder. */
type PartsOfGroups = OfAllGroups & RailsRuntime & PaymentsRuntime & PayoutsRuntime & TransactionsRuntime;

export interface Runtime extends PartsOfGroups {
  readonly config: Config;
  readonly log: Logger;
  readonly clock: Clock;
  readonly pool: Pool;
  readonly lists: ListReads;
  readonly committer: Committer;
  readonly queues: Queues;
  /** What readiness reports of the queues. */
  readonly stalledQueues: StalledQueues;
  readonly enqueuer: Enqueuer;
  /** The tax that fees of a currency contain, in hundredths of a per cent. */
  readonly feeTax: Config['FEE_TAX_PERCENT'];
  readonly secretBox: SecretBox;
  /** Which stored forms may be written. Ask at each write: the answer changes while the process runs. */
  readonly forms: Forms & Contracted;
  readonly fingerprints: Fingerprints;
  readonly authenticator: Authenticator;
  readonly metrics: Metrics;
  /** Where integrators reach the API, without a slash at the end. */
  readonly publicUrl: string;
  readonly rowFailed: RowFailed;
  /**
   * What every process does before it works: judges the role and the queues, reads the time of Postgres and what all
   * processes share. Throws DatabaseRoleError, EvictionPolicyError, QueueUnfit and SecretBoxError.
   */
  prepare(): Promise<void>;
  /** Reads the key and the stored forms that all processes share, and keeps the settings of RAILS_FILE. Call it before anything is written. */
  readInstallation(): Promise<void>;
  /** Finishes the commands that the committer has accepted, then closes every connection. */
  close(): Promise<void>;
}

export interface RuntimeOptions {
  clock?: Clock;
  /** Shown in pg_stat_activity. */
  name?: string;
  publicUrl?: string;
  /** How readiness looks at the queues. */
  stalledQueues?: StalledQueuesOptions;
}

export function createRuntime(config: Config, log: Logger, options: RuntimeOptions = {}): Runtime {
  const ofGroups = ofAllGroups(GROUPS);
  const railSettings = readRailsFile(config.RAILS_FILE);
  const publicUrl = (options.publicUrl ?? config.PUBLIC_URL ?? `http://127.0.0.1:${config.PORT}`).replace(/\/+$/, '');
  const { pool, lists } = openPools(config, log, options.name ?? 'countinghouse');
  const databaseClock = createDatabaseClock(pool, { onFailure: warnSeldom(log, 'the time of Postgres was not read') });
  const clock = options.clock ?? databaseClock;
  const forms = watchForms(pool, { onFailure: warnSeldom(log, "the installation's row was not read") });
  const secretBox = createSecretBox(config.COUNTINGHOUSE_ENCRYPTION_KEY, config.COUNTINGHOUSE_ENCRYPTION_KEYS_OLD);
  const fingerprints = createFingerprints({ pool, secretBox });
  const queues = createQueues(config, log);
  const stalledQueues = new StalledQueues(queues, options.stalledQueues);
  const metrics = createMetrics({ groups: GROUPS, pool, queues, clock, log, railsFile: railSettings.digest });
  const settings = watchRoleSettings({
    ...{ pool, url: config.DATABASE_URL, log, count: metrics.roleTimeouts },
    durability: { assumed: config.DATABASE_ASSUME_DURABLE, isLive: () => anyKeyOpensLive(pool) },
  });
  const enqueuer = createEnqueuer({ queues, log, forms, counts: metrics.enqueuer });
  const committer = createCommitter({ pool, clock, forms, enqueuer, metrics, log });
  const authenticator = createAuthenticator({ pool, clock, log });
  // Of a party's slots a book has its half in this process, whoever calls: jobs, requests or pages.
  const shared = { config, log, clock, pool, limits: new CallLimits() };
  const ofPayouts = createPayoutsRuntime({ pool, payableCards: { paymentToken: payableTokens, card: payableCards } });
  const ofRails = createRailsRuntime({
    ...{ ...shared, secretBox, forms, railSettings },
    operatorBook: async (mode) => (await operatorBooks(pool))[mode],
    keptBack: (rail) => ofPayouts.pauses.keptBack(rail),
  });
  metrics.railFailures.begin(ofRails.rails.all().map(({ name }) => name));
  const ofPayments = createPaymentsRuntime({ ...shared, fingerprints, publicUrl });
  const ofTransactions = createTransactionsRuntime({ ...shared, secretBox, count: metrics.cardDecisions.asked });

  const readInstallation = async () => {
    await fingerprints.readKey();
    await forms.read();
    await ofRails.keepRailSettings();
  };

  return {
    ...{ ...ofGroups, ...ofRails, ...ofPayments, ...ofPayouts, ...ofTransactions },
    ...{ config, log, clock, pool, lists, committer, queues, stalledQueues, enqueuer },
    ...{ secretBox, forms, fingerprints, authenticator, metrics, publicUrl },
    feeTax: config.FEE_TAX_PERCENT,
    rowFailed: createRowFailed({ pool, clock, log }),
    async prepare() {
      await settings.check();
      await databaseClock.read();
      await readInstallation();
      await queues.check(fingerprints.digestOf('installation'));
    },
    readInstallation,
    async close() {
      databaseClock.close();
      forms.close();
      settings.close();
      stalledQueues.close();
      await committer.close();
      await enqueuer.close();
      await authenticator.close();
      await queues.close();
      await ofRails.rails.close();
      await ofPayments.acquirers.close();
      await ofTransactions.processors.close();
      await ofTransactions.endpoints.close();
      await lists.close();
      await pool.end();
    },
  };
}

/** Lists have connections of their own. */
function openPools(
  { DATABASE_URL: url, DATABASE_NAMED_STATEMENTS: namedStatements, ...config }: Config,
  log: Logger,
  name: string,
) {
  const any = { url, log, namedStatements };
  return {
    pool: createPool({ ...any, name, size: config.DATABASE_POOL_SIZE }),
    lists: openListReads({ ...any, name: `${name} lists`, size: config.DATABASE_LIST_POOL_SIZE }),
  };
}

function createCommitter({
  pool,
  clock,
  forms,
  enqueuer,
  metrics,
  log,
}: Pick<Runtime, 'pool' | 'clock' | 'forms' | 'enqueuer' | 'metrics' | 'log'>): Committer {
  return new Committer({
    watch: lowBalances,
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
}

/** A batch has up to 64 books: a log line names the first. */
const BOOKS_NAMED = 5;

function booksOf(bookIds: readonly BookId[]): { books: number; bookIds: readonly BookId[] } {
  return { books: bookIds.length, bookIds: bookIds.slice(0, BOOKS_NAMED) };
}
