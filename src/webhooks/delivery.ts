/**
 * A delivery: one event on its way to one endpoint. It is written with the event, and tried until it arrives, until the
 * ladder of tries ends or until the endpoint wants no more.
 * Invariant: a try is counted only together with its attempt row; whoever was slower with the same try changes nothing.
 * Next: deliver-webhook.ts (who tries), delivery-store.ts (its rows), signature.ts (what it is signed with).
 */
import type { Instant } from '../clock.ts';
import type { Uuid } from '../ids.ts';
import type { BookId, Mode } from '../ledger/book.ts';
import type { DisabledReason, EndpointStatus } from './endpoint.ts';

export type DeliveryStatus =
  /** Written with its event. The webhooks pool tries it: at once when rung, then whenever `retry_at` has passed. */
  | 'pending'
  /** Answered with 2xx. Final. */
  | 'delivered'
  /** The last try failed, or the endpoint said 410 Gone. Final, and first among what can be recovered. */
  | 'failed'
  /**
   * It fell due while its endpoint was disabled or deleted, and was not sent. Nothing is touched when an endpoint is
   * switched off: a delivery whose time comes after it is switched on again goes on as if nothing had been. The row
   * keeps its event, so what was canceled can be recovered.
   */
  | 'canceled';

export const DELIVERY_TRANSITIONS: Record<DeliveryStatus, readonly DeliveryStatus[]> = {
  pending: ['delivered', 'failed', 'canceled'],
  delivered: [],
  failed: [],
  canceled: [],
};

/** What names a delivery within its book. */
export interface DeliveryKey {
  readonly eventSequence: bigint;
  readonly endpointId: Uuid;
}

/** A delivery with all that a try needs: loaded in one query for many. */
export interface DeliveryInHand extends DeliveryKey {
  readonly eventId: Uuid;
  /** The event as it is sent, the same bytes on every try until personal text in it is erased. */
  readonly payload: string;
  /** The personal texts that were filled into it: what a receiver's answer is kept without. */
  readonly texts: readonly string[];
  /** Tries so far: what a result is compared with when it is recorded. */
  readonly attempts: number;
  readonly retryAt: Instant | null;
  readonly mode: Mode;
  readonly endpoint: DeliveryEndpoint;
}

/** What a try needs to know of the endpoint. */
export interface DeliveryEndpoint {
  readonly bookId: BookId;
  readonly id: Uuid;
  readonly url: string;
  readonly status: EndpointStatus;
  readonly secretSealed: Buffer | null;
  readonly previousSecretSealed: Buffer | null;
  readonly previousSecretUntil: Instant | null;
  readonly failingSince: Instant | null;
  /** While it is set, its deliveries are tried by whoever drains its backlog. */
  readonly behindSince: Instant | null;
}

/** Why a try had no answer. An answer other than 2xx is told by its status. */
export type AttemptError =
  /** No whole answer within the time limit. */
  | 'timeout'
  /** There is no such name, or it has no address. */
  | 'name_not_found'
  /** No name server told the addresses of the name. */
  | 'name_timeout'
  | 'connection_refused'
  | 'connection_failed'
  /** The connection ended before the answer began. */
  | 'connection_closed'
  | 'tls_failed'
  /** The address is not public, or the endpoint would be reached without TLS in live mode. */
  | 'address_forbidden'
  | 'answer_invalid';

export interface Attempt {
  readonly startedAt: Instant;
  readonly durationMs: number;
  /** HTTP status; null when no answer came. */
  readonly status: number | null;
  readonly error: AttemptError | null;
  /** How the answer began, for people who look for a fault. */
  readonly response: string | null;
  /** What the receiver asked for with Retry-After. */
  readonly retryAfterMs: number | null;
}

