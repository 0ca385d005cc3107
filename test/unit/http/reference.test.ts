/** The API reference: the OpenAPI document and the pages. */

import request from 'supertest';
import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import * as accountSchemas from '../../../src/accounts/account/api/account-schemas.ts';
import { isWrite } from '../../../src/api/route.ts';
import { ERRORS } from '../../../src/errors/errors.ts';
import { codesOf } from '../../../src/http/reference/openapi.ts';
import { ROUTES } from '../../../src/http/routes.ts';
import * as idempotencySchemas from '../../../src/idempotency/api/idempotency-key-schemas.ts';
import * as payoutSchemas from '../../../src/payouts/payout/api/payout-schemas.ts';
import * as webhookSchemas from '../../../src/webhooks/endpoints/api/webhook-schemas.ts';
import { createTestApp } from './test-app.ts';

/** The parts of an OpenAPI document that the tests read. */
interface Operation {
  operationId: string;
  summary: string;
  tags: string[];
  security: unknown[];
  parameters?: { name: string; in: string; required?: boolean; schema: unknown }[];
  requestBody?: { required: boolean; content: Record<string, { schema: unknown; example?: unknown }> };
  responses: Record<
    string,
    { description: string; headers?: Record<string, unknown>; content?: Record<string, { schema: unknown }> }
  >;
}
interface Shown {
  type?: string | string[];
  enum?: unknown[];
  anyOf?: Shown[];
  oneOf?: Shown[];
}
interface Document {
  openapi: string;
  servers: { url: string }[];
  components: {
    schemas: Record<string, unknown>;
    securitySchemes: Record<string, unknown>;
    responses: Record<string, Operation['responses'][string]>;
  };
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, { post: Operation }>;
}

const { app } = createTestApp({ routes: ROUTES });
const { app: sandbox } = createTestApp({ routes: ROUTES, sandboxKey: 'sk_test_of_the_sandbox' });
let document: Document;

beforeAll(async () => {
  document = (await request(app).get('/openapi.json')).body;
});

/** The answers of an operation, those that stand in the components too. */
const answersOf = ({ responses }: Operation): Operation['responses'] =>
  Object.fromEntries(
    Object.entries(responses).map(([status, answer]) => {
      const { $ref } = answer as { $ref?: string };
      return [status, $ref ? document.components.responses[$ref.replace('#/components/responses/', '')]! : answer];
    }),
  );

const operations = () =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );

/** Types of files, of an answer that is one and nothing else. */
function filesOf(operationId: string, status: string): readonly string[] | undefined {
  const answer = ROUTES.find(({ operation }) => operation === operationId)?.responses[Number(status)];
  return answer?.isFile ? answer.files : undefined;
}

