/** Controls in JSON, which has no bigint that every reader keeps: amounts and counts are text. */
import type { ControlsContent, Limit } from './controls-content.ts';

interface StoredLimit extends Omit<Limit, 'amount' | 'count'> {
  readonly amount: string | null;
  readonly count: string | null;
}

export interface StoredContent extends Omit<ControlsContent, 'limits' | 'requireThreeDSecureAbove'> {
  readonly limits: readonly StoredLimit[];
  readonly requireThreeDSecureAbove: string | null;
}

export function storedContent(content: ControlsContent): StoredContent {
  const { limits, mcc, countries, merchants, entryModes, cash, requireThreeDSecureAbove } = content;
  return {
    limits: limits.map(storedLimit),
    mcc,
    countries,
    merchants,
    entryModes,
    cash,
    requireThreeDSecureAbove: textOf(requireThreeDSecureAbove),
  };
}

export function readContent(stored: StoredContent): ControlsContent {
  return {
    limits: stored.limits.map(readLimit),
    mcc: stored.mcc,
    countries: stored.countries,
    merchants: stored.merchants,
    entryModes: stored.entryModes,
    cash: stored.cash,
    requireThreeDSecureAbove: amountOf(stored.requireThreeDSecureAbove),
  };
}

function storedLimit({ window, amount, count, for: filter, netOfRefunds }: Limit): StoredLimit {
  return { window, amount: textOf(amount), count: textOf(count), for: filter, netOfRefunds };
}

function readLimit({ window, amount, count, for: filter, netOfRefunds }: StoredLimit): Limit {
  return { window, amount: amountOf(amount), count: amountOf(count), for: filter, netOfRefunds };
}

function textOf(amount: bigint | null): string | null {
  return amount === null ? null : String(amount);
}

function amountOf(text: string | null): bigint | null {
  return text === null ? null : BigInt(text);
}
