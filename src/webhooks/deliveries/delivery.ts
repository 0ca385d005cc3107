/**
 * A delivery: one event on its way to one endpoint. It is written with the event. Attempts follow until one arrives,
 * until the retry schedule ends, or until the endpoint is disabled or deleted.
 * Invariant: an attempt is counted only together with its attempt row. Of two results of the same attempt the second
 * changes nothing.
 * Next: deliver-webhook.ts (makes the attempts), delivery-store.ts (its rows), ../standard-webhooks.ts (how it is signed).
 */

import type { BookId, Mode } from '../../ledger/book/book.ts';
import type { PostError } from '../../outside/connections/post-event.ts';
import type { Instant } from '../../values/clock.ts';
import { parseHttpDate } from '../../values/http-date.ts';
import type { Uuid } from '../../values/ids.ts';
import type { DisabledReason, EarlierSecret, EndpointStatus, Signature } from '../endpoints/endpoint.ts';

export type DeliveryStatus =
  /** Written with its event. The webhooks pool attempts it when enqueued, and again once `retry_at` has passed. */
  | 'pending'
  /** Answered with 2xx. Final, unless the integrator has it sent again. */
  | 'delivered'
  /**
   * The last attempt failed, or the endpoint answered 410 Gone. Failed deliveries are sent again when they are
   * recovered.
   */
  | 'failed'
  /**
   * The delivery fell due while its endpoint was disabled or deleted, and was not sent. Disabling an endpoint changes
   * no delivery: one that falls due after the endpoint is enabled again is attempted as before. The row keeps its event, so
   * a canceled delivery can be recovered.
   */
  | 'canceled';

/** A replay (replay.ts) makes a final delivery `pending` again. */
export const DELIVERY_TRANSITIONS: Record<DeliveryStatus, readonly DeliveryStatus[]> = {
  pending: ['delivered', 'failed', 'canceled'],
  delivered: ['pending'],
  failed: ['pending'],
  canceled: ['pending'],
};

/** Names a delivery within its book. */
export interface DeliveryKey {
  readonly eventSequence: bigint;
  readonly endpointId: Uuid;
}

/** A delivery with everything that an attempt needs. One query loads many. */
export interface DeliveryInHand extends DeliveryKey {
  readonly eventId: Uuid;
  /** The event as it is sent: the same bytes on every attempt, until personal text in it is erased. */
  readonly payload: string;
  /** The personal texts that were filled in. A receiver's answer is stored without them. */
  readonly texts: readonly string[];
  /** Attempts so far. A result is recorded only while the row has the same count. */
  readonly attempts: number;
  readonly retryAt: Instant | null;
  /**
   * How many of the attempts the retry schedule does not count: those that a recovery of the endpoint brought forward, and
   * those before the delivery was asked for again. Left out: 0.
   */
  readonly earlyAttempts?: number;
  readonly mode: Mode;
  readonly endpoint: DeliveryEndpoint;
}

/** The columns of the endpoint that an attempt needs. */
export interface DeliveryEndpoint {
  readonly bookId: BookId;
  readonly id: Uuid;
  readonly url: string;
  readonly status: EndpointStatus;
  readonly secretSealed: Buffer | null;
  readonly previousSecretSealed: Buffer | null;
  readonly previousSecretUntil: Instant | null;
  /** Left out: none. */
  readonly earlierSecrets?: readonly EarlierSecret[];
  readonly failingSince: Instant | null;
  /** While set, the drain of the backlog attempts the endpoint's deliveries. */
  readonly behindSince: Instant | null;
  /** One at a time, in the order of the events. Left out: not. */
  readonly ordered?: boolean;
  /** Left out: as many as it takes. */
  readonly ratePerSecond?: number | null;
  /** Who drains its backlog sends nothing before. Left out: at once. */
  readonly rateFreeAt?: Instant | null;
  /** Left out: none. */
  readonly headersSealed?: Buffer | null;
  /** Left out: `v1`. */
  readonly signatures?: readonly Signature[];
  readonly signingKeySealed?: Buffer | null;
}

export interface Attempt {
  readonly startedAt: Instant;
  readonly durationMs: number;
  /** HTTP status; null when no answer came. */
  readonly status: number | null;
  readonly error: PostError | null;
  /** The beginning of the answer, for debugging. */
  readonly response: string | null;
  /** The receiver's Retry-After, in milliseconds. */
  readonly retryAfterMs: number | null;
}

/** The result of an attempt, or of a cancellation. */
export interface DeliveryResult extends DeliveryKey {
  /** Attempts before this one. The result is recorded only while the row has the same count. */
  readonly attempts: number;
  readonly status: DeliveryStatus;
  readonly retryAt: Instant | null;
  /** Null when nothing was sent. */
  readonly attempt: Attempt | null;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/**
 * Waits after the first, second, … failed attempt (API.md §6: the schedule of Standard Webhooks, a little longer at its
 * end).
 */
export const RETRY_DELAYS_MS: readonly number[] = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
];
export const ATTEMPTS_MAX = RETRY_DELAYS_MS.length + 1;

/** Each wait is spread by this fraction either way, so that deliveries that failed together are not retried together. */
export const RETRY_SPREAD = 0.2;

