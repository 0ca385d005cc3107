/**
 * What the product says on the wire, written down: each request with its answer, headers included, and each webhook. What
 * differs from run to run (ids, times, hashes, keys, ports) has a name instead, the same one wherever it appears, so that two
 * runs of the same code give the same text to the byte.
 */
import { request } from 'undici';
import { routeOf, until } from '../../../scripts/harness/client.ts';
import type { Received } from '../../../scripts/harness/receiver.ts';
import { ID_PREFIXES } from '../../../src/ids.ts';

export interface Call {
  body?: unknown;
  /** Sent as it stands instead of `body`. */
  rawBody?: string;
  headers?: Record<string, string>;
  /** Null sends none; a POST without one gets the next. */
  idempotencyKey?: string | null;
  /** Null sends none. */
  key?: string | null;
}

/** Of these the value is Node's or the clock's, or follows from what has a name instead. */
const LEFT_OUT = new Set(['date', 'connection', 'keep-alive', 'transfer-encoding', 'host', 'content-length']);

export class Transcript {
  readonly #baseUrl: string;
  readonly #key: string;
  readonly #names: Names;
  readonly #text: string[] = [];
  /** Operations that were called, with the statuses they were answered. */
  readonly #heard: Map<string, Set<number>>;
  #requests = 0;

  constructor(baseUrl: string, key: string, heard: Map<string, Set<number>>) {
    this.#baseUrl = baseUrl;
    this.#key = key;
    this.#heard = heard;
    this.#names = new Names([baseUrl, key]);
  }

  /** Sends a request and writes it down with its answer, whose body it gives. */
  async call<Body = { id: string }>(title: string, method: string, path: string, options: Call = {}): Promise<Body> {
    const { body, rawBody = body === undefined ? undefined : JSON.stringify(body), key = this.#key } = options;
    const idempotencyKey =
      options.idempotencyKey === undefined && method === 'POST' ? `key-${++this.#requests}` : options.idempotencyKey;
    const headers = {
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      ...(rawBody === undefined ? {} : { 'content-type': 'application/json' }),
      ...(idempotencyKey == null ? {} : { 'idempotency-key': idempotencyKey }),
      ...options.headers,
    };
    const answer = await request(this.#baseUrl + path, { method: method as 'GET', headers, body: rawBody });
    const text = await answer.body.text();
    const operation = routeOf(method, path)?.operation;
    if (operation) this.#heard.set(operation, (this.#heard.get(operation) ?? new Set()).add(answer.statusCode));
    this.#write(`### ${title}`, `${method} ${path}`, headersText(headers), shown(rawBody ?? ''));
    this.#write(`=> ${answer.statusCode}`, headersText(answer.headers), shown(text));
    return (text === '' ? undefined : JSON.parse(text)) as Body;
  }

  /** Asks again, unwritten, until the answer is as wanted; then asks once more and writes that down. */
  async callWhen<Body>(title: string, path: string, isWanted: (body: Body) => boolean): Promise<Body> {
    const headers = { authorization: `Bearer ${this.#key}` };
    await until(async () => (await request(this.#baseUrl + path, { headers })).body.json() as Promise<Body>, isWanted);
    return this.call<Body>(title, 'GET', path);
  }

  webhook({ path, headers, body }: Received): void {
    this.#write(`### Webhook to ${path}`, headersText(headers), shown(body));
  }

  /** All that was written, each part with the names of what differs. */
  text(): string {
    return `${this.#names.put(this.#text.join('\n'))}\n`;
  }

  #write(...parts: string[]): void {
    this.#text.push(...parts.filter((part) => part !== ''), '');
  }
}

function headersText(headers: Readonly<Record<string, unknown>>): string {
  return Object.entries(headers)
    .filter(([name]) => !LEFT_OUT.has(name))
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');
}

/** JSON line by line, for who compares; as it came where that would hide a byte. */
function shown(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    return JSON.stringify(value) === text ? JSON.stringify(value, null, 1) : text;
  } catch {
    return text;
  }
}

const PREFIXES = Object.values(ID_PREFIXES).join('|');
/** What differs from run to run, the longest forms first. */
const DIFFERENT: readonly { kind: string; form: RegExp; numbered?: false }[] = [
  { kind: 'time', form: /\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z/g, numbered: false },
  { kind: '', form: new RegExp(`\\b(${PREFIXES})_[0-9a-hjkmnp-tv-z]{26}\\b`, 'g') },
  { kind: 'uuid', form: /\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g },
  { kind: 'live key', form: /sk_live_[A-Za-z0-9]{32}/g },
  { kind: 'test key', form: /sk_test_[A-Za-z0-9]{32}/g },
  { kind: 'secret', form: /whsec_[A-Za-z0-9+/=]{32,}/g },
  { kind: 'signature', form: /\bv1,[A-Za-z0-9+/]{43}=/g, numbered: false },
  { kind: 'hash', form: /\b[0-9a-f]{64}\b/g },
  { kind: 'signed', form: /"[A-Za-z0-9+/]{86}=="/g, numbered: false },
  { kind: 'base64 of 32 bytes', form: /"[A-Za-z0-9+/]{43}="/g },
  { kind: 'end to end', form: /\b[A-Z0-9]{35}\b/g },
  { kind: 'rail reference', form: /\bSBX[0-9A-Za-z-]+/g },
  { kind: 'port', form: /(?<=127\.0\.0\.1:)\d+/g },
  { kind: 'seconds', form: /(?<=webhook-timestamp: )\d+/g, numbered: false },
  { kind: 'points', form: /(?<=^ratelimit: .*)\d+/gm, numbered: false },
  { kind: 'ms', form: /(?<="duration_ms": ?)\d+/g, numbered: false },
];

/** Names for what differs, in the order in which it appears. */
class Names {
  readonly #given = new Map<string, string>();
  readonly #counts = new Map<string, number>();

  constructor([url, key]: [string, string]) {
    this.#given.set(url, '<api>').set(key, '<key>');
  }

  put(text: string): string {
    let named = text;
    for (const [value, name] of this.#given) named = named.replaceAll(value, name);
    for (const { kind, form, numbered } of DIFFERENT) {
      named = named.replace(form, (value, prefix) =>
        numbered === false ? `<${kind}>` : this.#nameOf(kind === '' ? (prefix as string) : kind, value),
      );
    }
    return named;
  }

  #nameOf(kind: string, value: string): string {
    const known = this.#given.get(value);
    if (known) return known;
    const number = (this.#counts.get(kind) ?? 0) + 1;
    this.#counts.set(kind, number);
    const name = `<${kind} ${number}>`;
    this.#given.set(value, name);
    return name;
  }
}
