import type { EventSink } from '../ledger/commit/batch.ts';
import { endpointBacklogs } from './backlog-store.ts';
import { deliveryLog } from './delivery-store.ts';
import { subscribers, subscribersOf } from './endpoint-store.ts';
import { webhookEndpoints } from './endpoint-table.ts';

/** Delivers a book's events to its webhook endpoints. */
export const webhookSink: EventSink = {
  subscribers,
  subscribersOf,
  endpoints: [webhookEndpoints, endpointBacklogs],
  deliveries: deliveryLog,
};
