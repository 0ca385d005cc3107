/**
 * The length and the seed of a model run. `npm run model -- --steps N --seed S` sets both. Without them a run takes a
 * few seconds, from the gate's seed.
 */
import { seedOf } from '../../scripts/harness/seed.ts';

export interface RunOptions {
  readonly steps: number;
  readonly seed: number;
}

export function runOptions(usual: { steps: number }): RunOptions {
  const steps = Number(process.env.MODEL_STEPS ?? usual.steps);
  const seed = seedOf(process.env.MODEL_SEED);
  if (!Number.isSafeInteger(steps) || steps < 1) throw new Error('MODEL_STEPS is not a number of steps');
  return { steps, seed };
}

/** Prints the command that repeats this run. */
export function printRun(name: string, { steps, seed }: RunOptions): void {
  process.stderr.write(`${name}: npm run model -- --steps ${steps} --seed ${seed}\n`);
}

/** Longer than any run: steps end a run, not time. */
export const RUN_LIMIT_MS = 24 * 60 * 60 * 1_000;

/** Counts what a run has met. A run without refusals or faults proves nothing about them. */
export class Tally {
  readonly #counts = new Map<string, number>();

  add(counts: ReadonlyMap<string, number>): void {
    for (const [what, times] of counts) this.#counts.set(what, (this.#counts.get(what) ?? 0) + times);
  }

  get total(): number {
    return [...this.#counts.values()].reduce((sum, times) => sum + times, 0);
  }

  toString(): string {
    return [...this.#counts]
      .sort()
      .map(([what, times]) => `${what} ${times}`)
      .join(', ');
  }
}

export function printCounts(run: string, tally: Tally): void {
  process.stderr.write(`${run}; ${tally}\n`);
}
