/** `null` for an optional member of a POST is its absence, at any depth; nothing else is. */
import request from 'supertest';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Route, RouteRequest } from '../../../src/api/route.ts';
import { isNumberOrAll, orAll, positiveAmount } from '../../../src/api/schemas/amount.ts';
import { withoutAbsentMembers } from '../../../src/http/input/absent-members.ts';
import { ROUTES } from '../../../src/http/routes.ts';
import { MAKES_KEYS } from '../../../src/organisations/api-key.ts';
import { optionalNumbersOf, samplesOf } from '../../support/route-fields.ts';
import { createTestApp, KEYS } from './test-app.ts';

const schema = z.strictObject({
  required: z.string(),
  optional: z.string().optional(),
  preset: z
    .boolean()
    .optional()
    .transform((given) => given ?? false),
  nullable: z.string().nullable().optional(),
  inside: z.strictObject({ optional: z.int().optional(), required: z.int() }).optional(),
  free: z.record(z.string(), z.string()).optional(),
  list: z
    .array(z.strictObject({ optional: z.int().optional() }).nullable())
    .transform((given) => given)
    .optional(),
  all: orAll(positiveAmount, 'Without it, all.'),
  lists: z.array(z.array(z.strictObject({ optional: z.int().optional() }))).optional(),
  choice: z
    .discriminatedUnion('type', [
      z.strictObject({ type: z.literal('a'), a: z.string().optional() }),
      z.strictObject({ type: z.literal('b'), b: z.string() }),
    ])
    .optional(),
});

test.each`
  what                                      | body                                                  | kept
  ${'an optional member'}                   | ${{ required: 'x', optional: null }}                  | ${{ required: 'x' }}
  ${'one with a preset'}                    | ${{ preset: null }}                                   | ${{}}
  ${'an optional object'}                   | ${{ inside: null, choice: null }}                     | ${{}}
  ${'a member of an object'}                | ${{ inside: { optional: null, required: 1 } }}        | ${{ inside: { required: 1 } }}
  ${'a member of the chosen variant'}       | ${{ choice: { type: 'a', a: null } }}                 | ${{ choice: { type: 'a' } }}
  ${'a member in a list'}                   | ${{ list: [{ optional: null }, { optional: 1 }] }}    | ${{ list: [{}, { optional: 1 }] }}
  ${'a member in a list of lists'}          | ${{ lists: [[{ optional: null }], []] }}              | ${{ lists: [[{}], []] }}
  ${'no element'}                           | ${{ list: [null, 1] }}                                | ${{ list: [null, 1] }}
  ${'no required member'}                   | ${{ required: null, choice: { type: 'b', b: null } }} | ${{ required: null, choice: { type: 'b', b: null } }}
  ${'none that takes null'}                 | ${{ nullable: null }}                                 | ${{ nullable: null }}
  ${'none of the caller’s own names'}       | ${{ free: { a: null } }}                              | ${{ free: { a: null } }}
  ${'no number without which all is meant'} | ${{ all: null }}                                      | ${{ all: null }}
  ${'none that is not known'}               | ${{ surplus: null }}                                  | ${{ surplus: null }}
`('drops $what', ({ body, kept }) => {
  const before = structuredClone(body);
  expect(withoutAbsentMembers(schema, body)).toEqual(kept);
  expect(body).toEqual(before);
});

test('keeps a member of the name __proto__ as it was given', () => {
  const body = JSON.parse('{"__proto__":null,"required":"x","optional":null}');
  const kept = withoutAbsentMembers(schema, body);
  expect(Object.keys(kept)).toEqual(['__proto__', 'required']);
  expect(Object.getPrototypeOf(kept)).toBe(Object.prototype);
});

