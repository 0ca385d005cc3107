/**
 * Plays scenarios one after the other, with a stage for each family. Those that may follow each other share a load and are judged once:
 * most of a scenario's time is its load and its judgement. Where something is wrong after several, each is played again alone, on a stage
 * of its own, so that the report names the one. Whatever fails ends its stage.
 */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { say } from '../harness/progress.ts';
import { createRandom } from '../harness/random.ts';
import { type Server, startServer } from '../harness/server.ts';
import { type CardLoad, NO_CARDS, startCardLoad } from './card-load.ts';
import { judge } from './judge.ts';
import type { BuiltVersion } from './last-version.ts';
import { type Load, startLoad } from './load.ts';
import { NO_PAYMENTS, type PaymentLoad, startPaymentLoad } from './payment-load.ts';
import type { Play, Scenario } from './scenario.ts';
import { type Backend, openStage, type Stage } from './stage.ts';

export interface Family {
  readonly backend: Backend;
  readonly scenarios: readonly Scenario[];
}

export interface Result {
  /** Several names where something was wrong after them together, and after none of them alone. */
  readonly scenario: string;
  readonly queue: Backend;
  readonly seconds: number;
  /** Broken rules; empty when the scenario passed. */
  readonly wrong: readonly string[];
  /** Why the scenario was not played. */
  readonly skipped?: string;
  readonly repeat?: string;
}

export interface Options {
  readonly seed: number;
  /** One Postgres for all parts. Only scenarios that leave Postgres alone can bear that. */
  readonly sharedServer: boolean;
  /** No scenario begins after this time. */
  readonly limitMs: number;
}

export interface Played {
  readonly results: Result[];
  /** Scenarios left out for lack of time. */
  readonly left: number;
  readonly seconds: number;
}

/** Plays each part's families in turn, and the parts side by side. */
export async function playAll(
  parts: readonly (readonly Family[])[],
  { seed, sharedServer, limitMs }: Options,
): Promise<Played> {
  const began = performance.now();
  const stages = new Set<Stage>();
  say(`seed ${seed}`);
  const servers = await Promise.all(Array.from({ length: sharedServer ? 1 : parts.length }, startServer));
  say(servers.length === 1 ? 'Postgres is there, fsync on' : `${servers.length} Postgres are there, fsync on`);
  let closing: Promise<void> | undefined;
  const closeAll = () => {
    closing ??= Promise.all([...stages].map((stage) => stage.close()))
      .then(() => Promise.all(servers.map((server) => server.remove())))
      .then(() => undefined);
    return closing;
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void closeAll().finally(() => process.exit(130)));
  }
  try {
    const played = await Promise.all(
      parts.map((families, at) =>
        playPart(servers[at] ?? servers[0]!, stages, {
          families,
          seed,
          hasTime: () => performance.now() < began + limitMs,
        }),
      ),
    );
    const results = played.flatMap((part) => part.results);
    return { results, left: played.reduce((sum, { left }) => sum + left, 0), seconds: secondsSince(began) };
  } finally {
    await closeAll();
  }
}

async function playPart(
  server: Server,
  stages: Set<Stage>,
  { families, seed, hasTime }: { families: readonly Family[]; seed: number; hasTime: () => boolean },
): Promise<Pick<Played, 'results' | 'left'>> {
  const results: Result[] = [];
  let left = 0;
  for (const { backend, scenarios } of families) {
    let stage: Stage | undefined;
    const leave = async () => {
      if (stage && stages.delete(stage)) await stage.close();
      stage = undefined;
    };
    const enter = async (version?: BuiltVersion) => {
      if (version) await leave();
      if (!stage) {
        stage = await openStage(server, backend, version);
        stages.add(stage);
        const code = version ? ` of release ${version.version}` : '';
        say(`${stage.apis.length} APIs and ${stage.workers.length} workers${code} are there, jobs on ${backend}`);
      }
      return stage;
    };
    const report = (result: Result) => {
      results.push(result);
      printResult(result);
    };
    /** Resolves to whether it passed. */
    const playAlone = async (scenario: Scenario): Promise<boolean> => {
      let version: BuiltVersion | undefined;
      try {
        version = await scenario.lastVersion?.();
      } catch (error) {
        const facts = { scenario: scenario.name, queue: backend, seconds: 0 };
        report({ ...facts, wrong: [(error as Error).message], repeat: repeatOf(facts, seed) });
        return false;
      }
      const result = await playOn(await enter(version), [scenario], seed);
      report(result);
      if (result.wrong.length > 0 || version) await leave();
      return result.wrong.length === 0;
    };
    for (const group of groupsOf(scenarios.filter(({ only }) => only === undefined || only === backend))) {
      if (!hasTime()) {
        left += group.length;
        continue;
      }
      if (group.length === 1) {
        await playAlone(group[0]!);
        continue;
      }
      const result = await playOn(await enter(), group, seed);
      if (result.wrong.length === 0) {
        for (const { name } of group)
          report({ ...result, scenario: name, seconds: Math.round((result.seconds / group.length) * 10) / 10 });
        continue;
      }
      printResult(result);
      say('  each of them again, alone');
      let passed = true;
      for (const scenario of group) {
        await leave();
        passed = (await playAlone(scenario)) && passed;
      }
      if (passed) report(result);
    }
    await leave();
  }
  return { results, left };
}

/** A seldom failure is played again as often as these, and few enough faults lie between a wrong row and its judgement. */
const TOGETHER_MOST = 6;

