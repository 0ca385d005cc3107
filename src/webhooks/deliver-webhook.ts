/**
 * Delivering: the use case of the webhooks pool. A bell names deliveries; they are loaded with their events and endpoints
 * in one query, POSTed side by side outside any database transaction, and recorded in one statement. Bells that ring at
 * the same time share queries and commits (natural-batch.ts).
 *
 * Killed at any point: a delivery without a recorded result is still pending, the sweeper rings for it, and it is sent
 * again under the same id. So an event arrives at least once.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../clock.ts';
import type { Pool } from '../db/pool.ts';
import { classifyFailure } from '../db/postgres-errors.ts';
import type { SecretBox } from '../db/secret-box.ts';
import { newId, publicId, type Uuid } from '../ids.ts';
import type { BookId } from '../ledger/book.ts';
import type { Command } from '../ledger/command.ts';
import type { Logger } from '../log.ts';
import {
  type Attempt,
  canceled,
  type DeliveryInHand,
  type DeliveryKey,
  type DeliveryResult,
  hasArrived,
  isReady,
  parseDeliveryId,
  parseRetryAfter,
  reasonToDisable,
  resultOf,
  stuck,
} from './delivery.ts';
import { loadPendingDeliveries, recordHealth, recordResults } from './delivery-store.ts';
import { EndpointLanes } from './endpoint-lanes.ts';
import { disableFailingEndpoint } from './manage-endpoint.ts';
import { NaturalBatch } from './natural-batch.ts';
import { postEvent } from './post-event.ts';
import { parseAllowList } from './public-address.ts';
import { createSafeAgent, type ResolveName } from './safe-connect.ts';
import { sign } from './signature.ts';
import { SigningKeys } from './signing-keys.ts';

export interface DelivererOptions {
  pool: Pool;
  /** Carries the one command that delivering can lead to: switching an endpoint off. */
  committer: { submit<Answer>(bookId: BookId, command: Command<Answer>): Promise<Answer> };
  secretBox: SecretBox;
  clock: Clock;
  log: Logger;
  /** In [0, 1): spreads the retries. */
  random?: () => number;
  /** `host:port` and `host:*`: what test books may reach although it is not public (WEBHOOK_ALLOW_HOSTS). */
  allowHosts: readonly string[];
  /** For one try, from the name's resolution to the answer's end. */
  timeoutMs?: number;
  resolve?: ResolveName;
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
/** A result is worth some waiting for the database: without it the event is sent again. */
const RECORD_TRIES = 6;
const RECORD_RETRY_FIRST_MS = 100;

const USER_AGENT = 'Countinghouse-Webhooks/1.0';

