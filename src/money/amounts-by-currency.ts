/** Amounts by currency as an operator writes them: `JOD:100,USD:30`, in minor units. */
import { isCurrency } from './currency.ts';

const PART = /^([A-Z]{3}):(\d{1,15})$/;

const AMOUNTS_EXPECTED = 'expects currencies with amounts in minor units, such as JOD:100,USD:30';

/** What is wrong with the parts: an amount that no payment could ever have, too. Undefined for what can be read. */
export function amountsFault(parts: readonly string[]): string | undefined {
  const seen = new Set<string>();
  for (const part of parts) {
    const [, currency] = PART.exec(part) ?? [];
    if (currency === undefined) return AMOUNTS_EXPECTED;
    if (!isCurrency(currency)) return `${AMOUNTS_EXPECTED}; ${currency} is no currency of ISO 4217`;
    if (seen.has(currency)) return `${AMOUNTS_EXPECTED}; ${currency} stands in it twice`;
    seen.add(currency);
  }
  return undefined;
}

/** Of parts without a fault. */
export function amountsByCurrency(parts: readonly string[]): ReadonlyMap<string, bigint> {
  return new Map(parts.map((part) => [part.slice(0, 3), BigInt(part.slice(4))]));
}