describe('the document', () => {
  test('a member that may be null says so in a form that null can pass', () => {
    const joined: string[] = [];
    const look = (value: unknown, path: string): void => {
      if (typeof value !== 'object' || value === null) return;
      if ('allOf' in value) joined.push(path);
      for (const [name, inner] of Object.entries(value)) look(inner, `${path}/${name}`);
    };
    look(document, '');
    expect(joined).toEqual([]);
  });

  test('is OpenAPI 3.1 and lists exactly the routes', () => {
    expect(document.openapi).toBe('3.1.0');
    expect(document.servers).toEqual([{ url: 'https://api.example.com' }]);
    const documented = operations().map(({ path, method }) => `${method} ${path}`);
    expect(documented.sort()).toEqual(
      ROUTES.map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`).sort(),
    );
    expect(new Set(operations().map(({ operation }) => operation.operationId)).size).toBe(ROUTES.length);
  });

  test('defines every schema that it references, and none of those is empty', () => {
    const names = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)].map(
      ([, name]) => name!,
    );
    expect(names.length).toBeGreaterThan(100);
    for (const name of names)
      expect(Object.keys(document.components.schemas[name] as object).length).toBeGreaterThan(0);
    expect(JSON.stringify(document)).not.toContain('"$ref":"#/definitions');
  });

  test('gives amounts as integers with bounds, and forbids unknown members', () => {
    const schema = document.components.schemas.CreatePayout as {
      properties: Record<string, unknown>;
      additionalProperties: boolean;
      required: string[];
    };
    expect(schema.properties.amount).toMatchObject({
      type: 'integer',
      format: 'int64',
      minimum: 1,
      maximum: 9_007_199_254_740_991,
    });
    expect(schema.additionalProperties).toBe(false);
    expect(schema.required.sort()).toEqual(['amount', 'currency', 'destination']);
  });

  test('allows null wherever an answer may have it', () => {
    let members = 0;
    for (const schema of [accountSchemas, payoutSchemas, webhookSchemas, idempotencySchemas].flatMap(Object.values)) {
      const id = schema instanceof z.ZodObject && schema.meta()?.id;
      const shown = id && (document.components.schemas[id] as { properties: Record<string, Shown> } | undefined);
      if (!shown) continue;
      for (const [name, member] of Object.entries((schema as z.ZodObject).shape)) {
        if (!(member as z.ZodType).safeParse(null).success) continue;
        members++;
        const { type, enum: values, anyOf, oneOf } = shown.properties[name]!;
        const choices = [type, ...(anyOf ?? oneOf ?? []).map((choice) => choice.type)].flat();
        expect(choices, `${id}.${name}`).toContain('null');
        if (values) expect(values, `${id}.${name}`).toContain(null);
      }
    }
    expect(members).toBeGreaterThan(20);
  });

  test('requires a key for every operation, and declares the request id and the problems of each answer', () => {
    expect(document.components.securitySchemes.apiKey).toMatchObject({ type: 'http', scheme: 'bearer' });
    for (const { path, method, operation } of operations()) {
      const where = `${method} ${path}`;
      expect(operation.security, where).toEqual([{ apiKey: [] }]);
      for (const [status, response] of Object.entries(answersOf(operation))) {
        expect(response.headers, where).toHaveProperty('Request-Id');
        const one = Number(status) >= 400 ? 'application/problem+json' : 'application/json';
        for (const type of filesOf(operation.operationId, status) ?? [one])
          expect(response.content?.[type]?.schema, `${where} ${status}`).toBeDefined();
      }
      for (const status of ['401', '403', '429', '500', '503'])
        expect(operation.responses, where).toHaveProperty(status);
    }
  });

  test('requires an Idempotency-Key where money moves, and allows one for every other write', () => {
    for (const route of ROUTES.filter(isWrite)) {
      const { parameters } = document.paths[route.path.replace(/:(\w+)/g, '{$1}')]![route.method]!;
      const header = parameters?.find(({ name }) => name === 'Idempotency-Key');
      // A message names itself.
      if (route.isMessage) {
        expect(header, route.operation).toBeUndefined();
        continue;
      }
      expect(header, route.operation).toMatchObject({ in: 'header', required: route.idempotency === 'required' });
    }
  });

  test('has examples that its schemas accept', () => {
    for (const route of ROUTES.filter(({ body }) => body)) {
      expect(route.bodyExample, route.operation).toBeDefined();
      const result = route.body!.safeParse(route.bodyExample);
      expect(result.error?.issues ?? [], route.operation).toEqual([]);
    }
  });

  test('lists every code of a route under its status', () => {
    for (const route of ROUTES) {
      const responses = answersOf(document.paths[route.path.replace(/:(\w+)/g, '{$1}')]![route.method]!);
      for (const code of codesOf(route))
        expect(responses[String(ERRORS[code].status)]!.description, route.operation).toContain(`\`${code}\``);
    }
  });

  test('says of every write that a clock on its way refuses it', () => {
    const writes = new Set<string | undefined>(ROUTES.filter(isWrite).map(({ operation }) => operation));
    for (const { operation } of operations().filter(({ operation }) => writes.has(operation.operationId)))
      expect(answersOf(operation)['409']?.description, operation.operationId).toContain('`state_conflict`');
  });

  test('has the webhook events with their objects and signature headers', () => {
    expect(Object.keys(document.webhooks)).toContain('payout.paid');
    const { post } = document.webhooks['payout.paid']!;
    expect(post.parameters!.map(({ name }) => name)).toEqual(['webhook-id', 'webhook-timestamp', 'webhook-signature']);
    expect(post.requestBody!.content['application/json']!.schema).toEqual({ $ref: '#/components/schemas/PayoutEvent' });
  });
});

