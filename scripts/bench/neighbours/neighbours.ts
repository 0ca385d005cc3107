/**
 * Bench `neighbours`: a well-behaved book at a tenth of capacity, beside each hostile neighbour and alone in turns.
 * Every turn has a product of its own, new and warm. "Alone" is measured just before and just after a scenario, so that
 * a machine whose speed changes does not count.
 */

import { say } from '../../harness/progress.ts';
import type { BenchContext, BenchResult } from '../bench.ts';
import { closingWithin } from '../closing.ts';
import { round } from '../statistics.ts';
import { verifyLedger } from '../verify.ts';
import { type Figures, figuresOf, missedBars, type Seen } from './bars.ts';
import { PARTY_SCENARIOS } from './party-scenarios.ts';
import { SCENARIOS as OTHERS, type Scenario } from './scenarios.ts';
import { openWorld, type World } from './world.ts';

const SCENARIOS: readonly Scenario[] = [...OTHERS, ...PARTY_SCENARIOS];

/** Payouts that measure the product's capacity. */
const CAPACITY_PAYOUTS = 4_000;
const PART_OF_CAPACITY = 0.1;
const SAMPLE_MS = 200;
/** Failures shown of one turn. */
const SHOWN = 3;

interface Turn {
  readonly scenario: string;
  readonly beside: Seen;
  readonly peakMb: number;
  readonly extra: Record<string, number>;
  readonly faults: readonly string[];
}

export async function benchNeighbours(context: BenchContext): Promise<BenchResult> {
  const scenarios = chosen(context.only);
  const alone: Seen[] = [];
  const turns: Turn[] = [];
  let perSecond = 0;
  let versions: BenchResult['versions'] | undefined;
  // After the last neighbour the book is alone once more.
  for (const scenario of [...scenarios, undefined]) {
    const closing = closingWithin(context.closing, scenario?.name ?? 'the last turn');
    const world = await openWorld({ ...context, closing }, scenario);
    versions = world.stage.versions;
    if (perSecond === 0) {
      perSecond = Math.round((await world.carry(CAPACITY_PAYOUTS)) * PART_OF_CAPACITY);
      say(`the well-behaved book makes ${perSecond} payouts a second`);
    }
    const turn = await observe(world, 'alone', { perSecond, seconds: context.seconds / 2 });
    alone.push(turn);
    if (scenario) turns.push(await takeTurn(world, scenario, { perSecond, seconds: context.seconds }));
    await closing.closeAll();
  }
  const figures = turns.map(({ extra, ...turn }, index): Figures => {
    const around = alone.slice(index, index + 2);
    return { ...figuresOf({ ...turn, alone: around }), ...extra };
  });
  const failedAlone = alone.reduce((sum, { errors, undelivered }) => sum + errors + undelivered, 0);
  const missed = figures.flatMap(missedBars);
  if (failedAlone > 0) missed.push(`alone: ${failedAlone} requests failed or were never delivered`);
  return {
    versions: versions!,
    checked: { ledgers_verified: turns.length },
    fields: { per_s: perSecond, scenarios: figures },
    missed,
  };
}

/** Throws RangeError for an unknown name. */
function chosen(only: readonly string[] | undefined): Scenario[] {
  const unknown = only?.filter((name) => !SCENARIOS.some((scenario) => scenario.name === name)) ?? [];
  if (unknown.length > 0)
    throw new RangeError(
      `No scenario ${unknown.join(', ')}; there are ${SCENARIOS.map(({ name }) => name).join(', ')}`,
    );
  return SCENARIOS.filter(({ name }) => !only || only.includes(name));
}

async function observe(world: World, who: string, load: { perSecond: number; seconds: number }): Promise<Seen> {
  const seen = await world.observe(load);
  const { accept_p99_ms, webhook_p99_ms, returned_p99_ms } = figuresOf({
    ...{ scenario: who, beside: seen, alone: [], peakMb: 0, faults: [] },
  });
  const p99s = `accept p99 ${accept_p99_ms} ms, webhook ${webhook_p99_ms} ms, returned ${returned_p99_ms} ms`;
  say(`${who}: ${p99s}; errors ${seen.errors}, undelivered ${seen.undelivered}`);
  for (const failure of seen.failures.slice(0, SHOWN)) say(`  ${failure}`);
  return seen;
}

/** Takes the neighbour's turn, and checks the ledger after it. Throws nothing that a neighbour can bring about. */
async function takeTurn(world: World, scenario: Scenario, load: { perSecond: number; seconds: number }): Promise<Turn> {
  say(`${scenario.name}: setting up`);
  const faults: string[] = [];
  const check = <Result>(what: () => Promise<Result>) =>
    what().catch((error: Error) => {
      say(`${scenario.name}: ${error.message}`);
      faults.push(error.message.split('\n')[0]!);
      return undefined;
    });
  const extraOf = await check(() => scenario.begin(world, load.seconds));
  const peak = watchPeak(world);
  const beside = await observe(world, scenario.name, load);
  const extra = Object.fromEntries(
    Object.entries((await extraOf?.()) ?? {}).map(([name, value]) => [name, round(value, 1)]),
  );
  const peakMb = peak();
  say(
    `${scenario.name}: peak ${round(peakMb)} MB, the neighbour got ${JSON.stringify(await world.endAttacks())} ${JSON.stringify(extra)}`,
  );
  for (const worker of world.workers) await check(() => worker.stop());
  await check(() => world.api.stop());
  await check(() => verifyLedger(world.stage));
  return { scenario: scenario.name, beside, peakMb, extra, faults };
}

/**
 * Starts a watch. The function returned ends it and gives the largest resident size of any of the product's processes.
 */
function watchPeak({ api, workers }: World): () => number {
  let peakMb = 0;
  const look = () => {
    for (const { residentMb } of [api, ...workers]) peakMb = Math.max(peakMb, residentMb() || 0);
  };
  const timer = setInterval(look, SAMPLE_MS);
  return () => {
    clearInterval(timer);
    look();
    return peakMb;
  };
}
