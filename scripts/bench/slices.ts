/**
 * Fair comparison on a noisy machine: the candidates take turns in short slices, and medians count. A disturbance of
 * the machine disturbs all of them.
 */
import { say } from '../harness/progress.ts';
import { median } from './statistics.ts';

export interface Slice {
  name: string;
  /** Does a slice of work, of about the same size each time. Resolves to how much was done in how many seconds. */
  run(): Promise<Measured>;
}

export interface Measured {
  count: number;
  seconds: number;
}

/** Fewer rounds have no median worth the name. */
const ROUNDS_MIN = 3;

export interface Turns {
  /** The median rate, per second. */
  rate(name: string): number;
  /**
   * The median over all rounds of one slice's rate divided by the other's in the same round. The two are neighbours in
   * time, so a machine that grows slower or faster meanwhile does not change the ratio.
   */
  ratio(name: string, other: string): number;
}

/**
 * Runs rounds of all slices until the time is over. The first rounds warm up and do not count: code is still compiled.
 */
export async function takeTurns(
  slices: readonly Slice[],
  seconds: number,
  { warmUpRounds = 1 }: { warmUpRounds?: number } = {},
): Promise<Turns> {
  const rounds: Record<string, number>[] = [];
  for (let round = 1; round <= warmUpRounds; round++) for (const slice of slices) await slice.run();
  const until = performance.now() + seconds * 1000;
  while (rounds.length < ROUNDS_MIN || performance.now() < until) {
    const round: Record<string, number> = {};
    for (const { name, run } of slices) {
      const { count, seconds: taken } = await run();
      round[name] = count / taken;
    }
    rounds.push(round);
    say(
      `round ${rounds.length}: ${Object.entries(round)
        .map(([name, rate]) => `${name} ${rate.toFixed(0)}/s`)
        .join(', ')}`,
    );
  }
  return {
    rate: (name) => median(rounds.map((round) => round[name]!)),
    ratio: (name, other) => median(rounds.map((round) => round[name]! / round[other]!)),
  };
}

export async function timed(work: () => Promise<number>): Promise<Measured> {
  const started = performance.now();
  const count = await work();
  return { count, seconds: (performance.now() - started) / 1000 };
}
