/**
 * The API reference: OpenAPI 3.1, generated from the table of routes and the schemas that validate requests. There is
 * no second description of the API that could contradict it.
 */
import {
  OpenAPIRegistry,
  OpenApiGeneratorV31,
  type ResponseConfig,
  type RouteConfig,
} from '@asteasolutions/zod-to-openapi';
import { z } from 'zod';
import type { EventDocument } from '../api/event-document.ts';
import { type Route, TAGS } from '../api/route.ts';
import { exampleId } from '../api/schemas/fields.ts';
import { problem } from '../api/schemas/problem.ts';
import { codesOfSchema } from '../api/schemas/refusal-codes.ts';
import { ERRORS, type ErrorCode } from '../errors.ts';
import { idPattern } from '../ids.ts';
import { RELEASE } from '../release.ts';
import { snakeCase } from '../snake-case.ts';
import { callbackOf, registerEvents } from './openapi-events.ts';
import { examplesOf, examplesOfCodes, NO_EXAMPLES, type RecordedExamples } from './openapi-examples.ts';
import { requestHeaders, responseHeaders } from './openapi-headers.ts';
import { linksOf } from './openapi-links.ts';
import { retirementText } from './retirement.ts';

const introduction = (publicUrl: string) => `Payments on a double-entry ledger.

Every request carries \`Authorization: Bearer sk_test_…\` or \`sk_live_…\`: two books of one organisation, apart in everything.
Amounts are integers in the currency's smallest unit. Every error is \`application/problem+json\` with all faults at once.
A request that moves money or sets it aside carries an \`Idempotency-Key\`; repeated under the same key it gives its first answer again.
Where an answer waits (\`Prefer: wait\`; payments by default), it shows the object as it is by then, on a repetition too; \`version\` tells which is newer.
Lists are newest first, timelines oldest first; \`next_cursor\` reads on. \`version\` and \`If-Match\` refuse a stale write. Limits stand at /v1/limits.

Answers and events may have more members than this document names, and enumerations more values: accept those that you do not
know. The [compatibility policy](${publicUrl}/docs/compatibility) says what may be added, what never changes, and how an operation retires.`;

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

export interface DocumentParts {
  routes: readonly Route[];
  events: readonly EventDocument[];
  /** The base URL of the API and its docs. */
  publicUrl: string;
  examples?: RecordedExamples;
}

export function buildOpenApi({ routes, events, publicUrl, examples = NO_EXAMPLES }: DocumentParts) {
  const registry = new OpenAPIRegistry();
  registry.registerComponent('securitySchemes', 'apiKey', {
    type: 'http',
    scheme: 'bearer',
    description: 'An API key: `sk_test_…` for the test book, `sk_live_…` for the live one.',
  });
  for (const code of sharedCodes(routes, examples))
    registry.registerComponent('examples', code, examples.errors[code]!);
  for (const route of routes) registry.registerPath(operationOf(route, routes, examples));
  const ofWebhooks = registerEvents(registry, events, examples.events).map((schema) => ({
    type: 'schema' as const,
    schema,
  }));
  const document = new OpenApiGeneratorV31([...registry.definitions, ...ofWebhooks]).generateDocument({
    openapi: '3.1.0',
    info: {
      title: 'Countinghouse',
      version: RELEASE,
      description: introduction(publicUrl),
      contact: { name: 'Countinghouse', url: `${publicUrl}/docs` },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: publicUrl }],
    security: [{ apiKey: [] }],
    tags: Object.entries(TAGS)
      .filter(([name]) => routes.some(({ tag }) => tag === name))
      .map(([name, description]) => ({ name, description })),
  });
  return document as unknown as Record<string, unknown>;
}

