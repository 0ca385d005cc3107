/**
 * Ids are UUIDs (RFC 9562): version 7 for something new, version 8 for an id that is derived from others. Outside, an
 * id is the prefix of its kind and 26 characters of Crockford's base 32 (the TypeID form). Inside and in Postgres, it
 * is a plain UUID.
 */
import { hash } from 'node:crypto';
import { v7 } from 'uuid';
import { takeRandom } from './random.ts';
import { type SnakeCase, snakeCase } from './snake-case.ts';

export type Uuid = string;

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Whether a value from outside is an id as the product writes it, in lower case. */
export function isUuid(value: unknown): value is Uuid {
  return typeof value === 'string' && UUID.test(value);
}

/** Less than every id: where a walk through ids begins. */
export const BEFORE_ALL_IDS: Uuid = '00000000-0000-0000-0000-000000000000';

/** In the order in which sentences and lists of the API name the kinds. */
export const ID_PREFIXES = {
  payout: 'po',
  payoutReturn: 'por',
  payoutBatch: 'pob',
  payee: 'payee',
  payment: 'pay',
  capture: 'cap',
  increment: 'inc',
  void: 'void',
  refund: 'rf',
  release: 'rel',
  releaseLine: 'rln',
  settlement: 'stl',
  settlementLine: 'sln',
  feeCollection: 'fcl',
  dispute: 'dp',
  paymentToken: 'tok',
  reader: 'rdr',
  readerAction: 'act',
  card: 'card',
  cardControls: 'cctl',
  cardToken: 'ctok',
  transaction: 'txn',
  transactionMessage: 'txe',
  transactionDispute: 'cd',
  schemeSettlement: 'sst',
  bankAccount: 'ba',
  bankAccountRules: 'bar',
  bankStatement: 'bst',
  bankLine: 'bln',
  expectedItem: 'xit',
  bankMatch: 'mtc',
  acquirerReport: 'arp',
  bookMirror: 'mir',
  csvProfile: 'csvp',
  reconciliation: 'rcn',
  inboundTransfer: 'ibt',
  statement: 'stmt',
  account: 'acct',
  /** Of the organisation's own chart: an account like any other, with the prefix of all. */
  chartAccount: 'acct',
  hold: 'hold',
  entry: 'je',
  period: 'per',
  report: 'rpt',
  event: 'evt',
  checkpoint: 'cp',
  webhookEndpoint: 'we',
  request: 'req',
  apiKey: 'key',
  person: 'person',
  service: 'svc',
  organisation: 'org',
  book: 'book',
  exception: 'exc',
} as const;

export type IdKind = keyof typeof ID_PREFIXES;

export const ID_KINDS = Object.keys(ID_PREFIXES) as readonly IdKind[];

/** A resource as rows of the ledger and findings name it: `inbound_transfer` has ids of `inboundTransfer`. */
export type ResourceName = SnakeCase<IdKind>;

const KINDS = new Map<string, IdKind>(ID_KINDS.map((kind) => [snakeCase(kind), kind]));

/** The kind of a resource's ids. */
export function kindOf(name: ResourceName): IdKind {
  return KINDS.get(name)!;
}

/** The public id of a stored resource. A resource without public ids is shown by its UUID, such as a rail's notice. */
export function resourceReference(resource: string, id: Uuid): string {
  const kind = KINDS.get(resource);
  return kind ? publicId(kind, id) : id;
}

/** A UUIDv7. The ids of a process count up within a millisecond (RFC 9562, 6.2, method 1): they sort by creation. */
export function newId(): Uuid {
  const random = takeRandom(16);
  const now = Date.now();
  if (now > latest.msecs) latest = { msecs: now, seq: random.readUInt32BE(12) >>> 2 };
  else latest.seq++;
  v7({ random, msecs: latest.msecs, seq: latest.seq }, bytes);
  return uuidText(bytes);
}
/** The sequence has 32 bits and begins below 2^30: no millisecond mints three billion ids. */
let latest = { msecs: 0, seq: 0 };
const bytes = Buffer.alloc(16);

/** No UUIDv7 of the instant or later is less. Before 1970: less than every id. */
export function firstIdAt(instant: number): Uuid {
  const hex = Math.max(0, Math.floor(instant)).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}

const HEX = Buffer.from('0123456789abcdef', 'latin1');
const uuid = Buffer.from('00000000-0000-0000-0000-000000000000', 'latin1');

/** Written into one buffer and read once: a UUID joined from parts is a tree of strings for the garbage collector. */
function uuidText(from: Uint8Array): Uuid {
  for (let index = 0, place = 0; index < 16; index++) {
    uuid[PLACES[place++]!] = HEX[from[index]! >> 4]!;
    uuid[PLACES[place++]!] = HEX[from[index]! & 15]!;
  }
  return uuid.toString('latin1');
}

