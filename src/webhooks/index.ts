/** The group of webhooks: endpoints, and deliveries of events to them. */

import { APPENDS, changes, rightsOf } from '../db/table-rights.ts';
import type { Group } from '../group/group.ts';
import { sweepEndpoints } from './backlogs/sweep-endpoints.ts';
import { webhookGauges } from './backlogs/webhook-gauges.ts';
import { movedDeliveries, overdueEndpoints } from './deliveries/moved-deliveries.ts';
import { endpointResource } from './endpoints/endpoint-resource.ts';
import { webhookEndpoints } from './endpoints/endpoint-table.ts';
import { deliveredCheck } from './replays/checks/delivered-check.ts';
import { deliveryCheck } from './replays/checks/delivery-check.ts';
import { movedReplays } from './replays/moved-replays.ts';
import { webhookReplays } from './replays/replay-table.ts';

/** The folders of the group, in the order in which they may see each other (.dependency-cruiser.cjs). */
export const NOUNS = [
  'events',
  'endpoints',
  'deliveries',
  'backlogs',
  'replays',
  'outbox',
  'drains',
  'recovery',
  'actions',
  'sending',
] as const;

export const webhooksGroup: Group = {
  name: 'webhooks',
  resources: [endpointResource],
  tables: [webhookReplays],
  rights: {
    // The deliverer keeps the health and the backlog of an endpoint (delivery-store.ts, backlog-store.ts).
    webhook_endpoints: rightsOf(webhookEndpoints, [
      'failing_since',
      'failed_at',
      'failed_event',
      'failed_other_at',
      'due_at',
      'retry_at',
      'retry_attempts',
      'behind_since',
      'waiting_from',
      'joined_from',
      'rate_free_at',
    ]),
    webhook_deliveries: changes(
      'status',
      'attempts',
      'retry_at',
      'due_at',
      'early_attempts',
      'stuck_at',
      'stuck_error',
    ),
    webhook_attempts: APPENDS,
    webhook_replays: changes(
      'status',
      'due_at',
      'first_sequence',
      'next_sequence',
      'through_sequence',
      'stuck_at',
      'stuck_error',
    ),
  },
  moved: [movedDeliveries, movedReplays],
  checks: [deliveryCheck],
  blocksClosing: [],
  eventChecks: [deliveredCheck],
  overdue: [overdueEndpoints],
  sweeps: sweepEndpoints,
  gauges: webhookGauges,
};
