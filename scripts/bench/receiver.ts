/**
 * A process of its own: receives webhooks, keeps the id, payout or payment and time of each, and verifies the signature of a
 * sample with a library that is not the product's. Each path has a secret of its own.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';

export type ReceiverQuestion =
  | { ask: 'port' }
  /** Answered with true. Signatures of what arrives at the path (`/webhooks` unless given) are verified from then on. */
  | { ask: 'trust'; secret: string; path?: string }
  /** Answered with the number of different messages that have arrived. */
  | { ask: 'count' }
  /** Answered with the arrivals from this number on, all of them when left out. */
  | { ask: 'received'; from?: number };

export interface Received {
  /** One element for each arrival, in order: message id, payout or payment, time of arrival. */
  webhookIds: string[];
  objectIds: string[];
  times: number[];
  signaturesVerified: number;
  signaturesWrong: number;
}

/** Cheap, and enough to notice a signature that is wrong now and then. */
const VERIFY_EVERY = 20;
const OBJECT_ID = /"id":"((?:po|pay)_[0-9a-z]+)"/;

const received: Received = { webhookIds: [], objectIds: [], times: [], signaturesVerified: 0, signaturesWrong: 0 };
const known = new Set<string>();
const trusted = new Map<string, Webhook>();

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const body = Buffer.concat(chunks).toString('utf8');
    received.times.push(Date.now());
    const id = String(request.headers['webhook-id']);
    known.add(id);
    received.webhookIds.push(id);
    received.objectIds.push(ownText(OBJECT_ID.exec(body)?.[1] ?? 'none'));
    const webhook = trusted.get(request.url!);
    if (webhook && received.times.length % VERIFY_EVERY === 0) verify(webhook, body, request.headers);
    response.writeHead(204).end();
  });
});

/** A copy. A part of a text keeps the whole of it in memory: millions of bodies in the course of an hour. */
function ownText(part: string): string {
  return Buffer.from(part, 'latin1').toString('latin1');
}

function since(from: number): Received {
  const { webhookIds, objectIds, times } = received;
  return {
    ...received,
    webhookIds: webhookIds.slice(from),
    objectIds: objectIds.slice(from),
    times: times.slice(from),
  };
}

function verify(webhook: Webhook, body: string, headers: NodeJS.Dict<string | string[]>): void {
  try {
    webhook.verify(body, headers as Record<string, string>);
    received.signaturesVerified++;
  } catch {
    received.signaturesWrong++;
  }
}

const listening = new Promise<number>((resolve) => {
  server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
});

process.on('message', async (question: ReceiverQuestion) => {
  switch (question.ask) {
    case 'port':
      return process.send!(await listening);
    case 'trust':
      trusted.set(question.path ?? '/webhooks', new Webhook(question.secret));
      return process.send!(true);
    case 'count':
      return process.send!(known.size);
    case 'received':
      return process.send!(since(question.from ?? 0));
  }
});
process.once('disconnect', () => process.exit());
