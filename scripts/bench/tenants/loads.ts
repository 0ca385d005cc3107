/** Payouts of many books: as fast as they are accepted, and at a rate of their own. */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Pool } from 'undici';
import type { Random } from '../../harness/random.ts';
import { CONNECTIONS } from '../http-load.ts';
import type { Tenant } from './tenant.ts';

/** Chooses the book of the next payout. */
export type Choice = () => Tenant;

export interface SentPayout {
  readonly id: string;
  /** When it was to be sent. */
  readonly dueAt: number;
}

const TICK_MS = 2;

/** Each book is as likely as any other. */
export function uniformly(tenants: readonly Tenant[], random: Random): Choice {
  return () => random.pick(tenants);
}

/** The n-th book with a weight of 1 ÷ n (Zipf's law, s = 1). */
export function byZipf(tenants: readonly Tenant[], random: Random): Choice {
  let sum = 0;
  const upTo = tenants.map((_, index) => (sum += 1 / (index + 1)));
  return () => {
    const drawn = random.fraction() * sum;
    let [from, to] = [0, upTo.length - 1];
    while (from < to) {
      const middle = (from + to) >> 1;
      if (upTo[middle]! <= drawn) from = middle + 1;
      else to = middle;
    }
    return tenants[from]!;
  };
}

/** A closed loop: each of 64 connections sends its next payout when the last one is accepted. Resolves with their number. */
export async function sendClosed(load: {
  url: string;
  choose: Choice;
  payouts: number;
  seconds: number;
}): Promise<number> {
  const pool = new Pool(load.url, { connections: CONNECTIONS });
  const until = performance.now() + load.seconds * 1000;
  let sent = 0;
  const sendInTurn = async () => {
    while (sent < load.payouts && performance.now() < until) {
      sent++;
      await send(pool, load.choose());
    }
  };
  try {
    await Promise.all(Array.from({ length: CONNECTIONS }, sendInTurn));
    return sent;
  } finally {
    await pool.destroy();
  }
}

/** An open loop with Poisson arrivals: payouts are sent when they are due, however long the answers take. */
export async function sendOpen(load: {
  url: string;
  choose: Choice;
  perSecond: number;
  seconds: number;
  random: Random;
}): Promise<SentPayout[]> {
  const pool = new Pool(load.url, { connections: CONNECTIONS });
  const sent: Promise<SentPayout>[] = [];
  const began = Date.now();
  const started = performance.now();
  const gapMs = () => (-Math.log(1 - load.random.fraction()) * 1000) / load.perSecond;
  try {
    for (let dueMs = gapMs(); dueMs < load.seconds * 1000; dueMs += gapMs()) {
      while (performance.now() - started < dueMs) await delay(TICK_MS);
      const dueAt = began + dueMs;
      const sending = send(pool, load.choose()).then((id) => ({ id, dueAt }));
      sending.catch(() => undefined); // reported by the Promise.all below
      sent.push(sending);
    }
    return await Promise.all(sent);
  } finally {
    await pool.destroy();
  }
}

let bodies = 0;

/** Resolves with the payout's id. */
async function send(pool: Pool, { key, bodies: texts }: Tenant): Promise<string> {
  const { statusCode, body } = await pool.request({
    path: '/v1/payouts',
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'idempotency-key': randomUUID() },
    body: texts[bodies++ % texts.length]!,
  });
  const text = await body.text();
  if (statusCode !== 202) throw new Error(`POST /v1/payouts was answered with ${statusCode}: ${text}`);
  return (JSON.parse(text) as { id: string }).id;
}
