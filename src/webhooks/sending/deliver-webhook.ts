/**
 * Delivers webhooks: the use case of the webhooks pool. A job names deliveries, or an endpoint that is behind.
 * Deliveries go into the outbox of their endpoint (outbox.ts). There they are loaded with their events, POSTed
 * concurrently outside any database transaction, and recorded. Concurrent deliveries of any number of books share
 * queries and commits (books-batch.ts): results of one book are recorded by one statement, of several by two or three
 * in a transaction. No job waits for a receiver: a delivery for which there is no room is skipped, and its endpoint is
 * behind (drain-backlog.ts).
 *
 * If the process is killed at any point, a delivery without a recorded result is still pending, the delivery or its
 * endpoint is still due, and the event is sent again under the same id. So an event arrives at least once.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from '../../db/pool.ts';
import type { SecretBox } from '../../db/secret-box.ts';
import { Room } from '../../fairness/room.ts';
import { Slots } from '../../fairness/slots.ts';
import type { RowFailed } from '../../group/moved-rows.ts';
import type { BookId, Mode } from '../../ledger/book/book.ts';
import type { Command } from '../../ledger/command/command.ts';
import { portOf } from '../../outside/connections/endpoint-url.ts';
import { createHostNames } from '../../outside/connections/host-names.ts';
import { postEvent } from '../../outside/connections/post-event.ts';
import { createSafeAgent, type ResolveName, resolveBy } from '../../outside/connections/safe-connect.ts';
import { failpoint } from '../../process/failpoints.ts';
import type { Logger } from '../../process/log.ts';
import { redactPlain } from '../../process/redact-keys.ts';
import { warnSeldom } from '../../process/seldom.ts';
import { maskCardNumbers } from '../../values/card-number.ts';
import type { Clock, Instant } from '../../values/clock.ts';
import { newId, publicId, type Uuid } from '../../values/ids.ts';
import { parseAllowList, unbracketed } from '../../values/public-address.ts';
import { disableFailingEndpoint } from '../actions/manage-endpoint.ts';
import {
  type Attempt,
  canceled,
  type DeliveryEndpoint,
  type DeliveryInHand,
  type DeliveryResult,
  deliveryId,
  hasArrived,
  parseDeliveryId,
  parseRetryAfter,
  RETRY_DELAYS_MS,
  reasonToDisable,
  resultOf,
} from '../deliveries/delivery.ts';
import { createLoader } from '../deliveries/load-deliveries.ts';
import { movedDeliveries } from '../deliveries/moved-deliveries.ts';
import { createRecorder } from '../deliveries/record-deliveries.ts';
import { Outboxes } from '../drains/outboxes.ts';
import { Recovery } from '../recovery/recover-endpoint.ts';
import { Replays } from '../replays/run-replays.ts';
import { withoutTexts } from './mask-answer.ts';
import { OpenedHeaders } from './opened-headers.ts';
import { SigningKeys } from './signing-keys.ts';

export interface DelivererOptions {
  pool: Pool;
  /** For the one command that delivering can lead to: disabling an endpoint that fails. */
  committer: { submit<Answer>(bookId: BookId, command: Command<Answer>): Promise<Answer> };
  secretBox: SecretBox;
  clock: Clock;
  log: Logger;
  rowFailed: RowFailed;
  /** `host:port` and `host:*`: hosts that test books may reach although they are not public (WEBHOOK_ALLOW_HOSTS). */
  allowHosts: readonly string[];
  /** In [0, 1): spreads the retries. */
  random?: () => number;
  /** For one attempt, from resolving the name to the end of the response. */
  timeoutMs?: number;
  resolve?: ResolveName;
  /** Name servers of WEBHOOK_DNS_SERVERS; those of the system by default. */
  dnsServers?: readonly string[];
  /**
   * A statement for several books is slow after this many milliseconds (books-batch.ts). In the schedule test, whose
   * time is simulated, none is slow.
   */
  slowStatementMs?: number;
  /** The event as it is sent: with links whose secret part is not stored. */
  withLinks?: (bookId: BookId, payload: string) => string;
  /** Sends an attempt: by HTTP, unless a test's model of the network replaces it. */
  post?: typeof postEvent;
}

export interface Deliverer {
  /**
   * Passes deliveries (`${eventSequence}:${endpointId}`) to their outboxes. Does not wait for receivers. `atOnce`: they wait
   * behind no backlog.
   */
  take(bookId: BookId, ids: readonly string[], options?: { atOnce?: boolean }): void;
  /** The same. Resolves once the results of all deliveries that were not skipped are recorded. */
  deliver(bookId: BookId, ids: readonly string[]): Promise<void>;
  /** Carries out replays, and drains the backlogs of their endpoints. Resolves once they are done, or a bug has stopped them. */
  replay(bookId: BookId, replayIds: readonly Uuid[]): Promise<void>;
  /** Begins to drain the backlogs of endpoints that are due. Does not wait for receivers. */
  drain(bookId: BookId, endpointIds: readonly Uuid[]): void;
  /** Starts nothing more. Resolves once the results of attempts in progress are recorded. */
  close(): Promise<void>;
}

