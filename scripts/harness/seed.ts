/** The seed of what draws: tests, models, fault scenarios and their loads. */

/** What the gate draws from. `npm run long` takes others. */
export const GATE_SEED = 42;

/** A seed by its text. Nothing is the gate's. Throws where it is no whole number. */
export function seedOf(text: string | undefined): number {
  const seed = Number(text ?? GATE_SEED);
  if (!Number.isSafeInteger(seed)) throw new Error(`The seed ${text} is not a whole number`);
  return seed;
}
