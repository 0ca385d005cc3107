/**
 * Delivering: the use case of the webhooks pool. A bell names deliveries; they are loaded with their events and endpoints
 * in one query, POSTed side by side outside any database transaction, and recorded in one statement. Bells that ring at
 * the same time share queries and commits (natural-batch.ts).
 *
 * Killed at any point: a delivery without a recorded result is still pending, the sweeper rings for it, and it is sent
 * again under the same id. So an event arrives at least once.
 */
import type { Clock } from '../clock.ts';
import type { Pool } from '../db/pool.ts';
import type { SecretBox } from '../db/secret-box.ts';
import { failpoint } from '../failpoints.ts';
import { newId, publicId, type Uuid } from '../ids.ts';
import type { BookId } from '../ledger/book.ts';
import type { Command } from '../ledger/command.ts';
import type { Logger } from '../log.ts';
import { NaturalBatch } from '../natural-batch.ts';
import {
  type Attempt,
  canceled,
  type DeliveryInHand,
  type DeliveryKey,
  type DeliveryResult,
  deliveryId,
  isReady,
  parseDeliveryId,
  parseRetryAfter,
  reasonToDisable,
  resultOf,
} from './delivery.ts';
import { loadPendingDeliveries } from './delivery-store.ts';
import { EndpointLanes } from './endpoint-lanes.ts';
import { disableFailingEndpoint } from './manage-endpoint.ts';
import { postEvent } from './post-event.ts';
import { parseAllowList } from './public-address.ts';
import { createRecorder } from './record-deliveries.ts';
import { createSafeAgent, type ResolveName } from './safe-connect.ts';
import { sign } from './signature.ts';
import { SigningKeys } from './signing-keys.ts';

/** Called for a delivery that a bug stands in the way of: marks it stuck, to be seen and retried by operators. */
export type DeliveryFailure = (bookId: BookId, id: string, error: unknown) => Promise<unknown>;

export interface DelivererOptions {
  pool: Pool;
  /** Carries the one command that delivering can lead to: switching an endpoint off. */
  committer: { submit<Answer>(bookId: BookId, command: Command<Answer>): Promise<Answer> };
  secretBox: SecretBox;
  clock: Clock;
  log: Logger;
  deliveryFailed: DeliveryFailure;
  /** `host:port` and `host:*`: what test books may reach although it is not public (WEBHOOK_ALLOW_HOSTS). */
  allowHosts: readonly string[];
  /** In [0, 1): spreads the retries. */
  random?: () => number;
  /** For one try, from the name's resolution to the answer's end. */
  timeoutMs?: number;
  resolve?: ResolveName;
  /** How a try reaches its receiver: by HTTP, where no model of the network takes its place. */
  post?: typeof postEvent;
}

export interface Deliverer {
  /** Tries what is pending and ready of these (`${eventSequence}:${endpointId}`); resolves when all of it is recorded. */
  deliver(bookId: BookId, ids: readonly string[]): Promise<void>;
  /** Starts nothing more, and resolves when what was under way is recorded. */
  close(): Promise<void>;
}

/** API.md §6. */
const TIMEOUT_MS = 15_000;
/** Rows in one query: several full jobs. */
const BATCH_MAX = 500;

const USER_AGENT = 'Countinghouse-Webhooks/1.0';

