/** Deliveries and backlogs of endpoints, as rows that workers move. */

import { keyedByUuid } from '../../db/keyed-table.ts';
import type { MovedRows, OverdueRows } from '../../group/moved-rows.ts';
import { publicId } from '../../values/ids.ts';
import { ITS_ENDPOINT_IS_DUE, postponeDueDeliveries } from './postpone-deliveries-store.ts';

/** Shown by the sequence of the event and the endpoint's public id. */
export const movedDeliveries: MovedRows = {
  kind: 'delivery',
  table: {
    name: 'webhook_deliveries',
    key: [
      { name: 'event_sequence', type: 'bigint' },
      { name: 'endpoint_id', type: 'uuid' },
    ],
  },
  open: ['pending'],
  due: [
    {
      name: 'webhook deliveries',
      status: 'pending',
      pool: 'webhooks',
      job: 'delivery.send',
      againMs: 60_000, // beyond the longest attempt (15 s) of a receiver whose others wait for it
      postpone: postponeDueDeliveries,
    },
  ],
  overdue: {
    waitsSince: 'COALESCE(retry_at, created_at)',
    // Deliveries of an endpoint that is due are delivered by its drain.
    unless: ITS_ENDPOINT_IS_DUE,
    finding: {
      check: 'delivery.overdue',
      expected: 'moved',
      actual: 'to be tried',
      detail: 'No attempt to deliver this event will be made, and no bug has stopped it.',
      ids: ([sequence, endpointId]) => ({
        webhook_endpoint: publicId('webhookEndpoint', endpointId!),
        sequence: sequence!,
      }),
    },
  },
  shownId(id) {
    const [sequence, endpointId] = id.split(':');
    return `${sequence}:${publicId('webhookEndpoint', endpointId!)}`;
  },
};

export const overdueEndpoints: OverdueRows = {
  kind: 'webhook_endpoint',
  pools: 'webhooks',
  table: keyedByUuid('webhook_endpoints', 'id'),
  waiting: 'due_at IS NOT NULL',
  waitsSince: 'retry_at',
  finding: {
    check: 'delivery.overdue',
    expected: 'moved',
    actual: 'to be tried',
    detail: 'No attempt to deliver what waits for this endpoint will be made.',
    ids: ([id]) => ({ webhook_endpoint: publicId('webhookEndpoint', id!) }),
  },
};