function operationOf(route: Route, routes: readonly Route[], examples: RecordedExamples): RouteConfig {
  const headers = requestHeaders(route);
  return {
    method: route.method,
    path: route.path.replace(/:(\w+)/g, '{$1}'),
    operationId: route.operation,
    tags: [route.tag],
    summary: route.summary,
    ...(route.retires && { deprecated: true }),
    description: [
      route.description,
      route.retires ? retirementText(route.retires) : '',
      route.scope ? `Scope: \`${route.scope}\`.` : 'Any key.',
      route.testModeOnly ? 'Test mode only.' : '',
    ]
      .filter(Boolean)
      .join('\n\n'),
    security: [{ apiKey: [] }],
    request: {
      params: paramsOf(route),
      query: route.query as z.ZodObject | undefined,
      headers: headers.length > 0 ? headers : undefined,
      body: route.body && {
        required: !z.safeParse(route.body, {}).success,
        content: {
          'application/json': {
            schema: route.body,
            ...examplesOf(examples.operations[route.operation]?.request, route.bodyExample),
          },
        },
      },
    },
    ...(route.deliversTo && { callbacks: callbackOf(route.deliversTo) }),
    responses: { ...answersOf(route, routes, examples), ...problemsOf(route, examples) },
  };
}

function paramsOf(route: Route): z.ZodObject | undefined {
  if (!route.params) return undefined;
  const shape = Object.entries(route.params).map(([name, kind]) => {
    const schema =
      kind === 'text'
        ? z.string()
        : z.string().meta({
            pattern: idPattern(kind),
            description: `The id of the ${snakeCase(kind).replaceAll('_', ' ')}.`,
            example: exampleId(kind),
          });
    return [name, schema] as const;
  });
  return z.object(Object.fromEntries(shape));
}

function answersOf(
  route: Route,
  routes: readonly Route[],
  { operations }: RecordedExamples,
): Record<string, ResponseConfig> {
  const recorded = operations[route.operation]?.responses;
  return Object.fromEntries(
    Object.entries(route.responses).map(([status, response]) => {
      const { description, schema, shows = [] } = response;
      const links = linksOf(route, response, routes);
      const answer: ResponseConfig = {
        description: [description, withMembers(shows)].filter(Boolean).join(' '),
        headers: responseHeaders(route),
        content: { 'application/json': { schema, ...examplesOf(recorded?.[status]) } },
        ...(links && { links }),
      };
      return [status, answer];
    }),
  );
}

function withMembers(names: readonly string[]): string {
  return names.length === 0 ? '' : `With ${names.map((name) => `\`${name}\``).join(' and ')}.`;
}

/** One answer per status, with every error code of that status. */
function problemsOf(route: Route, { operations, shared }: RecordedExamples): Record<string, ResponseConfig> {
  const recorded = operations[route.operation]?.responses;
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of codesOf(route)) {
    const { status } = ERRORS[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return Object.fromEntries(
    [...byStatus]
      .sort(([a], [b]) => a - b)
      .map(([status, codes]) => [
        String(status),
        {
          description: codes.map((code) => `\`${code}\`: ${ERRORS[code].title}.`).join('\n\n'),
          headers: responseHeaders(route, status),
          content: {
            'application/problem+json': {
              schema: problem,
              ...examplesOfCodes(codes, recorded?.[status], shared[route.operation]),
            },
          },
        },
      ]),
  );
}

/** Codes with an example that some operation shares. */
function sharedCodes(routes: readonly Route[], { operations, shared }: RecordedExamples): ErrorCode[] {
  const isOwn = ({ operation }: Route, code: ErrorCode) =>
    operations[operation]?.responses[ERRORS[code].status]?.[code] !== undefined;
  const used = routes.flatMap((route) => (shared[route.operation] ?? []).filter((code) => !isOwn(route, code)));
  return [...new Set(used)].sort();
}

export function codesOf(route: Route): ErrorCode[] {
  const codes = new Set<ErrorCode>(COMMON_ERRORS);
  codes.add('parameter_unknown');
  const writes = route.method === 'post' || route.method === 'patch';
  if (writes) for (const code of BODY_ERRORS) codes.add(code);
  if (route.query || route.params || route.ifMatch) codes.add('parameter_invalid');
  for (const code of codesOfQuery(route)) codes.add(code);
  if (Object.values(route.params ?? {}).includes('text')) codes.add('card_number_not_allowed');
  if (Object.values(route.params ?? {}).some((kind) => kind !== 'text')) codes.add('resource_not_found');
  if (route.method !== 'get')
    for (const code of [
      // Of the Idempotency-Key too.
      'card_number_not_allowed',
      'idempotency_key_invalid',
      'idempotency_key_reused',
      'idempotency_key_voided',
      'idempotency_in_progress',
      // Of a test book whose clock is on its way: idempotency/once.ts.
      'state_conflict',
    ] as const)
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
