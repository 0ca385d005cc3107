/**
 * Bench `authorize`: durable card authorizations a second from one API process without a worker, under five active rules over 1,000 cards,
 * beside a bare Express app that parses the same request and answers the same JSON. The same with all cards on one account; latency at half
 * load, also beside a clearing file of the same book, and through a decision endpoint; on a card with a long history, with a back-test of it; bytes of a purchase with its clearing.
 */
import { say } from '../../harness/progress.ts';
import type { BenchContext, BenchResult } from '../bench.ts';
import { startHelper } from '../children.ts';
import { familyCpuSeconds } from '../cpu-time.ts';
import { CONNECTIONS, sendPosts } from '../http-load.ts';
import { type Slice, takeTurns } from '../slices.ts';
import { median, round } from '../statistics.ts';
import { verifyLedger } from '../verify.ts';
import {
  authorizations,
  bytesOfPurchase,
  historyFigures,
  latencyAt,
  latencyBesideFile,
  latencyThroughEndpoint,
  type Sent,
} from './figures.ts';
import { countPurchases, type PurchaseCounts } from './purchases-store.ts';
import { type AuthorizeWorld, CARDS, openAuthorizeWorld, PATH } from './world.ts';

const SLICE_SECONDS = 3;
/** V8 has compiled the path of a request after some 30,000 requests; until then the rate still grows. */
const WARM_UP_ROUNDS = 3;
const HALF_LOAD_SECONDS_MAX = 30;

export async function benchAuthorize(context: BenchContext): Promise<BenchResult> {
  const { closing, seconds, purchases } = context;
  const endpoint = startHelper(closing, 'authorize/decision-endpoint');
  const port = await endpoint.ask<number>({ ask: 'port' });
  const world = await openAuthorizeWorld(context, { WEBHOOK_ALLOW_HOSTS: `127.0.0.1:${port}` });
  // The first one gave bare Express its answer.
  const sent: Sent = { count: 1, cutOff: 0, forced: 0 };
  const { stage, api } = world;
  say(`one API process, no worker, ${CARDS} cards, ${CONNECTIONS} connections`);

  const rates = await measureRates(world, sent, seconds);
  const half = { perSecond: rates.fields.per_s / 2, seconds: Math.min(seconds, HALF_LOAD_SECONDS_MAX) };
  say(`half of it, ${round(half.perSecond)}/s, for ${half.seconds} s`);
  const calm = await latencyAt(world, sent, half);
  const beside = await latencyBesideFile(world, sent, half);
  const asking = await latencyThroughEndpoint(world, sent, { endpoint, ...half });
  const bytes = await bytesOfPurchase(world, sent);
  const history = await historyFigures(world, sent, { purchases, seconds: seconds / 2 });
  const residentMb = api.residentMb();
  await api.stop();
  const counted = await countPurchases(world.pool, world.bookId);
  requireAll(sent, counted);
  const checked = await verifyLedger(stage);
  return {
    versions: stage.versions,
    checked: { ...checked, ...counted },
    fields: {
      ...rates.fields,
      p50_ms: calm.p50,
      p99_ms: calm.p99,
      beside_p99_ms: beside.p99,
      beside_ratio: round(beside.p99 / calm.p99, 2),
      beside_file_s: round(beside.fileSeconds, 1),
      ...(asking && { endpoint_p50_ms: asking.p50, endpoint_p99_ms: asking.p99 }),
      ...history,
      bytes: round(bytes),
      api_mb: round(residentMb),
    },
  };
}

/** Throws where an answer has no purchase, a request has two, or one was declined: its figures would be of something else. */
function requireAll({ count, cutOff, forced }: Sent, counted: PurchaseCounts): void {
  const { approved, authorizations: messages } = counted;
  const purchases = counted.purchases - forced;
  if (purchases === approved && purchases === messages && purchases >= count && purchases <= count + cutOff) return;
  throw new Error(`${count} authorizations were answered, ${cutOff} at most cut off: ${JSON.stringify(counted)}`);
}

async function measureRates(world: AuthorizeWorld, sent: Sent, seconds: number) {
  const { stage, api, client, bareUrl, bareCpuSeconds, spread, onOneAccount } = world;
  const cpu = { api: 0, postgres: 0, bare: 0 };
  const p99s: number[] = [];
  let [answered, authorized] = [0, 0];
  const bare: Slice = {
    name: 'bare',
    async run() {
      const before = bareCpuSeconds();
      const load = await sendPosts({
        url: bareUrl,
        path: PATH,
        key: client.key,
        bodies: spread,
        seconds: SLICE_SECONDS,
      });
      cpu.bare += bareCpuSeconds() - before;
      answered += load.accepted;
      return { count: load.accepted, seconds: load.seconds };
    },
  };
  const uniform = authorizations(world, sent, { name: 'product', bodies: spread, p99s });
  const product: Slice = {
    name: 'product',
    async run() {
      const before = { api: api.cpuSeconds(), postgres: familyCpuSeconds(stage.postgres.pid!) };
      const measured = await uniform.run();
      cpu.api += api.cpuSeconds() - before.api;
      cpu.postgres += familyCpuSeconds(stage.postgres.pid!) - before.postgres;
      authorized += measured.count;
      return measured;
    },
  };
  const hot = authorizations(world, sent, { name: 'one account', bodies: onOneAccount });
  const turns = await takeTurns([bare, product, hot], seconds, { warmUpRounds: WARM_UP_ROUNDS });
  return {
    fields: {
      per_s: round(turns.rate('product')),
      bare_per_s: round(turns.rate('bare')),
      ratio: round(turns.ratio('product', 'bare'), 3),
      hot_ratio: round(turns.ratio('one account', 'product'), 3),
      full_load_p99_ms: round(median(p99s.slice(WARM_UP_ROUNDS)), 1),
      bare_cpu_us: round((cpu.bare / answered) * 1e6),
      api_cpu_us: round((cpu.api / authorized) * 1e6),
      postgres_cpu_us: round((cpu.postgres / authorized) * 1e6),
    },
  };
}
