/**
 * The catalogue of errors: every code an integrator can meet, with its status, whether the same request may succeed
 * later, and what to do next. The API renders it as problem+json (RFC 9457) and as pages under /docs/errors.
 */

import { ACCESS_ERRORS } from './access-errors.ts';
import type { ErrorDefinition } from './definition.ts';
import { IDEMPOTENCY_ERRORS } from './idempotency-errors.ts';
import type { NEVER_KEPT } from './kept.ts';
import { MONEY_ERRORS } from './money-errors.ts';
import { OBJECT_ERRORS } from './object-errors.ts';
import { REQUEST_ERRORS } from './request-errors.ts';
import { SYSTEM_ERRORS } from './system-errors.ts';
import { WEBHOOK_ERRORS } from './webhook-errors.ts';

export type { ErrorDefinition };

export const ERRORS = {
  ...REQUEST_ERRORS,
  ...ACCESS_ERRORS,
  ...IDEMPOTENCY_ERRORS,
  ...OBJECT_ERRORS,
  ...MONEY_ERRORS,
  ...WEBHOOK_ERRORS,
  ...SYSTEM_ERRORS,
} as const satisfies Readonly<Record<string, ErrorDefinition>>;

export type ErrorCode = keyof typeof ERRORS;

/** Codes whose answers may be stored under an idempotency key. */
type KeptCode = {
  [Code in ErrorCode]: (typeof ERRORS)[Code]['status'] extends (typeof NEVER_KEPT)[number] ? never : Code;
}[ErrorCode];

/**
 * Codes of a decision's refusals. A refusal with another code is thrown as an ApiError, which stores nothing.
 * `version_mismatch` is decided under the lock and answered without being stored (idempotency/once.ts).
 */
export type DecidedCode = KeptCode | 'version_mismatch';

/** Typed facts beside an error code: `available`, `required`, `current_status`, `limit`, … Written unchanged. */
export type Facts = Record<string, unknown>;

/** A field error: its code, its place (JSON pointer into the body, or a name), and the fault, in words. */
export interface FieldError {
  code: ErrorCode;
  param?: string;
  detail: string;
}

/**
 * A refusal that is not decided inside a commit: thrown by middleware and use cases, rendered by the API.
 * Refusals of a decision are values (see ledger/command/command.ts), stored under the idempotency key.
 */
export class ApiError extends Error {
  override name = 'ApiError';
  readonly code: ErrorCode;
  readonly fieldErrors: FieldError[];
  readonly facts: Facts;
  readonly headers: Record<string, string>;
  /** Whether the same request may succeed later, where the catalogue's value for the code does not apply. */
  readonly retryable: boolean | undefined;

  constructor(
    code: ErrorCode,
    details: {
      detail?: string;
      param?: string;
      fieldErrors?: FieldError[];
      facts?: Facts;
      headers?: Record<string, string>;
      retryable?: boolean;
    } = {},
  ) {
    const detail = details.detail ?? details.fieldErrors?.[0]?.detail ?? `${ERRORS[code].title}.`;
    super(detail);
    this.code = code;
    this.fieldErrors = details.fieldErrors ?? [
      { code, detail, ...(details.param === undefined ? {} : { param: details.param }) },
    ];
    this.facts = details.facts ?? {};
    this.headers = details.headers ?? {};
    this.retryable = details.retryable;
  }
}
