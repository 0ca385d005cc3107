/** The payouts or payments of an end-to-end bench. */
import type { Pool } from '../../src/db/pool.ts';
import type { BookId } from '../../src/ledger/book/book.ts';
import { paymentRequest, payoutRequest } from './api-client.ts';
import { countPayments } from './payout-check-store.ts';
import { checkDelivered, checkNothingLost, type Facts } from './payout-checks.ts';

export interface Traffic {
  /** Also the field of how many there were. */
  readonly name: 'payouts' | 'payments';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The event that each has once, with one webhook. */
  readonly event: string;
  /** The pools of the worker. */
  readonly pools: readonly string[];
  request(account: string): unknown;
  /** Throws an error that lists the lost and the repeated ones. */
  check(pool: Pool, facts: Facts & { bookId: BookId }): Promise<Record<string, number>>;
}

export const POOLS = ['ledger', 'rails', 'webhooks', 'sweeper'];

export const PAYOUTS: Traffic = {
  name: 'payouts',
  path: '/v1/payouts',
  headers: {},
  event: 'payout.paid',
  pools: POOLS,
  request: payoutRequest,
  check: checkNothingLost,
};

/** The answer does not wait for the acquirer: nobody waits for the card at 64 connections. */
export const PAYMENTS: Traffic = {
  name: 'payments',
  path: '/v1/payments',
  headers: { prefer: 'respond-async' },
  event: 'payment.captured',
  pools: ['ledger', 'payments', 'webhooks', 'sweeper'],
  request: paymentRequest,
  async check(pool, facts) {
    const { captured, atAcquirer } = await countPayments(pool, facts.bookId);
    const ended = { 'payments that are captured': captured, 'payments that the acquirer captured': atAcquirer };
    return { payments_captured: facts.sent, ...(await checkDelivered(pool, facts, ended)) };
  },
};
