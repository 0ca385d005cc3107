/**
 * The catalogue of errors: every code an integrator can meet, with its status, whether the same request may succeed
 * later, and what to do next. The API renders it as problem+json (RFC 9457) and as pages under /docs/errors.
 */

export interface ErrorDefinition {
  status: number;
  retryable: boolean;
  title: string;
  /** What to do next. */
  help: string;
}

const define = <Code extends string>(catalogue: Record<Code, ErrorDefinition>) => catalogue;

export const ERRORS = define({
  malformed_json: {
    status: 400,
    retryable: false,
    title: 'The body is not valid JSON',
    help: 'Send one JSON object in UTF-8; `detail` says where reading stopped.',
  },
  parameter_missing: {
    status: 400,
    retryable: false,
    title: 'A required parameter is missing',
    help: 'Add the parameter that `param` points to.',
  },
  parameter_invalid: {
    status: 400,
    retryable: false,
    title: 'A parameter has a value that is not accepted',
    help: 'Correct the parameter that `param` points to; `detail` says what is expected.',
  },
  parameter_unknown: {
    status: 400,
    retryable: false,
    title: 'A parameter is not known here',
    help: 'Remove the parameter that `param` points to, or correct its spelling.',
  },
  idempotency_key_missing: {
    status: 400,
    retryable: false,
    title: 'The Idempotency-Key header is missing',
    help: 'Send a new key (a UUID will do) with every new request that moves money, and the same key when you repeat it.',
  },
  idempotency_key_invalid: {
    status: 400,
    retryable: false,
    title: 'The Idempotency-Key header is not valid',
    help: 'Use 1 to 255 visible ASCII characters.',
  },
  amount_not_integer: {
    status: 400,
    retryable: false,
    title: 'An amount is not a whole number of minor units',
    help: "Send a JSON integer in the currency's smallest unit: 5.124 KWD is 5124.",
  },
  currency_unsupported: {
    status: 400,
    retryable: false,
    title: 'The currency is not supported',
    help: 'Send an active ISO 4217 code in capitals, such as JOD.',
  },
  cursor_invalid: {
    status: 400,
    retryable: false,
    title: 'The cursor is not valid',
    help: 'Use an id from this list, or the `next_cursor` of the page before.',
  },
  api_key_missing: {
    status: 401,
    retryable: false,
    title: 'No API key was sent',
    help: 'Send `Authorization: Bearer sk_test_…`.',
  },
  api_key_invalid: {
    status: 401,
    retryable: false,
    title: 'The API key is not valid',
    help: 'Check that the key is complete and has not been revoked.',
  },
  api_key_expired: {
    status: 401,
    retryable: false,
    title: 'The API key has expired',
    help: 'Create a new key, or roll this one.',
  },
  permission_denied: {
    status: 403,
    retryable: false,
    title: 'The API key lacks the scope that this needs',
    help: 'Use a key that has the scope named in `required`.',
  },
  test_mode_only: {
    status: 403,
    retryable: false,
    title: 'This exists in test mode only',
    help: 'Use a test key (`sk_test_…`).',
  },
  ip_not_allowed: {
    status: 403,
    retryable: false,
    title: 'The API key may not be used from this address',
    help: "Call from an address on the key's IP allow list.",
  },
  resource_not_found: {
    status: 404,
    retryable: false,
    title: 'There is no such object in this book',
    help: 'Check the id, and that the key belongs to the same organisation and mode.',
  },
  route_not_found: {
    status: 404,
    retryable: false,
    title: 'There is no such route',
    help: 'See /openapi.json for every route.',
  },
  method_not_allowed: {
    status: 405,
    retryable: false,
    title: 'This route does not know this method',
    help: 'Use one of the methods in the Allow header.',
  },
  idempotency_in_progress: {
    status: 409,
    retryable: true,
    title: 'A request with this Idempotency-Key is still in progress',
    help: 'Wait for Retry-After seconds and send the same request again under the same key.',
  },
  state_conflict: {
    status: 409,
    retryable: false,
    title: 'The object is in a state that does not allow this',
    help: '`current_status` and `allowed_actions` say what is possible now.',
  },
  account_not_empty: {
    status: 409,
    retryable: false,
    title: 'The account still holds something',
    help: 'Settle what `blocked_by` lists, then close the account.',
  },
  version_mismatch: {
    status: 412,
    retryable: false,
    title: 'The object has changed since you read it',
    help: 'Read it again and decide on its new state; send its `version` as If-Match.',
  },
  payload_too_large: {
    status: 413,
    retryable: false,
    title: 'The body is too large',
    help: 'Stay within the limit that `limit` names (see GET /v1/limits).',
  },
  unsupported_media_type: {
    status: 415,
    retryable: false,
    title: 'The body is not JSON',
    help: 'Send `Content-Type: application/json`.',
  },
  idempotency_key_reused: {
    status: 422,
    retryable: false,
    title: 'This Idempotency-Key was used for another request',
    help: 'Use a new key for a new request; `resource` names what the key stands for.',
  },
  idempotency_key_voided: {
    status: 422,
    retryable: false,
    title: 'This Idempotency-Key was voided',
    help: 'Nothing was done and nothing will be done under it. Use a new key.',
  },
  insufficient_funds: {
    status: 422,
    retryable: false,
    title: 'The account has too little available',
    help: 'Fund the account or lower the amount, then send the request again under a new Idempotency-Key.',
  },
  account_frozen: {
    status: 422,
    retryable: false,
    title: 'The account is frozen',
    help: 'Unfreeze the account, then send the request again under a new Idempotency-Key.',
  },
  account_closed: {
    status: 422,
    retryable: false,
    title: 'The account is closed',
    help: 'Use an open account.',
  },
  limit_exceeded: {
    status: 422,
    retryable: false,
    title: 'A limit would be exceeded',
    help: '`detail` says which limit, and `limit` how much it is. Where the operator raises it, send the request again under a new Idempotency-Key.',
  },
  currency_mismatch: {
    status: 422,
    retryable: false,
    title: 'The account is kept in another currency',
    help: 'Use an account of the same currency.',
  },
  amount_below_minimum: {
    status: 422,
    retryable: false,
    title: 'The amount is below the minimum',
    help: 'Send at least the amount in `limit`.',
  },
  amount_above_maximum: {
    status: 422,
    retryable: false,
    title: 'The amount is above the maximum',
    help: 'Send at most the amount in `limit`.',
  },
  destination_invalid: {
    status: 422,
    retryable: false,
    title: 'The destination cannot be paid',
    help: 'Correct the destination that `param` points to.',
  },
  rail_unavailable: {
    status: 422,
    retryable: false,
    title: 'No rail carries this destination',
    help: 'Use another destination type, or ask the operator to configure a rail for live mode.',
  },
  webhook_url_forbidden: {
    status: 422,
    retryable: false,
    title: 'Webhooks may not be sent to this URL',
    help: 'Use a public https address on one of the ports that `detail` names; in test mode, the operator can allow a local one with WEBHOOK_ALLOW_HOSTS.',
  },
  rate_limited: {
    status: 429,
    retryable: true,
    title: 'Too many requests',
    help: 'Wait for Retry-After seconds. `detail` says what there is too much of: requests a second (RateLimit says how many are left), requests or bytes at a time, or wrong keys from your address.',
  },
  internal_error: {
    status: 500,
    retryable: true,
    title: 'Something went wrong on our side',
    help: 'Send the same request again under the same Idempotency-Key, and tell us the request id if it persists.',
  },
  service_unavailable: {
    status: 503,
    retryable: true,
    title: 'The service cannot take this now',
    help: 'Send the same request again under the same Idempotency-Key after Retry-After seconds.',
  },
});

export type ErrorCode = keyof typeof ERRORS;

/** Typed facts beside an error code: `available`, `required`, `current_status`, `limit`, … Written as they are. */
export type Facts = Record<string, unknown>;

/** A field error: its code, where it is (JSON pointer into the body, or a name), and what is wrong, in words. */
export interface FieldError {
  code: ErrorCode;
  param?: string;
  detail: string;
}

/**
 * A refusal that is not decided inside a commit: thrown by middleware and use cases, rendered by the API.
 * Refusals of a decision are values (see ledger/command.ts), stored under the idempotency key.
 */
export class ApiError extends Error {
  override name = 'ApiError';
  readonly code: ErrorCode;
  readonly fieldErrors: FieldError[];
  readonly facts: Facts;
  readonly headers: Record<string, string>;

  constructor(
    code: ErrorCode,
    details: {
      detail?: string;
      param?: string;
      fieldErrors?: FieldError[];
      facts?: Facts;
      headers?: Record<string, string>;
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
  }
}
