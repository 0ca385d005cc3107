/**
 * A whole process of the product: the real committer, enqueuer, deliverer, sweeper and use cases. Gates lead to a real
 * Postgres and to models of the queues, the rail and the receiver.
 */

import { lowBalances } from '../../../src/accounts/account/low-balance.ts';
import type { Forms } from '../../../src/db/forms.ts';
import type { Pool } from '../../../src/db/pool.ts';
import { classifyFailure } from '../../../src/db/postgres-errors.ts';
import type { SecretBox } from '../../../src/db/secret-box.ts';
import { ApiError } from '../../../src/errors/errors.ts';
import type { RowFailed } from '../../../src/group/moved-rows.ts';
import { GROUPS } from '../../../src/groups.ts';
import { Committer } from '../../../src/ledger/commit/committer.ts';
import type { OutsideCalls } from '../../../src/outside/calls/job-calls.ts';
import { RecentPauses } from '../../../src/payouts/pauses/recent-pauses.ts';
import { createLogger } from '../../../src/process/log.ts';
import { createEnqueuer } from '../../../src/queue/enqueuer.ts';
import { type JobData, type JobName, partsOf } from '../../../src/queue/job.ts';
import type { PoolDefinition } from '../../../src/queue/pool.ts';
import type { Carried } from '../../../src/rails/rails.ts';
import { NO_RAIL_SETTINGS } from '../../../src/rails/settings/rail-settings.ts';
import type { Runtime } from '../../../src/runtime.ts';
import { webhookSink } from '../../../src/webhooks/backlogs/event-sink.ts';
import { createDeliverer } from '../../../src/webhooks/sending/deliver-webhook.ts';
import { ledgerPool } from '../../../workers/ledger.ts';
import { railsPool } from '../../../workers/rails.ts';
import { createSweeper, type Sweeper } from '../../../workers/sweeper.ts';
import { PLAIN_FINGERPRINTS } from '../../support/fingerprints.ts';
import { type DatabaseOfSchedule, gatedPool } from './gated-pool.ts';
import type { QueueModel, WaitingJob } from './queue-model.ts';
import type { RailModel } from './rail-model.ts';
import type { ReceiverModel } from './receiver-model.ts';
import type { Owner, Scheduler } from './scheduler.ts';
import type { VirtualClock } from './virtual-time.ts';

/** Everything outside a process. */
export interface Surroundings {
  readonly scheduler: Scheduler;
  readonly clock: VirtualClock;
  readonly pool: Pool;
  readonly secretBox: SecretBox;
  readonly queues: QueueModel;
  readonly rail: RailModel;
  readonly receiver: ReceiverModel;
  readonly database: DatabaseOfSchedule;
  /** Called with errors that only a bug can cause. */
  readonly onBug: (error: unknown) => void;
}

const log = createLogger('silent', 'test');
const PUBLIC_URL = 'https://api.test';
const CONFIG = {
  PAYOUT_FEE_CLIQ_BASIS_POINTS: 50,
  PAYOUT_FEE_IBAN_BASIS_POINTS: 50,
  PAYOUT_FEE_WALLET_BASIS_POINTS: 50,
  PAYOUT_FEE_CARD_BASIS_POINTS: 50,
  PAYOUT_FEE_ACCOUNT_BASIS_POINTS: 0,
  SWEEP_INTERVAL_MS: 1_000,
  // No stored answer is dropped: clients may repeat any request.
  IDEMPOTENCY_BODY_RETENTION_DAYS: 100_000,
  NOTICE_RETENTION_DAYS: 100_000,
};

/** Each call is made immediately, and its job waits for it. */
const IMMEDIATE_CALLS: OutsideCalls = { make: ({ party, bookId }, call) => party.inTurn(bookId, call) };

interface Habits {
  /** The error of the machine's clock. */
  readonly skewMs: number;
  readonly maxBatch: number;
  /** The stored forms that it writes. */
  readonly forms: Forms;
}

export class SimulatedProcess implements Owner {
  isAlive = true;
  readonly name: string;
  readonly runtime: Runtime;
  readonly sweeper: Sweeper;
  readonly #pools: Map<string, (name: JobName, part: JobData) => Promise<unknown>>;
  readonly #queues: QueueModel;

