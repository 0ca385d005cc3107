/** Every route of the API. The order matters only for speed: the most called routes come first. */

import { accountRoutes } from '../accounts/api/account-routes.ts';
import { inboundTransferRoutes } from '../accounts/api/inbound-transfer-routes.ts';
import type { Route } from '../api/route.ts';
import { exceptionRoutes } from '../exceptions/api/exception-routes.ts';
import { idempotencyRoutes } from '../idempotency/api/idempotency-key-routes.ts';
import { journalRoutes } from '../journal/api/journal-routes.ts';
import { payoutRoutes } from '../payouts/api/payout-routes.ts';
import { payoutSimulationRoutes } from '../payouts/api/payout-simulation-routes.ts';
import { checkpointRoutes } from '../proofs/api/checkpoint-routes.ts';
import { eventRoutes } from '../webhooks/api/event-routes.ts';
import { webhookRoutes } from '../webhooks/api/webhook-routes.ts';
import { limitRoutes } from './limits-route.ts';

export const ROUTES: readonly Route[] = [
  ...payoutRoutes,
  ...accountRoutes,
  ...journalRoutes,
  ...checkpointRoutes,
  ...exceptionRoutes,
  ...eventRoutes,
  ...webhookRoutes,
  ...idempotencyRoutes,
  ...limitRoutes,
  ...inboundTransferRoutes,
  ...payoutSimulationRoutes,
];
