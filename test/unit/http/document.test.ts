/** What generators, linters and people need of the OpenAPI document. */
import { createConfig, lintFromString } from '@redocly/openapi-core';
import request from 'supertest';
import { describe, expect, test } from 'vitest';
import { PROBLEM_FACTS } from '../../../src/api/schemas/problem-facts.ts';
import { buildOpenApi } from '../../../src/http/openapi.ts';
import { readExamples } from '../../../src/http/openapi-examples.ts';
import { EVENT_DOCUMENTS, ROUTES } from '../../../src/http/routes.ts';
import { createTestApp } from './test-app.ts';

interface Operation {
  operationId: string;
  summary: string;
  description: string;
  parameters?: { name: string; in: string }[];
  requestBody?: unknown;
  responses: Record<string, { links?: Record<string, { operationId: string; parameters: Record<string, string> }> }>;
}
interface Schema {
  oneOf?: { $ref?: string }[];
  discriminator?: { propertyName: string; mapping: Record<string, string> };
  type?: string;
  enum?: unknown[];
  additionalProperties?: unknown;
}
interface Document {
  info: { description: string };
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, { post: Operation }>;
  components: { schemas: Record<string, { properties: Record<string, Schema> }> };
}

const parts = {
  routes: ROUTES,
  events: EVENT_DOCUMENTS,
  publicUrl: 'https://api.countinghouse.test',
  examples: readExamples(),
};
const document = buildOpenApi(parts) as unknown as Document;
const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
const schemasOf = (name: string) => document.components.schemas[name]!.properties;

/** Every schema below a value, with its place; named ones too, once. */
function* schemasIn(value: unknown, place: string, seen = new Set<string>()): Generator<[string, Schema]> {
  if (typeof value !== 'object' || value === null) return;
  if ('$ref' in value && typeof value.$ref === 'string') {
    const name = value.$ref.replace('#/components/schemas/', '');
    if (seen.has(name)) return;
    seen.add(name);
    yield* schemasIn(document.components.schemas[name], name, seen);
    return;
  }
  yield [place, value as Schema];
  for (const [member, inner] of Object.entries(value)) yield* schemasIn(inner, `${place}/${member}`, seen);
}

const everySchema = () => [...schemasIn(document, '')];

