/** Checks after a run of payouts, or of payments: each was paid, each was announced once, every signature was valid. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from '../../src/db/pool.ts';
import type { BookId } from '../../src/ledger/book/book.ts';
import { countDeliveries, countPayouts } from './payout-check-store.ts';
import type { Received } from './receiver.ts';

export interface Facts {
  /** Null: of all books. */
  bookId: BookId | null;
  /** Payouts, or payments, that were accepted. */
  sent: number;
  received: Received;
}

/**
 * Throws an error that lists what is wrong. An event may be delivered twice, but without a fault none should be:
 * repeats are counted.
 */
export async function checkNothingLost(pool: Pool, { bookId, sent, received }: Facts): Promise<Record<string, number>> {
  const { paid } = await countPayouts(pool, bookId);
  const counts = await checkDelivered(pool, { bookId, sent, received }, { 'payouts that are paid': paid });
  return { payouts_paid: sent, ...counts };
}

/** Each has one event that was delivered, and each of `ended` counts all of them. Throws as checkNothingLost does. */
export async function checkDelivered(
  pool: Pool,
  { bookId, sent, received }: Facts,
  ended: Readonly<Record<string, number | undefined>>,
): Promise<Record<string, number>> {
  const ids = new Set(received.webhookIds).size;
  const delivered = await deliveriesAtRest(pool, bookId);
  const faults: string[] = [];
  const expect = (what: string, actual: number | undefined) => {
    if (actual !== sent) faults.push(`${what}: ${actual ?? 0} of ${sent}`);
  };
  for (const [what, count] of Object.entries(ended)) expect(what, count);
  expect('distinct webhook-ids received', ids);
  expect('those told of', new Set(received.objectIds).size);
  expect('deliveries recorded as delivered', delivered.delivered);
  if (received.signaturesWrong > 0) faults.push(`${received.signaturesWrong} signatures are wrong`);
  if (received.signaturesVerified === 0) faults.push('no signature was verified');
  if (faults.length > 0) throw new Error(`Something was lost or done twice: ${faults.join('; ')}`);
  return {
    webhooks_received: received.webhookIds.length,
    webhooks_repeated: received.webhookIds.length - ids,
    signatures_verified: received.signaturesVerified,
  };
}

/** The receiver has an event a moment before the worker records the delivery. */
async function deliveriesAtRest(pool: Pool, bookId: BookId | null): Promise<Record<string, number>> {
  for (let attempt = 1; ; attempt++) {
    const counts = await countDeliveries(pool, bookId);
    if (!counts.pending || attempt === 20) return counts;
    await delay(100);
  }
}
