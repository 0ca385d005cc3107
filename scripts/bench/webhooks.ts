/**
 * Bench `webhooks`: signed deliveries a second to a receiver on this machine, by one worker that does nothing else,
 * beside a bare loop of POSTs. The events exist before: only their delivery is measured.
 */

import { say } from '../harness/progress.ts';
import { createApiClient, openFundedAccounts, payoutRequest } from './api-client.ts';
import { arrived } from './arrivals.ts';
import type { BenchContext, BenchResult } from './bench.ts';
import { issueKey, openBook } from './book.ts';
import { type Helper, startApiProcess, startHelper, startWorkerProcess } from './children.ts';
import { sendPosts } from './http-load.ts';
import type { Received } from './receiver.ts';
import { setStage } from './stage.ts';
import { median, round } from './statistics.ts';
import { verifyLedger } from './verify.ts';

const ACCOUNTS = 10;
/** Fraction of the deliveries: a worker that has just started compiles as it goes. */
const WARM_UP_PART = 0.25;
const BARE_POSTS = 10_000;
const BARE_RUNS = 3;

export async function benchWebhooks({ closing, queue, payouts, profile }: BenchContext): Promise<BenchResult> {
  const receiver = startHelper(closing, 'receiver');
  const port = await receiver.ask<number>({ ask: 'port' });
  const plain = await setStage(closing, { queue, profile });
  const stage = { ...plain, environment: { ...plain.environment, WEBHOOK_ALLOW_HOSTS: `127.0.0.1:${port}` } };
  const key = await issueKey(stage.pool, await openBook(stage.pool, 'Webhooks'));
  const api = await startApiProcess(stage);
  const client = createApiClient(api.url, key);
  const bodies = (await openFundedAccounts(client, ACCOUNTS)).map(payoutRequest);
  const endpoint = { url: `http://127.0.0.1:${port}/webhooks`, events: ['payout.created'] };
  const { secret } = await client.post<{ secret: string }>('/v1/webhooks', endpoint);
  await receiver.ask({ ask: 'trust', secret });
  await sendPosts({ url: api.url, key, bodies, requests: payouts });
  await api.stop();
  say(`${payouts} events wait for their delivery`);

  const bareRates = await barePosts(closing);
  const worker = await startWorkerProcess(stage, ['webhooks']);
  await arrived(receiver, payouts);
  const cpu = worker.cpuSeconds();
  const residentMb = worker.residentMb();
  await worker.stop();
  const { times, webhookIds, signaturesVerified, signaturesWrong } = await receiver.ask<Received>({ ask: 'received' });
  bareRates.push(...(await barePosts(closing)));
  if (signaturesWrong > 0) throw new Error(`${signaturesWrong} signatures were wrong`);
  const checked = await verifyLedger(stage);

  const counted = times.slice(Math.floor(payouts * WARM_UP_PART));
  const perSecond = (counted.length - 1) / ((counted.at(-1)! - counted[0]!) / 1000);
  const bare = median(bareRates);
  return {
    versions: stage.versions,
    checked: { ...checked, webhooks_repeated: webhookIds.length - payouts, signatures_verified: signaturesVerified },
    fields: {
      per_s: round(perSecond),
      bare_per_s: round(bare),
      ratio: round(perSecond / bare, 3),
      deliveries: payouts,
      worker_cpu_us: round((cpu / payouts) * 1e6), // the worker's start included
      worker_mb: round(residentMb),
    },
  };
}

/** Posts to a receiver of its own, which verifies nothing. */
async function barePosts(closing: BenchContext['closing']): Promise<number[]> {
  const receiver: Helper = startHelper(closing, 'receiver');
  const poster = startHelper(closing, 'bare-poster');
  const url = `http://127.0.0.1:${await receiver.ask<number>({ ask: 'port' })}/webhooks`;
  const rates: number[] = [];
  for (let run = 0; run < BARE_RUNS; run++)
    rates.push(BARE_POSTS / (await poster.ask<number>({ url, posts: BARE_POSTS })));
  await poster.stop();
  await receiver.stop();
  say(`bare POSTs: ${round(median(rates))}/s`);
  return rates;
}