describe('every route', () => {
  const handled: { body: unknown; fingerprint: string }[] = [];
  const handle = async (asked: RouteRequest) => {
    handled.push({ body: asked.body, fingerprint: asked.fingerprint().toString('hex') });
    return { status: 200, json: {} };
  };
  // Items of an upload are read one by one (test/e2e/payout-batches.test.ts).
  const routes = ROUTES.filter(({ body, uploads }) => body && !uploads).map((route): Route => ({ ...route, handle }));
  const { app } = createTestApp({
    routes: routes.map((one) => ({ ...one, path: `/v1/${one.operation}`, params: undefined }) as Route),
  });

  const send = async ({ method, operation, scope }: Route, body: unknown) => {
    handled.length = 0;
    const answer = await request(app)
      [method as 'post'](`/v1/${operation}`)
      .set('authorization', `Bearer ${scope === MAKES_KEYS ? KEYS.maker : KEYS.test}`)
      .set('idempotency-key', 'one')
      .send(body as object);
    return { status: answer.status, answer: answer.body, ...handled[0] };
  };

  const membersOf = ({ body }: Route) => Object.entries((body as z.ZodObject).shape) as [string, z.ZodType][];
  /** The optional members of the body of a route, at its top. */
  const optional = (route: Route) =>
    membersOf(route).flatMap(([name, member]) =>
      member._zod.optin === 'optional' && !isNumberOrAll(member) ? [name] : [],
    );

  /** Numbers that a POST may leave out, by what their absence stands for: a new one is put here, or refuses null. */
  const ABSENCES: Record<string, string> = {
    '/cashback_amount': 'no cash',
    '/interchange': 'a fact that is not known',
    '/merchant_amount': 'a fact that is not known',
    '/overdraft_limit': 'no overdraft',
    '/overlap_seconds': 'a day',
    '/reads_per_second': 'no more than the asking key has',
    '/skip': 'no line',
    '/tip': 'no tip',
    '/writes_per_second': 'no more than the asking key has',
  };
  const limits = (at: string) => ['amount', 'count'].map((name) => `${at}/limits/${name}`);
  /** Those without which all is meant, or no limit. */
  const OR_ALL: Record<string, string[]> = {
    backtestControls: [...limits('/controls'), '/controls/require_three_d_secure_above', '/as_of_sequence'],
    capturePayment: ['/amount'],
    createCard: [...limits('/controls'), '/controls/require_three_d_secure_above'],
    createCardControls: [...limits(''), '/require_three_d_secure_above'],
    createChartAccount: ['/floor'],
    createControlsOfCard: [...limits(''), '/require_three_d_secure_above'],
    createJournalEntry: ['/expect/sequence', '/expect/available_gte'],
    createJournalEntryBatch: ['/entries/expect/sequence', '/entries/expect/available_gte'],
    createRefund: ['/amount'],
    createReport: ['/through_sequence'],
    createTransactionAdvice: ['/amount'],
    createTransactionDispute: ['/amount'],
    createTransactionReversal: ['/amount'],
    releaseHold: ['/amount'],
    reverseTransaction: ['/amount'],
    simulateCardAdvice: ['/amount'],
    simulateCardReversal: ['/amount'],
    simulateDispute: ['/amount'],
    simulatePayoutReturned: ['/amount'],
  };
  const posts = routes.filter(({ method }) => method === 'post');

  test('refuses null for the numbers without which all is meant, or no limit, at any depth, and for no others', async () => {
    const refused = new Map<string, string[]>();
    const taken = new Set<string>();
    for (const route of posts)
      for (const { at, pointer, body } of optionalNumbersOf(route)) {
        const { status, answer } = await send(route, body);
        if (status === 200) {
          taken.add(at);
          continue;
        }
        const code = expect.stringMatching(/^(amount_not_integer|parameter_invalid)$/);
        expect([status, answer.errors]).toEqual([400, [expect.objectContaining({ param: pointer, code })]]);
        const known = refused.get(route.operation) ?? [];
        refused.set(route.operation, known.includes(at) ? known : [...known, at]);
      }
    expect(Object.fromEntries(refused)).toEqual(OR_ALL);
    expect([...taken].sort()).toEqual(Object.keys(ABSENCES));
  });

  test.each(posts.map((route) => [route.operation, route] as const))(
    '%s takes null for what may be left out, and keeps what was sent apart',
    async (_, route) => {
      const names = optional(route);
      for (const sample of [route.bodyExample, ...samplesOf(route)] as Record<string, unknown>[])
        for (const name of names) {
          const { [name]: __, ...without } = sample;
          const left = await send(route, without);
          const told = await send(route, { ...without, [name]: null });
          expect(told.status, name).toBe(left.status);
          if (left.status !== 200) continue;
          const takesNull = ((route.body as z.ZodObject).shape[name] as z.ZodType).safeParse(null).success;
          if (!takesNull) expect(told.body, name).toEqual(left.body);
          expect(told.fingerprint, name).not.toBe(left.fingerprint);
        }
    },
  );

  test('a PATCH takes null as a value, or refuses it', async () => {
    const patch = routes.find(({ operation }) => operation === 'updateAccount')!;
    expect(await send(patch, { external_id: null })).toMatchObject({ status: 200, body: { external_id: null } });
    expect(await send(patch, { name: null })).toMatchObject({ status: 400 });
  });
});
