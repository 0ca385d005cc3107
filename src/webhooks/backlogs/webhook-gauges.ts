/** Gauges of webhook endpoints that are behind. */
import type { Gauge } from '../../group/group.ts';
import { countDeliveriesWaiting, readEndpointsBehind } from './behind-store.ts';

export const webhookGauges: readonly Gauge[] = [
  {
    name: 'countinghouse_webhook_endpoints_behind',
    help: 'Webhook endpoints that take less than comes for them; the log names them. Counted up to 10,000.',
    read: async (pool) => [{ value: (await readEndpointsBehind(pool)).endpoints }],
  },
  {
    name: 'countinghouse_webhook_behind_oldest_seconds',
    help: 'For how long the webhook endpoint that is behind longest has been; 0 when none is.',
    async read(pool, now) {
      const { oldestSince } = await readEndpointsBehind(pool);
      return [{ value: oldestSince === null ? 0 : Math.max(0, now - oldestSince) / 1_000 }];
    },
  },
  {
    name: 'countinghouse_webhook_deliveries_waiting',
    help: 'Deliveries that wait for webhook endpoints that are behind. Counted up to 10,000.',
    read: async (pool) => [{ value: await countDeliveriesWaiting(pool) }],
  },
];
