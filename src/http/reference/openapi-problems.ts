/**
 * Answers that refuse. They stand in `components` of the document, each once: operations that refuse alike share one, and an
 * operation that has codes or examples of its own has one of its name.
 */
import type { OpenAPIRegistry } from '@asteasolutions/zod-to-openapi';
import { z } from 'zod';
import { isWrite, type Route } from '../../api/route.ts';
import { codesOfSchema } from '../../api/schemas/refusal-codes.ts';
import { ERRORS, type ErrorCode } from '../../errors/errors.ts';
import { examplesOfCodes, type RecordedExamples } from './openapi-examples.ts';
import { responseHeaders } from './openapi-headers.ts';

type ResponseObject = Parameters<typeof OpenAPIRegistry.prototype.registerComponent<'responses'>>[2];

interface Reference {
  readonly $ref: string;
}

export interface ProblemAnswers {
  /** By name. */
  readonly components: Readonly<Record<string, ResponseObject>>;
  /** Of an operation, by status. */
  of(route: Route): Record<string, Reference>;
}

interface Refusal {
  readonly operation: string;
  readonly status: string;
  readonly answer: ResponseObject;
}

export function problemAnswers(routes: readonly Route[], examples: RecordedExamples): ProblemAnswers {
  const refusals = routes.flatMap((route) => refusalsOf(route, examples));
  const alike = new Map<string, Refusal[]>();
  for (const refusal of refusals) {
    const form = JSON.stringify([refusal.status, refusal.answer]);
    alike.set(form, [...(alike.get(form) ?? []), refusal]);
  }
  const components: Record<string, ResponseObject> = {};
  const references = new Map<string, Record<string, Reference>>();
  // The one that most operations share has the name of its status.
  for (const group of [...alike.values()].sort((a, b) => b.length - a.length)) {
    const [{ status, answer, operation: first }] = group as [Refusal];
    const general = `Problem${status}`;
    const name = general in components ? `${first[0]!.toUpperCase()}${first.slice(1)}${general}` : general;
    components[name] = answer;
    for (const { operation } of group)
      references.set(operation, {
        ...references.get(operation),
        [status]: { $ref: `#/components/responses/${name}` },
      });
  }
  return { components, of: ({ operation }) => references.get(operation) ?? {} };
}

/** One answer per status, with every error code of that status. */
function refusalsOf(route: Route, { operations, shared }: RecordedExamples): Refusal[] {
  const { operation } = route;
  const recorded = operations[operation]?.responses;
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of codesOf(route)) {
    const { status } = ERRORS[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return [...byStatus]
    .sort(([a], [b]) => a - b)
    .map(([status, codes]) => ({
      operation,
      status: String(status),
      answer: {
        description: codes.map((code) => `\`${code}\`: ${ERRORS[code].title}.`).join('\n\n'),
        headers: responseHeaders(route, status),
        content: {
          'application/problem+json': {
            schema: { $ref: '#/components/schemas/Problem' },
            ...examplesOfCodes(codes, recorded?.[status], shared[operation]),
          },
        },
      },
    }));
}

/** Codes with an example that some operation shares. */
export function sharedCodes(routes: readonly Route[], { operations, shared }: RecordedExamples): ErrorCode[] {
  const isOwn = ({ operation }: Route, code: ErrorCode) =>
    operations[operation]?.responses[ERRORS[code].status]?.[code] !== undefined;
  const used = routes.flatMap((route) => (shared[route.operation] ?? []).filter((code) => !isOwn(route, code)));
  return [...new Set(used)].sort();
}

/** Errors that any request with a key may get. */
const COMMON_ERRORS: readonly ErrorCode[] = [
  'api_key_missing',
  'api_key_invalid',
  'api_key_expired',
  'permission_denied',
  'ip_not_allowed',
  'rate_limited',
  'internal_error',
  'service_unavailable',
];
const BODY_ERRORS: readonly ErrorCode[] = [
  'malformed_json',
  'parameter_missing',
  'parameter_invalid',
  'card_number_not_allowed',
  'payload_too_large',
  'unsupported_media_type',
];

const OF_CALLERS_KEYS: readonly ErrorCode[] = ['idempotency_key_invalid', 'idempotency_key_voided'];

export function codesOf(route: Route): ErrorCode[] {
  const codes = new Set<ErrorCode>(COMMON_ERRORS);
  codes.add('parameter_unknown');
  const writes = route.method === 'post' || route.method === 'patch';
  if (writes) for (const code of BODY_ERRORS) codes.add(code);
  if (route.query || route.params || route.ifMatch) codes.add('parameter_invalid');
  for (const code of codesOfQuery(route)) codes.add(code);
  if (Object.values(route.params ?? {}).includes('text')) codes.add('card_number_not_allowed');
  if (Object.values(route.params ?? {}).some((kind) => kind !== 'text')) codes.add('resource_not_found');
  if (isWrite(route))
    for (const code of [
      // Of the Idempotency-Key too.
      'card_number_not_allowed',
      // Of the message_reference of a message.
      'idempotency_key_reused',
      ...(route.isMessage ? [] : OF_CALLERS_KEYS),
      'idempotency_in_progress',
      // Of a test book whose clock is on its way: idempotency/once.ts.
      'state_conflict',
    ] satisfies ErrorCode[])
      codes.add(code);
  if (route.idempotency === 'required') codes.add('idempotency_key_missing');
  if (route.ifMatch) codes.add('version_mismatch');
  if (route.testModeOnly) codes.add('test_mode_only');
  for (const code of route.errors ?? []) codes.add(code);
  return [...codes];
}

function codesOfQuery({ query }: Route): ErrorCode[] {
  if (!(query instanceof z.ZodObject)) return [];
  const codes = Object.values(query.shape).flatMap((schema) => codesOfSchema(schema));
  return query.safeParse({}).success ? codes : [...codes, 'parameter_missing'];
}