/** What a try, or the refusal to try, makes of a delivery. */
export interface DeliveryResult extends DeliveryKey {
  /** Tries before this one: recorded only where the row still says the same. */
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

/** Waits after the first, second, … failed try (API.md §6; the ladder of Standard Webhooks, a little longer at its end). */
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
export const TRIES_MAX = RETRY_DELAYS_MS.length + 1;

/** Each wait is spread by as much either way, so that what failed together does not come back together. */
const RETRY_SPREAD = 0.2;

/** A receiver may ask for patience, but not put us off for longer than the ladder's longest wait. */
const RETRY_AFTER_MAX_MS = 24 * HOUR;

/** An endpoint at which nothing has arrived for this long is switched off. */
export const FAILING_LIMIT_MS = 5 * DAY;

/** Clocks of two machines differ: a bell for a retry may come this much before our own clock says so. */
const CLOCK_TOLERANCE_MS = 2 * SECOND;

const GONE = 410;

/** Whether it may be tried now: the first time whenever it is rung, later not before its time. */
export function isReady({ attempts, retryAt }: Pick<DeliveryInHand, 'attempts' | 'retryAt'>, now: Instant): boolean {
  return attempts === 0 || (retryAt !== null && retryAt <= now + CLOCK_TOLERANCE_MS);
}

export function hasArrived({ status }: Pick<Attempt, 'status'>): boolean {
  return status !== null && status >= 200 && status < 300;
}

/** Milliseconds until the next try after so many failed ones; undefined when that was the last. `random` is in [0, 1). */
export function retryDelayMs(
  failedTries: number,
  retryAfterMs: number | null,
  random: () => number,
): number | undefined {
  const delayMs = RETRY_DELAYS_MS[failedTries - 1];
  if (delayMs === undefined) return undefined;
  const spreadMs = Math.round(delayMs * (1 - RETRY_SPREAD + 2 * RETRY_SPREAD * random()));
  return Math.max(spreadMs, Math.min(retryAfterMs ?? 0, RETRY_AFTER_MAX_MS));
}

/** What a try makes of its delivery. */
export function resultOf(delivery: DeliveryInHand, attempt: Attempt, random: () => number): DeliveryResult {
  const settled = (status: DeliveryStatus, retryAt: Instant | null = null) =>
    newResult(delivery, { status, retryAt, attempt });
  if (hasArrived(attempt)) return settled('delivered');
  if (attempt.status === GONE) return settled('failed');
  const delayMs = retryDelayMs(delivery.attempts + 1, attempt.retryAfterMs, random);
  if (delayMs === undefined) return settled('failed');
  return settled('pending', attempt.startedAt + attempt.durationMs + delayMs);
}

/** Its endpoint is not enabled: nothing is sent. */
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

/** Why the endpoint is to be switched off after this try, if it is. */
export function reasonToDisable(
  endpoint: DeliveryEndpoint,
  attempt: Attempt,
): Exclude<DisabledReason, 'requested'> | undefined {
  if (attempt.status === GONE) return 'gone';
  if (hasArrived(attempt) || endpoint.failingSince === null) return undefined;
  return attempt.startedAt - endpoint.failingSince >= FAILING_LIMIT_MS ? 'failing' : undefined;
}

/**
 * What results say of their endpoints: null where something arrived, else since when nothing did. Within one batch an
 * arrival has the last word, whatever failed beside it.
 */
export function healthOf(results: readonly DeliveryResult[]): Map<Uuid, Instant | null> {
  const health = new Map<Uuid, Instant | null>();
  for (const { endpointId, attempt } of results) {
    if (attempt === null) continue;
    if (hasArrived(attempt)) health.set(endpointId, null);
    else if (!health.has(endpointId)) health.set(endpointId, attempt.startedAt);
  }
  return health;
}

/** Milliseconds that a Retry-After header asks for (RFC 9110, 10.2.3): seconds, or a date. Null when it says neither. */
export function parseRetryAfter(header: string | undefined, now: Instant): number | null {
  if (header === undefined) return null;
  if (/^\d{1,9}$/.test(header)) return Number(header) * SECOND;
  const date = /[a-z]/i.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(date) ? null : Math.max(date - now, 0);
}

/** As bells carry it. */
export function deliveryId({ eventSequence, endpointId }: DeliveryKey): string {
  return `${eventSequence}:${endpointId}`;
}

const DELIVERY_ID = /^(\d{1,19}):([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/** Undefined for what is no delivery's id: a bell that means nothing is answered by nobody. */
export function parseDeliveryId(id: string): DeliveryKey | undefined {
  const match = DELIVERY_ID.exec(id);
  return match ? { eventSequence: BigInt(match[1]!), endpointId: match[2]! } : undefined;
}
