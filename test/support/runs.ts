/** How many runs a property gets: FC_RUNS times as many as it names. `npm run long` sets it. */
const FACTOR = Number(process.env.FC_RUNS ?? 1);
if (!Number.isSafeInteger(FACTOR) || FACTOR < 1) throw new Error('FC_RUNS is not a whole number from 1 up');

export function runs(count: number): number {
  return count * FACTOR;
}
