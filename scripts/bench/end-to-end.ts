/**
 * Benches `payouts` and `payments`: from POST to delivered webhook, with everything on this machine: generator, API, one
 * worker with all pools, sandbox rail or acquirer, receiver. First as fast as they go, then at half that rate, for the time
 * that one takes.
 */

import { say } from '../harness/progress.ts';
import type { BenchContext, BenchResult } from './bench.ts';
import { familyCpuSeconds } from './cpu-time.ts';
import { sendPosts } from './http-load.ts';
import { sendPaced } from './paced-load.ts';
import { median, percentile, round } from './statistics.ts';
import { PAYMENTS, PAYOUTS, type Traffic } from './traffic.ts';
import { verifyLedger } from './verify.ts';
import { openWorld, type World } from './world.ts';

const BARE_SLICES = 3;
const BARE_SLICE_SECONDS = 3;
/** Warms up compilers, caches and connections; counted in the checks alone. */
const WARM_UP = 1_000;
const HALF_LOAD_SECONDS_MAX = 30;

export const benchPayouts = (context: BenchContext) => benchEndToEnd(context, PAYOUTS);
export const benchPayments = (context: BenchContext) => benchEndToEnd(context, PAYMENTS);

async function benchEndToEnd(context: BenchContext, traffic: Traffic): Promise<BenchResult> {
  const { payouts: count } = context;
  const { name, path, headers } = traffic;
  const world = await openWorld(context, traffic);
  const { key, bodies } = world;
  let { sent } = world;
  sent += (await carry(world, traffic, { sent, count: WARM_UP })).count;

  // Measured before and after: a machine that grows slower or faster meanwhile shows in both.
  const bareRates = await bareExpress(world, traffic);
  say(`${count} ${name} as fast as they go`);
  const flood = await carry(world, traffic, { sent, count });
  sent += count;
  say(`${round(flood.perSecond)} ${name} a second from first accept to last delivery`);
  bareRates.push(...(await bareExpress(world, traffic)));

  const half = { perSecond: flood.perSecond / 2, seconds: Math.min(context.seconds, HALF_LOAD_SECONDS_MAX) };
  say(`half of it, ${round(half.perSecond)}/s, for ${half.seconds} s`);
  const paced = await sendPaced({ url: world.api.url, path, headers, key, bodies, ...half });
  sent += paced.length;
  await world.arrived(sent);
  const memory = { api_mb: round(world.api.residentMb()), worker_mb: round(world.worker.residentMb()) };
  await world.worker.stop();
  await world.api.stop();

  const received = await world.received();
  const counts = await traffic.check(world.stage.pool, { bookId: world.bookId, sent, received });
  const checked = await verifyLedger(world.stage);
  const deliveredAt = new Map(received.objectIds.map((id, index) => [id, received.times[index]!]));
  // The webhook may arrive before the answer to the request: neither waits for the other.
  const fromAccept = paced.map(({ id, acceptedAt }) => Math.max(0, deliveredAt.get(id)! - acceptedAt));
  const fromRequest = paced.map(({ id, sentAt }) => deliveredAt.get(id)! - sentAt);
  const bare = median(bareRates);
  return {
    versions: world.stage.versions,
    checked: { ...checked, ...counts },
    fields: {
      per_s: round(flood.perSecond),
      bare_per_s: round(bare),
      ratio: round(flood.perSecond / bare, 3),
      p50_ms: percentile(fromAccept, 50),
      p99_ms: percentile(fromAccept, 99),
      p50_from_request_ms: percentile(fromRequest, 50),
      p99_from_request_ms: percentile(fromRequest, 99),
      half_load_per_s: round(half.perSecond),
      [name]: count,
      accept_per_s: round(flood.acceptedPerSecond),
      ...flood.cpu,
      ...memory,
    },
  };
}

interface Carried {
  count: number;
  /** From the first request to the last delivery. */
  perSecond: number;
  acceptedPerSecond: number;
  /** Processor time of each process for each, in microseconds. */
  cpu: { api_cpu_us: number; worker_cpu_us: number; postgres_cpu_us: number };
}

/** Sends them as fast as they are accepted, and waits until the webhook of each has arrived. */
async function carry(
  world: World,
  { path, headers }: Traffic,
  { sent, count }: { sent: number; count: number },
): Promise<Carried> {
  const { api, worker, stage, key, bodies } = world;
  const cpuUsed = () => [api.cpuSeconds(), worker.cpuSeconds(), familyCpuSeconds(stage.postgres.pid!)] as const;
  const before = cpuUsed();
  const started = Date.now();
  const accepted = await sendPosts({ url: api.url, path, headers, key, bodies, requests: count });
  await world.arrived(sent + count);
  const { times } = await world.received();
  const after = cpuUsed();
  const microseconds = (index: 0 | 1 | 2) => round(((after[index] - before[index]) / count) * 1e6);
  return {
    count,
    perSecond: count / ((times.at(-1)! - started) / 1000),
    acceptedPerSecond: count / accepted.seconds,
    cpu: { api_cpu_us: microseconds(0), worker_cpu_us: microseconds(1), postgres_cpu_us: microseconds(2) },
  };
}

async function bareExpress({ bareUrl, key, bodies }: World, { path, headers }: Traffic): Promise<number[]> {
  const rates: number[] = [];
  for (let slice = 0; slice < BARE_SLICES; slice++) {
    const load = await sendPosts({ url: bareUrl, path, headers, key, bodies, seconds: BARE_SLICE_SECONDS });
    rates.push(load.accepted / load.seconds);
  }
  say(`bare Express: ${round(median(rates))}/s`);
  return rates;
}
