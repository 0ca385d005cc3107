/** Request headers with conventions of this API: Idempotency-Key, If-Match, Prefer. */
import { hash } from 'node:crypto';
import type { FieldError } from '../errors/errors.ts';
import { CARD_NUMBER_REFUSED, hasCardNumber } from '../values/card-number.ts';
import { canonicalJson } from '../values/json.ts';

/** Published at GET /v1/limits. */
export const MAX_IDEMPOTENCY_KEY_LENGTH = 255;

export function isIdempotencyKey(text: string): boolean {
  if (text.length === 0 || text.length > MAX_IDEMPOTENCY_KEY_LENGTH) return false;
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (character < 0x21 || character > 0x7e) return false;
  }
  return true;
}

/** The field error of an Idempotency-Key header; undefined for a valid one. */
export function idempotencyKeyFault(key: string | undefined, required: boolean): FieldError | undefined {
  if (key === undefined) {
    return required
      ? {
          code: 'idempotency_key_missing',
          param: 'Idempotency-Key',
          detail: 'This operation needs an Idempotency-Key: repeated under the same key, the request happens once.',
        }
      : undefined;
  }
  if (isIdempotencyKey(key))
    return hasCardNumber(key)
      ? { code: 'card_number_not_allowed', param: 'Idempotency-Key', detail: CARD_NUMBER_REFUSED }
      : undefined;
  return {
    code: 'idempotency_key_invalid',
    param: 'Idempotency-Key',
    detail: `Expects 1 to ${MAX_IDEMPOTENCY_KEY_LENGTH} visible ASCII characters.`,
  };
}

/**
 * SHA-256 of method, path and the body's value, whatever its key order and spacing: equal for two requests that are the
 * same under one key. Stored only in keyed form: idempotency/fingerprints.ts.
 */
export function fingerprintOf(request: { method: string; path: string; body: unknown }): Buffer {
  return hash('sha256', `${request.method} ${request.path}\n${canonicalJson(request.body)}`, 'buffer');
}

/** The version in `If-Match`: a whole number, quoted or not. `*` matches any version. */
export function readIfMatch(header: string | undefined): { version?: number; fieldError?: FieldError } {
  if (header === undefined || header.trim() === '*') return {};
  const match = /^(?:"(\d{1,9})"|(\d{1,9}))$/.exec(header.trim());
  if (match) return { version: Number(match[1] ?? match[2]) };
  return {
    fieldError: {
      code: 'parameter_invalid',
      param: 'If-Match',
      detail: 'Expects the `version` that you read, such as "3".',
    },
  };
}

/** The longest time that an answer waits. Published at GET /v1/limits. */
export const MAX_WAIT_SECONDS = 30;

export interface Preference {
  /** How long the answer may wait. Undefined: not at all. */
  readonly seconds: number | undefined;
  /** For `Preference-Applied`. */
  readonly applied: string | undefined;
}

/**
 * What a client prefers: `wait=N`, at most MAX_WAIT_SECONDS; `respond-async`, an answer at once; both, an answer once the
 * wait is over. Undefined without either; an unknown preference is ignored, as RFC 7240 requires.
 */
export function readPreference(header: string | string[] | undefined): Preference | undefined {
  if (header === undefined) return undefined;
  const seconds = readWait(header);
  if (seconds !== undefined) return { seconds, applied: `wait=${seconds}` };
  return preferences(header).some((preference) => /^\s*respond-async\s*(?:[;=].*)?$/i.test(preference))
    ? RESPOND_ASYNC
    : undefined;
}

const RESPOND_ASYNC: Preference = { seconds: undefined, applied: 'respond-async' };

/** Seconds of `Prefer: wait=N`, at most MAX_WAIT_SECONDS: a longer wait, of however many digits, is the longest there is. */
export function readWait(header: string | string[] | undefined): number | undefined {
  if (header === undefined) return undefined;
  for (const preference of preferences(header)) {
    const match = /^\s*wait\s*=\s*"?(\d+)"?\s*(?:;.*)?$/i.exec(preference);
    if (match) return Math.min(Number(match[1]), MAX_WAIT_SECONDS);
  }
  return undefined;
}

function preferences(header: string | string[]): string[] {
  return (Array.isArray(header) ? header.join(',') : header).split(',');
}
