/** What a chargeback costs the merchant, from the configuration. */
export interface DisputeTerms {
  /** By currency, in minor units. A currency without one costs nothing. */
  readonly fees: ReadonlyMap<string, bigint>;
  /** Whether a chargeback that is won gives the fee back. */
  readonly feeRefunded: boolean;
}

export function disputeFee({ fees }: DisputeTerms, currency: string): bigint {
  return fees.get(currency) ?? 0n;
}
