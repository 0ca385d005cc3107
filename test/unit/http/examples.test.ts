/** Each request, response and event of the document has an example from the wire, and the example is what its schema says. */
import { describe, expect, test } from 'vitest';
import { faultIn, showsOf } from '../../../scripts/harness/as-promised.ts';
import { eventOf } from '../../../src/api/schemas/events.ts';
import { problemOf } from '../../../src/api/schemas/problem.ts';
import { ERRORS, type ErrorCode, type ErrorDefinition } from '../../../src/errors/errors.ts';
import { buildOpenApi, codesOf } from '../../../src/http/reference/openapi.ts';
import {
  EXAMPLE_HOST,
  type Examples,
  type OperationExamples,
  readExamples,
} from '../../../src/http/reference/openapi-examples.ts';
import { EVENT_DOCUMENTS, ROUTES } from '../../../src/http/routes.ts';

interface Content {
  content: Record<string, { example?: unknown; examples?: Record<string, { value?: unknown; $ref?: string }> }>;
}
interface Operation {
  operationId: string;
  requestBody?: Content;
  responses: Record<string, Content>;
}
interface Document {
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, { post: Operation }>;
  components: { examples: Record<string, { value: unknown }>; responses: Record<string, Content> };
}

const recorded = readExamples();
const parts = { routes: ROUTES, events: EVENT_DOCUMENTS, publicUrl: EXAMPLE_HOST, examples: recorded };
const document = buildOpenApi(parts) as unknown as Document;
/** With the answers that stand in the components. */
const resolved = (operation: Operation): Operation => ({
  ...operation,
  responses: Object.fromEntries(
    Object.entries(operation.responses).map(([status, answer]) => {
      const { $ref } = answer as { $ref?: string };
      return [status, $ref ? document.components.responses[$ref.replace('#/components/responses/', '')]! : answer];
    }),
  ),
});
const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods).map(resolved));
const namesIn = ({ content }: Content) => Object.values(content).flatMap(({ examples = {} }) => Object.keys(examples));

