/** Every route and every event of the API: here, and in the list of limits-route.ts, src/http names groups. */

import { accountEvents } from '../accounts/account/api/account-events.ts';
import { accountRoutes } from '../accounts/account/api/account-routes.ts';
import { holdEvents } from '../accounts/holds/api/hold-events.ts';
import { holdRoutes } from '../accounts/holds/api/hold-routes.ts';
import { inboundTransferEvents } from '../accounts/inbound-transfers/api/inbound-transfer-events.ts';
import { inboundTransferRoutes } from '../accounts/inbound-transfers/api/inbound-transfer-routes.ts';
import { statementEvents, statementRoutes } from '../accounts/statements/api/stored-statement-routes.ts';
import type { EventDocument } from '../api/event-document.ts';
import type { Page, PageAsset } from '../api/page.ts';
import type { Route } from '../api/route.ts';
import { cardEvents } from '../cards/card/api/card-events.ts';
import { cardRoutes } from '../cards/card/api/card-routes.ts';
import { controlsEvents } from '../cards/controls/api/controls-events.ts';
import { controlsRoutes } from '../cards/controls/api/controls-routes.ts';
import { detailRoutes } from '../cards/details/api/detail-routes.ts';
import { programEvents } from '../cards/program/api/program-events.ts';
import { programRoutes } from '../cards/program/api/program-routes.ts';
import { cardTokenEvents } from '../cards/tokens/api/card-token-events.ts';
import { cardTokenRoutes, cardTokenSimulationRoutes } from '../cards/tokens/api/card-token-routes.ts';
import { erasureEvents } from '../erasures/api/erasure-events.ts';
import { exceptionEvents } from '../exceptions/api/exception-events.ts';
import { exceptionRoutes } from '../exceptions/api/exception-routes.ts';
import { RESOURCES } from '../groups.ts';
import { idempotencyRoutes } from '../idempotency/api/idempotency-key-routes.ts';
import { allocationRoutes } from '../inbound/allocation/api/allocate-route.ts';
import { receiveDetailsRoutes } from '../inbound/references/api/receive-details-route.ts';
import { chartAccountEvents } from '../journal/accounts/api/chart-account-events.ts';
import { chartAccountRoutes } from '../journal/accounts/api/chart-account-routes.ts';
import { clockRoutes } from '../journal/api/clock-routes.ts';
import { journalRoutes } from '../journal/api/journal-routes.ts';
import { entryEvents } from '../journal/entries/api/entry-events.ts';
import { entryRoutes } from '../journal/entries/api/entry-routes.ts';
import { periodEvents } from '../journal/periods/api/period-events.ts';
import { periodRoutes } from '../journal/periods/api/period-routes.ts';
import { apiKeyEvents } from '../organisations/api/api-key-events.ts';
import { apiKeyRoutes } from '../organisations/api/api-key-routes.ts';
import { peopleRoutes } from '../organisations/api/people-routes.ts';
import { CHECKOUT_ASSETS } from '../payments/checkout/api/checkout-assets.ts';
import { checkoutPages } from '../payments/checkout/api/checkout-pages.ts';
import { disputeEvents } from '../payments/disputes/api/dispute-events.ts';
import { disputeRoutes } from '../payments/disputes/api/dispute-routes.ts';
import { disputeSimulationRoutes } from '../payments/disputes/api/dispute-simulation-routes.ts';
import { requestSimulationRoutes } from '../payments/outcomes/api/request-simulation-routes.ts';
import { paymentEvents } from '../payments/payment/api/payment-events.ts';
import { paymentRoutes } from '../payments/payment/api/payment-routes.ts';
import { readerActionEvents } from '../payments/readers/api/reader-events.ts';
import { readerRoutes, readerSimulationRoutes } from '../payments/readers/api/reader-routes.ts';
import { refundEvents, releaseEvents } from '../payments/refunds/api/refund-events.ts';
import { paymentChildRoutes } from '../payments/refunds/api/refund-routes.ts';
import { settlementEvents } from '../payments/settlements/api/settlement-events.ts';
import { settlementRoutes, settlementSimulationRoutes } from '../payments/settlements/api/settlement-routes.ts';
import { releaseScheduleRoutes } from '../payments/shares/api/release-schedule-routes.ts';
import { tokenRoutes } from '../payments/tokens/api/token-routes.ts';
import { payoutBatchEvents } from '../payouts/batches/api/batch-events.ts';
import { payoutBatchRoutes } from '../payouts/batches/api/batch-routes.ts';
import { destinationRoutes } from '../payouts/disclosures/api/destination-routes.ts';
import { payoutSimulationRoutes } from '../payouts/notices/api/payout-simulation-routes.ts';
import { payeeEvents } from '../payouts/payees/api/payee-events.ts';
import { payeeRoutes } from '../payouts/payees/api/payee-routes.ts';
import { payoutEvents } from '../payouts/payout/api/payout-events.ts';
import { payoutRoutes } from '../payouts/payout/api/payout-routes.ts';
import { railRoutes } from '../payouts/payout/api/rail-routes.ts';
import { approvalPolicyEvents } from '../payouts/policies/api/policy-events.ts';
import { approvalPolicyRoutes } from '../payouts/policies/api/policy-routes.ts';
import { payoutReturnRoutes } from '../payouts/returns/api/payout-return-routes.ts';
import { checkpointRoutes } from '../proofs/api/checkpoint-routes.ts';
import { bankAccountEvents } from '../reconciliation/accounts/api/bank-account-events.ts';
import { bankAccountRoutes } from '../reconciliation/accounts/api/bank-account-routes.ts';
import { feeCollectionEvents } from '../reconciliation/fees/api/fee-collection-events.ts';
import { feeCollectionRoutes } from '../reconciliation/fees/api/fee-collection-routes.ts';
import { expectedItemRoutes } from '../reconciliation/items/api/expected-item-routes.ts';
import { bankLineRoutes } from '../reconciliation/lines/api/bank-line-routes.ts';
import { bankMatchEvents } from '../reconciliation/matches/api/bank-match-events.ts';
import { bankMatchRoutes } from '../reconciliation/matches/api/bank-match-routes.ts';
import { bookMirrorEvents } from '../reconciliation/mirror/api/book-mirror-events.ts';
import { bookMirrorRoutes } from '../reconciliation/mirror/api/book-mirror-routes.ts';
import { csvProfileRoutes } from '../reconciliation/profiles/api/profile-routes.ts';
import { acquirerReportEvents } from '../reconciliation/reports/api/acquirer-report-events.ts';
import { acquirerReportRoutes } from '../reconciliation/reports/api/acquirer-report-routes.ts';
import { bankAccountRulesRoutes } from '../reconciliation/rules/api/bank-account-rules-routes.ts';
import { reconciliationEvents } from '../reconciliation/runs/api/reconciliation-events.ts';
import { reconciliationRoutes } from '../reconciliation/runs/api/reconciliation-routes.ts';
import { bankStatementSimulationRoutes } from '../reconciliation/simulations/api/bank-statement-simulation-routes.ts';
import { bankStatementEvents } from '../reconciliation/statements/api/bank-statement-events.ts';
import { bankStatementRoutes } from '../reconciliation/statements/api/bank-statement-routes.ts';
import { reportEvents } from '../reports/report/api/report-events.ts';
import { reportRoutes } from '../reports/report/api/report-routes.ts';
import { backtestRoutes } from '../transactions/backtest/api/backtest-routes.ts';
import { transactionDisputeEvents } from '../transactions/dispute-actions/api/dispute-events.ts';
import {
  transactionDisputeRoutes,
  transactionDisputeSimulationRoutes,
} from '../transactions/dispute-actions/api/dispute-routes.ts';
import { transactionEvents } from '../transactions/purchase/api/transaction-events.ts';
import { transactionRoutes } from '../transactions/purchase/api/transaction-routes.ts';
import { messageRoutes } from '../transactions/recording/api/message-routes.ts';
import { schemeSettlementEvents } from '../transactions/settlements/api/settlement-events.ts';
import {
  schemeSettlementRoutes,
  schemeSettlementSimulationRoutes,
} from '../transactions/settlements/api/settlement-routes.ts';
import { messageSimulationRoutes } from '../transactions/simulations/api/message-simulation-routes.ts';
import { endpointEvents, testEvents } from '../webhooks/endpoints/api/endpoint-events.ts';
import { webhookRoutes } from '../webhooks/endpoints/api/webhook-routes.ts';
import { eventRoutes } from '../webhooks/events/api/event-routes.ts';
import { limitRoutes } from './limits-route.ts';

