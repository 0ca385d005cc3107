/**
 * Runs any mix of pools in one process: `npm run worker -- --pools ledger,rails --concurrency 200 --lanes 0,1`.
 * Next: a file for each pool beside this one, and src/queue/pool.ts (how a pool works its partitions).
 */
import { realpathSync } from 'node:fs';
import { Command, InvalidArgumentError } from 'commander';
import { startAudit } from '../src/audit/audit.ts';
import { ConfigError, readConfig } from '../src/config.ts';
import { DatabaseRoleError } from '../src/db/roles.ts';
import { SecretBoxError } from '../src/db/secret-box.ts';
import { arrivalsOf } from '../src/inbound/arrivals/take-arrivals.ts';
import { JobCalls } from '../src/outside/calls/job-calls.ts';
import { returnAtBank } from '../src/payouts/returns/return-at-bank.ts';
import { createLogger } from '../src/process/log.ts';
import { EvictionPolicyError } from '../src/queue/memory-policy.ts';
import { type PoolDefinition, startPool } from '../src/queue/pool.ts';
import { QueueUnfit } from '../src/queue/try-queue.ts';
import { handToRails } from '../src/rails/iso20022/hand-to-rails.ts';
import { mirrorAllBooks } from '../src/reconciliation/mirror/mirror-books.ts';
import { startFolding } from '../src/reports/totals/fold-totals.ts';
import { createRuntime, type Runtime } from '../src/runtime.ts';
import { type HealthServer, startHealthServer } from './health.ts';
import { ledgerPool } from './ledger.ts';
import { paymentsPool } from './payments.ts';
import { railsPool } from './rails.ts';
import { openSigner, reportsPool, startReports } from './reports.ts';
import { startSweeper } from './sweeper.ts';
import { webhooksPool } from './webhooks.ts';

export const POOL_NAMES = ['ledger', 'rails', 'payments', 'webhooks', 'sweeper', 'reports'] as const;
export type PoolName = (typeof POOL_NAMES)[number];

export interface StartPoolsOptions {
  readonly pools: readonly PoolName[];
  /** Jobs in progress at once in each preferred partition, instead of each pool's own number. */
  readonly concurrency?: number;
  /** Partitions that this process prefers; all by default. */
  readonly partitions?: readonly number[];
}

export interface RunningPools {
  /** Stops taking jobs, and finishes those in progress within DRAIN_TIMEOUT_MS. */
  close(): Promise<void>;
}

export async function startPools(runtime: Runtime, options: StartPoolsOptions): Promise<RunningPools> {
  const limit = { limitMs: runtime.config.DRAIN_TIMEOUT_MS };
  // Before anything runs: an unsuitable role stops the start.
  const signer = options.pools.includes('reports') ? await openSigner(runtime) : undefined;
  if (options.pools.includes('rails')) await checkFolders(runtime);
  const start = (definition: PoolDefinition) => {
    const { queues, log } = runtime;
    const running = startPool(definition, {
      ...{ queues, log, concurrency: options.concurrency, partitions: options.partitions },
    });
    runtime.stalledQueues.watch(running);
    return running;
  };
  const startCalling = (poolOf: typeof railsPool) => {
    const calls = new JobCalls();
    const running = start(poolOf(runtime, calls));
    return () => Promise.all([running.close(limit), calls.close(limit)]);
  };
  const starters: Record<PoolName, () => () => Promise<unknown>> = {
    ledger() {
      const running = start(ledgerPool(runtime));
      return () => running.close(limit);
    },
    rails: () => startCalling(railsPool),
    payments: () => startCalling(paymentsPool),
    webhooks() {
      const { definition, close } = webhooksPool(runtime);
      const running = start(definition);
      // A delivery under way may last longer than its job: both end together.
      return () => Promise.all([running.close(limit), close()]);
    },
    sweeper() {
      const { groups, pool, clock, log, metrics, config } = runtime;
      const sweeper = startSweeper(runtime);
      const pace = { timePercent: config.AUDIT_TIME_SHARE_PERCENT, intervalMs: config.SWEEP_INTERVAL_MS };
      const audit = startAudit({ groups, pool, clock, log, counts: metrics.audit, ...pace });
      return () => Promise.all([sweeper.close(), audit.close()]);
    },
    reports() {
      const checkpoints = startReports({ ...runtime, signer });
      const folding = startFolding(runtime);
      const { definition, stop } = reportsPool({ ...runtime, ...banking(runtime) });
      const running = start(definition);
      return () => {
        stop();
        return Promise.all([running.close(limit), folding.close(), checkpoints.close().then(() => signer?.end())]);
      };
    },
  };
  const closers = [...new Set(options.pools)].map((name) => starters[name]());
  return {
    async close() {
      await Promise.all(closers.map((close) => close()));
    },
  };
}

