/** Each rule holds for the document, and finds a document that breaks it. */
import { describe, expect, test } from 'vitest';
import { buildOpenApi } from '../../../src/http/reference/openapi.ts';
import { readExamples } from '../../../src/http/reference/openapi-examples.ts';
import { EVENT_DOCUMENTS, ROUTES } from '../../../src/http/routes.ts';
import { RULES, type RuledDocument } from '../../support/document-rules.ts';

const parts = { routes: ROUTES, events: EVENT_DOCUMENTS, publicUrl: 'https://api.test', examples: readExamples() };
const text = JSON.stringify(buildOpenApi(parts));

type Editable = Record<string, Record<string, Record<string, never>>> & {
  components: {
    schemas: Record<string, { properties: Record<string, Record<string, unknown>> }> & Record<string, unknown>;
    responses: Record<string, unknown>;
  };
};

/** The document after a change. */
function changed(change: (document: Editable) => void): RuledDocument {
  const document = JSON.parse(text);
  change(document);
  return document;
}

const schema = (document: Editable, name: string) => document.components.schemas[name]!.properties;
const operation = (document: Editable, path: string, method: string) =>
  document.paths![path]![method] as unknown as {
    parameters: Record<string, unknown>[];
    responses: Record<string, Record<string, unknown>>;
    requestBody: { content: Record<string, { schema: Record<string, unknown> }> };
  };
const READ = 'what a client reads is open: texts without enumeration, form or length';
const ONCE = 'headers and problems stand once, in the components';
const VARIANTS = 'a variant of a union has its constants under the discriminator';

const BROKEN: readonly [rule: string, what: string, change: (document: Editable) => void, place: string][] = [
  [
    'no schema is named like a word of a language',
    'an Exception',
    ({ components }) => Object.assign(components.schemas, { Exception: {} }),
    'Exception',
  ],
  [
    'no boolean is constant',
    'a const',
    (d) => Object.assign(schema(d, 'DeletedReader').deleted!, { const: true }),
    'DeletedReader.deleted',
  ],
  [
    'no boolean is constant',
    'an enum',
    (d) => Object.assign(schema(d, 'Payout').dry_run!, { enum: [true] }),
    'Payout.dry_run',
  ],
  [
    'no member or parameter of a request has a default',
    'a member',
    (d) => Object.assign(schema(d, 'CreatePayment').capture!, { default: 'automatic' }),
    'CreatePayment.capture',
  ],
  [
    'no member or parameter of a request has a default',
    'a parameter',
    (d) => Object.assign(operation(d, '/v1/payouts', 'get').parameters[0]!.schema as object, { default: 20 }),
    'listPayouts.limit',
  ],
  [
    READ,
    'a status of few values',
    (d) => Object.assign(schema(d, 'Payout').status!, { enum: ['pending'] }),
    'Payout.status',
  ],
  [READ, 'a constant type', (d) => Object.assign(schema(d, 'Card').type!, { const: 'card' }), 'Card.type'],
  [
    READ,
    'a choice of texts',
    (d) => Object.assign(schema(d, 'Payout').status!, { anyOf: [{ type: 'string' }, { type: 'string' }] }),
    'Payout.status',
  ],
  [READ, 'the form of an id', (d) => Object.assign(schema(d, 'Payout').id!, { pattern: '^po_' }), 'Payout.id'],
  [
    READ,
    'the code of a problem',
    ({ components: { schemas } }) => Object.assign(schemas.ErrorCode!, { enum: ['internal_error'] }),
    'ErrorCode',
  ],
  [
    'an open enumeration is a text with its values beside it',
    'one in a request',
    (d) => Object.assign(schema(d, 'CreatePayment').capture!, { 'x-extensible-enum': ['automatic'] }),
    'CreatePayment.capture',
  ],
  [
    VARIANTS,
    'an open type',
    (d) => Reflect.deleteProperty(schema(d, 'CliqDestination').type!, 'enum'),
    'Payout.destination #/components/schemas/CliqDestination',
  ],
  [
    VARIANTS,
    'an event that the mapping lacks',
    (d) => (schema(d, 'HoldEvent').type!.enum as string[]).push('hold.lost'),
    'WebhookEvent #/components/schemas/HoldEvent',
  ],
  [
    'what a client sends is closed: no object takes other members',
    'an open request',
    ({ components: { schemas } }) => Reflect.deleteProperty(schemas.CreatePayout!, 'additionalProperties'),
    'CreatePayout',
  ],
  [
    'no schema is both sent and read',
    'a shared filter',
    (d) =>
      Object.assign(schema(d, 'WebhookEndpoint').events!, { items: { $ref: '#/components/schemas/EventFilterInput' } }),
    'EventFilterInput',
  ],
  [
    'no parameter is an object of fixed members',
    'a range',
    (d) =>
      operation(d, '/v1/payouts', 'get').parameters.push({
        name: 'created_at',
        in: 'query',
        schema: { type: 'object', properties: { gte: { type: 'string' } }, additionalProperties: false },
      }),
    'listPayouts created_at',
  ],
  [
    'no two schemas get one name',
    'a member beside a schema',
    ({ components: { schemas } }) => Object.assign(schemas, { CreateCardShipping: { ...schemas.CreateCard } }),
    'CreateCard.shipping',
  ],
  [
    'no two schemas get one name',
    'a parameter beside a member',
    (d) =>
      operation(d, '/v1/payouts', 'post').parameters.push({
        name: 'metadata',
        in: 'query',
        schema: { type: 'object', additionalProperties: { type: 'string' } },
      }),
    'createPayout.metadata',
  ],
  [
    'no two schemas get one name',
    'a union beside a schema',
    (d) => Object.assign(schema(d, 'Payee'), { destination: d.components.schemas.SavedDestination }),
    'Payee.destination',
  ],
  [
    'a constant has a name in every language',
    'a tab',
    (d) => Object.assign(schema(d, 'CreateCsvProfile').delimiter!, { enum: ['\t'] }),
    'CreateCsvProfile.delimiter',
  ],
  [
    'a constant has a name in every language',
    'a point',
    (d) => Object.assign(schema(d, 'CreateCsvProfile').decimal!, { enum: ['.'] }),
    'CreateCsvProfile.decimal',
  ],
  [
    'no enumeration in place is named default',
    'a default',
    (d) => Object.assign(schema(d, 'CreateCsvProfile'), { default: { type: 'string', enum: ['approve'] } }),
    'CreateCsvProfile.default',
  ],
  [
    ONCE,
    'an inline problem',
    (d) => Object.assign(operation(d, '/v1/payouts', 'get').responses, { 401: { description: '' } }),
    'listPayouts 401',
  ],
  [
    ONCE,
    'an inline header',
    (d) => Object.assign(operation(d, '/v1/payouts', 'get').responses[200]!.headers as object, { RateLimit: {} }),
    'listPayouts 200',
  ],
  [
    ONCE,
    'a problem twice',
    ({ components: { responses } }) => Object.assign(responses, { Again: responses.Problem401 }),
    'Again',
  ],
];

