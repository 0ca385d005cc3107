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
import type { EventDocument } from '../../api/event-document.ts';
import { type Route, TAGS } from '../../api/route.ts';
import { exampleId, VERSION_NUMBER } from '../../api/schemas/fields.ts';
import { problem } from '../../api/schemas/problem.ts';
import { UPLOADED_TYPES, type UploadKind } from '../../api/upload.ts';
import { VERSION } from '../../process/version.ts';
import { idPattern } from '../../values/ids.ts';
import { snakeCase } from '../../values/snake-case.ts';
import { retirementText } from '../pipeline/retirement.ts';
import { callbackOf, registerEvents } from './openapi-events.ts';
import { examplesOf, NO_EXAMPLES, type RecordedExamples } from './openapi-examples.ts';
import { RESPONSE_HEADERS, RETIREMENT_HEADERS, requestHeaders, responseHeaders } from './openapi-headers.ts';
import { linksOf } from './openapi-links.ts';
import { documentedQuery, withoutRepeatedTexts } from './openapi-parameters.ts';
import { type ProblemAnswers, problemAnswers, sharedCodes } from './openapi-problems.ts';

const introduction = (publicUrl: string) => `Payments on a double-entry ledger.

Every request carries \`Authorization: Bearer sk_test_…\` or \`sk_live_…\`: two books of one organisation, apart in everything.
Amounts are integers in the currency's smallest unit. Every error is \`application/problem+json\`.
All faults of form come at once; rules that need more than the form, such as a balance, are judged after them.
A request that moves money or sets it aside carries an \`Idempotency-Key\`; repeated under the same key it gives its first answer again.
Where an answer waits (\`Prefer: wait\`; payments by default), it shows the object as it is by then, on a repetition too; \`version\` tells which is newer.
Lists are newest first, timelines oldest first; \`next_cursor\` reads on. \`version\` and \`If-Match\` refuse a stale write. Limits stand at /v1/limits.

In a POST, null for a member that may be left out is its absence. In a PATCH, null is a value, where the member takes it.

Answers and events may have more members than this document names, and more values than \`x-extensible-enum\` lists: accept those
that you do not know. The [compatibility policy](${publicUrl}/docs/compatibility) says what may be added, what never changes, and how an operation retires.`;

export { codesOf } from './openapi-problems.ts';

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
  const isRetiring = routes.some(({ retires }) => retires !== undefined);
  for (const [name, header] of Object.entries({ ...RESPONSE_HEADERS, ...(isRetiring && RETIREMENT_HEADERS) }))
    registry.registerComponent('headers', name, header);
  const problems = problemAnswers(routes, examples);
  for (const [name, answer] of Object.entries(problems.components))
    registry.registerComponent('responses', name, answer);
  for (const route of routes) registry.registerPath(operationOf(route, routes, { examples, problems }));
  const named = [...registerEvents(registry, events, examples.events), problem].map((schema) => ({
    type: 'schema' as const,
    schema,
  }));
  const document = new OpenApiGeneratorV31([...registry.definitions, ...named]).generateDocument({
    openapi: '3.1.0',
    info: {
      title: 'Countinghouse',
      version: VERSION,
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
  return withoutRepeatedTexts(document as unknown as Record<string, unknown>);
}

interface Shared {
  readonly examples: RecordedExamples;
  readonly problems: ProblemAnswers;
}

function operationOf(route: Route, routes: readonly Route[], { examples, problems }: Shared): RouteConfig {
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
      scopeText(route),
      route.testModeOnly ? 'Test mode only.' : '',
    ]
      .filter(Boolean)
      .join('\n\n'),
    security: [{ apiKey: [] }],
    request: {
      params: paramsOf(route),
      query: documentedQuery(route.query),
      headers: headers.length > 0 ? headers : undefined,
      body: route.body && {
        required: !z.safeParse(route.body, {}).success,
        content: {
          'application/json': {
            schema: route.body,
            ...examplesOf(examples.operations[route.operation]?.request, route.bodyExample),
          },
          ...(route.uploads && uploadedContent(route.uploads)),
        },
      },
    },
    ...(route.deliversTo && { callbacks: callbackOf(route.deliversTo) }),
    responses: { ...answersOf(route, routes, examples), ...problems.of(route) },
  };
}

/** Bytes have no schema of their own. */
const uploadedContent = (kind: UploadKind) =>
  Object.fromEntries(UPLOADED_TYPES[kind].map((type) => [type, { schema: z.string() }]));

function scopeText({ scope, orScope }: Route): string {
  if (scope === null) return 'Any key.';
  return `Scope: \`${scope}\`${orScope === undefined ? '' : ` or \`${orScope}\``}.`;
}

function paramsOf(route: Route): z.ZodObject | undefined {
  if (!route.params) return undefined;
  const shape = Object.entries(route.params).map(([name, kind]) => {
    const schema =
      kind === 'text'
        ? z.string()
        : z.string().meta({
            pattern: name === route.numbered ? `${idPattern(kind)}|^${VERSION_NUMBER}$` : idPattern(kind),
            description: `The id of the ${snakeCase(kind).replaceAll('_', ' ')}${name === route.numbered ? ', or its number' : ''}.`,
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
      const { description, schema, files = [], isFile = false, shows = [] } = response;
      const links = linksOf(route, response, routes);
      const answer: ResponseConfig = {
        description: [description, withMembers(shows)].filter(Boolean).join(' '),
        headers: responseHeaders(route),
        content: {
          ...(!isFile && { 'application/json': { schema, ...examplesOf(recorded?.[status]) } }),
          ...Object.fromEntries(files.map((type) => [type, FILE])),
        },
        ...(links && { links }),
      };
      return [status, answer];
    }),
  );
}

/** A file of a media type: bytes, or text. */
const FILE = { schema: { type: 'string', format: 'binary', description: 'The file itself.' } } as const;

function withMembers(names: readonly string[]): string {
  return names.length === 0 ? '' : `With ${names.map((name) => `\`${name}\``).join(' and ')}.`;
}
