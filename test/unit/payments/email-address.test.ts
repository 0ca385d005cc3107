import { expect, test } from 'vitest';
import { isEmailAddress } from '../../../src/payments/payment/email-address.ts';

test.each([
  'payer@example.com',
  "o'brien+shop@example.com",
  "!#$%&'*+-/=?^_`{|}~@example.com",
  'a.b.c@sub.example.co.uk',
  '-@example.com',
  'payer@bücher.example',
  'payer@xn--bcher-kva.example',
  'payer@متجر.الاردن',
  'payer@shop.xn--p1ai',
  'PAYER@EXAMPLE.COM',
  'payer@123.com',
  `${'a'.repeat(64)}@example.com`,
])('%s is an address', (text) => {
  expect(isEmailAddress(text)).toBe(true);
});

test.each([
  '',
  'payer',
  '@example.com',
  'payer@',
  '.payer@example.com',
  'payer.@example.com',
  'pay..er@example.com',
  'pay er@example.com',
  'a@b@example.com',
  'pay,er@example.com',
  '"payer"@example.com',
  'zahlé@example.com',
  'payer@localhost',
  'payer@shop.local',
  'payer@127.0.0.1',
  'payer@[127.0.0.1]',
  'payer@0x7f.1',
  'payer@example..com',
  'payer@example.com.',
  'payer@-example.com',
  'payer@exa_mple.com',
  'payer@example.com:25',
  'payer@example.com/x',
  'payer@xn--a.example',
  `payer@${'a'.repeat(64)}.example`,
  `${'a'.repeat(65)}@example.com`,
  `${'a'.repeat(60)}@${'b'.repeat(60)}.${'c'.repeat(60)}.${'d'.repeat(60)}.${'e'.repeat(12)}`,
  'payer@example.com\n',
  'payer@exam\u00adple.com',
  'payer@exam\u200bple.com',
  'payer@\u2060example.com',
  'payer@exam\ufe0fple.com',
  'payer@exam\u034fple.com',
  'payer@\u{e0061}example.com',
])('%s is none', (text) => {
  expect(isEmailAddress(text)).toBe(false);
});