/** Most that a Retry-After can delay an attempt: the longest wait of the schedule. */
const RETRY_AFTER_MAX_MS = 24 * HOUR;

/**
 * When the sweeper enqueues a delivery whose job was lost: past the longest attempt (15 s) and a queue's usual
 * wait.
 */
export const FIRST_DUE_SECONDS = 30;

/** An endpoint is disabled when its streak of failures has lasted this long, and a streak ends this long after its last failure. */
export const FAILING_LIMIT_MS = 5 * DAY;

/** Clocks of two machines differ: a job for a retry may come this much before our own clock shows its time. */
const CLOCK_TOLERANCE_MS = 2 * SECOND;

const GONE = 410;

/** Whether the delivery may be attempted now: the first time at any time, later once `retryAt` has passed. */
export function isReady({ attempts, retryAt }: Pick<DeliveryInHand, 'attempts' | 'retryAt'>, now: Instant): boolean {
  return attempts === 0 || (retryAt !== null && retryAt <= now + CLOCK_TOLERANCE_MS);
}

export function hasArrived({ status }: Pick<Attempt, 'status'>): boolean {
  return status !== null && status >= 200 && status < 300;
}

/** The delay before the next attempt, in milliseconds; undefined after the last attempt. `random` is in [0, 1). */
export function retryDelayMs(
  failedAttempts: number,
  retryAfterMs: number | null,
  random: () => number,
): number | undefined {
  const delayMs = RETRY_DELAYS_MS[failedAttempts - 1];
  if (delayMs === undefined) return undefined;
  const spreadMs = Math.round(delayMs * (1 - RETRY_SPREAD + 2 * RETRY_SPREAD * random()));
  return Math.max(spreadMs, Math.min(retryAfterMs ?? 0, RETRY_AFTER_MAX_MS));
}

/** The result of an attempt for its delivery. */
export function resultOf(delivery: DeliveryInHand, attempt: Attempt, random: () => number): DeliveryResult {
  const result = (status: DeliveryStatus, retryAt: Instant | null = null) =>
    newResult(delivery, { status, retryAt, attempt });
  if (hasArrived(attempt)) return result('delivered');
  if (attempt.status === GONE) return result('failed');
  const counted = delivery.attempts + 1 - (delivery.earlyAttempts ?? 0);
  const delayMs = retryDelayMs(counted, attempt.retryAfterMs, random);
  if (delayMs === undefined) return result('failed');
  return result('pending', attempt.startedAt + attempt.durationMs + delayMs);
}

/**
 * Whether the endpoint has to be drained by one process: only that one knows the order, and how many attempts began within
 * a second.
 */
export function isDrained({ ordered, ratePerSecond }: DeliveryEndpoint): boolean {
  return ordered === true || (ratePerSecond !== undefined && ratePerSecond !== null);
}

/** The result for a delivery whose endpoint is not enabled: nothing is sent. */
export function canceled(delivery: DeliveryInHand): DeliveryResult {
  return newResult(delivery, { status: 'canceled' });
}

function newResult(
  delivery: DeliveryInHand,
  result: Partial<DeliveryResult> & Pick<DeliveryResult, 'status'>,
): DeliveryResult {
  return {
    eventSequence: delivery.eventSequence,
    endpointId: delivery.endpointId,
    attempts: delivery.attempts,
    retryAt: null,
    attempt: null,
    ...result,
  };
}

/**
 * The reason to disable the endpoint after this attempt; undefined without one. `failing` is a candidate: the command
 * decides by the streak in the endpoint's row (failing-streak.ts), which other processes write too.
 */
export function reasonToDisable(
  endpoint: DeliveryEndpoint,
  attempt: Attempt,
): Exclude<DisabledReason, 'requested'> | undefined {
  if (attempt.status === GONE) return 'gone';
  if (hasArrived(attempt) || endpoint.failingSince === null) return undefined;
  return attempt.startedAt - endpoint.failingSince >= FAILING_LIMIT_MS ? 'failing' : undefined;
}

/**
 * Parses a Retry-After header (RFC 9110, 10.2.3), seconds or a date, into milliseconds. Null when it is neither. Blanks around the value
 * belong to the field line (5.5): not every client of HTTP takes them away. However large the number is, it asks for the longest pause.
 */
export function parseRetryAfter(header: string | undefined, now: Instant): number | null {
  const value = header?.trim() ?? '';
  if (/^\d+$/.test(value)) return Math.min(Number(value) * SECOND, RETRY_AFTER_MAX_MS);
  const date = parseHttpDate(value, now);
  return date === undefined ? null : Math.max(date - now, 0);
}

/** The delivery's id in jobs. */
export function deliveryId({ eventSequence, endpointId }: DeliveryKey): string {
  return `${eventSequence}:${endpointId}`;
}

const DELIVERY_ID = /^(\d{1,19}):([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/** Undefined when the text is not a delivery's id. Such an id in a job is ignored. */
export function parseDeliveryId(id: string): DeliveryKey | undefined {
  const match = DELIVERY_ID.exec(id);
  return match ? { eventSequence: BigInt(match[1]!), endpointId: match[2]! } : undefined;
}
