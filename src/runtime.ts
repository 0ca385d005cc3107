/**
 * The parts of a process, put together in one place: connections, committer, queues, rails. API and workers take the
 * parts they need; a process that is both has one of each.
 */
import { lowBalances } from './accounts/account/low-balance.ts';
import { type Acquirers, createAcquirers } from './acquirers/acquirers.ts';
import { payableCards } from './cards/card/payable-card.ts';
import { type Config, ConfigError } from './config.ts';
import { createDatabaseClock } from './db/database-clock.ts';
import { checkDurability } from './db/durability.ts';
import { type Contracted, type Forms, watchForms } from './db/forms.ts';
import { createListReads, LIST_CONNECTION_TIMEOUT_MS, type ListReads } from './db/list-reads.ts';
import { createPool, type Pool } from './db/pool.ts';
import { checkApplicationRole } from './db/roles.ts';
import { createSecretBox, type SecretBox } from './db/secret-box.ts';
import { watchRoleSettings } from './db/watch-role-settings.ts';
import type { Appointment } from './group/appointment.ts';
import type { AtBank, LineNames } from './group/at-bank.ts';
import type { Group, PeriodBlocker } from './group/group.ts';
import type { RowFailed } from './group/moved-rows.ts';
import type { OperatorReport } from './group/operator-report.ts';
import type { PayableCards } from './group/payable-card.ts';
import { GROUPS } from './groups.ts';
import { createFingerprints, type Fingerprints } from './idempotency/fingerprints.ts';
import { RecentAccounts } from './ledger/account/recent-accounts.ts';
import type { BookId, Mode } from './ledger/book/book.ts';
import type { ClosingBlocker } from './ledger/command/closing-blocker.ts';
import { Committer } from './ledger/commit/committer.ts';
import { lineTextsOf, type ReadLineTexts } from './ledger/resources/line-text-store.ts';
import { createMetrics, type Metrics } from './metrics/metrics.ts';
import { createRowFailed } from './operations/row-failed.ts';
import { anyKeyOpensLive } from './organisations/api-key-store.ts';
import { type Authenticator, createAuthenticator } from './organisations/authenticate.ts';
import { operatorBooks } from './organisations/organisation-store.ts';
import { CallLimits } from './outside/calls/call-limits.ts';
import { AskedEndpoints } from './outside/questions/asked-endpoints.ts';
import { createPaymentsRuntime, type PaymentsRuntime } from './payments/payments-runtime.ts';
import { payableTokens } from './payments/tokens/payable-token.ts';
import { keptBackOf } from './payouts/pauses/pause.ts';
import { RecentPauses } from './payouts/pauses/recent-pauses.ts';
import type { Logger } from './process/log.ts';
import { warnSeldom } from './process/seldom.ts';
import { isEarlierVersion } from './process/version.ts';
import { createProcessors, type Processors } from './processors/processors.ts';
import { createEnqueuer, type Enqueuer } from './queue/enqueuer.ts';
import { createQueues, type Queues } from './queue/queues.ts';
import { StalledQueues, type StalledQueuesOptions } from './queue/stalled-queues.ts';
import { banksOf } from './rails/iso20022/bank-settings.ts';
import { createRails, type Rails } from './rails/rails.ts';
import { checkRails } from './rails/settings/check-rails.ts';
import type { RailSettings } from './rails/settings/rail-settings.ts';
import { keepRailSettings } from './rails/settings/rail-settings-store.ts';
import { readRailsFile } from './rails/settings/read-rails-file.ts';
import type { SharedRail } from './rails/shared-rail.ts';
import type { Clock } from './values/clock.ts';
import { webhookSink } from './webhooks/backlogs/event-sink.ts';

