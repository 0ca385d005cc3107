/** `null` for an optional member of a POST is its absence, at any depth; nothing else is. */
import request from 'supertest';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Route, RouteRequest } from '../../../src/api/route.ts';
import { isAmountOrAll, orAll, positiveAmount } from '../../../src/api/schemas/amount.ts';
import { withoutAbsentMembers } from '../../../src/http/absent-members.ts';
import { ROUTES } from '../../../src/http/routes.ts';
import { samplesOf } from '../../support/route-fields.ts';
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
  ${'no amount without which all is meant'} | ${{ all: null }}                                      | ${{ all: null }}
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

  const send = async ({ method, operation }: Route, body: unknown) => {
    handled.length = 0;
    const answer = await request(app)
      [method as 'post'](`/v1/${operation}`)
      .set('authorization', `Bearer ${KEYS.test}`)
      .set('idempotency-key', 'one')
      .send(body as object);
    return { status: answer.status, answer: answer.body, ...handled[0] };
  };

  const membersOf = ({ body }: Route) => Object.entries((body as z.ZodObject).shape) as [string, z.ZodType][];
  /** The optional members of the body of a route, at its top. */
  const optional = (route: Route) =>
    membersOf(route).flatMap(([name, member]) =>
      member._zod.optin === 'optional' && !isAmountOrAll(member) ? [name] : [],
    );

  const ofAll = routes.flatMap((route) =>
    membersOf(route).flatMap(([name, member]) =>
      isAmountOrAll(member) ? [[route.operation, name, route] as const] : [],
    ),
  );

  test('of an amount without which all is meant, and every other that says so, is known here', () => {
    expect(ofAll.map(([operation]) => operation).sort()).toEqual([
      'capturePayment',
      'createRefund',
      'createTransactionAdvice',
      'createTransactionDispute',
      'createTransactionReversal',
      'releaseHold',
      'reverseTransaction',
      'simulateCardAdvice',
      'simulateCardReversal',
      'simulateDispute',
      'simulatePayoutReturned',
    ]);
    const says = routes.flatMap((route) =>
      membersOf(route).flatMap(([name, member]) =>
        /amount/.test(name) && /\ball\b/i.test(member.meta()?.description ?? '') ? [route.operation] : [],
      ),
    );
    expect(ofAll.map(([operation]) => operation)).toEqual(expect.arrayContaining(says));
  });

  test.each(ofAll)('%s refuses null for %s: it is not all', async (_, name, route) => {
    for (const sample of [route.bodyExample, ...samplesOf(route)] as Record<string, unknown>[]) {
      const { status, answer } = await send(route, { ...sample, [name]: null });
      expect([status, answer.errors]).toEqual([
        400,
        expect.arrayContaining([expect.objectContaining({ param: `/${name}`, code: 'amount_not_integer' })]),
      ]);
    }
  });

  test.each(routes.filter(({ method }) => method === 'post').map((route) => [route.operation, route] as const))(
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
