import type { Forms } from '../db/forms.ts';
import type { EventSink } from '../ledger/batch.ts';
import { endpointBacklogs } from './backlog-store.ts';
import { deliveryLog } from './delivery-store.ts';
import { subscribers, subscribersOf } from './endpoint-store.ts';
import { webhookEndpoints } from './endpoint-table.ts';

/** Delivers a book's events to its webhook endpoints. */
export function createWebhookSink(forms: Pick<Forms, 'contracted'>): EventSink {
  return {
    subscribers,
    subscribersOf,
    endpoints: [webhookEndpoints, endpointBacklogs],
    deliveries: deliveryLog(forms),
  };
}

/** The sink before the stored forms are contracted. */
export const webhookSink = createWebhookSink({ contracted: false });