describe('the document shows', () => {
  test('an example of every body of a request', () => {
    const bodies = operations.filter(({ requestBody }) => requestBody !== undefined);
    expect(bodies.length).toBe(ROUTES.filter(({ body }) => body).length);
    // A request that was answered with a file alone is not recorded: its declared example stands there.
    const isShown = ({ requestBody }: Operation) =>
      namesIn(requestBody!).length > 0 || requestBody!.content['application/json']!.example !== undefined;
    expect(bodies.filter((one) => !isShown(one)).map(({ operationId }) => operationId)).toEqual([]);
  });

  test('an example of every success', () => {
    for (const { operation, responses } of ROUTES)
      for (const [status, { isFile }] of Object.entries(responses))
        if (!isFile)
          expect(
            Object.keys(recorded.operations[operation]?.responses[status] ?? {}),
            `${operation} ${status}`,
          ).not.toEqual([]);
  });

  test('an example of every error', () => {
    // A file of JSON is no answer with members of its own.
    for (const { operationId, responses } of operations)
      for (const [status, response] of Object.entries(responses))
        if (operationId !== 'getReportContent' && Object.keys(response.content).some((type) => type.endsWith('json')))
          expect(namesIn(response).length, `${operationId} ${status}`).toBeGreaterThan(0);
  });

  test('the operation its own: what it was heard to answer, and no error that it does not list', () => {
    const create = resolved(document.paths['/v1/payouts']!.post!);
    expect(create.requestBody!.content['application/json']!.examples).toHaveProperty('a_payout.value.external_id');
    expect(create.responses[202]!.content['application/json']!.examples).toHaveProperty(
      'a_payout.value.status',
      'pending',
    );
    const refused = create.responses[422]!.content['application/problem+json']!.examples;
    expect(refused).toMatchObject({
      insufficient_funds: { value: { code: 'insufficient_funds' } },
      idempotency_key_voided: { $ref: '#/components/examples/idempotency_key_voided' },
    });
    for (const { operationId, responses } of operations) {
      const codes = codesOf(ROUTES.find(({ operation }) => operation === operationId)!);
      for (const [status, response] of Object.entries(responses))
        if (Number(status) >= 400) expect(codes, operationId).toEqual(expect.arrayContaining(namesIn(response)));
    }
  });

  test('what it is asked for and what it answers in one example', () => {
    for (const [operation, { request = {}, responses }] of Object.entries(recorded.operations) as [
      string,
      OperationExamples,
    ][])
      for (const [name, { value: asked }] of Object.entries(request)) {
        const answers = Object.values(responses).flatMap((examples) => examples[name] ?? []);
        expect(answers.length, `${operation} ${name}`).toBe(1);
        const { amount } = asked as { amount?: unknown };
        const answered = answers[0]!.value as { amount?: unknown };
        if (amount !== undefined && answered.amount !== undefined && operation.startsWith('create'))
          expect(answered.amount, `${operation} ${name}`).toBe(amount);
      }
  });

  test('an example of every event', () => {
    for (const [type, { post }] of Object.entries(document.webhooks))
      expect(namesIn(post.requestBody!), type).toEqual([type]);
  });

  test('no example that is not there', () => {
    const text = JSON.stringify(document);
    for (const [, code] of text.matchAll(/#\/components\/examples\/(\w+)/g))
      expect(document.components.examples[code!]?.value).toBeDefined();
    expect(text).not.toMatch(/<[a-z0-9 ]+>|merchant\.example\/docs/);
  });
});

describe('an example', () => {
  test('of a request is taken', () => {
    for (const { operation, body } of ROUTES)
      for (const [name, { value }] of Object.entries(recorded.operations[operation]?.request ?? {}))
        expect(body!.safeParse(value).error, `${operation} ${name}`).toBeUndefined();
  });

  test('of an answer has the members that its schema says, and no other', () => {
    for (const { operation, responses } of ROUTES)
      for (const [status, response] of Object.entries(responses))
        for (const [name, { value }] of answersOf(operation, status))
          expect(
            faultIn(response.schema, value, showsOf(response, value)),
            `${operation} ${status} ${name}`,
          ).toBeUndefined();
  });

  test('of a problem has the facts of its code', () => {
    const own = ROUTES.flatMap(({ operation }) =>
      Object.entries(recorded.operations[operation]?.responses ?? {})
        .filter(([status]) => Number(status) >= 400)
        .flatMap(([, examples]) => Object.entries(examples)),
    );
    expect(own.length).toBeGreaterThan(50);
    for (const [code, { value }] of [...own, ...Object.entries(recorded.errors)]) {
      expect(faultIn(problemOf(code as ErrorCode), value, 'any'), code).toBeUndefined();
      const { status, retryable, retryDepends }: ErrorDefinition = ERRORS[code as ErrorCode];
      expect(value).toMatchObject({ code, status, ...(!retryDepends && { retryable }) });
    }
  });

  test('tells the order of what happened by its times', () => {
    type Item = { at: string };
    type Payout = { status: string; created_at: string; sent_at: string; updated_at: string };
    const shown = ROUTES.flatMap(({ operation }) => answersOf(operation, '200').map(([, { value }]) => value));
    const timelines = shown.filter((value) => (value as { object: string }).object === 'timeline');
    expect(timelines.length).toBeGreaterThanOrEqual(4);
    for (const { data } of timelines as { data: Item[] }[]) {
      const times = data.map(({ at }) => at);
      expect(times).toEqual([...new Set(times)].sort());
    }
    const paid = shown.filter((value) => (value as Payout).status === 'paid') as Payout[];
    expect(paid.length).toBeGreaterThan(0);
    for (const { created_at: created, sent_at: sent, updated_at: updated } of paid)
      expect(created < sent && sent < updated, `${created} ${sent} ${updated}`).toBe(true);
  });

  test('of an event has the members of its schema, and those of its object', () => {
    for (const { names, object, schemaName } of EVENT_DOCUMENTS)
      for (const name of names) {
        expect(recorded.events[name]?.value).toMatchObject({ type: name });
        expect(faultIn(eventOf(object, names, schemaName), recorded.events[name]?.value, 'any'), name).toBeUndefined();
      }
  });
});

const answersOf = (operation: string, status: string) =>
  Object.entries<Examples[string]>(recorded.operations[operation]?.responses[status] ?? {});
