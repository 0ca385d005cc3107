/** What generators, linters and people need of the OpenAPI document. */
import { readFileSync } from 'node:fs';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import request from 'supertest';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { currencyFilter, listQuery } from '../../../src/api/pages.ts';
import { PROBLEM_FACTS } from '../../../src/api/schemas/problem-facts.ts';
import { buildOpenApi, codesOf } from '../../../src/http/reference/openapi.ts';
import { readExamples } from '../../../src/http/reference/openapi-examples.ts';
import { EVENT_DOCUMENTS, ROUTES } from '../../../src/http/routes.ts';
import { VERSION } from '../../../src/process/version.ts';
import { createTestApp } from './test-app.ts';

interface Operation {
  operationId: string;
  summary: string;
  description: string;
  parameters?: { name: string; in: string }[];
  requestBody?: unknown;
  callbacks?: unknown;
  responses: Record<string, { links?: Record<string, { operationId: string; parameters: Record<string, string> }> }>;
}
interface Schema {
  $ref?: string;
  description?: string;
  const?: unknown;
  items?: Schema;
  properties?: Record<string, Schema>;
  oneOf?: { $ref?: string }[];
  discriminator?: { propertyName: string; mapping: Record<string, string> };
  anyOf?: Schema[];
  type?: string | string[];
  enum?: unknown[];
  additionalProperties?: unknown;
}
interface Document {
  info: { description: string; version: string };
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, { post: Operation }>;
  components: { schemas: Record<string, Schema & { properties: Record<string, Schema> }> };
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
const refTo = (name: string) => `#/components/schemas/${name}`;
const schemaAt = (ref: string): Schema => document.components.schemas[ref.replace(refTo(''), '')]!;

/** Every schema of answers and events, each named one once. */
function everyAnswered(): [string, Schema][] {
  const seen = new Set<string>();
  const bodies = [
    ...operations.flatMap(({ responses }) => Object.values(responses)),
    ...Object.values(document.webhooks).map(({ post }) => post.requestBody),
  ];
  return bodies
    .flatMap((body) => Object.values((body as { content?: Record<string, { schema: Schema }> }).content ?? {}))
    .flatMap(({ schema }) => [...schemasIn(schema, '', seen)]);
}

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
      // Events carry less of an entry than the journal shows.
      ['journal_entry', expect.arrayContaining(['EventEntry', 'JournalEntry'])],
      // What is left of an object is another object: it has an id and nothing else.
      ['webhook_endpoint', expect.arrayContaining(['WebhookEndpoint', 'DeletedWebhookEndpoint'])],
      ['payment_token', expect.arrayContaining(['PaymentToken', 'DeletedPaymentToken'])],
      ['reader', expect.arrayContaining(['Reader', 'DeletedReader'])],
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
      const mapped = new Set(Object.values(discriminator?.mapping ?? {}));
      expect([...mapped].sort(), place).toEqual(oneOf!.map(({ $ref }) => $ref).sort());
    }
    for (const [place, { type, enum: values }] of everySchema())
      if (type === 'boolean') expect(values, place).toBeUndefined();
  });

  test('names every value of statuses, actions, failures and types', () => {
    expect(schemasOf('PayoutFailure').code).toMatchObject({
      type: 'string',
      'x-extensible-enum': expect.arrayContaining(['alias_unregistered', 'source_account_frozen']),
    });
    expect(schemasOf('Payout').allowed_actions).toMatchObject({
      items: { 'x-extensible-enum': ['cancel', 'approve', 'reject'] },
    });
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

  test('says of every member of an answer or event what it is', () => {
    const isSaid = ({ $ref, description, enum: values, const: only }: Schema): boolean =>
      $ref ? isSaid(schemaAt($ref)) : description !== undefined || only !== undefined || values?.length === 1;
    const silent = everyAnswered().flatMap(([place, { properties = {} }]) =>
      Object.entries(properties).flatMap(([name, member]) => (isSaid(member) ? [] : [`${place}.${name}`])),
    );
    expect(silent).toEqual([]);
  });

  test('names the schema of every object in a list, and of every object of several answers', () => {
    for (const [place, { items }] of everyAnswered()) expect(items?.properties, place).toBeUndefined();
    const places = new Map<string, string>();
    for (const [place, { properties, type }] of everyAnswered()) {
      if (type !== 'object' || properties === undefined) continue;
      const form = JSON.stringify(properties);
      const isNamed = !place.includes('/');
      if (!isNamed) expect(places.get(form), place).toBeUndefined();
      places.set(form, place);
    }
  });

  test('has one type for every member of the problem and of the timeline', () => {
    for (const name of ['Problem', 'TimelineItem', 'TimelineReason'])
      for (const [member, { type, $ref, anyOf }] of Object.entries(schemasOf(name))) {
        const types = [type ?? []].flat().filter((one) => one !== 'null');
        const others = (anyOf ?? []).filter((one) => one.type !== 'null');
        expect(types.length + others.length + ($ref ? 1 : 0), `${name}.${member}`).toBe(1);
      }
  });

  test('has the release as its version', () => {
    expect(document.info.version).toBe(VERSION);
    expect(readFileSync('docs/compatibility.md', 'utf8')).toContain('`info.version`');
  });

  test('has one schema of what a webhook carries, told apart by the type of the event', () => {
    const { oneOf, discriminator } = document.components.schemas.WebhookEvent as Schema;
    expect(oneOf!.map(({ $ref }) => $ref)).toEqual(EVENT_DOCUMENTS.map(({ schemaName }) => refTo(schemaName)));
    expect(discriminator?.propertyName).toBe('type');
    for (const { names, schemaName } of EVENT_DOCUMENTS)
      for (const name of names) expect(discriminator!.mapping[name], name).toBe(refTo(schemaName));
    expect(Object.keys(discriminator!.mapping).sort()).toEqual(Object.keys(document.webhooks).sort());
    expect(document.paths['/v1/webhooks']!.post!.callbacks).toMatchObject({
      event: { '{$request.body#/url}': { post: { requestBody: { required: true } } } },
    });
  });

  test('lists the codes of a parameter by its schema, whatever it is called', () => {
    const asked = (query: z.ZodType) => codesOf({ ...ROUTES[0]!, query, errors: [], body: undefined, method: 'get' });
    expect(asked(z.strictObject({ held_in: currencyFilter }))).toContain('currency_unsupported');
    expect(asked(z.strictObject({ held_in: currencyFilter.unwrap().default('JOD') }))).toContain(
      'currency_unsupported',
    );
    expect(asked(z.strictObject({ currency: z.string().optional() }))).not.toContain('currency_unsupported');
    expect(asked(listQuery('payout', {}))).toContain('cursor_invalid');
  });

  test('has a summary for each event in words, that no other has', () => {
    const summaries = Object.values(document.webhooks).map(({ post }) => post.summary);
    for (const summary of summaries) expect(summary).toMatch(/^[A-Z][a-z ]+$/);
    expect(new Set(summaries).size).toBe(summaries.length);
    for (const { names, summary } of EVENT_DOCUMENTS) expect(Object.keys(summary).sort()).toEqual([...names].sort());
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
    for (const word of ['What never changes</h2>', '<code>Sunset</code>', '<li>', '<ol>'])
      expect(page.text).toContain(word);
    expect(page.text).not.toContain('`');
  });
});
