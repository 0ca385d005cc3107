import type { EventSink } from '../ledger/batch.ts';
import { deliveryLog } from './delivery-store.ts';
import { subscribers, webhookEndpoints } from './endpoint-store.ts';

/** Where a book's events go: to its webhook endpoints. */
export const webhookSink: EventSink = { subscribers, endpoints: webhookEndpoints, deliveries: deliveryLog };
