/**
 * The well-behaved book: payouts evenly spread over time. Each is measured from the time at which it was due to be
 * sent, so that a slow answer delays no measurement but its own. Failures are counted, not thrown.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Pool } from 'undici';
import { payoutRequest } from '../api-client.ts';
import { CONNECTIONS } from '../http-load.ts';
import type { Received } from '../receiver.ts';
import type { Seen } from './bars.ts';

const TICK_MS = 2;
/** A client stops waiting after this long, and counts an error. */
const PATIENCE_MS = 30_000;
/** Every tenth payout comes back. */
const RETURNS_EVERY = 10;

export interface Sent {
  readonly dueAt: number;
  /** When the answer or the failure arrived. */
  readonly answeredAt: number;
  /** Null when the payout was not accepted. */
  readonly id: string | null;
  readonly failure: string | null;
  /** Whether the rail returns the payout. */
  readonly returns: boolean;
}

export interface Load {
  readonly url: string;
  readonly key: string;
  readonly accounts: readonly string[];
  readonly perSecond: number;
  readonly seconds: number;
}

/** When the n-th request of a steady rate is due, n from 0: milliseconds after the first. */
export function dueMs(number: number, perSecond: number): number {
  return (number * 1_000) / perSecond;
}

export async function sendSteadily({ url, key, accounts, perSecond, seconds }: Load): Promise<Sent[]> {
  const pool = new Pool(url, { connections: CONNECTIONS });
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const began = Date.now();
  const startedMs = performance.now();
  const sent: Promise<Sent>[] = [];

  async function send(number: number): Promise<Sent> {
    const dueAt = began + dueMs(number, perSecond);
    const returns = number % RETURNS_EVERY === RETURNS_EVERY - 1;
    const request = payoutRequest(accounts[number % accounts.length]!);
    const body = returns ? { ...request, destination: { type: 'cliq', alias: 'RETURN' } } : request;
    const outcome = await pool
      .request({
        path: '/v1/payouts',
        method: 'POST',
        headers: { ...headers, 'idempotency-key': randomUUID() },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(PATIENCE_MS),
      })
      .then(async (answer) => ({ status: answer.statusCode, text: await answer.body.text() }))
      .catch((error: Error) => ({ status: 0, text: `${error.name}: ${error.message}` }));
    const accepted = outcome.status >= 200 && outcome.status < 300;
    return {
      dueAt,
      answeredAt: Date.now(),
      id: accepted ? (JSON.parse(outcome.text) as { id: string }).id : null,
      failure: accepted ? null : `${outcome.status} ${outcome.text.slice(0, 200)}`,
      returns,
    };
  }

  const total = Math.round(perSecond * seconds);
  while (sent.length < total) {
    const elapsed = performance.now() - startedMs;
    while (sent.length < total && dueMs(sent.length, perSecond) <= elapsed) sent.push(send(sent.length));
    await delay(TICK_MS);
  }
  try {
    return await Promise.all(sent);
  } finally {
    await pool.destroy();
  }
}

/** Measures a book, from the payouts it sent and the webhooks that its receivers got until `abandonedAt`. */
export function seenOf(sent: readonly Sent[], got: { paid: Received; returned: Received; abandonedAt: number }): Seen {
  const paidAt = firstArrivals(got.paid);
  const returnedAt = firstArrivals(got.returned);
  const accepted = sent.filter((payout): payout is Sent & { id: string } => payout.id !== null);
  const returning = accepted.filter(({ returns }) => returns);
  // The webhook may arrive before the answer to the request: neither waits for the other.
  const since = (arrivals: Map<string, number>) => (payout: Sent & { id: string }) =>
    Math.max(0, (arrivals.get(payout.id) ?? got.abandonedAt) - payout.answeredAt);
  return {
    accept: sent.map(({ dueAt, answeredAt }) => Math.max(0, answeredAt - dueAt)),
    webhook: accepted.map(since(paidAt)),
    returned: returning.map(since(returnedAt)),
    errors: sent.length - accepted.length,
    failures: sent.flatMap(({ failure }) => failure ?? []),
    undelivered:
      accepted.filter(({ id }) => !paidAt.has(id)).length + returning.filter(({ id }) => !returnedAt.has(id)).length,
  };
}

function firstArrivals({ objectIds, times }: Received): Map<string, number> {
  const arrivals = new Map<string, number>();
  objectIds.forEach((id, index) => {
    if (!arrivals.has(id)) arrivals.set(id, times[index]!);
  });
  return arrivals;
}
