/**
 * Bench `soak`: a hundred books at 60 % of this machine's capacity, for an hour. Whatever slows down or grows with time
 * shows here: the latency of the last part beside the first, and the size of the processes.
 */
import { say } from '../../harness/progress.ts';
import { createRandom } from '../../harness/random.ts';
import type { BenchContext, BenchResult } from '../bench.ts';
import { checkNothingLost } from '../payout-checks.ts';
import { percentile, round } from '../statistics.ts';
import { verifyLedger } from '../verify.ts';
import { vacuumedBytes } from './costs-store.ts';
import { type Choice, type SentPayout, sendClosed, sendOpen, uniformly } from './loads.ts';
import { openTenants } from './tenant.ts';
import { openTenantsWorld, type TenantsWorld } from './world.ts';

const BOOKS = 100;
const SEED = 1;
/** Warms up compilers, caches and connections. */
const WARM_UP_PAYOUTS = 5_000;
const CAPACITY_PAYOUTS = 10_000;
const PART_OF_CAPACITY = 0.6;
/** Of an hour: its first and last five minutes, and its first ten, in which processes still grow. */
const LATENCY_PART = 1 / 12;
const GROWTH_PART = 1 / 6;
const SLICE_SECONDS = 60;
const P99_BAR = 1.5;
const GROWTH_BAR_MB = 20;

interface Slice {
  readonly latencies: number[];
  readonly api_mb: number;
  readonly worker_mb: number;
}

export async function benchSoak(context: BenchContext): Promise<BenchResult> {
  const world = await openTenantsWorld(context);
  const random = createRandom('soak', SEED);
  const choose = uniformly(await openTenants(world, BOOKS), random);
  let sent = (await carry(world, { sent: 0, choose, payouts: WARM_UP_PAYOUTS })).sent;
  const capacity = await carry(world, { sent, choose, payouts: CAPACITY_PAYOUTS });
  sent = capacity.sent;
  const perSecond = PART_OF_CAPACITY * capacity.perSecond;
  say(`${round(perSecond)} payouts a second for ${context.minutes} minutes`);

  const bytesBefore = await vacuumedBytes(world.stage.postgres);
  const before = sent;
  const slices: Slice[] = [];
  const arrivals = new Arrivals(world, sent);
  let last: SentPayout[] = [];
  for (let minute = 0; minute < context.minutes; minute++) {
    const next = await sendOpen({ url: world.api.url, seconds: SLICE_SECONDS, choose, random, perSecond });
    // While a slice is sent, the webhooks of the one before arrive.
    if (last.length > 0) slices.push(await measure(world, arrivals, last));
    sent += next.length;
    last = next;
  }
  await world.arrived(sent);
  slices.push(await measure(world, arrivals, last));
  const bytes = ((await vacuumedBytes(world.stage.postgres)) - bytesBefore) / (sent - before);

  await world.worker.stop();
  await world.api.stop();
  const counts = await checkNothingLost(world.stage.pool, { bookId: null, sent, received: await world.received() });
  const checked = await verifyLedger(world.stage);
  const fields = { per_s: round(perSecond), ...judged(slices), bytes: round(bytes), payouts: sent };
  return { versions: world.stage.versions, checked: { ...checked, ...counts }, missed: missedBars(fields), fields };
}

async function carry(
  world: TenantsWorld,
  load: { sent: number; choose: Choice; payouts: number },
): Promise<{ sent: number; perSecond: number }> {
  const started = Date.now();
  const carried = await sendClosed({ url: world.api.url, choose: load.choose, payouts: load.payouts, seconds: 120 });
  await world.arrived(load.sent + carried);
  return { sent: load.sent + carried, perSecond: carried / ((Date.now() - started) / 1000) };
}

/** When webhooks arrived, of the payouts that are not measured yet. */
class Arrivals {
  readonly #world: TenantsWorld;
  readonly #times = new Map<string, number>();
  #seen: number;

  constructor(world: TenantsWorld, seen: number) {
    this.#world = world;
    this.#seen = seen;
  }

  /** Milliseconds from when each was due to its webhook; to now, where that is still on its way. */
  async latenciesOf(sent: readonly SentPayout[]): Promise<number[]> {
    const { objectIds, times } = await this.#world.received(this.#seen);
    this.#seen += times.length;
    objectIds.forEach((id, index) => {
      this.#times.set(id, times[index]!);
    });
    const now = Date.now();
    return sent.map(({ id, dueAt }) => {
      const at = this.#times.get(id) ?? now;
      this.#times.delete(id);
      return at - dueAt;
    });
  }
}

async function measure(world: TenantsWorld, arrivals: Arrivals, sent: readonly SentPayout[]): Promise<Slice> {
  const latencies = await arrivals.latenciesOf(sent);
  const slice = { latencies, api_mb: round(world.api.residentMb()), worker_mb: round(world.worker.residentMb()) };
  const p99 = round(percentile(latencies, 99));
  say(`${sent.length} payouts, p99 ${p99} ms; API ${slice.api_mb} MB, worker ${slice.worker_mb} MB`);
  return slice;
}

interface Judged {
  readonly p99_first_ms: number;
  readonly p99_last_ms: number;
  readonly api_mb_first: number;
  readonly api_mb_last: number;
  readonly worker_mb_first: number;
  readonly worker_mb_last: number;
}

function judged(slices: readonly Slice[]): Judged {
  const part = Math.max(1, Math.round(slices.length * LATENCY_PART));
  const p99 = (some: readonly Slice[]) =>
    round(
      percentile(
        some.flatMap(({ latencies }) => latencies),
        99,
      ),
    );
  const grown = slices[Math.max(0, Math.round(slices.length * GROWTH_PART) - 1)]!;
  const last = slices.at(-1)!;
  return {
    p99_first_ms: p99(slices.slice(0, part)),
    p99_last_ms: p99(slices.slice(-part)),
    api_mb_first: grown.api_mb,
    api_mb_last: last.api_mb,
    worker_mb_first: grown.worker_mb,
    worker_mb_last: last.worker_mb,
  };
}

function missedBars(fields: Judged): string[] {
  const missed: string[] = [];
  if (fields.p99_last_ms > P99_BAR * fields.p99_first_ms)
    missed.push(`p99 of the last part is ${fields.p99_last_ms} ms, of the first ${fields.p99_first_ms}`);
  for (const name of ['api', 'worker'] as const) {
    const grown = fields[`${name}_mb_last`] - fields[`${name}_mb_first`];
    if (grown > GROWTH_BAR_MB) missed.push(`the ${name} process grew by ${grown} MB, the bar is ${GROWTH_BAR_MB}`);
  }
  return missed;
}
