/** Waiting for webhooks. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Helper } from './children.ts';

/** Nothing delivered for so long: something hangs. Longer than the sweeper's longest alarm. */
const SILENCE_MS = 90_000;

/** Resolves when so many different webhooks have arrived in all; throws when no more arrive. */
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
