/** Values of the options of `npm run keys`, as a person types them. */
import { InvalidArgumentError } from 'commander';
import type { Mode } from '../src/ledger/book/book.ts';
import { systemClock } from '../src/values/clock.ts';
import { parsePublicId, type Uuid } from '../src/values/ids.ts';
import { parseRfc3339 } from '../src/values/rfc3339.ts';

const UNITS_MS: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** An empty name is a variable of a script that was not set. */
export function parseName(text: string): string {
  const name = text.trim();
  if (name.length >= 1 && name.length <= 200) return name;
  throw new InvalidArgumentError('It is a name of 1 to 200 characters.');
}

export function parseMode(text: string): Mode {
  if (text === 'test' || text === 'live') return text;
  throw new InvalidArgumentError('It is test or live.');
}

export function parseList(text: string): string[] {
  return text.split(/[\s,]+/).filter(Boolean);
}

export function parseLimit(text: string): number {
  if (/^[1-9]\d{0,6}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It is a whole number from 1.');
}

export function parseKeyId(text: string): Uuid {
  const id = parsePublicId('apiKey', text);
  if (id) return id;
  throw new InvalidArgumentError(
    'A key id looks like key_01h455vb4pex5vsknk084sn02q; `npm run keys -- list` shows them.',
  );
}

export function parsePersonId(text: string): Uuid {
  const id = parsePublicId('person', text);
  if (id) return id;
  throw new InvalidArgumentError(
    'A person looks like person_01h455vb4pex5vsknk084sn02q; `npm run keys -- people` shows them. A service is named by --name.',
  );
}

export function parseDuration(text: string): number {
  const [, count, unit] = /^(\d{1,6})(?:([smhd]))$/.exec(text) ?? (text === '0' ? [text, '0', 's'] : []);
  if (count === undefined || unit === undefined)
    throw new InvalidArgumentError('A duration looks like 24h, 30m, 7d or 0.');
  return Number(count) * UNITS_MS[unit]!;
}

export function parseExpiry(text: string): number {
  if (/^\d+[smhd]$/.test(text)) return systemClock.now() + parseDuration(text);
  // A day is its beginning, and the seconds may be left out.
  const whole = text.replace(/^[\d-]{10}$/, '$&T00:00:00Z').replace(/T\d\d:\d\d(?=[Z+-])/i, '$&:00');
  const at = parseRfc3339(whole);
  if (at === undefined)
    throw new InvalidArgumentError('It is a time such as 2027-01-31T00:00:00Z, or a duration such as 90d.');
  return at;
}
