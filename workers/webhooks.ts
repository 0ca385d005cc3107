/** Webhooks pool: tells the world what happened. */
import { markStuck } from '../src/operations/stuck-store.ts';
import { definePool, type PoolDefinition } from '../src/queue/pool.ts';
import type { Runtime } from '../src/runtime.ts';
import { createDeliverer } from '../src/webhooks/deliver-webhook.ts';

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
    async deliveryFailed(bookId, id, error) {
      log.error({ err: error, delivery: id }, 'webhook delivery stuck');
      await markStuck(pool, { kind: 'delivery', bookId, id, error, at: clock.now() }).catch((failure: unknown) => {
        log.error({ err: failure, delivery: id }, 'stuck delivery not marked; the sweeper will ring again');
      });
    },
  });
  const definition = definePool('webhooks', {
    concurrency: 50, // a receiver may take fifteen seconds, and another job must not wait for it
    jobs: {
      'delivery.send': ({ bookId, ids }) => deliverer.deliver(bookId, ids),
    },
  });
  return { definition, close: () => deliverer.close() };
}
