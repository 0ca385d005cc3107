import type { EventSink } from '../../ledger/commit/batch.ts';
import { deliveryLog } from '../deliveries/delivery-store.ts';
import { subscribers, subscribersOf } from '../endpoints/endpoint-store.ts';
import { webhookEndpoints } from '../endpoints/endpoint-table.ts';
import { endpointBacklogs } from './backlog-store.ts';

/** Delivers a book's events to its webhook endpoints. */
export const webhookSink: EventSink = {
  subscribers,
  subscribersOf,
  endpoints: [webhookEndpoints, endpointBacklogs],
  deliveries: deliveryLog,
};
