/**
 * Payouts, payments or authorizations at a steady rate, however long the answers take: an open loop, so that a slow moment shows in the latencies
 * instead of slowing the load.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Pool } from 'undici';
import { CONNECTIONS, UNIQUE } from './http-load.ts';

export interface Accepted {
  id: string;
  /** When the request was sent, and when its answer arrived. */
  sentAt: number;
  acceptedAt: number;
}

const TICK_MS = 5;

export async function sendPaced(load: {
  url: string;
  path: string;
  headers?: Readonly<Record<string, string>>;
  key: string;
  bodies: readonly unknown[];
  /** What accepts; 202 unless given. */
  status?: number;
  perSecond: number;
  seconds: number;
}): Promise<Accepted[]> {
  const pool = new Pool(load.url, { connections: CONNECTIONS });
  const texts = load.bodies.map((body) => JSON.stringify(body));
  const headers = { authorization: `Bearer ${load.key}`, 'content-type': 'application/json', ...load.headers };
  const sent: Promise<Accepted>[] = [];

  async function send(number: number): Promise<Accepted> {
    const sentAt = Date.now();
    const key = randomUUID();
    const { statusCode, body } = await pool.request({
      path: load.path,
      method: 'POST',
      headers: { ...headers, 'idempotency-key': key },
      body: texts[number % texts.length]!.replaceAll(UNIQUE, key),
    });
    const text = await body.text();
    if (statusCode !== (load.status ?? 202))
      throw new Error(`POST ${load.path} was answered with ${statusCode}: ${text}`);
    const { id } = JSON.parse(text) as { id: string };
    return { id, sentAt, acceptedAt: Date.now() };
  }

  const started = performance.now();
  const total = Math.round(load.perSecond * load.seconds);
  while (sent.length < total) {
    const due = Math.min(total, Math.floor(((performance.now() - started) / 1000) * load.perSecond));
    while (sent.length < due) {
      const sending = send(sent.length);
      sending.catch(() => undefined); // reported by the Promise.all below
      sent.push(sending);
    }
    await delay(TICK_MS);
  }
  try {
    return await Promise.all(sent);
  } finally {
    await pool.destroy();
  }
}