describe('the pages', () => {
  test("run and load only the product's own files", async () => {
    const page = await request(app).get('/docs');
    expect(page.status).toBe(200);
    const policy = page.headers['content-security-policy']!;
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self'");
    expect(policy).not.toContain('unsafe-eval');
    expect(policy.match(/script-src[^;]*/)![0]).not.toContain('unsafe-inline');
    expect(page.text).not.toMatch(/<script(?![^>]*src=)/);
    expect(page.text).not.toMatch(/(src|href)="(https?:)?\/\//);
    expect(page.headers['x-frame-options']).toBeDefined();
    expect(page.headers['x-content-type-options']).toBe('nosniff');
  });

  test('have every file that they reference', async () => {
    const page = await request(app).get('/docs');
    const files = [...page.text.matchAll(/(?:src|href)="(\/docs\/assets\/[^"]+)"/g)].map(([, file]) => file!);
    expect(files.length).toBeGreaterThanOrEqual(3);
    for (const file of files) {
      const answer = await request(app).get(file);
      expect(answer.status, file).toBe(200);
      expect(answer.headers['cache-control']).toBe('public, max-age=3600');
    }
    expect((await request(app).get('/docs/assets/api-reference.js')).headers['content-type']).toContain(
      'text/javascript',
    );
  });

  test("fill in the sandbox's key for a browser at this machine, on a page of ours", async () => {
    const keyFor = async ({ host = 'localhost:8080', ...headers }: Record<string, string>) => {
      const page = { host, referer: `http://${host}/docs`, 'sec-fetch-site': 'same-origin' };
      const answer = await request(sandbox)
        .get('/docs/sandbox-key')
        .set({ ...page, ...headers });
      expect([answer.status, answer.headers['cache-control']]).toEqual([200, 'no-store']);
      return answer.body.key;
    };
    expect(await keyFor({})).toBe('sk_test_of_the_sandbox');
    expect(await keyFor({ host: '127.0.0.1:8080' })).toBe('sk_test_of_the_sandbox');
    expect(await keyFor({ host: 'rebound.example.com' })).toBeNull();
    expect(await keyFor({ 'sec-fetch-site': 'cross-site' })).toBeNull();
    for (const header of ['x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'forwarded', 'via', 'cf-connecting-ip'])
      expect(await keyFor({ [header]: '203.0.113.7' }), header).toBeNull();
    // Shown by a proxy that names nobody and writes its own target into Host.
    expect(await keyFor({ referer: 'https://pay.example.com/docs' })).toBeNull();
    expect(await keyFor({ referer: '' })).toBeNull();
    expect((await request(app).get('/docs/sandbox-key')).body).toEqual({ key: null });
  });

  test.each([
    '/docs/assets/..%2f..%2fpackage.json',
    '/docs/assets/package.json',
    '/docs/assets/constructor',
    '/docs/assets/__proto__',
    '/docs/errors/constructor',
    '/docs/errors/nothing',
    '/docs/nothing',
    '/docs/decisions/nothing',
    '/docs/',
  ])('%s is not found', async (path) => {
    for (const accept of ['*/*', 'application/json', ''])
      expect((await request(app).get(path).set('Accept', accept)).body).toMatchObject({
        status: 404,
        code: 'route_not_found',
      });
  });

  test.each(['/docs/errors/nothing', '/docs/nothing', '/docs/decisions/nothing', '/docs/'])(
    '%s leads a browser to the pages that there are',
    async (path) => {
      const answer = await request(app).get(path).set('Accept', 'text/html,application/xhtml+xml,*/*;q=0.8');
      expect([answer.status, answer.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
      expect(answer.headers.vary).toContain('Accept');
      expect(answer.headers['content-security-policy']).toContain("default-src 'none'");
      for (const href of ['/docs/guides', '/docs', '/docs/errors']) expect(answer.text).toContain(`href="${href}"`);
    },
  );

  test('say of an error whether the same request may succeed later, in the list and behind its code', async () => {
    const { text: list } = await request(app).get('/docs/errors');
    for (const [code, retry, words] of [
      ['rate_limited', 'yes', 'Yes: '],
      ['parameter_missing', 'no', 'Not as it is'],
      ['state_conflict', 'depends', 'Where the answer says <code>retryable: true</code>'],
    ] as const) {
      const row = list.split('<tr>').find((line) => line.includes(`/docs/errors/${code}"`));
      expect(row, code).toContain(`<td>${retry}</td>`);
      expect((await request(app).get(`/docs/errors/${code}`)).text, code).toContain(`<dd>${words}`);
    }
  });

  test('explain for every error what to do next', async () => {
    const index = await request(app).get('/docs/errors');
    for (const [code, { help }] of Object.entries(ERRORS)) {
      expect(index.text).toContain(`/docs/errors/${code}"`);
      const page = await request(app).get(`/docs/errors/${code}`);
      expect(page.status).toBe(200);
      expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
      expect(page.text).toContain(help.split('`')[0]!.slice(0, 20));
    }
  });
});