/** A group that has parts of its own builds them in its folder. */
export interface Runtime extends PaymentsRuntime {
  readonly config: Config;
  readonly log: Logger;
  readonly clock: Clock;
  readonly pool: Pool;
  readonly lists: ListReads;
  readonly lineTexts: ReadLineTexts;
  readonly committer: Committer;
  readonly queues: Queues;
  /** What readiness reports of the queues. */
  readonly stalledQueues: StalledQueues;
  readonly enqueuer: Enqueuer;
  readonly rails: Rails;
  readonly payableCards: Readonly<Record<'paymentToken' | 'card', PayableCards>>;
  /** Of RAILS_FILE, as this process read it. */
  readonly railSettings: RailSettings;
  /** The tax that fees of a currency contain, in hundredths of a per cent. */
  readonly feeTax: Config['FEE_TAX_PERCENT'];
  readonly acquirers: Acquirers;
  readonly processors: Processors;
  /** Those of integrators that are asked before something is decided. */
  readonly endpoints: AskedEndpoints;
  readonly recentAccounts: RecentAccounts;
  /** What an operator keeps back. */
  readonly pauses: RecentPauses;
  readonly secretBox: SecretBox;
  /** Which stored forms may be written. Ask at each write: the answer changes while the process runs. */
  readonly forms: Forms & Contracted;
  readonly fingerprints: Fingerprints;
  readonly authenticator: Authenticator;
  readonly metrics: Metrics;
  readonly groups: readonly Group[];
  /** What keeps an account open, of every group. */
  readonly blocksClosing: readonly ClosingBlocker[];
  /** What keeps days of a book open, of every group. */
  readonly blocksPeriods: readonly PeriodBlocker[];
  /** What banks show of entries that move the pool, of every group. */
  readonly atBank: readonly AtBank[];
  /** By what files name lines of accounts, of every group. */
  readonly lineNames: readonly LineNames[];
  /** Reports of the operator's books, of every group. */
  readonly operatorReports: readonly OperatorReport[];
  /** Where integrators reach the API, without a slash at the end. */
  readonly publicUrl: string;
  rail(name: string): SharedRail;
  readonly rowFailed: RowFailed;
  /** What falls due in a book's own time, of every group. */
  readonly appointments: readonly Appointment[];
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
  const groups = GROUPS;
  const railSettings = readRailsFile(config.RAILS_FILE);
  const publicUrl = (options.publicUrl ?? config.PUBLIC_URL ?? `http://127.0.0.1:${config.PORT}`).replace(/\/+$/, '');
  const { pool, listPool } = openPools(config, log, options.name ?? 'countinghouse');
  const databaseClock = createDatabaseClock(pool, { onFailure: warnSeldom(log, 'the time of Postgres was not read') });
  const clock = options.clock ?? databaseClock;
  const forms = watchForms(pool, { onFailure: warnSeldom(log, "the installation's row was not read") });
  const secretBox = createSecretBox(config.COUNTINGHOUSE_ENCRYPTION_KEY, config.COUNTINGHOUSE_ENCRYPTION_KEYS_OLD);
  const fingerprints = createFingerprints({ pool, secretBox });
  const queues = createQueues(config, log);
  const stalledQueues = new StalledQueues(queues, options.stalledQueues);
  const metrics = createMetrics({ groups, pool, queues, clock, log, railsFile: railSettings.digest });
  const settings = watchSettings(config, pool, { log, metrics });
  const enqueuer = createEnqueuer({ queues, log, forms, counts: metrics.enqueuer });
  // Of a party's slots a book has its half in this process, whoever calls: jobs, requests or pages.
  const limits = new CallLimits();
  const operatorBook = async (mode: Mode) => (await operatorBooks(pool))[mode];
  const pauses = new RecentPauses(pool);
  const keptBack = async (rail: string) => keptBackOf(await pauses.readAgain(), rail);
  const banks = { settings: banksOf(railSettings), pool, secretBox, operatorBook, keptBack };
  const rails = createRails(config, log, { clock, limits, ownPool: pool, banks });
  checkServed(rails, railSettings, metrics);
  const acquirers = createAcquirers(config, log, { clock, limits, publicUrl, ownPool: pool });
  const processors = createProcessors(config, log, { clock, limits, secretBox, ownPool: pool });
  const endpoints = new AskedEndpoints({
    ...{ limits, secretBox, clock, log, count: metrics.cardDecisions.asked },
    ...{ allowHosts: config.WEBHOOK_ALLOW_HOSTS, dnsServers: config.WEBHOOK_DNS_SERVERS },
  });
  const committer = createCommitter({ pool, clock, forms, enqueuer, metrics, log });
  const authenticator = createAuthenticator({ pool, clock, log });

