/**
 * Bench `bulk`: batches of 10,000 payouts from upload to answer, beside single POSTs of the same API process without a worker; then, with one,
 * single payouts of the book at a steady rate, alone and beside batches that are paid; then the largest uploads, for the memory that they take.
 */
import { say } from '../harness/progress.ts';
import { createApiClient, openFundedAccounts, payoutRequest } from './api-client.ts';
import { arrived } from './arrivals.ts';
import type { BenchContext, BenchResult } from './bench.ts';
import { issueKey, openBook } from './book.ts';
import { startApiProcess, startHelper, startWorkerProcess } from './children.ts';
import { sendPosts } from './http-load.ts';
import { type Accepted, sendPaced } from './paced-load.ts';
import { checkNothingLost } from './payout-checks.ts';
import type { Received } from './receiver.ts';
import { setStage } from './stage.ts';
import { median, percentile, round } from './statistics.ts';
import { POOLS } from './traffic.ts';
import { uploader } from './uploads.ts';
import { verifyLedger } from './verify.ts';

const ACCOUNTS = 100;
const UPLOADS = 3;
const SINGLES = 5_000;
/** Far below what the machine carries: what is seen is what the batch costs a single payout, and no queue of the load's own. */
const SINGLES_PER_SECOND = 20;
const BARS = { times: 2, answerRatio: 2, paidRatio: 3, uploadSeconds: 5, peakMb: 250 };
const JSON_BYTES = 15_500_000;
const CSV_BYTES = 63_000_000;

export async function benchBulk(context: BenchContext): Promise<BenchResult> {
  const { closing, queue, profile } = context;
  const items = Math.min(context.payouts, 10_000);
  const receiver = startHelper(closing, 'receiver');
  const port = await receiver.ask<number>({ ask: 'port' });
  const plain = await setStage(closing, { queue, profile });
  const stage = { ...plain, environment: { ...plain.environment, WEBHOOK_ALLOW_HOSTS: `127.0.0.1:${port}` } };
  const bookId = await openBook(stage.pool, 'bulk');
  const key = await issueKey(stage.pool, bookId);
  const api = await startApiProcess(stage);
  const client = createApiClient(api.url, key);
  const accounts = await openFundedAccounts(client, ACCOUNTS);
  const bodies = accounts.map(payoutRequest);
  const endpoint = { url: `http://127.0.0.1:${port}/webhooks`, events: ['payout.paid'] };
  const { secret } = await client.post<{ secret: string }>('/v1/webhooks', endpoint);
  await receiver.ask({ ask: 'trust', secret });
  const uploads = uploader({ url: api.url, key, accounts, residentMb: api.residentMb });

  await sendPosts({ url: api.url, key, bodies, requests: SINGLES });
  const single = await sendPosts({ url: api.url, key, bodies, requests: SINGLES });
  const acceptPerSecond = single.accepted / single.seconds;
  say(`${round(acceptPerSecond)} single payouts a second; now ${UPLOADS} batches of ${items}`);
  const seconds: number[] = [];
  for (let at = 0; at < UPLOADS; at++) seconds.push(await uploads.json(items));
  const itemsPerSecond = items / median(seconds);

  const worker = await startWorkerProcess(stage, POOLS);
  let sent = 2 * SINGLES + UPLOADS * items;
  await arrived(receiver, sent);
  say(
    `${round(itemsPerSecond)} items a second; now ${SINGLES_PER_SECOND} single payouts a second, alone and beside batches`,
  );
  const paced = { url: api.url, path: '/v1/payouts', key, bodies, perSecond: SINGLES_PER_SECOND };
  const alone = await sendPaced({ ...paced, seconds: context.seconds });
  sent += alone.length;
  await arrived(receiver, sent);
  // A batch is under way from the first to the last of them.
  const besides = uploads.json(items).then(() => uploads.json(items));
  const beside = await sendPaced({ ...paced, seconds: context.seconds });
  await besides;
  sent += beside.length + 2 * items;
  await arrived(receiver, sent);
  const received = await receiver.ask<Received>({ ask: 'received' });
  const [jsonPeakMb, csvPeakMb] = [
    await uploads.peakOfJson(items, JSON_BYTES),
    await uploads.peakOfCsv(items, CSV_BYTES),
  ];
  await worker.stop();
  await api.stop();
  const counts = await checkNothingLost(stage.pool, { bookId, sent, received });
  const checked = await verifyLedger(stage);

  return {
    versions: stage.versions,
    checked: { ...checked, ...counts },
    ...judged({ items, itemsPerSecond, acceptPerSecond, seconds, alone, beside, received, jsonPeakMb, csvPeakMb }),
  };
}

interface Measured {
  readonly items: number;
  readonly itemsPerSecond: number;
  readonly acceptPerSecond: number;
  /** Of each upload. */
  readonly seconds: readonly number[];
  readonly alone: readonly Accepted[];
  readonly beside: readonly Accepted[];
  readonly received: Received;
  readonly jsonPeakMb: number;
  readonly csvPeakMb: number;
}

function judged(measured: Measured): Pick<BenchResult, 'missed' | 'fields'> {
  const { items, itemsPerSecond, acceptPerSecond, seconds, alone, beside, received, jsonPeakMb, csvPeakMb } = measured;
  const [answerAlone, answerBeside] = [alone, beside].map((all) => p99(all.map((one) => one.acceptedAt - one.sentAt)));
  const [paidAlone, paidBeside] = [alone, beside].map((all) => p99(untilPaid(all, received)));
  const ratios = { answer: answerBeside! / answerAlone!, paid: paidBeside! / paidAlone! };
  const peakMb = Math.max(jsonPeakMb, csvPeakMb);
  const slowest = Math.max(...seconds);
  return {
    missed: [
      ...(itemsPerSecond < BARS.times * acceptPerSecond
        ? [`items are accepted less than ${BARS.times} times as fast`]
        : []),
      ...(items === 10_000 && slowest > BARS.uploadSeconds ? [`a batch was accepted in ${round(slowest, 1)} s`] : []),
      ...(ratios.answer > BARS.answerRatio ? ['answers to single payouts beside a batch'] : []),
      ...(ratios.paid > BARS.paidRatio ? ['payment of single payouts beside a batch'] : []),
      ...(peakMb > BARS.peakMb ? [`the API had ${round(peakMb)} MB`] : []),
    ],
    fields: {
      items_per_s: round(itemsPerSecond),
      accept_per_s: round(acceptPerSecond),
      ratio: round(itemsPerSecond / acceptPerSecond, 2),
      singles_p99_ratio: round(ratios.answer, 2),
      singles_paid_p99_ratio: round(ratios.paid, 2),
      peak_mb: round(peakMb),
      json_peak_mb: round(jsonPeakMb),
      csv_peak_mb: round(csvPeakMb),
      slowest_upload_s: round(slowest, 2),
      singles_p99_ms: round(answerAlone!),
      singles_beside_p99_ms: round(answerBeside!),
      singles_paid_p99_ms: round(paidAlone!),
      singles_paid_beside_p99_ms: round(paidBeside!),
    },
  };
}

const p99 = (values: readonly number[]) => percentile(values, 99);

/** From the answer to the first webhook of each, in milliseconds. */
function untilPaid(accepted: readonly Accepted[], { objectIds, times }: Received): number[] {
  const paidAt = new Map<string, number>();
  for (const [at, id] of objectIds.entries()) if (!paidAt.has(id)) paidAt.set(id, times[at]!);
  return accepted.map(({ id, acceptedAt }) => paidAt.get(id)! - acceptedAt);
}
