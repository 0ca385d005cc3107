/** Bench `paired payouts`: from POST to delivered webhook, with an API, a worker and a receiver for each build. */
import { createApiClient, openFundedAccounts, payoutRequest } from '../api-client.ts';
import { arrived } from '../arrivals.ts';
import { startApiProcess, startHelper, startWorkerProcess } from '../children.ts';
import { familyCpuSeconds } from '../cpu-time.ts';
import { sendPosts } from '../http-load.ts';
import { findTestBook } from '../payout-check-store.ts';
import { checkNothingLost } from '../payout-checks.ts';
import type { Received } from '../receiver.ts';
import { setStage } from '../stage.ts';
import { POOLS } from '../traffic.ts';
import { verifyLedger } from '../verify.ts';
import { createKey, type Side, type SideOptions } from './side.ts';

const ACCOUNTS = 100;
/** A few seconds' work. */
const SLICE_PAYOUTS = 3_000;

export async function openPayoutsSide({ closing, build, queue }: SideOptions): Promise<Side> {
  const receiver = startHelper(closing, 'receiver');
  const port = await receiver.ask<number>({ ask: 'port' });
  const plain = await setStage(closing, { queue, build });
  const stage = { ...plain, environment: { ...plain.environment, WEBHOOK_ALLOW_HOSTS: `127.0.0.1:${port}` } };
  const key = await createKey(stage);
  const api = await startApiProcess(stage);
  const client = createApiClient(api.url, key);
  const bodies = (await openFundedAccounts(client, ACCOUNTS)).map(payoutRequest);
  const endpoint = { url: `http://127.0.0.1:${port}/webhooks`, events: ['payout.paid'] };
  const { secret } = await client.post<{ secret: string }>('/v1/webhooks', endpoint);
  await receiver.ask({ ask: 'trust', secret });
  const worker = await startWorkerProcess(stage, POOLS);
  const received = () => receiver.ask<Received>({ ask: 'received' });
  const cpuSeconds = () => [api.cpuSeconds(), worker.cpuSeconds(), familyCpuSeconds(stage.postgres.pid!)] as const;
  let sent = 0;
  return {
    versions: stage.versions,
    async run() {
      const before = cpuSeconds();
      const started = Date.now();
      await sendPosts({ url: api.url, key, bodies, requests: SLICE_PAYOUTS });
      sent += SLICE_PAYOUTS;
      await arrived(receiver, sent);
      const after = cpuSeconds();
      const { times } = await received();
      const cpuUs = (index: 0 | 1 | 2) => ((after[index] - before[index]) / SLICE_PAYOUTS) * 1e6;
      const [apiUs, workerUs, postgresUs] = [cpuUs(0), cpuUs(1), cpuUs(2)];
      return {
        per_s: SLICE_PAYOUTS / ((times.at(-1)! - started) / 1000),
        api_cpu_us: apiUs,
        worker_cpu_us: workerUs,
        postgres_cpu_us: postgresUs,
        cpu_us: apiUs + workerUs + postgresUs,
      };
    },
    async check() {
      await worker.stop();
      await api.stop();
      const bookId = await findTestBook(stage.pool);
      const counts = await checkNothingLost(stage.pool, { bookId, sent, received: await received() });
      return { ...(await verifyLedger(stage)), ...counts };
    },
  };
}