/** An id derived from its parts: the same parts give the same id. */
export function deriveId(...parts: string[]): Uuid {
  const digest = hash('sha256', parts.join('\u0000'), 'buffer');
  digest[6] = (digest[6]! & 0x0f) | 0x80;
  digest[8] = (digest[8]! & 0x3f) | 0x80;
  return uuidText(digest);
}

/**
 * Ids derived from a UUIDv7 that was minted at submission: its last 16 bits count up. They sort by time like their
 * seed, so that indexes grow at their end, and they are the same on every retry. Each `series` of a seed differs from the
 * others in the 24 bits before these, so that no count of ids reaches another's, and sorts behind the one before it.
 */
export function idSequence(seed: Uuid, series = 0): () => Uuid {
  const before = (Number.parseInt(seed.slice(26, 32), 16) + series) & 0xffffff;
  const head = seed.slice(0, 26) + before.toString(16).padStart(6, '0');
  let tail = Number.parseInt(seed.slice(32), 16);
  return () => {
    tail = (tail + 1) & 0xffff;
    return head + tail.toString(16).padStart(4, '0');
  };
}

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const CODES = Uint8Array.from(ALPHABET, (character) => character.charCodeAt(0));
/** Values of hex digits by character code, and the places of a UUID's 32 digits among its 36 characters. */
const DIGITS = new Uint8Array(128);
for (let value = 0; value < 16; value++) DIGITS[value.toString(16).charCodeAt(0)] = value;
const PLACES = Uint8Array.from('xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx'.matchAll(/x/g), ({ index }) => index);
const written = Buffer.alloc(26);
/**
 * Values of base-32 digits by character code; NaN for any other character. A code beyond the list reads as undefined,
 * which adds up to NaN as well.
 */
const VALUES = Array.from({ length: 128 }, () => Number.NaN);
for (let value = 0; value < 32; value++) VALUES[ALPHABET.charCodeAt(value)] = value;

/**
 * `publicId('payout', uuid)` is `po_` and the UUID's 128 bits, left-padded to 130, as 26 characters. A payout's life
 * needs a hundred of them: writing them digit by digit into bytes takes a quarter of the time of slices and numbers.
 */
export function publicId(kind: IdKind, id: Uuid): string {
  const digit = (place: number) => DIGITS[id.charCodeAt(PLACES[place]!)]!;
  // 130 bits: 10 bits from the first two hex digits, then six groups of 20 bits (five hex digits each).
  const first = (digit(0) << 4) | digit(1);
  written[0] = CODES[first >> 5]!;
  written[1] = CODES[first & 31]!;
  for (let place = 2, at = 2; place < 32; place += 5, at += 4) {
    const group =
      (digit(place) << 16) |
      (digit(place + 1) << 12) |
      (digit(place + 2) << 8) |
      (digit(place + 3) << 4) |
      digit(place + 4);
    written[at] = CODES[group >> 15]!;
    written[at + 1] = CODES[(group >> 10) & 31]!;
    written[at + 2] = CODES[(group >> 5) & 31]!;
    written[at + 3] = CODES[group & 31]!;
  }
  return `${ID_PREFIXES[kind]}_${written.toString('latin1')}`;
}

/** Ids one behind the other, 16 bytes each: half of their text. */
export function packIds(ids: readonly Uuid[]): Buffer {
  return Buffer.from(ids.join('').replaceAll('-', ''), 'hex');
}

export function unpackIds(packed: Buffer): Uuid[] {
  const ids: Uuid[] = [];
  for (let at = 0; at < packed.length; at += 16) ids.push(uuidText(packed.subarray(at, at + 16)));
  return ids;
}

export function publicIdOrNull(kind: IdKind, id: Uuid | null): string | null {
  return id === null ? null : publicId(kind, id);
}

/** What public ids of a kind look like, as a regular expression. 128 bits are 26 digits: the first one has but three bits. */
export function idPattern(kind: IdKind): string {
  return `^${ID_PREFIXES[kind]}_[0-7][0-9a-hjkmnp-tv-z]{25}$`;
}

/** The UUID inside a public id, or undefined when the text is not an id of this kind. */
export function parsePublicId(kind: IdKind, text: string): Uuid | undefined {
  const prefix = `${ID_PREFIXES[kind]}_`;
  if (!text.startsWith(prefix) || text.length !== prefix.length + 26) return undefined;
  // A character that is no digit is NaN, and every sum with NaN is NaN.
  const group = (from: number, digits: number) => {
    let value = 0;
    for (let at = from; at < from + digits; at++) value = value * 32 + VALUES[text.charCodeAt(at)]!;
    return value;
  };
  const first = group(prefix.length, 2);
  if (!(first <= 0xff)) return undefined;
  let hex = first.toString(16).padStart(2, '0');
  for (let at = prefix.length + 2; at < text.length; at += 4) {
    const value = group(at, 4);
    if (Number.isNaN(value)) return undefined;
    hex += value.toString(16).padStart(5, '0');
  }
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
