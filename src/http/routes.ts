/** Every route and every event of the API: here, and in the list of limits-route.ts, src/http names groups. */

import { accountEvents } from '../accounts/api/account-events.ts';
import { accountRoutes } from '../accounts/api/account-routes.ts';
import { holdEvents } from '../accounts/api/hold-events.ts';
import { holdRoutes } from '../accounts/api/hold-routes.ts';
import { inboundTransferRoutes } from '../accounts/api/inbound-transfer-routes.ts';
import type { EventDocument } from '../api/event-document.ts';
import type { Page, PageAsset } from '../api/page.ts';
import type { Route } from '../api/route.ts';
import { erasureEvents } from '../erasures/api/erasure-events.ts';
import { exceptionEvents } from '../exceptions/api/exception-events.ts';
import { exceptionRoutes } from '../exceptions/api/exception-routes.ts';
import { idempotencyRoutes } from '../idempotency/api/idempotency-key-routes.ts';
import { clockRoutes } from '../journal/api/clock-routes.ts';
import { journalRoutes } from '../journal/api/journal-routes.ts';
import { CHECKOUT_ASSETS } from '../payments/api/checkout-assets.ts';
import { checkoutPages } from '../payments/api/checkout-pages.ts';
import { disputeEvents } from '../payments/api/dispute-events.ts';
import { disputeRoutes } from '../payments/api/dispute-routes.ts';
import { disputeSimulationRoutes } from '../payments/api/dispute-simulation-routes.ts';
import { paymentEvents, refundEvents, releaseEvents } from '../payments/api/payment-events.ts';
import { paymentRoutes } from '../payments/api/payment-routes.ts';
import { readerActionEvents } from '../payments/api/reader-events.ts';
import { readerRoutes, readerSimulationRoutes } from '../payments/api/reader-routes.ts';
import { paymentChildRoutes } from '../payments/api/refund-routes.ts';
import { releaseScheduleRoutes } from '../payments/api/release-schedule-routes.ts';
import { requestSimulationRoutes } from '../payments/api/request-simulation-routes.ts';
import { settlementEvents } from '../payments/api/settlement-events.ts';
import { settlementRoutes, settlementSimulationRoutes } from '../payments/api/settlement-routes.ts';
import { tokenRoutes } from '../payments/api/token-routes.ts';
import { payoutEvents } from '../payouts/api/payout-events.ts';
import { payoutReturnRoutes } from '../payouts/api/payout-return-routes.ts';
import { payoutRoutes } from '../payouts/api/payout-routes.ts';
import { payoutSimulationRoutes } from '../payouts/api/payout-simulation-routes.ts';
import { checkpointRoutes } from '../proofs/api/checkpoint-routes.ts';
import { endpointEvents, testEvents } from '../webhooks/api/endpoint-events.ts';
import { eventRoutes } from '../webhooks/api/event-routes.ts';
import { webhookRoutes } from '../webhooks/api/webhook-routes.ts';
import { limitRoutes } from './limits-route.ts';

/** The order matters only for speed: the most called routes come first. */
export const ROUTES: readonly Route[] = [
  ...payoutRoutes,
  ...payoutReturnRoutes,
  ...disputeRoutes,
  ...paymentChildRoutes,
  ...settlementRoutes,
  ...releaseScheduleRoutes,
  ...tokenRoutes,
  ...readerRoutes,
  ...paymentRoutes,
  ...accountRoutes,
  ...holdRoutes,
  ...journalRoutes,
  ...checkpointRoutes,
  ...exceptionRoutes,
  ...eventRoutes,
  ...webhookRoutes,
  ...idempotencyRoutes,
  ...limitRoutes,
  ...inboundTransferRoutes,
  ...clockRoutes,
  ...payoutSimulationRoutes,
  ...settlementSimulationRoutes,
  ...disputeSimulationRoutes,
  ...readerSimulationRoutes,
  ...requestSimulationRoutes,
];

/** What payers see. */
export const PAGES: readonly Page[] = checkoutPages;
export const PAGE_ASSETS: readonly PageAsset[] = CHECKOUT_ASSETS;

/** What this release sends. A filter may already name events of later releases. */
export const EVENT_DOCUMENTS: readonly EventDocument[] = [
  accountEvents,
  holdEvents,
  payoutEvents,
  paymentEvents,
  refundEvents,
  releaseEvents,
  settlementEvents,
  disputeEvents,
  readerActionEvents,
  exceptionEvents,
  endpointEvents,
  erasureEvents,
  testEvents,
];