describe('the document', () => {
  test('passes the recommended rules of redocly without a warning', async () => {
    // Static segments match first, so that a path such as /v1/payouts/batches is no other one.
    const config = await createConfig({ extends: ['recommended'], rules: { 'no-ambiguous-paths': 'off' } });
    const problems = await lintFromString({ source: JSON.stringify(document), absoluteRef: 'openapi.json', config });
    expect(problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toEqual([]);
  });

  test('answers each object by one schema, whatever the status', () => {
    for (const { operation, responses } of ROUTES) {
      const schemas = new Set(Object.values(responses).map(({ schema }) => schema));
      expect(schemas.size, operation).toBe(1);
    }
    const byObject = new Map<unknown, string[]>();
    for (const [name, { properties }] of Object.entries(document.components.schemas)) {
      const object = properties?.object?.enum?.[0];
      if (object !== undefined) byObject.set(object, [...(byObject.get(object) ?? []), name]);
    }
    const several = [...byObject].filter(([object]) => object !== 'event' && object !== 'list');
    expect(several.filter(([, names]) => names.length > 1)).toEqual([
      // What is left of an object is another object: it has an id and nothing else.
      ['webhook_endpoint', expect.arrayContaining(['WebhookEndpoint', 'DeletedWebhookEndpoint'])],
    ]);
  });

  test('allows more members in every answer and event, and none in a request', () => {
    for (const { operationId, responses } of operations)
      for (const [place, { additionalProperties }] of schemasIn(responses, operationId))
        expect(additionalProperties, place).not.toBe(false);
    for (const [place, { additionalProperties }] of schemasIn(document.webhooks, 'webhooks'))
      expect(additionalProperties, place).not.toBe(false);
    const bodies = operations.flatMap((operation) => [
      ...schemasIn(operation.requestBody ?? {}, operation.operationId),
    ]);
    const objects = bodies.filter(([, schema]) => schema.type === 'object');
    expect(objects.length).toBeGreaterThan(15);
    for (const [place, { additionalProperties }] of objects)
      expect(additionalProperties ?? 'open', place).not.toBe('open');
  });

  test('has no boolean enum, and a discriminator on every oneOf', () => {
    const unions = everySchema().filter(([, { oneOf }]) => Array.isArray(oneOf));
    expect(unions.length).toBeGreaterThanOrEqual(2);
    for (const [place, { oneOf, discriminator }] of unions) {
      const mapped = Object.values(discriminator?.mapping ?? {});
      expect(mapped.sort(), place).toEqual(oneOf!.map(({ $ref }) => $ref).sort());
    }
    for (const [place, { type, enum: values }] of everySchema())
      if (type === 'boolean') expect(values, place).toBeUndefined();
  });

  test('names every value of statuses, actions, failures and types', () => {
    expect(schemasOf('Payout').failure).toMatchObject({
      properties: { code: { enum: expect.arrayContaining(['alias_unregistered', 'source_account_frozen']) } },
    });
    expect(schemasOf('Payout').allowed_actions).toMatchObject({ items: { enum: ['cancel'] } });
    expect(schemasOf('PayoutEvent').type).toMatchObject({ enum: expect.arrayContaining(['payout.paid']) });
    expect(schemasOf('Event').type).toEqual({ $ref: '#/components/schemas/EventType' });
  });

  test('gives the problem the typed facts of every code', () => {
    const problem = schemasOf('Problem') as Record<string, { description?: string }>;
    for (const [code, facts = {}] of Object.entries(PROBLEM_FACTS))
      for (const name of Object.keys(facts))
        expect(problem[name]?.description, `${code}.${name}`).toContain(`\`${code}\``);
    expect(problem.available).toMatchObject({ type: 'integer' });
  });

  test('has a summary for each operation that no other has', () => {
    const summaries = operations.map(({ summary }) => summary);
    expect(summaries.filter((summary, at) => summaries.indexOf(summary) !== at)).toEqual([]);
    expect(summaries).toEqual(expect.arrayContaining(["Retrieve a payout's timeline", 'List returns of a payout']));
  });

  test('says of every event when it happens', () => {
    for (const { names, when } of EVENT_DOCUMENTS) expect(Object.keys(when).sort()).toEqual([...names].sort());
    for (const [name, { post }] of Object.entries(document.webhooks)) expect(post.description, name).toMatch(/\.$/);
  });

  test('links an answer to the operations that go on from its object', () => {
    const create = document.paths['/v1/payouts']!.post!;
    expect(create.responses['200']!.links).toBeUndefined();
    const { links = {} } = create.responses['202']!;
    expect(Object.keys(links)).toEqual(
      expect.arrayContaining([
        'getPayout',
        'cancelPayout',
        'getPayoutTimeline',
        'listPayoutReturns',
        'getIdempotencyKey',
      ]),
    );
    expect(links.getPayout).toEqual({ operationId: 'getPayout', parameters: { id: '$response.body#/id' } });
    const hold = document.paths['/v1/accounts/{id}/holds']!.post!.responses['201']!.links!;
    expect(hold.releaseHold!.parameters).toEqual({ id: '$request.path.id', hold: '$response.body#/id' });
  });

  test('links to operations that exist, with all parameters of their paths and no other', () => {
    const links = operations.flatMap(({ responses }) =>
      Object.values(responses).flatMap(({ links = {} }) => Object.values(links)),
    );
    expect(links.length).toBeGreaterThan(50);
    for (const { operationId, parameters } of links) {
      const target = operations.find((operation) => operation.operationId === operationId);
      const wanted = target?.parameters?.filter((parameter) => parameter.in === 'path').map(({ name }) => name);
      expect(Object.keys(parameters), operationId).toEqual(wanted);
    }
  });
});

describe('the compatibility policy', () => {
  test('is linked from the document, and served', async () => {
    expect(document.info.description).toContain(`${parts.publicUrl}/docs/compatibility`);
    const { app } = createTestApp();
    const page = await request(app).get('/docs/compatibility');
    expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    for (const word of ['<h2>What never changes</h2>', '<code>Sunset</code>', '<li>', '<ol>'])
      expect(page.text).toContain(word);
    expect(page.text).not.toContain('`');
  });
});