export function createDeliverer(options: DelivererOptions): Deliverer {
  const { pool, committer, clock, log, random = Math.random, timeoutMs = TIMEOUT_MS, post = postEvent } = options;
  const connecting = {
    allow: parseAllowList(options.allowHosts),
    connectTimeoutMs: timeoutMs,
    resolve: options.resolve,
  };
  const agents = {
    test: createSafeAgent({ mode: 'test', ...connecting }),
    live: createSafeAgent({ mode: 'live', ...connecting }),
  };
  const signingKeys = new SigningKeys(options.secretBox);
  const lanes = new EndpointLanes();
  const record = createRecorder(pool);
  /** Deliveries this process is busy with: a bell that rings twice is answered once. */
  const inHand = new Map<string, Promise<void>>();
  const disabling = new Map<Uuid, Promise<unknown>>();
  let closed = false;

  const loads = new NaturalBatch<DeliveryKey, DeliveryInHand | undefined>({
    limit: BATCH_MAX,
    async run(bookId, keys) {
      const pending = await loadPendingDeliveries(pool, bookId, keys);
      const byId = new Map(pending.map((delivery) => [deliveryId(delivery), delivery]));
      return keys.map((key) => byId.get(deliveryId(key)));
    },
  });

  async function deliverOne(bookId: BookId, key: DeliveryKey): Promise<void> {
    const delivery = await loads.add(bookId, key);
    if (!delivery) return;
    const settle = async (result: DeliveryResult) => {
      const refusal = await record(bookId, result);
      if (refusal) await options.deliveryFailed(bookId, deliveryId(delivery), refusal);
    };
    if (delivery.endpoint.status !== 'enabled') return settle(canceled(delivery));
    if (!isReady(delivery, clock.now())) return;
    const attempt = await tryInLane(bookId, delivery);
    if (!attempt) return;
    await settle(resultOf(delivery, attempt, random));
    const reason = reasonToDisable(delivery.endpoint, attempt);
    if (reason) await disable(bookId, delivery, reason);
  }

  /** Undefined when it was not tried: the endpoint takes no more just now, or a bug stood in the way. */
  async function tryInLane(bookId: BookId, delivery: DeliveryInHand): Promise<Attempt | undefined> {
    if (!(await lanes.enter(delivery.endpointId))) return undefined;
    let answered = true;
    try {
      const attempt = await tryOnce(delivery);
      answered = attempt.error !== 'timeout';
      return attempt;
    } catch (error) {
      await options.deliveryFailed(bookId, deliveryId(delivery), error);
      return undefined;
    } finally {
      lanes.leave(delivery.endpointId, { answered });
    }
  }

  async function tryOnce({ eventId, endpoint, payload, mode }: DeliveryInHand): Promise<Attempt> {
    const startedAt = clock.now();
    const started = performance.now();
    const message = { id: publicId('event', eventId), timestampSeconds: Math.floor(startedAt / 1_000), body: payload };
    const headers = {
      'content-type': 'application/json',
      'user-agent': USER_AGENT,
      'webhook-id': message.id,
      'webhook-timestamp': String(message.timestampSeconds),
      'webhook-signature': sign(message, signingKeys.of(endpoint, startedAt)),
    };
    failpoint('webhook.post.before');
    const outcome = await post(agents[mode], { url: new URL(endpoint.url), headers, body: payload, timeoutMs });
    failpoint('webhook.post.after');
    return {
      startedAt,
      durationMs: Math.round(performance.now() - started),
      status: outcome.status,
      error: outcome.error,
      response: outcome.response,
      retryAfterMs: parseRetryAfter(outcome.retryAfter, startedAt),
    };
  }

  /** Many tries of one endpoint end alike at the same time: one command says it. Lost: the next try says it again. */
  async function disable(bookId: BookId, { endpoint }: DeliveryInHand, reason: 'gone' | 'failing'): Promise<void> {
    const facts = { bookId, endpointId: endpoint.id, reason };
    const begin = () =>
      committer
        .submit(
          bookId,
          disableFailingEndpoint({ endpointId: endpoint.id, requestId: newId(), failedUrl: endpoint.url, reason }),
        )
        .then(() => log.warn(facts, 'webhook endpoint disabled'))
        .catch((error: unknown) => log.error({ err: error, ...facts }, 'webhook endpoint not disabled'))
        .finally(() => disabling.delete(endpoint.id));
    const running = disabling.get(endpoint.id) ?? begin();
    disabling.set(endpoint.id, running);
    await running;
  }

  function deliverOnce(bookId: BookId, id: string): Promise<void> {
    const key = parseDeliveryId(id);
    if (!key || closed) return Promise.resolve();
    const name = `${bookId} ${deliveryId(key)}`;
    const running = inHand.get(name);
    if (running) return running;
    const delivering = deliverOne(bookId, key).finally(() => inHand.delete(name));
    inHand.set(name, delivering);
    return delivering;
  }

  return {
    async deliver(bookId, ids) {
      const outcomes = await Promise.allSettled(ids.map((id) => deliverOnce(bookId, id)));
      const failed = outcomes.find((outcome) => outcome.status === 'rejected');
      if (failed) throw failed.reason;
    },

    async close() {
      closed = true;
      lanes.close();
      await Promise.allSettled(inHand.values());
      await Promise.all([agents.test.destroy(), agents.live.destroy()]);
    },
  };
}
