/**
 * Bench `payouts`: from POST to delivered webhook, with everything on this machine: generator, API, one worker with all
 * pools, sandbox rail, receiver. First as fast as it goes, then at half that rate to see how long one payout takes.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { createApiClient, openFundedAccounts, payoutRequest } from './api-client.ts';
import type { BenchContext, BenchResult } from './bench.ts';
import { issueKey, openBook } from './book.ts';
import { type Helper, startApiProcess, startHelper, startWorkerProcess } from './children.ts';
import { familyCpuSeconds } from './cpu-time.ts';
import { sendPayouts } from './http-load.ts';
import { sendPayoutsPaced } from './paced-load.ts';
import { checkNothingLost } from './payout-checks.ts';
import { say } from './progress.ts';
import type { Received } from './receiver.ts';
import { setStage } from './stage.ts';
import { median, percentile, round } from './statistics.ts';
import { verifyLedger } from './verify.ts';

const ACCOUNTS = 100;
const POOLS = ['ledger', 'rails', 'webhooks', 'sweeper'];
const BARE_SLICES = 3;
const BARE_SLICE_SECONDS = 4;
/** Warms up compilers, caches and connections; counts nowhere but in the checks. */
const WARM_UP_PAYOUTS = 1_000;
const HALF_LOAD_SECONDS_MAX = 30;
/** Nothing delivered for so long: something hangs. Longer than the sweeper's longest alarm. */
const SILENCE_MS = 90_000;

export async function benchPayouts({ closing, queue, seconds, payouts }: BenchContext): Promise<BenchResult> {
  const receiver = startHelper(closing, 'receiver');
  const receiverPort = await receiver.ask<number>({ ask: 'port' });
  const plain = await setStage(closing, queue);
  const stage = {
    ...plain,
    environment: { ...plain.environment, WEBHOOK_ALLOW_HOSTS: `127.0.0.1:${receiverPort}` },
  };
  const bookId = await openBook(stage.pool, 'Payouts');
  const key = await issueKey(stage.pool, bookId);
  const api = await startApiProcess(stage);
  const client = createApiClient(api.url, key);
  const bodies = (await openFundedAccounts(client, ACCOUNTS)).map(payoutRequest);
  const endpoint = { url: `http://127.0.0.1:${receiverPort}/webhooks`, events: ['payout.paid'] };
  const { secret } = await client.post<{ secret: string }>('/v1/webhooks', endpoint);
  await receiver.ask({ ask: 'trust', secret });
  const worker = await startWorkerProcess(stage, POOLS);
  const bare = startHelper(closing, 'bare-express');
  const barePort = await bare.ask<number>(await client.post('/v1/payouts', bodies[0]));
  await arrived(receiver, 1);

  const bareRates: number[] = [];
  const measureBare = async () => {
    for (let slice = 0; slice < BARE_SLICES; slice++) {
      const load = await sendPayouts({ url: `http://127.0.0.1:${barePort}`, key, bodies, seconds: BARE_SLICE_SECONDS });
      bareRates.push(load.accepted / load.seconds);
    }
    say(`bare Express: ${round(median(bareRates))}/s`);
  };

  await sendPayouts({ url: api.url, key, bodies, requests: WARM_UP_PAYOUTS });
  let sent = 1 + WARM_UP_PAYOUTS;
  await arrived(receiver, sent);
  await measureBare();

  say(`${payouts} payouts as fast as they go`);
  const cpuUsed = () => [api.cpuSeconds(), worker.cpuSeconds(), familyCpuSeconds(stage.postgres.pid!)] as const;
  const cpuBefore = cpuUsed();
  const started = Date.now();
  const { seconds: acceptSeconds } = await sendPayouts({ url: api.url, key, bodies, requests: payouts });
  sent += payouts;
  say(`accepted at ${round(payouts / acceptSeconds)}/s; waiting for the deliveries`);
  await arrived(receiver, sent);
  const flood = await receiver.ask<Received>({ ask: 'received' });
  const perSecond = payouts / ((Math.max(...flood.times.slice(-100)) - started) / 1000);
  const cpuAfter = cpuUsed();
  const cpuMicroseconds = (index: 0 | 1 | 2) => round(((cpuAfter[index] - cpuBefore[index]) / payouts) * 1e6);
  say(`${round(perSecond)} payouts a second from first accept to last delivery`);
  await measureBare();

  const halfSeconds = Math.min(seconds, HALF_LOAD_SECONDS_MAX);
  say(`half of it, ${round(perSecond / 2)}/s, for ${halfSeconds} s`);
  const paced = await sendPayoutsPaced({ url: api.url, key, bodies, perSecond: perSecond / 2, seconds: halfSeconds });
  sent += paced.length;
  await arrived(receiver, sent);
  const memory = { api_mb: round(api.residentMb()), worker_mb: round(worker.residentMb()) };
  await worker.stop();
  await api.stop();

  const received = await receiver.ask<Received>({ ask: 'received' });
  const counts = await checkNothingLost(stage.pool, { bookId, sent, received });
  const checked = await verifyLedger(stage);
  const deliveredAt = new Map(received.payoutIds.map((id, index) => [id, received.times[index]!]));
  const fromAccept = paced.map(({ id, acceptedAt }) => Math.max(0, deliveredAt.get(id)! - acceptedAt));
  const fromSend = paced.map(({ id, sentAt }) => deliveredAt.get(id)! - sentAt);
  const bare_per_s = median(bareRates);
  return {
    versions: stage.versions,
    checked: { ...checked, ...counts },
    fields: {
      per_s: round(perSecond),
      bare_per_s: round(bare_per_s),
      ratio: round(perSecond / bare_per_s, 3),
      p50_ms: percentile(fromAccept, 50),
      p99_ms: percentile(fromAccept, 99),
      p50_from_request_ms: percentile(fromSend, 50),
      p99_from_request_ms: percentile(fromSend, 99),
      payouts,
      accept_per_s: round(payouts / acceptSeconds),
      half_load_per_s: round(perSecond / 2),
      api_cpu_us: cpuMicroseconds(0),
      worker_cpu_us: cpuMicroseconds(1),
      postgres_cpu_us: cpuMicroseconds(2),
      ...memory,
    },
  };
}

/** Resolves when as many webhooks have arrived in all; throws when nothing arrives any more. */
async function arrived(receiver: Helper, count: number): Promise<void> {
  let last = -1;
  let changedAt = performance.now();
  for (;;) {
    const now = await receiver.ask<number>({ ask: 'count' });
    if (now >= count) return;
    if (now !== last) changedAt = performance.now();
    last = now;
    if (performance.now() - changedAt > SILENCE_MS) throw new Error(`Only ${now} of ${count} webhooks arrived`);
    await delay(20);
  }
}