export function createDeliverer(options: DelivererOptions): Deliverer {
  const { pool, committer, secretBox, clock, log, random = Math.random, timeoutMs = TIMEOUT_MS } = options;
  const allow = parseAllowList(options.allowHosts);
  const agentOptions = { allow, connectTimeoutMs: timeoutMs, resolve: options.resolve };
  const agents = {
    test: createSafeAgent({ mode: 'test', ...agentOptions }),
    live: createSafeAgent({ mode: 'live', ...agentOptions }),
  };
  const signingKeys = new SigningKeys(secretBox);
  const lanes = new EndpointLanes();
  /** Deliveries this process is busy with: a bell that rings twice is answered once. */
  const inHand = new Map<string, Promise<void>>();
  const disabling = new Map<Uuid, Promise<void>>();
  let closed = false;

  const loads = new NaturalBatch<DeliveryKey, DeliveryInHand | undefined>({
    limit: BATCH_MAX,
    async run(bookId, keys) {
      const loaded = new Map(
        (await loadPendingDeliveries(pool, bookId, keys)).map((each) => [
          keyOf(each.eventSequence, each.endpoint.id),
          each,
        ]),
      );
      return keys.map(({ eventSequence, endpointId }) => loaded.get(keyOf(eventSequence, endpointId)));
    },
  });

  const records = new NaturalBatch<{ delivery: DeliveryInHand; result: DeliveryResult }, void>({
    limit: BATCH_MAX,
    async run(bookId, items) {
      await recordOrIsolate(
        bookId,
        items.map(({ result }) => result),
      );
      await recordHealthOf(bookId, items);
      return items.map(() => undefined);
    },
  });

  async function deliverOne(bookId: BookId, key: DeliveryKey): Promise<void> {
    const delivery = await loads.add(bookId, key);
    if (!delivery) return;
    if (delivery.endpoint.status !== 'enabled') return records.add(bookId, { delivery, result: canceled(delivery) });
    if (!isReady(delivery, clock.now())) return;
    if (!(await lanes.enter(delivery.endpoint.id))) return;
    let answered = true;
    let attempt: Attempt;
    try {
      attempt = await tryOnce(delivery);
      answered = attempt.error !== 'timeout';
    } catch (error) {
      log.error(
        { err: error, bookId, endpointId: delivery.endpoint.id, eventId: delivery.eventId },
        'a webhook delivery is stuck',
      );
      return records.add(bookId, { delivery, result: stuck(delivery, messageOf(error)) });
    } finally {
      lanes.leave(delivery.endpoint.id, { answered });
    }
    await records.add(bookId, { delivery, result: resultOf(delivery, attempt, random) });
    const reason = reasonToDisable(delivery.endpoint, attempt);
    if (reason) await disable(bookId, delivery, reason);
  }

  async function tryOnce(delivery: DeliveryInHand): Promise<Attempt> {
    const { endpoint, payload } = delivery;
    const startedAt = clock.now();
    const started = performance.now();
    const message = {
      id: publicId('event', delivery.eventId),
      timestampSeconds: Math.floor(startedAt / 1_000),
      body: payload,
    };
    const headers = {
      'content-type': 'application/json',
      'user-agent': USER_AGENT,
      'webhook-id': message.id,
      'webhook-timestamp': String(message.timestampSeconds),
      'webhook-signature': sign(message, signingKeys.of(endpoint, startedAt)),
    };
    const outcome = await postEvent(agents[delivery.mode], {
      url: new URL(endpoint.url),
      headers,
      body: payload,
      timeoutMs,
    });
    return {
      startedAt,
      durationMs: Math.round(performance.now() - started),
      status: outcome.status,
      error: outcome.error,
      response: outcome.response,
      retryAfterMs: parseRetryAfter(outcome.retryAfter, startedAt),
    };
  }

  /** Recorded together; a result that the database refuses is found by halving, and its delivery is stuck. */
  async function recordOrIsolate(bookId: BookId, results: readonly DeliveryResult[]): Promise<void> {
    try {
      await recordWithRetries(bookId, results);
    } catch (error) {
      if (classifyFailure(error) !== 'refused') throw error;
      if (results.length > 1) {
        const middle = results.length >> 1;
        await recordOrIsolate(bookId, results.slice(0, middle));
        await recordOrIsolate(bookId, results.slice(middle));
      } else if (results[0]!.stuckError === null) {
        log.error(
          { err: error, bookId, endpointId: results[0]!.endpointId },
          'a webhook delivery is stuck: its result cannot be recorded',
        );
        await recordOrIsolate(bookId, [
          { ...results[0]!, status: 'pending', retryAt: null, attempt: null, stuckError: messageOf(error) },
        ]);
      } else {
        throw error;
      }
    }
  }

  /** A deadlock with the sweeper, or a database that is away for a moment, is no reason to send an event again. */
  async function recordWithRetries(bookId: BookId, results: readonly DeliveryResult[]): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        await recordResults(pool, bookId, results, clock.now());
        return;
      } catch (error) {
        if (attempt === RECORD_TRIES || classifyFailure(error) !== 'transient') throw error;
        await delay(RECORD_RETRY_FIRST_MS * 2 ** (attempt - 1));
      }
    }
  }

  async function recordHealthOf(
    bookId: BookId,
    items: readonly { delivery: DeliveryInHand; result: DeliveryResult }[],
  ): Promise<void> {
    const failing = new Map<Uuid, number>();
    const arrived = new Set<Uuid>();
    for (const { delivery, result } of items) {
      const { id, failingSince } = delivery.endpoint;
      if (!result.attempt) continue;
      if (hasArrived(result.attempt)) {
        failing.delete(id);
        if (failingSince !== null) arrived.add(id);
      } else if (failingSince === null && !arrived.has(id)) {
        failing.set(id, Math.min(failing.get(id) ?? Number.POSITIVE_INFINITY, result.attempt.startedAt));
      }
    }
    // Only a hint about the endpoint: the next batch gives it again.
    await recordHealth(pool, bookId, { failing, arrived }).catch((error: unknown) =>
      log.warn({ err: error, bookId }, 'endpoint health not recorded'),
    );
  }

  /** Many tries of one endpoint end alike at the same time: one command says it. Lost: the next try says it again. */
  function disable(bookId: BookId, { endpoint }: DeliveryInHand, reason: 'gone' | 'failing'): Promise<void> {
    const running = disabling.get(endpoint.id);
    if (running) return running;
    const command = disableFailingEndpoint({
      endpointId: endpoint.id,
      requestId: newId(),
      failedUrl: endpoint.url,
      reason,
    });
    const disabled = committer
      .submit(bookId, command)
      .then(() => log.warn({ bookId, endpointId: endpoint.id, reason }, 'webhook endpoint disabled'))
      .catch((error: unknown) =>
        log.error({ err: error, bookId, endpointId: endpoint.id }, 'webhook endpoint not disabled'),
      )
      .finally(() => disabling.delete(endpoint.id));
    disabling.set(endpoint.id, disabled);
    return disabled;
  }

  function deliverOnce(bookId: BookId, id: string): Promise<void> {
    const key = parseDeliveryId(id);
    if (!key || closed) return Promise.resolve();
    const name = `${bookId} ${id}`;
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

function keyOf(eventSequence: bigint, endpointId: Uuid): string {
  return `${eventSequence}:${endpointId}`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
