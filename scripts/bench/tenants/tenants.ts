/**
 * Bench `tenants`: the same payouts spread over one book, ten, a hundred and a thousand, evenly and by Zipf's law. The
 * cost of a payout should depend on the whole load, and not on the number of books that it comes from.
 */
import { say } from '../../harness/progress.ts';
import { createRandom, type Random } from '../../harness/random.ts';
import type { BenchContext, BenchResult } from '../bench.ts';
import { checkNothingLost } from '../payout-checks.ts';
import { round } from '../statistics.ts';
import { verifyLedger } from '../verify.ts';
import { type Flood, isVoid, judge, type Ratios, ratiosOf } from './bars.ts';
import { sendClosed, uniformly } from './loads.ts';
import { measureLatency, runTenants, type Tally, type TenantsRun } from './run-tenants.ts';
import { openTenants, type Tenant } from './tenant.ts';
import { openTenantsWorld, type TenantsWorld } from './world.ts';

/** In this order. `1b` is one book again, so that a machine that grew slower shows. */
const RUNS = ['1', '10', '100', '1000', 'zipf', '1b', 'flood'];
const SEED = 1;
/** Warms up the compilers of API and worker, in books of their own; counted in the checks alone. */
const WARM_UP = { books: 20, payouts: 3_000 };
const FLOOD = { books: 100, perSecond: 250, seconds: 60 };

export async function benchTenants(context: BenchContext): Promise<BenchResult> {
  const { payouts, seconds, only = RUNS } = context;
  const unknown = only.find((name) => !RUNS.includes(name));
  if (unknown) throw new RangeError(`There is no run ${unknown}: take of ${RUNS.join(', ')}`);
  const world = await openTenantsWorld(context);
  const random = createRandom('tenants', SEED);
  const tally: Tally = { sent: 0 };
  await warmUp(world, tally, random);

  const runs = new Map<string, TenantsRun>();
  let thousand: Tenant[] | undefined;
  let flood: Flood | undefined;
  for (const name of RUNS.filter((run) => only.includes(run))) {
    const books = Number.parseInt(name, 10) || (name === 'zipf' ? 1_000 : FLOOD.books);
    const tenants = name === 'zipf' && thousand ? thousand : await openTenants(world, books);
    if (books === 1_000) thousand = tenants;
    if (name === 'flood') flood = await floodTenants(world, tally, { tenants, random });
    else {
      const load = name === 'zipf' ? 'zipf' : 'uniform';
      runs.set(name, await runTenants(world, tally, { tenants, load, payouts, seconds, random }));
    }
  }

  await world.worker.stop();
  await world.api.stop();
  const received = await world.received();
  const counts = await checkNothingLost(world.stage.pool, { bookId: null, sent: tally.sent, received });
  const checked = await verifyLedger(world.stage);
  const ratios: Ratios = ratiosOf(runs);
  return {
    versions: world.stage.versions,
    checked: { ...checked, ...counts },
    missed: isVoid(runs)
      ? ['void: the two runs of one book differ by more than 15 %']
      : judge(runs, { ratios, flood, payouts }),
    fields: { runs: [...runs.values()], ...ratios, ...(flood && { flood }) },
  };
}

async function warmUp(world: TenantsWorld, tally: Tally, random: Random): Promise<void> {
  const tenants = await openTenants(world, WARM_UP.books);
  say('warming up');
  const { payouts } = WARM_UP;
  const choose = uniformly(tenants, random);
  tally.sent += await sendClosed({ url: world.api.url, choose, payouts, seconds: 120 });
  await world.arrived(tally.sent);
}

/** 250 a second over 100 books, twice what was delivered before commits were shared. */
async function floodTenants(
  world: TenantsWorld,
  tally: Tally,
  { tenants, random }: { tenants: readonly Tenant[]; random: Random },
): Promise<Flood> {
  const { perSecond, seconds } = FLOOD;
  const choose = uniformly(tenants, random);
  const { sent, delivered, p99_ms } = await measureLatency(world, tally, { choose, perSecond, seconds, random });
  const flood = { books: tenants.length, per_s: round(sent / seconds), sent, delivered, p99_ms };
  say(`flood: ${JSON.stringify(flood)}`);
  return flood;
}
