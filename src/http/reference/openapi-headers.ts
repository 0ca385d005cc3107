/** Headers of requests and answers in the API reference. */
import type { OpenAPIRegistry } from '@asteasolutions/zod-to-openapi';
import { z } from 'zod';
import { MAX_IDEMPOTENCY_KEY_LENGTH, MAX_WAIT_SECONDS } from '../../api/request-headers.ts';
import { isWrite, type Route } from '../../api/route.ts';
import { exampleId } from '../../api/schemas/fields.ts';

type HeaderObject = Parameters<typeof OpenAPIRegistry.prototype.registerComponent<'headers'>>[2];

function header(name: string, schema: z.ZodType, description: string): z.ZodType {
  return schema.meta({ param: { name, in: 'header', description } } as never);
}

const idempotencyKey = z
  .string()
  .min(1)
  .max(MAX_IDEMPOTENCY_KEY_LENGTH)
  .regex(/^[!-~]+$/);
const KEY_TEXT =
  'Makes the request happen once: repeated under the same key it gives its first answer again, or, where the answer waits, the object as it is by then. Scope: the book.';
/** Of this operation alone: samples that are run one behind the other have keys of their own. */
const keyRequired = ({ operation }: Route) =>
  header('Idempotency-Key', idempotencyKey.meta({ example: `${operation}-1041` }), KEY_TEXT);
const keyOptional = header('Idempotency-Key', idempotencyKey.optional(), KEY_TEXT);
const ifMatch = header(
  'If-Match',
  z
    .string()
    .regex(/^(\*|"\d{1,9}"|\d{1,9})$/)
    .optional(),
  'The `version` that you read; refused with 412 when the object has another one by now. `*` stands for any.',
);
const prefer = header(
  'Prefer',
  z.string().optional(),
  `\`wait=N\` (RFC 7240, at most ${MAX_WAIT_SECONDS}) holds the answer until the object has left its first status; \`respond-async\` answers at once.`,
);

export function requestHeaders(route: Route): z.ZodType[] {
  const headers: z.ZodType[] = [];
  if (isWrite(route) && !route.isMessage)
    headers.push(route.idempotency === 'required' ? keyRequired(route) : keyOptional);
  if (route.ifMatch) headers.push(ifMatch);
  if (route.waits) headers.push(prefer);
  return headers;
}

const text = { type: 'string' } as const;

/** Statuses of answers that are kept under the Idempotency-Key: of what was done, and of what a decision refused but for 412. */
const isStored = (status: number) => status < 300 || [404, 409, 422].includes(status);

/** Headers of answers, by the name of their component. */
export const RESPONSE_HEADERS = {
  RequestId: {
    schema: { type: 'string', example: exampleId('request') },
    description: 'Names this request in logs, events and journal entries.',
  },
  RateLimit: {
    schema: text,
    description: 'What is left of the limit (draft-ietf-httpapi-ratelimit-headers).',
    example: '"writes";r=99;t=1',
  },
  RateLimitPolicy: { schema: text, description: 'The limit itself.', example: '"writes";q=100;w=1' },
  RetryAfter: { schema: { type: 'integer' }, description: 'Seconds.' },
  RetryAfterConflict: { schema: { type: 'integer' }, description: 'Seconds, where the answer is `retryable`.' },
  IdempotentReplayed: {
    schema: text,
    description:
      '`true` when nothing was done again: this is the first answer, or, where the answer waits, the object as it is by now.',
  },
  PreferenceApplied: { schema: text, description: 'The preference that was applied.', example: 'wait=10' },
} as const satisfies Readonly<Record<string, HeaderObject>>;

/** Of operations that retire. */
export const RETIREMENT_HEADERS = {
  Deprecation: { schema: text, description: 'Since when the operation is deprecated (RFC 9745).' },
  Sunset: { schema: text, description: 'When the operation ends (RFC 8594).' },
} as const satisfies Readonly<Record<string, HeaderObject>>;

const refTo = (name: keyof typeof RESPONSE_HEADERS | keyof typeof RETIREMENT_HEADERS) => ({
  $ref: `#/components/headers/${name}`,
});

/** By name on the wire. */
export function responseHeaders(route: Route, status = 200): Record<string, { readonly $ref: string }> {
  const writes = isWrite(route);
  const isDecided = isStored(status);
  return {
    'Request-Id': refTo('RequestId'),
    ...(status !== 401 && { RateLimit: refTo('RateLimit'), 'RateLimit-Policy': refTo('RateLimitPolicy') }),
    ...(route.retires && { Deprecation: refTo('Deprecation'), Sunset: refTo('Sunset') }),
    ...((status === 429 || status === 503) && { 'Retry-After': refTo('RetryAfter') }),
    ...(status === 409 && writes && { 'Retry-After': refTo('RetryAfterConflict') }),
    ...(isDecided && writes && { 'Idempotent-Replayed': refTo('IdempotentReplayed') }),
    ...(isDecided && route.waits && { 'Preference-Applied': refTo('PreferenceApplied') }),
  };
}
