import { expect, test } from 'vitest';
import { nearestRoute } from '../../../src/http/pipeline/nearest-route.ts';
import { ROUTES } from '../../../src/http/routes.ts';

const ID = 'po_01k5c2r3v8e9m0x6y7z4a1b2cd';

test.each`
  method    | path                                      | operation
  ${'POST'} | ${`/v1/simulations/payouts/${ID}/cancel`} | ${'cancelPayout'}
  ${'GET'}  | ${'/v1/balance'}                          | ${'getPaymentBalance'}
  ${'GET'}  | ${'/balance'}                             | ${'getPaymentBalance'}
  ${'POST'} | ${`/v1/payout/${ID}/cancle`}              | ${'cancelPayout'}
  ${'POST'} | ${`/v1/payouts/${ID}/stamp`}              | ${undefined}
  ${'GET'}  | ${'/v1/weather'}                          | ${undefined}
  ${'GET'}  | ${'/'}                                    | ${undefined}
`('$method $path is nearest to $operation', ({ method, path, operation }) => {
  expect(nearestRoute(ROUTES, { method, path })?.operation).toBe(operation);
});
