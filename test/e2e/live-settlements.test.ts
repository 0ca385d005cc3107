/** What a gateway paid is taken in by the ids that it was given: the merchant's, and the references of its instructions. */
import { expect, test } from 'vitest';
import { succeeded } from '../../scripts/harness/client.ts';
import { readReport, writeReport } from '../../src/payments/paydays/report.ts';
import { bookReport } from '../../src/payments/settlements/book-report.ts';
import { keepReport } from '../../src/payments/settlements/report-store.ts';
import { GATEWAY_NAME, startWithGateway } from '../support/gateway.ts';

test('a report of the gateway settles a live payment', async () => {
  const { product, gateway, close } = await startWithGateway({ environment: { ACQUIRER_HTTP_CARD_DATA: 'true' } });
  const { runtime } = product;
  const { live } = await product.organisation();
  const { id: account } = await live.openAccount({ funds: 0 });
  const told: { merchant: string; reference: string }[] = [];
  gateway.faultOf = (call) =>
    call === 'submit'
      ? ({ status, body }) => {
          told.push(body as (typeof told)[number]);
          return {
            status,
            body: JSON.stringify(body, (_, value) => (typeof value === 'bigint' ? Number(value) : value)),
          };
        }
      : undefined;
  const source = { type: 'card', number: '4242424242424242', exp_month: 12, exp_year: 2034, cvc: '123' };
  const { id } = succeeded(
    await live.post<{ id: string }>('/v1/payments', { account, amount: 20_000, currency: 'JOD', source }),
  );
  const [{ merchant, reference }] = told as [(typeof told)[number]];
  const line = {
    lineId: 'L-1',
    merchant,
    type: 'capture',
    reference,
    currency: 'JOD',
    gross: 20_000n,
    cost: 100n,
  } as const;
  const bytes = writeReport([line]);
  const file = { acquirer: GATEWAY_NAME, mode: 'live', name: 'a day', bytes, lines: readReport(bytes) } as const;
  const parts = await bookReport(runtime, await keepReport(runtime.pool, file, Date.now()));
  expect(parts).toMatchObject([{ settlement: { exceptions: 0 } }]);
  expect(await live.read(`/v1/payments/${id}`)).toMatchObject({ status: 'settled', amount_settled: 20_000 });
  await close();
});