/** Files of a bank are renamed between its folders. Throws ConfigError for folders that this process does not find, or of two file systems. */
async function checkFolders({ rails }: Pick<Runtime, 'rails'>): Promise<void> {
  for (const rail of rails.files())
    await rail.checkFolders().catch((error: Error) => {
      throw new ConfigError(`RAILS_FILE: the rail ${rail.name} cannot start. ${error.message}`);
    });
}

/** What a run over a bank's file needs of other groups. */
function banking(
  runtime: Runtime,
): Pick<Parameters<typeof reportsPool>[0], 'mirror' | 'arrivals' | 'returnAtBank' | 'handToRails'> {
  return {
    mirror: (operatorBookId) => mirrorAllBooks(runtime, operatorBookId),
    arrivals: arrivalsOf(runtime),
    returnAtBank: (returned) => returnAtBank(runtime, returned),
    handToRails: (file) => handToRails(runtime.rails.files(), file),
  };
}

/** After the drain: connections are closed, each within limits of its own. */
const CLOSE_CONNECTIONS_MS = 10_000;
/** One Ctrl-C arrives from the terminal and again through npm and tsx; a person's second comes later. */
const SAME_SIGNAL_MS = 500;

async function main(): Promise<void> {
  const options = parseOptions();
  const config = readConfig();
  const outside = options.partitions?.find((partition) => partition >= config.QUEUE_LANES);
  if (outside !== undefined)
    throw new ConfigError(`There is no partition ${outside}: QUEUE_LANES is ${config.QUEUE_LANES}.`);
  const log = createLogger(config.LOG_LEVEL, 'countinghouse-worker');
  const runtime = createRuntime(config, log, { name: `countinghouse-worker ${options.pools.join(',')}` });
  let stopping: number | undefined;
  let pools: RunningPools | undefined;
  let health: HealthServer | undefined;
  const stop = async (signal: string) => {
    if (stopping !== undefined) {
      if (performance.now() - stopping > SAME_SIGNAL_MS) process.exit(1);
      return;
    }
    stopping = performance.now();
    log.info({ signal }, 'worker stopping: finishing what is in hand');
    setTimeout(() => {
      log.error('worker did not stop in time');
      process.exit(1);
    }, config.DRAIN_TIMEOUT_MS + CLOSE_CONNECTIONS_MS).unref();
    await pools?.close();
    await runtime.close();
    await health?.close();
    log.info('worker stopped');
    process.exit(0);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop(signal));

  await runtime.prepare();
  if (config.WORKER_PORT !== undefined) {
    const at = { host: config.HOST, port: config.WORKER_PORT };
    health = await startHealthServer(runtime, { ...at, draining: () => stopping !== undefined });
  }
  if (stopping !== undefined) return;
  pools = await startPools(runtime, options);
  log.info({ ...options, port: health?.port, queues: runtime.queues.backend }, 'worker started');
}

/** `--lanes` is the name that operators know. */
type ParsedOptions = Omit<StartPoolsOptions, 'partitions'> & { lanes?: number[] };

function parseOptions(): StartPoolsOptions {
  const command = new Command()
    .name('npm run worker --')
    .description('Runs worker pools in this process.')
    .option('--pools <list>', `separated by commas: ${POOL_NAMES.join(', ')}; all without it`, parsePools, [
      ...POOL_NAMES,
    ])
    .option(
      '--concurrency <n>',
      "jobs in hand at once in each preferred partition, instead of each pool's own",
      (text) => parseWhole(text, 1),
    )
    .option('--lanes <list>', 'partitions this process prefers, from 0 to QUEUE_LANES - 1; all without it', (text) =>
      text.split(',').map((part) => parseWhole(part.trim(), 0)),
    );
  const { lanes, ...options } = command.parse().opts<ParsedOptions>();
  return { ...options, partitions: lanes };
}

function parsePools(text: string): PoolName[] {
  const names = text.split(',').map((part) => part.trim());
  const unknown = names.find((name) => !POOL_NAMES.includes(name as PoolName));
  if (unknown !== undefined) throw new InvalidArgumentError(`There is no pool ${unknown}.`);
  return names as PoolName[];
}

function parseWhole(text: string, minimum: number): number {
  const value = Number(text);
  if (/^\d{1,6}$/.test(text) && value >= minimum) return value;
  throw new InvalidArgumentError(`It is a whole number from ${minimum}.`);
}

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === import.meta.filename) {
  main().catch((error: unknown) => {
    // A fault that a person can repair: its message is all they need.
    const plain = [ConfigError, DatabaseRoleError, EvictionPolicyError, QueueUnfit, SecretBoxError].some(
      (kind) => error instanceof kind,
    );
    console.error(plain ? (error as Error).message : error);
    process.exit(1);
  });
}