/** Neighbours that may follow each other under one load. */
export function groupsOf(scenarios: readonly Scenario[]): Scenario[][] {
  const groups: Scenario[][] = [];
  for (const scenario of scenarios) {
    const last = groups.at(-1);
    const before = last?.at(-1);
    if (
      last &&
      last.length < TOGETHER_MOST &&
      before?.together &&
      scenario.together &&
      before.shared === scenario.shared
    )
      last.push(scenario);
    else groups.push([scenario]);
  }
  return groups;
}

/** Payouts and payments of the loads before and after the fault: a scenario strikes in mid-run. */
const BEFORE = 15;
const AFTER = 15;
const PAYMENTS_BEFORE = 4;
const PAYMENTS_AFTER = 4;
/** Card purchases, each several messages. */
const PURCHASES_BEFORE = 9;
const PURCHASES_AFTER = 9;

/** Payouts between two faults under one load: the process that died works again before the next one dies. */
const BETWEEN = 5;

async function playOn(stage: Stage, scenarios: readonly Scenario[], seed: number): Promise<Result> {
  const began = performance.now();
  const { backend } = stage;
  const [scenario] = scenarios as [Scenario];
  const facts = { scenario: scenarios.map(({ name }) => name).join(' '), queue: backend };
  const skipped = scenarios.length === 1 ? scenario.unfit?.() : undefined;
  if (skipped !== undefined) return { ...facts, seconds: 0, wrong: [], skipped };
  let wrong: string[];
  let load: Load | undefined;
  let payments: PaymentLoad | undefined;
  let cards: CardLoad | undefined;
  const looks: (() => Promise<string[]>)[] = [];
  const afterwards: Play['afterwards'] = (look) => void looks.push(look);
  try {
    const payers = scenario.shared && (await stage.openTenants());
    load = await startLoad(stage.clients, { accounts: stage.accounts, ...scenario.load, payers });
    // One book of the small tenants is kept free of payments: scenarios lock it, and flood it.
    const merchants = payers ? payers.slice(1) : [{ clients: stage.clients, accounts: stage.accounts }];
    payments = scenario.lastVersion
      ? NO_PAYMENTS
      : startPaymentLoad(merchants, {
          behind: stage.behind,
          random: createRandom(seed, 'payments', backend),
        });
    cards =
      // The version that such a stage begins with knows no cards, and no book takes any before its contract.
      scenario.lastVersion ? NO_CARDS : await startCardLoad(merchants, createRandom(seed, 'cards', backend));
    stage.reveal(cards.revealed);
    await Promise.all([load.untilMore(BEFORE), payments.untilMore(PAYMENTS_BEFORE), cards.untilMore(PURCHASES_BEFORE)]);
    const randomFor = ({ name }: Scenario) => createRandom(seed, name, backend);
    const isChained = (at: number) => {
      const process = scenarios[at]?.death?.process;
      return process !== undefined && process === scenarios[at - 1]?.death?.process;
    };
    for (const [at, scenario] of scenarios.entries()) {
      if (at > 0) await load.untilMore(BETWEEN);
      const following = scenarios[at + 1];
      const next = isChained(at + 1) ? following!.death!.arm(randomFor(following!)) : undefined;
      const random = randomFor(scenario);
      await scenario.play({ stage, load, payments, random, afterwards, isArmed: isChained(at), next });
    }
    await Promise.all([load.untilMore(AFTER), payments.untilMore(PAYMENTS_AFTER), cards.untilMore(PURCHASES_AFTER)]);
    await stage.mend();
    await Promise.all([load.stop(), payments.stop(), cards.stop()]);
    for (const id of load.payouts()) stage.accepted.add(id);
    for (const id of payments.payments()) stage.acceptedPayments.add(id);
    wrong = await judge(stage, { load, payments, cards });
    for (const look of wrong.length === 0 ? looks : []) wrong.push(...(await look()));
  } catch (error) {
    wrong = [error instanceof Error ? (error.stack ?? error.message) : String(error)];
    await Promise.all([load?.abandon(), payments?.abandon(), cards?.abandon()]);
  }
  const seconds = secondsSince(began);
  if (wrong.length === 0) return { ...facts, seconds, wrong };
  const kept = `what the processes wrote: ${keepOutput(stage)}`;
  return { ...facts, seconds, wrong: [...wrong, kept], repeat: repeatOf(facts, seed) };
}

function repeatOf({ scenario, queue }: Pick<Result, 'scenario' | 'queue'>, seed: number): string {
  return `npm run faults -- --scenario ${scenario} --queue ${queue} --seed ${seed}`;
}

/** Keeps the output of the processes, for the search for a cause. */
function keepOutput({ apis, workers, successors }: Stage): string {
  const directory = mkdtempSync(join(tmpdir(), 'countinghouse-faults-'));
  for (const [name, processes] of Object.entries({ api: apis, worker: workers, successor: successors })) {
    for (const [at, { everything }] of processes.entries()) {
      writeFileSync(join(directory, `${name}-${at}.log`), everything, { mode: 0o600 });
    }
  }
  return directory;
}

function printResult({ scenario, queue, seconds, wrong, skipped, repeat }: Result): void {
  const word = skipped === undefined ? (wrong.length === 0 ? 'passed' : 'FAILED') : 'skipped';
  say(`${word}  ${scenario} on ${queue}, ${skipped ?? `${seconds} s`}`);
  for (const line of wrong) say(`  ${line}`);
  if (repeat) say(`  again: ${repeat}`);
}

function secondsSince(began: number): number {
  return Math.round((performance.now() - began) / 100) / 10;
}