  constructor(name: string, around: Surroundings, { skewMs, maxBatch, forms }: Habits) {
    this.name = name;
    this.#queues = around.queues;
    const { scheduler, secretBox, onBug } = around;
    const clock = around.clock.skewed(skewMs);
    const pool = gatedPool(scheduler, this, around.pool, around.database);
    const queues = around.queues.of(this);
    const enqueuer = createEnqueuer({ queues, log, forms, paceMs: 0 });
    const committer = new Committer({
      watch: lowBalances,
      pool,
      clock,
      sink: webhookSink,
      forms,
      enqueue: (bookId, jobs) => this.isAlive && enqueuer.enqueue(bookId, jobs),
      maxBatch,
      observe: ({ shared, books, skipped }) => {
        if (shared) scheduler.count(books > 1 ? 'batches of several books' : 'shared batches of one book or none');
        if (skipped > 0) scheduler.count('batches that left a locked book out');
      },
      onDissolved: (reason) => scheduler.count(`batches dissolved: ${reason}`),
      onError: (error) => classifyFailure(error) === 'transient' || onBug(error),
    });
    const rail = around.rail.of(this);
    const rails = {
      sandbox: rail,
      get: () => rail,
      carrying: ({ mode, type }: Carried) =>
        rail.mode === mode && rail.destinations.includes(type) ? rail : undefined,
      all: () => [rail],
      files: () => [],
    };
    const rowFailed: RowFailed = async (_rows, _row, error) => {
      if (!isBadLuck(error)) onBug(error);
      return true;
    };
    const parts = {
      groups: GROUPS,
      pool,
      committer,
      clock,
      log,
      secretBox,
      enqueuer,
      queues,
      rails,
      railSettings: NO_RAIL_SETTINGS,
      pauses: new RecentPauses(pool, () => clock.now()),
      acquirers: { all: () => [] },
      processors: { all: () => [] },
      publicUrl: PUBLIC_URL,
      metrics: { railFailures: { failed: () => undefined } },
    };
    const stored = { forms, fingerprints: PLAIN_FINGERPRINTS };
    const whole = { ...parts, ...stored, config: CONFIG, rail: () => rail, rowFailed };
    this.runtime = whole as unknown as Runtime;
    this.sweeper = createSweeper(this.runtime);
    const deliverer = createDeliverer({
      ...{ pool, committer, secretBox, clock, log },
      rowFailed,
      allowHosts: [],
      random: scheduler.random.next,
      post: (_, request) => around.receiver.take(this, request),
      // A statement waits for its turn in the schedule, however long that takes.
      slowStatementMs: 2 ** 31 - 1,
      // Real name servers answer in real time, which the schedule does not control.
      resolve: (_host, _options, callback) => callback(null, []),
    });
    const answering = (pool: PoolDefinition) => (name: JobName, part: JobData) => pool.answer(name, part);
    this.#pools = new Map([
      ['ledger', answering(ledgerPool(this.runtime))],
      ['rails', answering(railsPool(this.runtime, IMMEDIATE_CALLS))],
      [
        'webhooks',
        async (name, { bookId, ids }) =>
          name === 'endpoint.drain' ? deliverer.drain(bookId, ids) : deliverer.deliver(bookId, ids),
      ],
    ]);
  }

  /** A failed job is removed, as in the queue. Its rows stay due. */
  answer(job: WaitingJob, onBug: (error: unknown) => void): void {
    const answerPart = async (part: JobData) => this.#pools.get(job.pool)!(job.name, part);
    const answered = partsOf(job.data).map((part) =>
      answerPart(part).catch((error) => isBadLuck(error) || onBug(error)),
    );
    void Promise.all(answered).finally(() => this.#queues.done(job));
  }
}

/** Whether the failure is temporary, for example a rail that does not answer. */
function isBadLuck(error: unknown): boolean {
  const isAway = error instanceof ApiError && error.code === 'service_unavailable';
  return isAway || classifyFailure(error) === 'transient' || (error as Error).name === 'RailUnreachable';
}
