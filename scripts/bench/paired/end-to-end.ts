/** Benches `paired payouts` and `paired payments`: from POST to delivered webhook, with an API, a worker and a receiver for each build. */
import { createApiClient, openFundedAccounts } from '../api-client.ts';
import { arrived } from '../arrivals.ts';
import { startApiProcess, startHelper, startWorkerProcess } from '../children.ts';
import { familyCpuSeconds } from '../cpu-time.ts';
import { sendPosts } from '../http-load.ts';
import { findTestBook } from '../payout-check-store.ts';
import type { Received } from '../receiver.ts';
import { setStage } from '../stage.ts';
import { PAYMENTS, PAYOUTS, type Traffic } from '../traffic.ts';
import { verifyLedger } from '../verify.ts';
import { createKey, type Side, type SideOptions } from './side.ts';

const ACCOUNTS = 100;
/** A few seconds' work. */
const SLICE = { payouts: 3_000, payments: 2_000 };

export const openPayoutsSide = (options: SideOptions) => openSide(options, PAYOUTS);
export const openPaymentsSide = (options: SideOptions) => openSide(options, PAYMENTS);

async function openSide({ closing, build, queue }: SideOptions, traffic: Traffic): Promise<Side> {
  const slice = SLICE[traffic.name];
  const receiver = startHelper(closing, 'receiver');
  const port = await receiver.ask<number>({ ask: 'port' });
  const plain = await setStage(closing, { queue, build });
  const stage = { ...plain, environment: { ...plain.environment, WEBHOOK_ALLOW_HOSTS: `127.0.0.1:${port}` } };
  const key = await createKey(stage);
  const api = await startApiProcess(stage);
  const client = createApiClient(api.url, key);
  const bodies = (await openFundedAccounts(client, ACCOUNTS)).map(traffic.request);
  const endpoint = { url: `http://127.0.0.1:${port}/webhooks`, events: [traffic.event] };
  const { secret } = await client.post<{ secret: string }>('/v1/webhooks', endpoint);
  await receiver.ask({ ask: 'trust', secret });
  const worker = await startWorkerProcess(stage, traffic.pools);
  const received = () => receiver.ask<Received>({ ask: 'received' });
  const cpuSeconds = () => [api.cpuSeconds(), worker.cpuSeconds(), familyCpuSeconds(stage.postgres.pid!)] as const;
  let sent = 0;
  return {
    versions: stage.versions,
    async run() {
      const before = cpuSeconds();
      const started = Date.now();
      await sendPosts({ url: api.url, path: traffic.path, headers: traffic.headers, key, bodies, requests: slice });
      sent += slice;
      await arrived(receiver, sent);
      const after = cpuSeconds();
      const { times } = await received();
      const cpuUs = (index: 0 | 1 | 2) => ((after[index] - before[index]) / slice) * 1e6;
      const [apiUs, workerUs, postgresUs] = [cpuUs(0), cpuUs(1), cpuUs(2)];
      return {
        per_s: slice / ((times.at(-1)! - started) / 1000),
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
      const counts = await traffic.check(stage.pool, { bookId, sent, received: await received() });
      return { ...(await verifyLedger(stage)), ...counts };
    },
  };
}
