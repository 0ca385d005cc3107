/** What a chargeback costs the merchant, from the configuration. */
export interface DisputeTerms {
  /** By currency, in minor units. A currency without a fee costs nothing. */
  readonly fees: ReadonlyMap<string, bigint>;
  /** Whether the fee of a chargeback that is won is refunded. */
  readonly feeRefunded: boolean;
}

export function disputeFee({ fees }: DisputeTerms, currency: string): bigint {
  return fees.get(currency) ?? 0n;
}
