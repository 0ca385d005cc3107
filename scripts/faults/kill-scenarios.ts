/**
 * kill -9 at every named point before and after each commit, enqueue and outside call, and at times that a seed
 * chooses.
 */
import type { Failpoint } from '../../src/process/failpoints.ts';
import type { PoolName } from '../../workers/run.ts';
import { makeRowsDue } from '../harness/database-store.ts';
import type { ProductProcess } from '../harness/processes.ts';
import { FAULT_PATIENCE_MS } from '../harness/until.ts';
import { expectThat, type Play, pause, type Scenario, untilThat } from './scenario.ts';
import { ALL_POOLS, type Stage } from './stage.ts';

const COMMITTING: readonly Failpoint[] = [
  'ledger.commit.before',
  'ledger.commit.after',
  'jobs.enqueue.before',
  'jobs.enqueue.after',
];

/** Of whoever takes notices in: of rails, or of acquirers. */
const NOTICED: readonly Failpoint[] = [
  'notice.copy.after',
  'notice.book.after',
  'rail.acknowledge.before',
  'rail.acknowledge.after',
];

type Victim = 'api' | Extract<PoolName, 'ledger' | 'rails' | 'payments' | 'webhooks' | 'sweeper'>;

/** The points that each process passes. */
const POINTS: Record<Victim, readonly Failpoint[]> = {
  api: COMMITTING,
  ledger: COMMITTING,
  rails: [
    ...COMMITTING,
    ...(['rail.submit.before', 'rail.submit.after', 'rail.inquire.before', 'rail.inquire.after'] as const),
    ...NOTICED,
  ],
  payments: [
    ...COMMITTING,
    ...([
      'acquirer.submit.before',
      'acquirer.submit.after',
      'acquirer.inquire.before',
      'acquirer.inquire.after',
    ] as const),
    ...(['acquirer.cancel.before', 'acquirer.cancel.after'] as const),
    ...NOTICED,
  ],
  webhooks: ['webhook.post.before', 'webhook.post.after', 'delivery.record.before', 'delivery.record.after'],
  sweeper: ['sweeper.postpone.before', 'sweeper.postpone.after', 'sweeper.enqueue.after'],
};

/** Points that one payout in ten passes, or one payment: after a few seconds they have not been passed often. */
const SELDOM = /^(rail\.(inquire|acknowledge)|acquirer\.(inquire|cancel)|notice|sweeper)/;

export const killApiScenarios: readonly Scenario[] = POINTS.api.map((point) => killAt('api', point));

export const killWorkerScenarios: readonly Scenario[] = (
  ['ledger', 'rails', 'payments', 'webhooks', 'sweeper'] as const
).flatMap((pool) => POINTS[pool].map((point) => killAt(pool, point)));

/** A batch of several books dies: the points that a load of one book never passes. */
export const killSharedScenarios: readonly Scenario[] = (['api', 'ledger'] as const).map((victim) =>
  killAt(victim, 'ledger.shared.before'),
);

export const killAtRandomTimes: Scenario = {
  name: 'kill-at-random-times',
  about: 'kill -9 of any process at any time, again and again',
  async play({ stage, load, random }) {
    const processes = [...stage.apis, ...stage.workers];
    for (let round = 0; round < 8; round++) {
      const victim = random.pick(processes);
      await pause(random.between(20, 700));
      await victim.kill();
      await victim.start();
      await load.untilMore(5);
    }
  },
};

function killAt(pool: Victim, point: Failpoint): Scenario {
  return {
    name: `kill-${pool}-at-${point}`,
    about: `kill -9 of ${pool === 'api' ? 'an API' : `a worker of the ${pool} pool`} at ${point}`,
    diesAt: point,
    together: true,
    ...(point === 'ledger.shared.before' && { shared: true }),
    async play({ stage, load, random }: Play) {
      const [victim, hit] = [
        pool === 'api' ? stage.apis[0]! : stage.workers[0],
        random.between(1, SELDOM.test(point) ? 3 : 20),
      ];
      await victim.kill();
      await victim.start({ failpoints: `${point}=kill@${hit}`, ...(pool !== 'api' && { pools: [pool] }) });
      await untilEnded(stage, victim);
      expectThat(victim.output.includes(`failpoint ${point}: SIGKILL`), `It died elsewhere:\n${victim.output}`);
      await Promise.all([load.untilMore(20), victim.start(pool === 'api' ? {} : { pools: ALL_POOLS })]);
    },
  };
}

/**
 * Waits until the process has died. Rows are made due meanwhile, so that points that only the sweeper leads to come
 * soon.
 */
export async function untilEnded({ behind }: Stage, victim: ProductProcess): Promise<void> {
  let makeDueAt = performance.now() + 500;
  const hasDied = async () => {
    if (performance.now() > makeDueAt) {
      makeDueAt = performance.now() + 500;
      await makeRowsDue(behind);
    }
    return !victim.running;
  };
  await untilThat('the point at which the process was to die', hasDied, { timeoutMs: FAULT_PATIENCE_MS });
}
