/** The tax that a fee contains. Pure. */
import { allocate } from '../../money/rounding.ts';

/** Hundredths of a per cent of the fee without its tax, by currency. A currency that is not in it has no tax. */
export type FeeTax = ReadonlyMap<string, number>;

const WHOLE = 10_000n;

/** Splits what was collected, of either sign, into the operator's own and the tax. They add up to it. */
export function splitFee(amount: bigint, taxBasisPoints: number): { readonly own: bigint; readonly tax: bigint } {
  const [own, tax] = allocate(amount, [WHOLE, BigInt(taxBasisPoints)]) as [bigint, bigint];
  return { own, tax };
}
