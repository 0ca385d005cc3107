/** The part of a process's runtime that is about payments: acquirers, terms as configured, and the links in what is stored. */
import { type Acquirers, createAcquirers } from '../acquirers/acquirers.ts';
import type { DisputeTerms } from '../acquirers/dispute-terms.ts';
import type { ReleaseSchedule } from '../calendar/release-schedule.ts';
import type { Config } from '../config.ts';
import type { Pool } from '../db/pool.ts';
import type { Fingerprints } from '../idempotency/fingerprints.ts';
import { RecentAccounts } from '../ledger/account/recent-accounts.ts';
import type { BookId } from '../ledger/book/book.ts';
import type { CallLimits } from '../outside/calls/call-limits.ts';
import type { Logger } from '../process/log.ts';
import type { Clock } from '../values/clock.ts';
import { withCheckoutUrls } from './payment/checkout-link.ts';

export interface PaymentsRuntime {
  readonly acquirers: Acquirers;
  /** Those that payments are for. */
  readonly recentAccounts: RecentAccounts;
  /** When what payments earn is released. */
  readonly release: ReleaseSchedule;
  /** For how long an authorization can be captured. */
  readonly authorizationMs: number;
  readonly disputeTerms: DisputeTerms;
  /** JSON that is about to leave, with the links that are stored without their secret part (docs/decisions/checkout.md). */
  withLinks(bookId: BookId, json: string, publicUrl?: string): string;
}

export interface PaymentsParts {
  readonly config: Config;
  readonly log: Logger;
  readonly clock: Clock;
  readonly pool: Pool;
  readonly limits: CallLimits;
  readonly fingerprints: Fingerprints;
  /** Where integrators reach the API, without a slash at the end. */
  readonly publicUrl: string;
}

export function createPaymentsRuntime({
  config,
  pool,
  fingerprints,
  publicUrl,
  ...parts
}: PaymentsParts): PaymentsRuntime {
  const { log, clock, limits } = parts;
  return {
    acquirers: createAcquirers(config, log, { clock, limits, publicUrl, ownPool: pool }),
    recentAccounts: new RecentAccounts(pool),
    release: {
      days: config.PAYMENT_RELEASE_DAYS,
      unit: config.PAYMENT_RELEASE_UNIT,
      calendar: config.PAYMENT_RELEASE_CALENDAR,
      cutOff: config.PAYMENT_RELEASE_CUT_OFF ?? null,
      onceSettled: config.PAYMENT_RELEASE_ONCE_SETTLED,
      reserve: null,
    },
    authorizationMs: config.PAYMENT_AUTHORIZATION_DAYS * 24 * 60 * 60_000,
    disputeTerms: { fees: config.PAYMENT_DISPUTE_FEE, feeRefunded: config.PAYMENT_DISPUTE_FEE_REFUNDED },
    withLinks: (bookId, json, url = publicUrl) => withCheckoutUrls(json, { fingerprints, publicUrl: url, bookId }),
  };
}
