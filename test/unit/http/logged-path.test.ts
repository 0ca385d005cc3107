import { expect, test } from 'vitest';
import { loggedPath } from '../../../src/http/pipeline/request-context.ts';

const CARD = '4242424242424242';

test.each([
  [`/v1/idempotency_keys/${CARD}`, '/v1/idempotency_keys/[card number]'],
  [`/v1/idempotency_keys/order-${CARD}/void`, '/v1/idempotency_keys/order-[card number]/void'],
  ['/v1/idempotency_keys/4242-4242-4242-4242', '/v1/idempotency_keys/[card number]'],
  ['/v1/idempotency_keys/4242%204242%204242%204242', '/v1/idempotency_keys/[card number]'],
  [`/v1/idempotency_keys/%34${CARD.slice(1)}`, '/v1/idempotency_keys/[card number]'],
  [`/v1/${[...CARD].join('%E2%80%8B'.repeat(5))}`, '/v1/[card number]'],
  [`/v1/${'x'.repeat(190)}/${CARD}`, `/v1/${'x'.repeat(190)}/[card`],
])('%s is logged without its card number', (target, logged) => {
  expect(loggedPath(target)).toBe(logged);
});

test.each([
  '/v1/payouts/po_01m83zpwzce68vgv4m8973t8pd',
  '/v1/exceptions/018f0000-0000-7000-8000-000000000000',
  '/v1/idempotency_keys/1234567890123456',
  '/v1/idempotency_keys/a%2Fb%3F',
])('%s is logged as it is', (target) => {
  expect(loggedPath(`${target}?external_id=x`)).toBe(target);
});
