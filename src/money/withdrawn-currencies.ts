/**
 * Currencies that ISO 4217 has withdrawn (list three), as far as accounts may be kept in them: no account is opened, and those
 * that exist go on. Decimals stand here too, since the library drops a currency with its entry in list one.
 * test/unit/money/currency.test.ts fails when the table has not been compared with the standard for long.
 */

export interface WithdrawnCurrency {
  readonly digits: number;
  /** From this day on, in UTC: the day from which the successor is the currency. */
  readonly from: string;
  readonly successor: string;
}

export const WITHDRAWN: ReadonlyMap<string, WithdrawnCurrency> = new Map([
  // Amendment 178.
  ['CUC', { digits: 2, from: '2021-01-01', successor: 'CUP' }],
  // Amendment 176.
  ['ANG', { digits: 2, from: '2025-03-31', successor: 'XCG' }],
  // Bulgaria adopts the euro (Regulation (EU) 2025/1407).
  ['BGN', { digits: 2, from: '2026-01-01', successor: 'EUR' }],
]);

/** The table has every withdrawal up to this day. */
export const WITHDRAWN_AS_OF = '2026-01-01';

/** The withdrawal of a currency that has taken effect on a day; undefined for one in use. */
export function withdrawalOf(currency: string, day: string): WithdrawnCurrency | undefined {
  const withdrawn = WITHDRAWN.get(currency);
  return withdrawn !== undefined && day >= withdrawn.from ? withdrawn : undefined;
}
