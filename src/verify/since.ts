/** Where a partial verification begins. */
import type { Instant } from '../values/clock.ts';
import { parseRfc3339 } from '../values/rfc3339.ts';

/** The sequence of an entry, which each book counts for itself, or a moment. */
export type Since = { readonly sequence: bigint } | { readonly moment: Instant };

const UNITS_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Parses `1041`, `2026-01-31T00:00:00Z` or an age: `90s`, `15m`, `24h`, `7d`. Returns undefined for any other text. */
export function parseSince(text: string, now: Instant): Since | undefined {
  if (/^[1-9]\d{0,17}$/.test(text)) return { sequence: BigInt(text) };
  const [, count, unit] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  if (unit) return { moment: now - Number(count) * UNITS_MS[unit]! };
  const moment = parseRfc3339(text);
  return moment === undefined ? undefined : { moment };
}
