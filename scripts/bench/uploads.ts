/** Uploads of payout batches, as JSON and as CSV, streamed as a client with a file sends them. */
import { randomUUID } from 'node:crypto';
import { METADATA_LIMITS } from '../../src/api/schemas/fields.ts';
import { payoutRequest } from './api-client.ts';

interface Target {
  readonly url: string;
  readonly key: string;
  readonly accounts: readonly string[];
  /** Of the API. */
  readonly residentMb: () => number;
}

export interface Uploader {
  /** Uploads this many payouts. Resolves to the seconds until the answer. */
  json(items: number): Promise<number>;
  /** The same as drafts with metadata, so that the file has about this many bytes. Resolves to the most memory that the API had meanwhile. */
  peakOfJson(items: number, bytes: number): Promise<number>;
  peakOfCsv(items: number, bytes: number): Promise<number>;
}

const SAMPLE_MS = 20;
const PART_ITEMS = 100;

export function uploader({ url, key, accounts, residentMb }: Target): Uploader {
  async function send(type: string, path: string, parts: Iterable<string>): Promise<void> {
    const body = new ReadableStream<Uint8Array>({ pull: pulling(parts[Symbol.iterator]()) });
    const answer = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': type, 'idempotency-key': randomUUID() },
      body,
      duplex: 'half',
    } as RequestInit);
    const text = await answer.text();
    if (answer.status !== 202)
      throw new Error(`POST ${path} was answered with ${answer.status}: ${text.slice(0, 500)}`);
  }

  async function peakOf(sending: Promise<void>): Promise<number> {
    let peak = residentMb();
    const sampling = setInterval(() => (peak = Math.max(peak, residentMb())), SAMPLE_MS);
    try {
      await sending;
    } finally {
      clearInterval(sampling);
    }
    return peak;
  }

  const batches = '/v1/payouts/batches';
  // The same content is taken once: each upload has a number of its own.
  let uploads = 0;

  function* jsonParts(items: number, beside: string, metadata?: Readonly<Record<string, string>>): Generator<string> {
    uploads++;
    yield '{"items":[';
    for (const { from, to } of pagesOf(items)) {
      let text = '';
      for (let at = from; at < to; at++) {
        const item = {
          ...payoutRequest(accounts[at % accounts.length]!),
          external_id: `batch-${uploads}-${at}`,
          metadata,
        };
        text += `${at === 0 ? '' : ','}${JSON.stringify(item)}`;
      }
      yield text;
    }
    yield `]${beside}}`;
  }

  function* csvParts(items: number, metadata: Readonly<Record<string, string>>): Generator<string> {
    uploads++;
    const names = Object.keys(metadata);
    yield `account,amount,currency,type,alias,external_id,${names.map((name) => `metadata.${name}`).join(',')}\r\n`;
    const rest = names.map((name) => metadata[name]).join(',');
    for (const { from, to } of pagesOf(items)) {
      let text = '';
      for (let at = from; at < to; at++) {
        const { account, amount, currency, destination } = payoutRequest(accounts[at % accounts.length]!);
        text += `${account},${amount},${currency},${destination.type},${destination.alias},batch-${uploads}-${at},${rest}\r\n`;
      }
      yield text;
    }
  }

  return {
    async json(items) {
      const began = performance.now();
      await send('application/json', batches, jsonParts(items, ''));
      return (performance.now() - began) / 1_000;
    },
    peakOfJson: (items, bytes) =>
      peakOf(send('application/json', batches, jsonParts(items, ',"submit":false', padding(bytes / items)))),
    peakOfCsv: (items, bytes) =>
      peakOf(send('text/csv', `${batches}?submit=false`, csvParts(items, padding(bytes / items)))),
  };
}

function* pagesOf(items: number): Generator<{ from: number; to: number }> {
  for (let from = 0; from < items; from += PART_ITEMS) yield { from, to: Math.min(items, from + PART_ITEMS) };
}

/** A payout itself has some 250 bytes. */
const ITEM_BYTES = 250;

function padding(bytes: number): Record<string, string> {
  const metadata: Record<string, string> = {};
  let left = bytes - ITEM_BYTES;
  for (let at = 0; left > 0; at++) {
    metadata[`note${at}`] = 'x'.repeat(Math.min(METADATA_LIMITS.value, Math.max(1, left - 12)));
    left -= METADATA_LIMITS.value + 12;
  }
  return metadata;
}

function pulling(parts: Iterator<string>): (controller: ReadableStreamDefaultController<Uint8Array>) => void {
  const encoder = new TextEncoder();
  return (controller) => {
    const { value, done } = parts.next();
    if (done) controller.close();
    else controller.enqueue(encoder.encode(value));
  };
}
