/** Values of examples in the document, in the place of those of a run: of the same form, and the same in every run. */
import { hash } from 'node:crypto';
import { EXAMPLE_HOST } from '../../../src/http/reference/openapi-examples.ts';
import { ID_PREFIXES, type IdKind, publicId, type Uuid } from '../../../src/values/ids.ts';
import { type Happening, Moments } from './moments.ts';
import { FORMS, Names, type Write } from './names.ts';

/** When the examples begin. */
const MOMENT = Date.parse('2026-03-02T09:30:00.000Z');
const FIVE_MINUTES = 300_000;
/** Something may stand shortly before the run began. */
const SLACK_MS = 10_000;

const KINDS = new Map(Object.entries(ID_PREFIXES).map(([kind, prefix]) => [prefix as string, kind as IdKind]));

export interface Run {
  /** Milliseconds since 1970. What happened minutes or days later is as much later in the examples. */
  readonly began: number;
  readonly baseUrl: string;
  /** What ids, hashes and references are of: those of two scenes are not the same. */
  readonly scene?: string;
  /** Every event of the book: times of what they tell follow in their order. Other times are that of the beginning. */
  readonly events?: readonly Happening[];
}

/** JSON of a run, with other values in place of those that differ from run to run. */
export function asExamples<Value>(value: Value, { began, baseUrl, scene = '', events = [] }: Run): Value {
  const moments = new Moments(events, { begin: MOMENT, stepOf: (time) => stepsSince(began, time) });
  const names = new Names(plausibleSince(began, scene), { [baseUrl]: EXAMPLE_HOST });
  const text = names
    .put(JSON.stringify(moments.put(value, (moment) => `<moment ${moment}>`)))
    .replaceAll(/<moment (\d+)>/g, (_, moment) => new Date(Number(moment)).toISOString())
    .replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, 'https://merchant.example');
  return JSON.parse(text) as Value;
}

function plausibleSince(began: number, scene: string): Write {
  return (kind, number = 1, value) => {
    if (kind === 'time') return momentFor(value, began);
    const digest = hash('sha512', `${scene} ${kind} ${number}`, 'buffer');
    const idKind = KINDS.get(kind);
    if (idKind) return publicId(idKind, uuidFrom(digest, number));
    if (kind === 'uuid') return uuidFrom(digest, number);
    const form = FORMS.find((one) => one.kind === kind);
    if (form?.example === undefined) throw new Error(`There is no example for a ${kind}`);
    return form.example(digest, number);
  };
}

/** What a test sent has no fraction of a second, and stays. */
function momentFor(value: string, began: number): string {
  if (!value.includes('.')) return value;
  return new Date(MOMENT + stepsSince(began, value)).toISOString();
}

const DAY = 24 * 60 * 60_000;

/** In whole steps, since a run is not as fast as the next. */
function stepsSince(began: number, time: string): number {
  // The beginning of a day is as far away as the hour of the run says: it counts in whole days.
  if (time.endsWith('T00:00:00.000Z')) return Math.ceil((Date.parse(time) - began) / DAY) * DAY;
  return Math.floor((Date.parse(time) - began + SLACK_MS) / FIVE_MINUTES) * FIVE_MINUTES;
}

/** Of version 7, minted at the moment of the examples. */
function uuidFrom(digest: Buffer, number: number): Uuid {
  const random = digest.toString('hex');
  const time = (MOMENT + number).toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random.slice(0, 3)}-8${random.slice(3, 6)}-${random.slice(6, 18)}`;
}
