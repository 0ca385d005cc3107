/** One run of the bench `tenants`: some books in a closed loop, then in an open one at half of the resulting rate. */
import { say } from '../../harness/progress.ts';
import type { Random } from '../../harness/random.ts';
import { percentile, round } from '../statistics.ts';
import { readBatches } from './batches.ts';
import { readCounters, vacuumedBytes } from './costs-store.ts';
import { byZipf, type Choice, sendClosed, sendOpen, uniformly } from './loads.ts';
import type { Tenant } from './tenant.ts';
import type { TenantsWorld } from './world.ts';

export interface RunOptions {
  readonly tenants: readonly Tenant[];
  readonly load: 'uniform' | 'zipf';
  readonly payouts: number;
  readonly seconds: number;
  readonly random: Random;
}

export interface TenantsRun {
  readonly books: number;
  readonly load: RunOptions['load'];
  readonly per_s: number;
  readonly p50_ms: number;
  readonly p99_ms: number;
  /** For one payout: processor time of all processes of the product in milliseconds, and of each in microseconds. */
  readonly cpu_ms: number;
  readonly api_us: number;
  readonly worker_us: number;
  readonly postgres_us: number;
  readonly redis_us: number;
  readonly commits: number;
  readonly statements: number;
  readonly wal_bytes: number;
  readonly bytes: number;
  readonly commands_a_batch: number;
  readonly books_a_batch: number;
  /** Of 100 books of a batch, those that it left out because another transaction had locked them. */
  readonly skipped_percent: number;
  /** Shared batches that were dissolved. */
  readonly dissolved: number;
}

/** Warms up the product's caches of a book. */
const PAYOUTS_BEFORE = 3;
const OPEN_SECONDS = 30;

/** The payouts that were sent so far, warm-ups included. Those of earlier runs have arrived too. */
export interface Tally {
  sent: number;
}

export async function runTenants(world: TenantsWorld, tally: Tally, run: RunOptions): Promise<TenantsRun> {
  const { tenants, load, random, payouts, seconds } = run;
  const { url } = world.api;
  const { postgres } = world.stage;
  const turns = [...tenants, ...tenants, ...tenants].values();
  const inTurn: Choice = () => turns.next().value!;
  tally.sent += await sendClosed({ url, choose: inTurn, payouts: PAYOUTS_BEFORE * tenants.length, seconds: 600 });
  await world.arrived(tally.sent);

  const bytesBefore = await vacuumedBytes(postgres);
  const urls = [url, world.worker.url];
  const before = {
    batches: await readBatches(urls),
    cpu: world.cpuSeconds(),
    counters: await readCounters(postgres),
    sent: tally.sent,
  };
  const choose = (load === 'zipf' ? byZipf : uniformly)(tenants, random);
  const started = Date.now();
  const carried = await sendClosed({ url, choose, payouts, seconds });
  tally.sent += carried;
  await world.arrived(tally.sent);
  const lastAt = (await world.received(tally.sent - 1)).times.at(-1)!;
  const after = { batches: await readBatches(urls), cpu: world.cpuSeconds(), counters: await readCounters(postgres) };
  const perSecond = carried / ((lastAt - started) / 1000);

  const { p50_ms, p99_ms } = await measureLatency(world, tally, { choose, perSecond: perSecond / 2, random });
  const bytes = ((await vacuumedBytes(postgres)) - bytesBefore) / (tally.sent - before.sent);
  const us = (part: keyof typeof after.cpu) => round(((after.cpu[part] - before.cpu[part]) / carried) * 1e6);
  const each = (counter: keyof typeof after.counters) => (after.counters[counter] - before.counters[counter]) / carried;
  const made = (what: keyof typeof after.batches) => after.batches[what] - before.batches[what];
  const cpu = { api_us: us('api'), worker_us: us('worker'), postgres_us: us('postgres'), redis_us: us('redis') };
  const result = {
    books: tenants.length,
    load,
    per_s: round(perSecond),
    p50_ms,
    p99_ms,
    cpu_ms: round((cpu.api_us + cpu.worker_us + cpu.postgres_us + cpu.redis_us) / 1000, 2),
    ...cpu,
    commits: round(each('commits'), 2),
    statements: round(each('statements'), 1),
    wal_bytes: round(each('walBytes')),
    bytes: round(bytes),
    commands_a_batch: round(made('commands') / made('batches'), 1),
    books_a_batch: round(made('books') / made('batches'), 1),
    skipped_percent: round((100 * made('skipped')) / (made('books') + made('skipped')), 1),
    dissolved: made('dissolved'),
  };
  say(`${tenants.length} books, ${load}: ${JSON.stringify(result)}`);
  return result;
}

/** From the time at which a payout was to be sent to the arrival of its webhook. */
export async function measureLatency(
  world: TenantsWorld,
  tally: Tally,
  load: { choose: Choice; perSecond: number; random: Random; seconds?: number },
): Promise<{ sent: number; delivered: number; p50_ms: number; p99_ms: number }> {
  const from = tally.sent;
  const sent = await sendOpen({ url: world.api.url, seconds: OPEN_SECONDS, ...load });
  tally.sent += sent.length;
  await world.arrived(tally.sent);
  const { webhookIds, objectIds, times } = await world.received(from);
  const arrivals = new Map(objectIds.map((id, index) => [id, times[index]!]));
  const latencies = sent.map(({ id, dueAt }) => arrivals.get(id)! - dueAt);
  const own = new Set(sent.map(({ id }) => id));
  return {
    sent: sent.length,
    delivered: new Set(webhookIds.filter((_, index) => own.has(objectIds[index]!))).size,
    p50_ms: round(percentile(latencies, 50)),
    p99_ms: round(percentile(latencies, 99)),
  };
}
