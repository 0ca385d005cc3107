/** Percentages by currency as an operator writes them: `JOD:16,EUR:25.5`. In hundredths of a per cent, so that they are whole. */
import { isCurrency } from './currency.ts';

const PART = /^([A-Z]{3}):(\d{1,3})(?:\.(\d{1,2}))?$/;

const PERCENT_EXPECTED = 'expects currencies with percentages of at most two decimals, such as JOD:16,EUR:25.5';

/** What is wrong with the parts. Undefined for what can be read. */
export function percentFault(parts: readonly string[]): string | undefined {
  const seen = new Set<string>();
  for (const part of parts) {
    const [, currency] = PART.exec(part) ?? [];
    if (currency === undefined) return PERCENT_EXPECTED;
    if (!isCurrency(currency)) return `${PERCENT_EXPECTED}; ${currency} is no currency of ISO 4217`;
    if (seen.has(currency)) return `${PERCENT_EXPECTED}; ${currency} stands in it twice`;
    if (basisPointsOf(part) > 10_000) return `${PERCENT_EXPECTED}; at most 100`;
    seen.add(currency);
  }
  return undefined;
}

/** Of parts without a fault. */
export function percentByCurrency(parts: readonly string[]): ReadonlyMap<string, number> {
  return new Map(parts.map((part) => [part.slice(0, 3), basisPointsOf(part)]));
}

function basisPointsOf(part: string): number {
  const [, , whole, decimals = ''] = PART.exec(part)!;
  return Number(whole) * 100 + Number(decimals.padEnd(2, '0'));
}

/** `16` of 1600. */
export function percentText(basisPoints: number): string {
  const decimals = String(basisPoints % 100)
    .padStart(2, '0')
    .replace(/0+$/, '');
  return `${Math.floor(basisPoints / 100)}${decimals === '' ? '' : `.${decimals}`}`;
}