/** API.md §6. */
const TIMEOUT_MS = 15_000;
/** Attempts in progress in this process. Each has a socket, a timer and the response so far. */
const ATTEMPTS_MAX = 512;
/** Guaranteed to each book, however many receivers of other books are silent. At 20 ms an attempt, hundreds a second. */
const ATTEMPTS_GUARANTEED = 8;
/** Deliveries that jobs named, in memory: some 10 MB. */
const NAMED_MAX = 8_000;
const NAMED_GUARANTEED = 200;
/**
 * Statements at once, by book in turn: half of a process's connections, since the others move money. Batches grow while
 * they wait. Without this limit 1,000 endpoints, half of them dead, kept 300 statements waiting for the ten connections.
 */
const STATEMENTS_MAX = 5;

const USER_AGENT = 'Countinghouse-Webhooks/1.0';

export function createDeliverer(options: DelivererOptions): Deliverer {
  const { pool, committer, clock, log, random = Math.random, timeoutMs = TIMEOUT_MS, post = postEvent } = options;
  const allow = parseAllowList(options.allowHosts);
  const names = createHostNames({ servers: options.dnsServers });
  const connecting = { allow, resolve: options.resolve ?? resolveBy(names) };
  const agentOf = (mode: Mode) => createSafeAgent({ mode, ...connecting });
  const agents = { test: agentOf('test'), live: agentOf('live') };
  const signingKeys = new SigningKeys(options.secretBox);
  const customHeaders = new OpenedHeaders(options.secretBox);
  const statements = new Room(STATEMENTS_MAX);
  const replays = new Replays({ ...options, statements });
  const write = createRecorder(pool, statements, options.slowStatementMs);
  const warn = warnSeldom(log, 'webhook deliveries postponed');
  const disabling = new Map<Uuid, Promise<unknown>>();
  let closed = false;
  const slots = new Slots(ATTEMPTS_MAX, { guaranteed: ATTEMPTS_GUARANTEED });
  const outboxes = new Outboxes({
    slots,
    memory: new Slots(NAMED_MAX, { guaranteed: NAMED_GUARANTEED }),
    now: () => clock.now(),
    load: createLoader(pool, statements, options.slowStatementMs),
    send,
    record,
    drains: { pool, committer, clock, log, random, statements, attempt, replays },
    warn,
  });

  const recovery = new Recovery({ pool, clock, statements, warn, outboxOf: (bookId, id) => outboxes.of(bookId, id) });

  async function send(bookId: BookId, delivery: DeliveryInHand): Promise<Attempt | undefined> {
    try {
      return await makeAttempt(bookId, delivery);
    } catch (error) {
      await failed(bookId, delivery, error);
      return undefined;
    }
  }

  /** Rejects with the error when the delivery is still due: its outbox skips it, and the backlog reads it again. */
  async function failed(bookId: BookId, delivery: DeliveryInHand, error: unknown): Promise<void> {
    const isOver = await options.rowFailed(movedDeliveries, { bookId, id: deliveryId(delivery) }, error);
    if (!isOver) throw error;
  }

  /** Resolves with the recorded result; undefined if Postgres refuses it, and the delivery is stuck. */
  async function record(
    bookId: BookId,
    delivery: DeliveryInHand,
    attempt: Attempt | null,
  ): Promise<DeliveryResult | undefined> {
    if (attempt && hasArrived(attempt)) await recovery.note(delivery.endpoint);
    const result = attempt ? await orderedResult(delivery, attempt) : canceled(delivery);
    const refusal = await write(bookId, result);
    if (refusal) await failed(bookId, delivery, refusal);
    const reason = attempt && reasonToDisable(delivery.endpoint, attempt);
    if (reason) await disable(delivery.endpoint, { reason, failedAt: attempt.startedAt });
    return refusal ? undefined : result;
  }

  /**
   * The result of an attempt. An ordered endpoint is disabled before the end of a delivery's attempts is recorded: no process
   * that is killed in between lets another go on behind it. One that has another URL by now begins anew.
   */
  async function orderedResult(delivery: DeliveryInHand, attempt: Attempt): Promise<DeliveryResult> {
    const result = resultOf(delivery, attempt, random);
    if (!delivery.endpoint.ordered || result.status !== 'failed') return result;
    const { id: endpointId, url: failedUrl } = delivery.endpoint;
    const reason = reasonToDisable(delivery.endpoint, attempt) === 'gone' ? 'gone' : 'failing';
    const end = { endpointId, requestId: newId(), failedUrl, reason, failedAt: attempt.startedAt, exhausted: true };
    const { refused } = await committer.submit(delivery.endpoint.bookId, disableFailingEndpoint({ ...end, reason }));
    if (!refused) log.warn({ bookId: delivery.endpoint.bookId, endpointId, reason }, 'webhook endpoint disabled');
    return refused ? { ...result, status: 'pending', retryAt: clock.now() + RETRY_DELAYS_MS[0]! } : result;
  }

  async function attempt(bookId: BookId, delivery: DeliveryInHand): Promise<DeliveryResult | undefined> {
    if (delivery.endpoint.status !== 'enabled') return record(bookId, delivery, null);
    await slots.free(bookId);
    const made = await send(bookId, delivery).finally(() => slots.giveBack(bookId));
    return made && record(bookId, delivery, made);
  }

  async function makeAttempt(
    bookId: BookId,
    { eventId, endpoint, payload: stored, texts, mode }: DeliveryInHand,
  ): Promise<Attempt> {
    const payload = options.withLinks?.(bookId, stored) ?? stored;
    const url = new URL(endpoint.url);
    const startedAt = clock.now();
    const started = performance.now();
    const message = { id: publicId('event', eventId), timestampSeconds: Math.floor(startedAt / 1_000), body: payload };
    const headers = {
      ...customHeaders.of(endpoint),
      'content-type': 'application/json',
      'user-agent': USER_AGENT,
      'webhook-id': message.id,
      'webhook-timestamp': String(message.timestampSeconds),
      'webhook-signature': signingKeys.sign(endpoint, message, startedAt),
    };
    failpoint('webhook.post.before');
    const asks = !options.resolve && !isOpened(mode, url);
    const preparing = asks ? names.prepare(bookId, unbracketed(url.hostname)) : undefined;
    if (preparing) await Promise.race([preparing, delay(timeoutMs, undefined, { ref: false })]);
    const leftMs = Math.max(timeoutMs - (performance.now() - started), 1);
    const outcome = await post(agents[mode], { url: endpoint.url, headers, body: payload, timeoutMs: leftMs });
    failpoint('webhook.post.after');
    return {
      startedAt,
      durationMs: Math.round(performance.now() - started),
      status: outcome.status,
      error: outcome.error,
      // Many receivers echo the request.
      response: outcome.response && maskCardNumbers(redactPlain(withoutTexts(outcome.response, texts))),
      retryAfterMs: parseRetryAfter(outcome.retryAfter, startedAt),
    };
  }

  /** Hosts that the operator allows are few, and are resolved by the machine instead of our name servers. */
  const isOpened = (mode: Mode, url: URL) => mode === 'test' && allow.permits(url.hostname, portOf(url));

  /**
   * Concurrent attempts of one endpoint often fail alike: one command disables it. If that is lost, the next attempt
   * repeats it.
   */
  async function disable(
    { bookId, id: endpointId, url: failedUrl }: DeliveryEndpoint,
    failure: { reason: 'gone' | 'failing'; failedAt: Instant },
  ): Promise<void> {
    const facts = { bookId, endpointId, reason: failure.reason };
    const command = () => disableFailingEndpoint({ endpointId, requestId: newId(), failedUrl, ...failure });
    const begin = () =>
      committer
        .submit(bookId, command())
        // Refused: it is disabled already, has another URL, or its streak has not lasted for days.
        .then(({ refused }) => refused || log.warn(facts, 'webhook endpoint disabled'))
        .catch((error: unknown) => log.error({ err: error, ...facts }, 'webhook endpoint not disabled'))
        .finally(() => disabling.delete(endpointId));
    const running = disabling.get(endpointId) ?? begin();
    disabling.set(endpointId, running);
    await running;
  }

  function offered(bookId: BookId, ids: readonly string[], options?: { atOnce?: boolean }): Promise<void>[] {
    if (closed) return [];
    const keys = ids.map(parseDeliveryId).filter((key) => key !== undefined);
    return keys.map((key) => outboxes.of(bookId, key.endpointId).offer(key, options));
  }

  return {
    take(bookId, ids, options) {
      for (const ended of offered(bookId, ids, options)) ended.catch(warn);
    },

    async deliver(bookId, ids) {
      const outcomes = await Promise.allSettled(offered(bookId, ids));
      const failed = outcomes.find((outcome) => outcome.status === 'rejected');
      if (failed) throw failed.reason;
    },

    replay: (bookId, ids) =>
      replays.run(bookId, ids, { isClosed: () => closed, onAdded: (id) => outboxes.drain(bookId, id) }),

    drain(bookId, endpointIds) {
      if (!closed) for (const endpointId of endpointIds) outboxes.drain(bookId, endpointId);
    },

    async close() {
      closed = true;
      await outboxes.close();
      agents.test.destroy();
      agents.live.destroy();
    },
  };
}
