/** Rounds of two builds: both are up, one works while the other is idle. */
import { say } from '../../harness/progress.ts';
import type { Measures, Round } from './ratios.ts';

export interface Limit {
  /** Whole rounds until the time is over. */
  readonly seconds?: number;
  readonly rounds?: number;
}

/** Does a slice of work, of about the same size each time, and resolves with the measures of that slice. */
export type RunSlice = (slice: string) => Promise<Measures>;

/** Fewer rounds have no quartiles worth the name. */
const ROUNDS_MIN = 3;

/** Each round runs every slice on both builds. Which build begins changes from round to round. */
export async function takeRounds(
  sides: { readonly new: RunSlice; readonly old: RunSlice },
  { slices, warmUpRounds, limit }: { slices: readonly string[]; warmUpRounds: number; limit: Limit },
): Promise<Round[]> {
  const takeRound = async (order: readonly (keyof Round)[]) => {
    const measured: Record<keyof Round, Measures> = { new: {}, old: {} };
    for (const slice of slices)
      for (const side of order) measured[side] = { ...measured[side], ...(await sides[side](slice)) };
    return measured;
  };
  say(`warming up: ${warmUpRounds} rounds`);
  for (let round = 1; round <= warmUpRounds; round++) await takeRound(['old', 'new']);
  const rounds: Round[] = [];
  const until = performance.now() + (limit.seconds ?? 0) * 1000;
  const goesOn = () =>
    limit.rounds === undefined ? rounds.length < ROUNDS_MIN || performance.now() < until : rounds.length < limit.rounds;
  while (goesOn()) {
    const round = await takeRound(rounds.length % 2 === 0 ? ['old', 'new'] : ['new', 'old']);
    rounds.push(round);
    const ratios = Object.keys(round.new).map((name) => `${name} ${(round.new[name]! / round.old[name]!).toFixed(2)}`);
    say(`round ${rounds.length}, new ÷ old: ${ratios.join(', ')}`);
  }
  return rounds;
}
