/** Every route of the API. The order matters only for speed: the most called routes come first. */
import type { Route } from '../route.ts';
import { accountRoutes } from './accounts.ts';
import { checkpointRoutes } from './checkpoints.ts';
import { eventRoutes } from './events.ts';
import { idempotencyRoutes } from './idempotency.ts';
import { journalRoutes } from './journal.ts';
import { limitRoutes } from './limits.ts';
import { payoutRoutes } from './payouts.ts';
import { simulationRoutes } from './simulations.ts';
import { webhookRoutes } from './webhooks.ts';

export const ROUTES: readonly Route[] = [
  ...payoutRoutes,
  ...accountRoutes,
  ...journalRoutes,
  ...checkpointRoutes,
  ...eventRoutes,
  ...webhookRoutes,
  ...idempotencyRoutes,
  ...limitRoutes,
  ...simulationRoutes,
];
