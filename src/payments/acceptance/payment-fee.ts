/** What a payment costs, from the configuration: basis points, and a fixed part for each currency that has one. */
export type PaymentFeeSetting = 'PAYMENT_FEE_BASIS_POINTS' | 'PAYMENT_FEE_FIXED';

/** Minor units; zero for a currency without one. */
export function feeFixedOf(fixed: ReadonlyMap<string, bigint>, currency: string): bigint {
  return fixed.get(currency) ?? 0n;
}
