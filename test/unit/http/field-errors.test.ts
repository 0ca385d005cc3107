import { expect, test } from 'vitest';
import { z } from 'zod';
import { createdAtFilter, oneOrMore } from '../../../src/api/pages.ts';
import { fieldErrorsOf } from '../../../src/http/input/field-errors.ts';
import { parameterName, parseQuery } from '../../../src/http/input/query-string.ts';
import { ROUTES } from '../../../src/http/routes.ts';
import { InexactNumber } from '../../../src/values/json.ts';

const body = z.strictObject({ version: z.number().int().min(1).max(9), name: z.string().optional() });

test.each([
  [{ version: 0 }, 'Expects at least 1.'],
  [{ version: 10 }, 'Expects at most 9.'],
  [{ version: new InexactNumber('1.5') }, 'Expects a whole number.'],
  [{ version: 1, name: new InexactNumber('1.5') }, 'Expects something else than a number.'],
])('%j is refused in words of ours', (input, detail) => {
  const { error } = body.safeParse(input);
  expect(fieldErrorsOf(error!, { schema: body, input }, (path) => path.join('/')).map((one) => one.detail)).toEqual([
    detail,
  ]);
});

const target = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('alias'), alias: z.string() }),
  z.strictObject({ type: z.literal('account'), account: z.string() }),
]);
const nested = z.strictObject({
  external_id: z.string().optional(),
  target: target.optional(),
  items: z.array(z.strictObject({ amount: z.number(), note: z.string().optional() })).optional(),
});

test.each`
  input                                                  | detail
  ${{ colour: 1 }}                                       | ${'Not known here. Known: external_id, target, items.'}
  ${{ externalId: 1 }}                                   | ${'Not known here. Did you mean external_id? Known: external_id, target, items.'}
  ${{ tagret: 1 }}                                       | ${'Not known here. Did you mean target? Known: external_id, target, items.'}
  ${{ target: { type: 'alias', alias: '' }, tagret: 1 }} | ${'Not known here. Known: external_id, target, items.'}
  ${{ ['x'.repeat(100_000)]: 1 }}                        | ${'Not known here. Known: external_id, target, items.'}
  ${{ target: { type: 'alias', alias: '', x: 1 } }}      | ${'Not known here. Known: type, alias.'}
  ${{ items: [{ amount: 1, ntoe: '' }] }}                | ${'Not known here. Did you mean note? Known: amount, note.'}
  ${{ items: [{ amount: 1, amuont: 1 }] }}               | ${'Not known here. Known: amount, note.'}
`('an unknown name is answered with those that are known: $detail', ({ input, detail }) => {
  const { error } = nested.safeParse(input);
  expect(fieldErrorsOf(error!, { schema: nested, input }, (path) => path.join('/'))).toMatchObject([
    { code: 'parameter_unknown', detail },
  ]);
});

test('where nothing is known, the answer says so', () => {
  const schema = z.strictObject({});
  const input = { amount: 1 };
  const [fieldError] = fieldErrorsOf(schema.safeParse(input).error!, { schema, input }, (path) => path.join('/'));
  expect(fieldError!.detail).toBe('Not known here. Nothing is expected here.');
});

const query = z.strictObject({
  limit: z.string().optional(),
  dry_run: z.enum(['true', 'false']).optional(),
  created_at: z.strictObject({ gte: z.string().optional(), lt: z.string().optional() }).optional(),
  metadata: z.record(z.string(), z.string()).optional(),
});

test.each`
  input                                  | param               | detail
  ${{ limit: ['1', '2'] }}               | ${'limit'}          | ${'Given 2 times. It must be given once.'}
  ${{ limit: ['1', '1', '1'] }}          | ${'limit'}          | ${'Given 3 times. It must be given once.'}
  ${{ limit: ['1'] }}                    | ${'limit'}          | ${'Takes one value: write it without [].'}
  ${{ dry_run: ['true', 'true'] }}       | ${'dry_run'}        | ${'Given 2 times. It must be given once.'}
  ${{ created_at: { gte: ['a', 'b'] } }} | ${'created_at/gte'} | ${'Given 2 times. It must be given once.'}
  ${{ created_at: 'a' }}                 | ${'created_at'}     | ${'Expects created_at/gte or created_at/lt.'}
  ${{ created_at: ['a', 'b'] }}          | ${'created_at'}     | ${'Expects created_at/gte or created_at/lt.'}
  ${{ metadata: 'a' }}                   | ${'metadata'}       | ${'Expects metadata/key.'}
`('a parameter that is given otherwise than it should is refused for it: $input', ({ input, param, detail }) => {
  const { error } = query.safeParse(input);
  const refused = { schema: query, input, isQuery: true };
  expect(fieldErrorsOf(error!, refused, (path) => path.join('/'))).toMatchObject([{ param, detail }]);
});

