/** Webhooks pool: tells the world what happened. */
import { markStuck } from '../src/operations/stuck-store.ts';
import { definePool, type PoolDefinition } from '../src/queue/pool.ts';
import type { Runtime } from '../src/runtime.ts';
import { createDeliverer } from '../src/webhooks/deliver-webhook.ts';
import { movedDeliveries } from '../src/webhooks/moved-deliveries.ts';

export interface WebhooksPool {
  readonly definition: PoolDefinition;
  /** Starts no further try, and resolves when those under way are recorded. */
  close(): Promise<void>;
}

export function webhooksPool(runtime: Runtime): WebhooksPool {
  const { pool, committer, secretBox, clock, log, config } = runtime;
  const deliverer = createDeliverer({
    pool,
    committer,
    secretBox,
    clock,
    log,
    allowHosts: config.WEBHOOK_ALLOW_HOSTS,
    dnsServers: config.WEBHOOK_DNS_SERVERS,
    withLinks: runtime.withLinks,
    async deliveryFailed(bookId, id, error) {
      log.error({ err: error, delivery: id }, 'webhook delivery stuck');
      await markStuck(pool, movedDeliveries, { bookId, id, error, at: clock.now() });
    },
  });
  const definition = definePool('webhooks', {
    concurrency: 8, // no job waits for a receiver: it hands its deliveries over, or leaves them
    jobs: {
      'delivery.send': async ({ bookId, ids }) => deliverer.take(bookId, ids),
      'delivery.send_at_once': async ({ bookId, ids }) => deliverer.take(bookId, ids, { atOnce: true }),
      'endpoint.drain': async ({ bookId, ids }) => deliverer.drain(bookId, ids),
    },
  });
  return { definition, close: () => deliverer.close() };
}