/** The order matters only for speed: the most called routes come first. */
export const ROUTES: readonly Route[] = [
  ...approvalPolicyRoutes,
  ...payoutBatchRoutes,
  ...payoutRoutes,
  ...messageRoutes,
  ...payoutReturnRoutes,
  ...payeeRoutes,
  ...destinationRoutes,
  ...railRoutes,
  ...schemeSettlementRoutes,
  ...bankAccountRoutes,
  ...bankAccountRulesRoutes,
  ...bankStatementRoutes,
  ...bankLineRoutes,
  ...expectedItemRoutes,
  ...bankMatchRoutes,
  ...acquirerReportRoutes,
  ...bookMirrorRoutes,
  ...csvProfileRoutes,
  ...reconciliationRoutes,
  ...transactionRoutes,
  ...transactionDisputeRoutes,
  ...disputeRoutes,
  ...paymentChildRoutes,
  ...settlementRoutes,
  ...releaseScheduleRoutes,
  ...tokenRoutes,
  ...readerRoutes,
  ...paymentRoutes,
  ...backtestRoutes,
  ...controlsRoutes,
  ...cardTokenRoutes,
  ...programRoutes,
  ...cardRoutes,
  ...detailRoutes,
  ...accountRoutes,
  ...receiveDetailsRoutes,
  ...holdRoutes,
  ...entryRoutes(RESOURCES),
  ...chartAccountRoutes,
  ...journalRoutes,
  ...periodRoutes,
  ...feeCollectionRoutes,
  ...checkpointRoutes,
  ...reportRoutes,
  ...exceptionRoutes,
  ...allocationRoutes,
  ...eventRoutes(RESOURCES),
  ...webhookRoutes,
  ...apiKeyRoutes,
  ...peopleRoutes,
  ...idempotencyRoutes,
  ...limitRoutes,
  ...inboundTransferRoutes,
  ...statementRoutes,
  ...clockRoutes,
  ...payoutSimulationRoutes,
  ...settlementSimulationRoutes,
  ...disputeSimulationRoutes,
  ...readerSimulationRoutes,
  ...requestSimulationRoutes,
  ...cardTokenSimulationRoutes,
  ...messageSimulationRoutes,
  ...transactionDisputeSimulationRoutes,
  ...schemeSettlementSimulationRoutes,
  ...bankStatementSimulationRoutes,
];

/** What payers see. */
export const PAGES: readonly Page[] = checkoutPages;
export const PAGE_ASSETS: readonly PageAsset[] = CHECKOUT_ASSETS;

/** The events of this version. A filter may already name those of later versions. */
export const EVENT_DOCUMENTS: readonly EventDocument[] = [
  accountEvents,
  holdEvents,
  inboundTransferEvents,
  statementEvents,
  payoutEvents,
  payoutBatchEvents,
  approvalPolicyEvents,
  payeeEvents,
  paymentEvents,
  refundEvents,
  releaseEvents,
  settlementEvents,
  disputeEvents,
  readerActionEvents,
  cardEvents,
  controlsEvents,
  programEvents,
  cardTokenEvents,
  transactionEvents,
  transactionDisputeEvents,
  schemeSettlementEvents,
  bankAccountEvents,
  bankStatementEvents,
  bankMatchEvents,
  acquirerReportEvents,
  feeCollectionEvents,
  bookMirrorEvents,
  reconciliationEvents,
  entryEvents,
  chartAccountEvents,
  periodEvents,
  reportEvents,
  exceptionEvents,
  apiKeyEvents,
  endpointEvents,
  erasureEvents,
  testEvents,
];