describe.each(Object.keys(RULES))('%s', (rule) => {
  test('holds', () => {
    expect(RULES[rule]!(JSON.parse(text))).toEqual([]);
  });

  const broken = BROKEN.filter(([of]) => of === rule);
  test('has documents that break it', () => {
    expect(broken.length).toBeGreaterThan(0);
  });

  test.each(broken.map(([, what, change, place]) => [what, change, place] as const))('finds %s', (_, change, place) => {
    expect(RULES[rule]!(changed(change))).toContain(place);
  });
});

test('bounds of a time are two plain parameters wherever there is one', () => {
  const { paths } = JSON.parse(text) as RuledDocument;
  const lists = Object.values(paths).flatMap(({ get }) =>
    get?.parameters?.some(({ name }) => name.startsWith('created_at')) ? [get] : [],
  );
  expect(lists.length).toBeGreaterThanOrEqual(9);
  for (const { operationId, parameters = [] } of lists)
    expect(
      parameters.filter(({ name }) => name.startsWith('created_at')),
      operationId,
    ).toMatchObject([
      { name: 'created_at[gte]', in: 'query', required: false, schema: { type: 'string', format: 'date-time' } },
      { name: 'created_at[lt]', in: 'query', required: false, schema: { type: 'string', format: 'date-time' } },
    ]);
});

test('what stands for a member that is left out is said in words', () => {
  const { components } = JSON.parse(text) as Editable;
  const defaults = [
    ['CreatePayment', 'capture', 'automatic'],
    ['CreatePayment', 'initiator', 'customer'],
    ['CreatePaymentToken', 'verify', 'false'],
    ['SimulateDispute', 'stage', 'chargeback'],
  ] as const;
  for (const [name, member, value] of defaults) {
    const { required = [], properties } = components.schemas[name] as unknown as {
      required?: string[];
      properties: Record<string, { description: string }>;
    };
    expect(properties[member]!.description, `${name}.${member}`).toContain(`Without it, \`${value}\``);
    expect(required, name).not.toContain(member);
  }
});
