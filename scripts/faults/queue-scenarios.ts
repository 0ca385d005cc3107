/** The queue backend loses jobs, repeats them, or is down: jobs are lost, and rows are not. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readConfig } from '../../src/config.ts';
import { createLogger } from '../../src/process/log.ts';
import type { JobName, QueuePool } from '../../src/queue/job.ts';
import { createQueues } from '../../src/queue/queues.ts';
import { parsePublicId } from '../../src/values/ids.ts';
import { dropJobs, readDeliveryIds } from '../harness/database-store.ts';
import { testEnvironment } from '../harness/environment.ts';
import { startRedis, type TestRedis } from '../harness/redis-server.ts';
import { readPaymentRows } from './payment-records-store.ts';
import { untilMorePaid } from './postgres-scenarios.ts';
import { expectThat, type Play, pause, type Scenario, untilThat } from './scenario.ts';
import { secretsOf } from './secrets.ts';
import type { Stage } from './stage.ts';

async function loseJobs({ redis, behind }: Stage): Promise<void> {
  if (!redis) return dropJobs(behind);
  await redis.client().flushall();
}

/** Enqueues jobs for every payout, for payments and for deliveries, whatever their state, in random order. */
async function enqueueEverything({ stage, load, random }: Play): Promise<void> {
  const { database, redis, behind, keys } = stage;
  const queues = createQueues(readConfig(testEnvironment(database, redis)), createLogger('silent', 'faults'));
  const { operations, payments, shares } = await readPaymentRows(behind, keys.testBookId);
  const payouts = load.payouts().map((id) => parsePublicId('payout', id)!);
  const rows: [QueuePool, JobName, string[]][] = [
    ['ledger', 'payout.reserve', payouts],
    ['rails', 'payout.submit', payouts],
    ['rails', 'payout.inquire', payouts],
    ['payments', 'operation.submit', operations],
    ['payments', 'operation.inquire', operations],
    ['ledger', 'payment.expire', payments],
    ['ledger', 'share.release', shares],
    ['webhooks', 'delivery.send', await readDeliveryIds(behind)],
  ];
  const jobs = rows.flatMap(([pool, name, ids]) =>
    ids.map((id) => ({ pool, job: { name, data: { bookId: keys.testBookId, ids: [id, id] } } })),
  );
  try {
    for (const { pool, job } of random.shuffled([...jobs, ...jobs]).slice(0, 1_500)) {
      await queues.add(pool, 0, [job], { limitMs: 10_000 });
    }
  } finally {
    await queues.close();
  }
}

/** The successor has all that the first one had, and the first one becomes its replica. */
async function failOver(stage: Stage, { from, to }: { from: TestRedis; to: TestRedis }): Promise<void> {
  const [old, next] = [from.client(), to.client()];
  await next.replicaof('127.0.0.1', portOf(from));
  await untilThat('the successor has copied', async () =>
    (await next.info('replication')).includes('master_link_status:up'),
  );
  await next.replicaof('NO', 'ONE');
  await old.replicaof('127.0.0.1', portOf(to));
  leadTo(stage, to);
}

const portOf = ({ url }: TestRedis) => new URL(url).port;

function leadTo({ network }: Stage, redis: TestRedis): void {
  for (const { redis: proxy } of [network.api, network.worker]) proxy!.leadTo(redis.url);
}

export const queueScenarios: readonly Scenario[] = [
  {
    name: 'jobs-lost',
    about: 'FLUSHALL (on Postgres: every job deleted) in mid-run, again and again',
    quick: true,
    async play({ stage, load, random }) {
      for (let round = 0; round < 4; round++) {
        await load.untilMore(random.between(5, 25));
        await loseJobs(stage);
      }
    },
  },
  {
    name: 'jobs-repeated-and-reordered',
    about: 'jobs for rows of every state, doubled and shuffled, among those of the load',
    async play(play) {
      await play.load.untilMore(60);
      await enqueueEverything(play);
      await play.load.untilMore(20);
    },
  },
  {
    name: 'redis-killed',
    about: 'Redis killed, gone for two seconds, and back empty: payouts are accepted all the time',
    only: 'redis',
    quick: true,
    async play({ stage, load, random }) {
      await pause(random.between(0, 300));
      await stage.redis!.kill();
      await Promise.all([load.untilMore(30), pause(2_000)]);
      await stage.redis!.start();
    },
  },
  {
    name: 'redis-killed-with-append-only-file',
    about: 'Redis that keeps an append-only file, killed and back with what the file holds: jobs come again',
    only: 'redis',
    async play({ stage, load, random }) {
      const redis = stage.redis!;
      await redis.kill();
      await redis.start({ appendOnly: true });
      for (let round = 0; round < 3; round++) {
        await load.untilMore(random.between(10, 40));
        await redis.kill();
        await redis.start({ appendOnly: true });
      }
      await load.untilMore(20);
      const secrets = [...secretsOf(stage).keys()];
      const kept = await appendOnlyFile(redis.directory);
      expectThat(kept.length > 0, 'The append-only file is empty');
      expectThat(!secrets.some((secret) => kept.includes(secret)), 'A secret stands in the append-only file');
      await redis.kill();
      await redis.start();
    },
  },
  {
    name: 'redis-gone-for-long',
    about: 'Redis gone for half a minute while the load goes on',
    only: 'redis',
    async play({ stage, load }) {
      await stage.redis!.kill();
      await Promise.all([load.untilMore(100), pause(30_000)]);
      await stage.redis!.start();
    },
  },
  {
    name: 'redis-frozen',
    about: 'SIGSTOP of Redis for eight seconds: connections stay open and nothing answers',
    only: 'redis',
    async play({ stage, load }) {
      stage.redis!.freeze();
      await Promise.all([load.untilMore(30), pause(8_000)]);
      stage.redis!.thaw();
    },
  },
  {
    name: 'redis-demoted',
    about:
      'Redis demoted to a replica of its successor and later back; connections stay open, and new ones are led to the primary',
    only: 'redis',
    async play({ stage, load }) {
      const { behind } = stage;
      const first = stage.redis!;
      const second = await startRedis();
      try {
        await load.untilMore(10);
        await failOver(stage, { from: first, to: second });
        await untilMorePaid(behind, 20);
        await failOver(stage, { from: second, to: first });
        await untilMorePaid(behind, 20);
        await load.untilMore(20);
      } finally {
        await first.client().replicaof('NO', 'ONE');
        leadTo(stage, first);
        await second.remove();
      }
    },
  },
  {
    name: 'redis-absent-at-start',
    about: 'every process starts while Redis is not there: payouts are accepted, and are paid when it comes',
    only: 'redis',
    async play({ stage, load }) {
      const processes = [...stage.apis, ...stage.workers];
      await Promise.all(processes.map((one) => one.kill()));
      await stage.redis!.kill();
      await Promise.all(processes.map((one) => one.start()));
      await load.untilMore(30);
      await stage.redis!.start();
    },
  },
];

async function appendOnlyFile(directory: string): Promise<string> {
  const names = await readdir(directory, { recursive: true, withFileTypes: true });
  const texts = names.filter((one) => one.isFile()).map((one) => readFile(join(one.parentPath, one.name), 'latin1'));
  return (await Promise.all(texts)).join('');
}
