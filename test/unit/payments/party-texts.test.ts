/** Texts that leave for an acquirer are checked by its rules when they are accepted, and travel as they were given. */
import { expect, test } from 'vitest';
import { submitEvidence } from '../../../src/payments/disputes/api/dispute-schemas.ts';
import { createPayment } from '../../../src/payments/payment/api/payment-schemas.ts';
import { createToken } from '../../../src/payments/tokens/api/token-schemas.ts';

const payment = (change: object) =>
  createPayment.safeParse({ amount: 5, currency: 'JOD', source: { type: 'checkout' }, ...change });

const DESCRIPTOR = 'statement_descriptor';

test.each`
  text                          | taken
  ${'SHOP'}                     | ${true}
  ${"Bob's. A,b-c & d/e (f)+"}  | ${false}
  ${"Bob's. A,b-c & d/e(f)+"}   | ${true}
  ${'1234567890 a'}             | ${true}
  ${'1234567890'}               | ${false}
  ${'.,-'}                      | ${false}
  ${''}                         | ${false}
  ${'SHOP*ORDER'}               | ${false}
  ${'CAF\u00c9'}                | ${false}
  ${'\u0645\u062a\u062c\u0631'} | ${false}
  ${'SHOP\u200b'}               | ${false}
  ${'SHOP\n2'}                  | ${false}
  ${'SHOP\t2'}                  | ${false}
  ${'SHOP\u00a02'}              | ${false}
  ${'SHOP #2'}                  | ${false}
  ${'x'.repeat(22)}             | ${true}
  ${'x'.repeat(23)}             | ${false}
`('the statement descriptor $text is taken: $taken', ({ text, taken }) => {
  const { success, data, error } = payment({ [DESCRIPTOR]: text });
  expect(success).toBe(taken);
  if (taken) expect(data![DESCRIPTOR]).toBe(text);
  else
    expect(error!.issues).toMatchObject([
      { path: [DESCRIPTOR], message: expect.stringMatching(/^Expects (A to Z|1 to 22)/) },
    ]);
});

test('a refused descriptor is told what is allowed', () => {
  const [issue] = payment({ [DESCRIPTOR]: 'SHOP*1' }).error!.issues;
  expect(issue!.message).toBe(
    "Expects A to Z, a to z, 0 to 9, space and . , - & / ' ( ) +, and at least one letter: card networks take no others.",
  );
});

const line = 'A\nB';
const recurring = (reference: string) => ({ reason: 'scheduled', previous_network_reference: reference });
test.each<[what: string, parsed: { success: boolean }, taken: boolean]>([
  ['a name of two lines', payment({ billing: { name: line } }), false],
  ['an address of two lines', payment({ billing: { address: { line1: line } } }), false],
  ['a city with a bell', payment({ billing: { address: { city: 'A\u0007' } } }), false],
  ['a name in any script', payment({ billing: { name: '\u0632\u064a\u0646\u0628 \u00c9lo\u00efse' } }), true],
  ['a network reference with a space', payment({ recurring: recurring('MCC 0123') }), false],
  ['a network reference', payment({ recurring: recurring('MCC0123-9') }), true],
  ['a token with a letter that is not ASCII', createToken.safeParse({ acquirer_token: 'tok_\u00e9' }), false],
  ['a token', createToken.safeParse({ acquirer_token: 'tok_1/a+b=' }), true],
  ['evidence of several lines', submitEvidence.safeParse({ uncategorized_text: 'A\r\n\tB' }), true],
  ['evidence with an escape character', submitEvidence.safeParse({ uncategorized_text: 'A\u001b[2J' }), false],
])('%s', (_, { success }, taken) => {
  expect(success).toBe(taken);
});
