/** Requests at a steady rate over a bounded number of connections. */
import { randomUUID } from 'node:crypto';
import { Pool } from 'undici';
import type { Attack, Running } from './attack.ts';

const TICK_MS = 5;

export function sendAtRate(
  attack: Extract<Attack, { kind: 'requests' }>,
  count: (outcome: string | number) => void,
): Running {
  const pool = new Pool(attack.url, { connections: attack.connections });
  const headers = { authorization: `Bearer ${attack.key}`, 'content-type': 'application/json' };
  let ended = false;
  let inFlight = 0;
  let next = 0;
  let budget = 0;
  const started = performance.now();
  let last = started;

  async function send(): Promise<void> {
    const { method, path, body } = attack.requests[next++ % attack.requests.length]!;
    inFlight++;
    try {
      const answer = await pool.request({
        method,
        path,
        headers: { ...headers, ...(method === 'POST' && { 'idempotency-key': randomUUID() }) },
        body: body ?? null,
      });
      await answer.body.dump();
      count(answer.statusCode);
    } catch (error) {
      if (!ended) count((error as NodeJS.ErrnoException).code ?? (error as Error).name);
    } finally {
      inFlight--;
    }
  }

  const timer = setInterval(() => {
    const now = performance.now();
    budget += (rateAt(attack.rates, (now - started) / 1_000) * (now - last)) / 1_000;
    last = now;
    for (; budget >= 1; budget--) {
      if (inFlight < attack.connections) void send();
      else count('left out');
    }
  }, TICK_MS);
  return {
    underWay: Promise.resolve(),
    end() {
      ended = true;
      clearInterval(timer);
      void pool.destroy();
    },
  };
}

/** The rate at this many seconds after the beginning. */
export function rateAt(rates: readonly { perSecond: number; seconds: number }[], seconds: number): number {
  let until = 0;
  for (const rate of rates) {
    until += rate.seconds;
    if (seconds < until) return rate.perSecond;
  }
  return rates.at(-1)!.perSecond;
}