  const readInstallation = async () => {
    await fingerprints.readKey();
    await forms.read();
    requireKnownRails(config, forms);
    await keepRailSettings(pool, railSettings);
  };

  return {
    ...createPaymentsRuntime({ config, fingerprints, publicUrl }),
    config,
    log,
    clock,
    pool,
    lists: createListReads(listPool),
    lineTexts: lineTextsOf(groups.flatMap(({ resources }) => resources)),
    committer,
    queues,
    stalledQueues,
    enqueuer,
    rails,
    payableCards: { paymentToken: payableTokens, card: payableCards },
    railSettings,
    feeTax: config.FEE_TAX_PERCENT,
    acquirers,
    processors,
    endpoints,
    recentAccounts: new RecentAccounts(pool),
    pauses,
    secretBox,
    forms,
    fingerprints,
    authenticator,
    metrics,
    groups,
    ...declaredBy(groups),
    publicUrl,
    rail: (name) => rails.get(name),
    rowFailed: createRowFailed({ pool, clock, log }),
    async prepare() {
      await checkApplicationRole(pool);
      await settings.checkDurability();
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
      await rails.close();
      await acquirers.close();
      await processors.close();
      await endpoints.close();
      await listPool.end();
      await pool.end();
    },
  };
}

/** 0.3.0 has the sandbox alone, and would set aside payouts of other rails. Throws ConfigError until the contract. */
function requireKnownRails({ RAILS_FILE, RAIL_HTTP_NAME }: Config, { contractedTo }: Contracted): void {
  if ((RAILS_FILE ?? RAIL_HTTP_NAME) === undefined || !isEarlierVersion(contractedTo, '0.4.0')) return;
  throw new ConfigError(
    'RAILS_FILE and RAIL_HTTP_NAME are settings since release 0.4.0. A process of an earlier release would not know their rails: set them once the installation is contracted (npm run migrate -- --contract).',
  );
}

/** Settings of the database, without which a commit is no promise: checked at the start, and read while the process runs. */
function watchSettings(config: Config, pool: Pool, { log, metrics }: Pick<Runtime, 'log' | 'metrics'>) {
  const durability = { assumed: config.DATABASE_ASSUME_DURABLE, isLive: () => anyKeyOpensLive(pool) };
  const watch = watchRoleSettings({
    ...{ pool, url: config.DATABASE_URL, log, durability, count: metrics.roleTimeouts },
  });
  return { checkDurability: () => checkDurability(pool, { ...durability, log }), close: watch.close };
}

/** The rails of this process are those of the settings, and what fails at them is counted from the start. */
function checkServed(rails: Rails, settings: RailSettings, { railFailures }: Metrics): void {
  checkRails(settings, rails.all());
  railFailures.begin(rails.all().map(({ name }) => name));
}

/** Lists have connections of their own. */
function openPools(config: Config, log: Logger, name: string): { pool: Pool; listPool: Pool } {
  const any = { url: config.DATABASE_URL, log, namedStatements: config.DATABASE_NAMED_STATEMENTS };
  return {
    pool: createPool({ ...any, name, size: config.DATABASE_POOL_SIZE }),
    listPool: createPool({
      ...any,
      name: `${name} lists`,
      size: config.DATABASE_LIST_POOL_SIZE,
      queryTimeoutMs: LIST_CONNECTION_TIMEOUT_MS,
    }),
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

/** What is handed to those who need it of every group. */
function declaredBy(groups: readonly Group[]) {
  return {
    blocksClosing: groups.flatMap((group) => group.blocksClosing),
    blocksPeriods: groups.flatMap(({ blocksPeriods = [] }) => blocksPeriods),
    atBank: groups.flatMap(({ atBank = [] }) => atBank),
    lineNames: groups.flatMap(({ lineNames = [] }) => lineNames),
    operatorReports: groups.flatMap(({ operatorReports = [] }) => operatorReports),
    appointments: groups.flatMap(({ appointments = [] }) => appointments),
  };
}
