/** The group of webhooks: endpoints, and deliveries of events to them. */

import { keyedByUuid } from '../db/keyed-table.ts';
import { APPENDS, changes, rightsOf } from '../db/table-rights.ts';
import type { Group } from '../group/group.ts';
import type { GroupResource } from '../group/group-resource.ts';
import { deliveredCheck } from './checks/delivered-check.ts';
import { deliveryCheck } from './checks/delivery-check.ts';
import { webhookEndpoints } from './endpoint-table.ts';
import { movedDeliveries, overdueEndpoints } from './moved-deliveries.ts';
import { sweepEndpoints } from './sweep-endpoints.ts';
import { webhookGauges } from './webhook-gauges.ts';

export const declaredEndpoint: GroupResource = {
  name: 'webhook_endpoint',
  table: keyedByUuid(webhookEndpoints.name, 'id'),
  parent: null,
  events: ['webhook_endpoint.disabled', 'webhook_endpoint.secret_rotated', 'webhook.test'],
  appointments: [],
};

export const webhooksGroup: Group = {
  name: 'webhooks',
  resources: [declaredEndpoint],
  tables: [webhookEndpoints],
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
  },
  moved: [movedDeliveries],
  checks: [deliveryCheck],
  blocksClosing: [],
  eventChecks: [deliveredCheck],
  overdue: [overdueEndpoints],
  sweeps: sweepEndpoints,
  gauges: webhookGauges,
};