const FILTERS = 'limit, dry_run, created_at[gte], created_at[lt], metadata[key]';

test.each`
  text                                       | param                 | detail
  ${'colour=red'}                            | ${'colour'}           | ${`Not known here. Known: ${FILTERS}.`}
  ${'created=2026-03-01'}                    | ${'created'}          | ${`Not known here. Did you mean created_at[gte] or created_at[lt]? Known: ${FILTERS}.`}
  ${'createdAt[gte]=2026-03-01'}             | ${'createdAt'}        | ${`Not known here. Did you mean created_at[gte] or created_at[lt]? Known: ${FILTERS}.`}
  ${'created_at[gt]=2026-03-01T00:00:00Z'}   | ${'created_at[gt]'}   | ${'Not known here. Did you mean created_at[gte]? Known: created_at[gte], created_at[lt].'}
  ${'created_at[from]=2026-03-01T00:00:00Z'} | ${'created_at[from]'} | ${'Not known here. Known: created_at[gte], created_at[lt].'}
`('$text is answered with the parameters that there are', ({ text, param, detail }) => {
  const input = parseQuery(`/x?${text}`).query;
  const refused = { schema: query, input, isQuery: true };
  expect(fieldErrorsOf(query.safeParse(input).error!, refused, parameterName)).toEqual([
    { code: 'parameter_unknown', param, detail },
  ]);
});

test.each`
  text                                                | param                | detail
  ${'status[0]=paid&status[1]=open'}                  | ${'status'}          | ${'Takes no numbers in brackets: write status=…, and where several may be given, status=…&status=….'}
  ${'limit[0]=5'}                                     | ${'limit'}           | ${'Takes no numbers in brackets: write limit=…, and where several may be given, limit=…&limit=….'}
  ${'created_at[gte]=2026-03-01T09:30:00+03:00'}      | ${'created_at[gte]'} | ${'In a query, + is a space. Write it as %2B: 2026-03-01T09:30:00%2B03:00.'}
  ${'created_at[lt]=2026-03-01T09:30:00.123%2003:00'} | ${'created_at[lt]'}  | ${'In a query, + is a space. Write it as %2B: 2026-03-01T09:30:00.123%2B03:00.'}
`('the refusal of $text says how to write it', ({ text, param, detail }) => {
  const schema = z.strictObject({
    status: oneOrMore(['paid', 'failed'], 'Of these.'),
    limit: z.string().optional(),
    created_at: createdAtFilter,
  });
  const input = parseQuery(`/x?${text}`).query;
  const refused = { schema, input, isQuery: true };
  expect(fieldErrorsOf(schema.safeParse(input).error!, refused, parameterName)).toMatchObject([{ param, detail }]);
});

test('in a body a list is a list', () => {
  const input = { limit: ['1', '2'] };
  const [fieldError] = fieldErrorsOf(query.safeParse(input).error!, { schema: query, input }, (path) => path.join('/'));
  expect(fieldError!.detail).toBe('Expects a string, not a list.');
});

const queries = ROUTES.flatMap(({ operation, query: schema }) =>
  Object.keys((schema as z.ZodObject | undefined)?.shape ?? {}).map((name) => ({ operation, name, schema: schema! })),
);

/** Lists say what each of their values may be; ranges and `metadata` have members. */
const LISTS = ['status', 'kind', 'type', 'scope'];
const WITH_MEMBERS = [
  'created_at',
  'posted_on',
  'effective_on',
  'sequence',
  'booked_on',
  'expected_on',
  'amount',
  'metadata',
];

test.each(queries.filter(({ name }) => !LISTS.includes(name)))(
  '$name of $operation is given once',
  ({ name, schema }) => {
    const input = { [name]: ['a', 'b'] };
    const { error } = schema.safeParse(input);
    const fieldErrors = fieldErrorsOf(error!, { schema, input, isQuery: true }, parameterName);
    const detail = WITH_MEMBERS.includes(name)
      ? expect.stringContaining(`${name}[`)
      : 'Given 2 times. It must be given once.';
    expect(fieldErrors.filter(({ param }) => param === name)).toMatchObject([{ detail }]);
  },
);

test("zod's own words end in a full stop, as ours do", () => {
  const schema = z.strictObject({ code: z.string().regex(/^a$/) });
  const input = { code: 'b' };
  const [fieldError] = fieldErrorsOf(schema.safeParse(input).error!, { schema, input }, (path) => path.join('/'));
  expect(fieldError!.detail).toBe('Invalid string: must match pattern /^a$/.');
});
