/** Waits for webhooks. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Helper } from './children.ts';

/** Without a delivery for this long, something hangs. Longer than the sweeper postpones any row. */
const SILENCE_MS = 90_000;

/** Resolves when this many different webhooks have arrived in all. Throws when no more arrive. */
export async function arrived(receiver: Helper, count: number): Promise<void> {
  let last = -1;
  let changedAt = performance.now();
  for (;;) {
    const now = await receiver.ask<number>({ ask: 'count' });
    if (now >= count) return;
    if (now !== last) changedAt = performance.now();
    last = now;
    if (performance.now() - changedAt > SILENCE_MS) throw new Error(`Only ${now} of ${count} webhooks arrived`);
    await delay(20);
  }
}
