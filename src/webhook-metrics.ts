/** Gauges of webhook endpoints that are behind, read from Postgres for a scrape. */
import { Gauge, type Registry } from 'prom-client';
import type { Instant } from './clock.ts';
import type { Pool } from './db/pool.ts';
import { countDeliveriesWaiting, readEndpointsBehind } from './operations/backlog-store.ts';

export interface WebhookGauges {
  read(pool: Pool, now: Instant): Promise<void>;
  /** Removes the values: a stale value is worse than none. */
  remove(): void;
}

export function createWebhookGauges(registers: Registry[]): WebhookGauges {
  const endpoints = new Gauge({
    name: 'countinghouse_webhook_endpoints_behind',
    help: 'Webhook endpoints that take less than comes for them; the log names them. Counted up to 10,000.',
    registers,
  });
  const oldest = new Gauge({
    name: 'countinghouse_webhook_behind_oldest_seconds',
    help: 'For how long the webhook endpoint that is behind longest has been; 0 when none is.',
    registers,
  });
  const deliveries = new Gauge({
    name: 'countinghouse_webhook_deliveries_waiting',
    help: 'Deliveries that wait for webhook endpoints that are behind. Counted up to 10,000.',
    registers,
  });
  return {
    async read(pool, now) {
      const [behind, waiting] = await Promise.all([readEndpointsBehind(pool), countDeliveriesWaiting(pool)]);
      endpoints.set(behind.endpoints);
      oldest.set(behind.oldestSince === null ? 0 : Math.max(0, now - behind.oldestSince) / 1_000);
      deliveries.set(waiting);
    },
    remove() {
      for (const gauge of [endpoints, oldest, deliveries]) gauge.remove();
    },
  };
}
