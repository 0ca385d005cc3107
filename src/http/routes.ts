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
import { CHECKOUT_ASSETS } from '../payments/checkout/api/checkout-assets.ts';
import { checkoutPages } from '../payments/checkout/api/checkout-pages.ts';
import { disputeEvents } from '../payments/disputes/api/dispute-events.ts';
import { disputeRoutes } from '../payments/disputes/api/dispute-routes.ts';
import { disputeSimulationRoutes } from '../payments/disputes/api/dispute-simulation-routes.ts';
import { requestSimulationRoutes } from '../payments/outcomes/api/request-simulation-routes.ts';
import { paymentEvents, refundEvents, releaseEvents } from '../payments/payment/api/payment-events.ts';
import { paymentRoutes } from '../payments/payment/api/payment-routes.ts';
import { readerActionEvents } from '../payments/readers/api/reader-events.ts';
import { readerRoutes, readerSimulationRoutes } from '../payments/readers/api/reader-routes.ts';
import { paymentChildRoutes } from '../payments/refunds/api/refund-routes.ts';
import { settlementEvents } from '../payments/settlements/api/settlement-events.ts';
import { settlementRoutes, settlementSimulationRoutes } from '../payments/settlements/api/settlement-routes.ts';
import { releaseScheduleRoutes } from '../payments/shares/api/release-schedule-routes.ts';
import { tokenRoutes } from '../payments/tokens/api/token-routes.ts';
import { payoutSimulationRoutes } from '../payouts/notices/api/payout-simulation-routes.ts';
import { payoutEvents } from '../payouts/payout/api/payout-events.ts';
import { payoutRoutes } from '../payouts/payout/api/payout-routes.ts';
import { payoutReturnRoutes } from '../payouts/returns/api/payout-return-routes.ts';
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
