/** Answers that tests hold against the reference: a member that no schema names fails, although clients accept it. */
import { expect, test } from 'vitest';
import { z } from 'zod';
import { expectAsInReference, faultIn } from '../../../../scripts/harness/as-promised.ts';
import { type Answer, NotAsPromised } from '../../../../scripts/harness/client.ts';
import { ROUTES } from '../../../../src/http/routes.ts';

const leg = z.object({ type: z.literal('leg'), length: z.number() });
const wheel = z.object({ type: z.literal('wheel'), radius: z.number().nullable() });
const chair = z.object({
  id: z.string(),
  object: z.literal('chair'),
  secret: z.string().optional(),
  parts: z.array(z.discriminatedUnion('type', [leg, wheel])),
  maker: z.object({ name: z.string(), nickname: z.string().optional() }).nullable(),
  metadata: z.record(z.string(), z.string()),
});
const good = { id: 'a', object: 'chair', parts: [{ type: 'leg', length: 1 }], maker: null, metadata: { surplus: 'b' } };

test.each`
  what                                  | body                                                           | shows         | fault
  ${'an answer of its schema'}          | ${good}                                                        | ${[]}         | ${undefined}
  ${'a wrong type'}                     | ${{ ...good, id: 1 }}                                          | ${[]}         | ${'not what the reference says'}
  ${'a member that is not known'}       | ${{ ...good, surplus: 1 }}                                     | ${[]}         | ${'/surplus'}
  ${'one within a list'}                | ${{ ...good, parts: [{ type: 'leg', length: 1, radius: 1 }] }} | ${[]}         | ${'/parts/0/radius'}
  ${'an optional member of no object'}  | ${{ ...good, maker: { name: 'b', nickname: 'c' } }}            | ${[]}         | ${undefined}
  ${'one within what may be null'}      | ${{ ...good, maker: { name: 'b', age: 1 } }}                   | ${[]}         | ${'/maker/age'}
  ${'an optional member where shown'}   | ${{ ...good, secret: 'c' }}                                    | ${['secret']} | ${undefined}
  ${'an optional member anywhere else'} | ${{ ...good, secret: 'c' }}                                    | ${[]}         | ${'/secret'}
  ${'none where it is shown'}           | ${good}                                                        | ${['secret']} | ${'without secret'}
`('$what', ({ body, shows, fault }) => {
  const found = faultIn(chair, body, shows);
  if (fault === undefined) expect(found).toBeUndefined();
  else expect(found).toContain(fault);
});

const members = {
  type: 'https://api.example.com/docs/errors/insufficient_funds',
  title: 'The account has too little available',
  status: 422,
  detail: 'Too little.',
  code: 'insufficient_funds',
  errors: [],
  request_id: 'req_01k5c2r3v8e9m0x6y7z4a1b2cd',
  retryable: false,
};

test.each`
  what                           | facts                                        | fits
  ${'the facts of its code'}     | ${{ available: 1, required: 2 }}             | ${true}
  ${'without one of its facts'}  | ${{ available: 1 }}                          | ${false}
  ${'with a fact of other code'} | ${{ available: 1, required: 2, version: 3 }} | ${false}
  ${'with a fact of no code'}    | ${{ available: 1, required: 2, balance: 3 }} | ${false}
`('a problem $what', ({ facts, fits }) => {
  const body = { ...members, ...facts };
  const headers = { 'content-type': 'application/problem+json; charset=utf-8' };
  const answer: Omit<Answer<unknown>, 'bytes'> = { status: 422, headers, text: JSON.stringify(body), body };
  const hold = () => expectAsInReference(undefined, 'POST /v1/payouts', answer);
  if (fits) hold();
  else expect(hold).toThrow(NotAsPromised);
});

test('a problem whose code the reference does not list for the operation', () => {
  const body = { ...members, available: 1, required: 2 };
  const headers = { 'content-type': 'application/problem+json; charset=utf-8' };
  const answer = { status: 422, headers, text: JSON.stringify(body), body };
  const route = (operation: string) => ROUTES.find((one) => one.operation === operation);
  expectAsInReference(route('createPayout'), 'POST /v1/payouts', answer);
  expect(() => expectAsInReference(route('getPayout'), 'GET /v1/payouts/po_1', answer)).toThrow('does not list');
});
