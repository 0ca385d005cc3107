/**
 * Fair comparison on a noisy machine: the things to compare take turns in short slices, and the median slice of each
 * counts. What disturbs the machine for a while disturbs all of them.
 */
import { say } from './progress.ts';
import { median, round } from './statistics.ts';

export interface Slice {
  name: string;
  /** Does a slice of work of about the same size each time; resolves with how much was done in how many seconds. */
  run(): Promise<Measured>;
}

export interface Measured {
  count: number;
  seconds: number;
}

/** Fewer rounds than these have no median worth the name. */
const ROUNDS_MIN = 3;

/** Rounds of all slices until the time is over; per second, by name. The first round warms up and does not count. */
export async function takeTurns(slices: readonly Slice[], seconds: number): Promise<Record<string, number>> {
  const rates: Record<string, number[]> = Object.fromEntries(slices.map(({ name }) => [name, []]));
  for (const slice of slices) await slice.run();
  const until = performance.now() + seconds * 1000;
  for (let turn = 1; turn <= ROUNDS_MIN || performance.now() < until; turn++) {
    const said: string[] = [];
    for (const { name, run } of slices) {
      const { count, seconds: taken } = await run();
      rates[name]!.push(count / taken);
      said.push(`${name} ${round(count / taken)}/s`);
    }
    say(`round ${turn}: ${said.join(', ')}`);
  }
  return Object.fromEntries(slices.map(({ name }) => [name, median(rates[name]!)]));
}

export async function timed(work: () => Promise<number>): Promise<Measured> {
  const started = performance.now();
  const count = await work();
  return { count, seconds: (performance.now() - started) / 1000 };
}
