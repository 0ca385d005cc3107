/**
 * The ratios of a paired bench: new ÷ old of neighbouring slices, so that a machine that slows down meanwhile does not
 * change them.
 */
import { round } from '../statistics.ts';

/** By measure: `{ per_s: 3847, api_cpu_us: 203 }`. */
export type Measures = Readonly<Record<string, number>>;

/** A slice of each build, one right after the other. */
export interface Round {
  readonly new: Measures;
  readonly old: Measures;
}

export interface Ratio {
  measure: string;
  /** Medians of each build. */
  new: number;
  old: number;
  /** Of new ÷ old in each round: the median and the quartiles. */
  ratio: number;
  quartile_1: number;
  quartile_3: number;
}

/** One for each measure, in the order of the first round. */
export function ratiosOf(rounds: readonly Round[]): Ratio[] {
  return Object.keys(rounds[0]?.new ?? {}).map((measure) => {
    const values = (side: keyof Round) => rounds.map((one) => one[side][measure]!);
    const ratios = rounds.map((one) => one.new[measure]! / one.old[measure]!);
    return {
      measure,
      new: round(quantile(values('new'), 0.5), 1),
      old: round(quantile(values('old'), 0.5), 1),
      ratio: round(quantile(ratios, 0.5), 3),
      quartile_1: round(quantile(ratios, 0.25), 3),
      quartile_3: round(quantile(ratios, 0.75), 3),
    };
  });
}

/**
 * Interpolates between two values. The nearest rank would take the lower of the two in the middle of an even number of
 * rounds, which can cost a percent where a bar leaves two.
 */
function quantile(values: readonly number[], fraction: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const at = fraction * (sorted.length - 1);
  const [below, above] = [sorted[Math.floor(at)]!, sorted[Math.ceil(at)]!];
  return below + (above - below) * (at - Math.floor(at));
}

/** Rates of the new build below `atLeast` × the old build's. Processor time and latency are better when lower. */
export function missedRates(ratios: readonly Ratio[], atLeast: number): string[] {
  return ratios
    .filter(({ measure, ratio }) => measure.endsWith('per_s') && !(ratio >= atLeast))
    .map(({ measure, ratio }) => `${measure} is ${ratio} of the old build's, at least ${atLeast}`);
}
