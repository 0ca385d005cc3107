/**
 * What differs from run to run (ids, times, hashes, keys, ports), and something else in its place, the same wherever it appears:
 * so two runs of the same code give the same text to the byte.
 */
import { ID_PREFIXES } from '../../../src/values/ids.ts';
import type { Form } from './groups/group.ts';
import { GROUPS_ON_WIRE } from './groups/groups.ts';

const PREFIXES = Object.values(ID_PREFIXES).join('|');

/** The longest forms first. Those that are not numbered all look alike. */
const OF_EVERY_GROUP: readonly Form[] = [
  { kind: 'time', form: /\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z/g, numbered: false },
  { kind: '', form: new RegExp(`\\b(${PREFIXES})_[0-9a-hjkmnp-tv-z]{26}\\b`, 'g') },
  { kind: 'uuid', form: /\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g },
  { kind: 'live key', form: /sk_live_[A-Za-z0-9]{32}/g, example: () => `sk_live_${'0'.repeat(32)}` },
  { kind: 'test key', form: /sk_test_[A-Za-z0-9]{32}/g, example: () => `sk_test_${'0'.repeat(32)}` },
  { kind: 'port', form: /(?<=127\.0\.0\.1:)\d+/g, example: () => '443' },
  { kind: 'reference', form: /\bRF\d{2}[0-9A-Z]{16}\b/g, example: () => 'RF18539007547034' },
  // A number behind `=`: with nothing so near before it, the expression looked back through the text from each digit.
  { kind: 'points', form: /(?<=^ratelimit: .*=)\d+/gm, numbered: false },
];

/** What differs from run to run, with the forms that groups declare. */
export const FORMS: readonly Form[] = [
  ...OF_EVERY_GROUP,
  ...GROUPS_ON_WIRE.flatMap(({ forms = [] }) => forms),
  { kind: 'today', form: daysOfTheRun(0, 1), numbered: false, example: () => '2026-03-02' },
  { kind: 'yesterday', form: daysOfTheRun(-1), numbered: false, example: () => '2026-03-01' },
];

/** What stands in the place of a value of this kind: the first, the second … in the order in which they appear. */
export type Write = (kind: string, number: number | undefined, value: string) => string;

export class Names {
  readonly #given = new Map<string, string>();
  readonly #counts = new Map<string, number>();
  readonly #write: Write;

  /** `given` stands in the place of texts that are known before. */
  constructor(write: Write, given: Readonly<Record<string, string>>) {
    this.#write = write;
    for (const [value, name] of Object.entries(given)) this.#given.set(value, name);
  }

  put(text: string): string {
    let named = text;
    for (const [value, name] of this.#given) named = named.replaceAll(value, name);
    for (const { kind, form, numbered } of FORMS) {
      named = named.replace(form, (value, prefix) =>
        numbered === false
          ? this.#write(kind, undefined, value)
          : this.#nameOf(kind === '' ? (prefix as string) : kind, value),
      );
    }
    return named;
  }

  #nameOf(kind: string, value: string): string {
    const known = this.#given.get(value);
    if (known) return known;
    const number = (this.#counts.get(kind) ?? 0) + 1;
    this.#counts.set(kind, number);
    const name = this.#write(kind, number, value);
    this.#given.set(value, name);
    return name;
  }
}

/** For who compares: `<acct 1>`, `<time>`. */
export function inBrackets(kind: string, number: number | undefined): string {
  return number === undefined ? `<${kind}>` : `<${kind} ${number}>`;
}

/** A run may end on the day after the one on which it began. Dates that a scene names itself are other days, and stay. */
function daysOfTheRun(...later: readonly number[]): RegExp {
  const days = later.map((count) => new Date(Date.now() + count * 86_400_000).toISOString().slice(0, 10));
  return new RegExp(`(?<![\\d-])(${days.join('|')})(?![\\dT-])`, 'g');
}
