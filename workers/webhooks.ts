/** Webhooks pool: delivers events to webhook endpoints. */
import { definePool, type PoolDefinition } from '../src/queue/pool.ts';
import type { Runtime } from '../src/runtime.ts';
import { createDeliverer } from '../src/webhooks/sending/deliver-webhook.ts';

export interface WebhooksPool {
  readonly definition: PoolDefinition;
  /** Starts no further attempt, and resolves when those under way are recorded. */
  close(): Promise<void>;
}

export function webhooksPool(runtime: Runtime): WebhooksPool {
  const { config } = runtime;
  const deliverer = createDeliverer({
    ...runtime,
    allowHosts: config.WEBHOOK_ALLOW_HOSTS,
    dnsServers: config.WEBHOOK_DNS_SERVERS,
  });
  const definition = definePool('webhooks', {
    concurrency: 8, // no job waits for a receiver: it queues its deliveries, or skips them
    jobs: {
      'delivery.send': async ({ bookId, ids }) => deliverer.take(bookId, ids),
      'delivery.send_at_once': async ({ bookId, ids }) => deliverer.take(bookId, ids, { atOnce: true }),
      'endpoint.replay': ({ bookId, ids }) => deliverer.replay(bookId, ids),
      'endpoint.drain': async ({ bookId, ids }) => deliverer.drain(bookId, ids),
    },
  });
  return { definition, close: () => deliverer.close() };
}
