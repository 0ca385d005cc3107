/** Payouts in live mode, over the http rail and the reference gateway (docs/partners.md): answers lost, wrong and late. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Fault } from '../../scripts/gateway/server.ts';
import { type Client, type Payout, succeeded, until } from '../../scripts/harness/client.ts';
import { makeRowsDue } from '../../scripts/harness/database-store.ts';
import { parsePublicId, publicId } from '../../src/values/ids.ts';
import { parseJson, toJson } from '../../src/values/json.ts';
import { contractOf } from '../support/contracted.ts';
import { type GatewayProduct, RAIL_NAME, startWithGateway } from '../support/gateway.ts';
import { expectInvariants } from '../support/invariants.ts';
import {
  AMOUNT,
  balanceOf,
  bookedOf,
  eventsOf,
  exceptionsAbout,
  FEE,
  FUNDS,
  GIVEN_BACK,
  holding,
  send,
  sent,
  USUAL,
} from '../support/payout-rows.ts';
import { lookInto } from '../support/product.ts';

let started: GatewayProduct;
let client: Client;
let live: Client;
let originator: string;

/** In test mode, so that accounts can be funded. */
beforeAll(async () => {
  started = await startWithGateway({ environment: { RAIL_HTTP_MODE: 'test' } });
  await contractOf(started.product);
  const organisation = await started.product.organisation();
  ({ client, live } = organisation);
  originator = organisation.keys.testBookId;
});
afterEach(() => {
  started.gateway.faultOf = () => undefined;
  started.gateway.payoutNotices.isSilent = false;
});
afterAll(async () => {
  if (started) await expectInvariants(started.product);
  await started?.close();
});

const funded = async () => (await client.openAccount({ funds: FUNDS })).id;
const shop = (alias = 'SHOP1') => ({ type: 'cliq', alias });
const orderOf = ({ end_to_end_id }: Payout) =>
  started.gateway.payouts.find(publicId('book', originator), end_to_end_id);
const failing = (call: string, fault: Fault) => {
  started.gateway.faultOf = (asked) => (asked === call ? fault : undefined);
};
const rejecting =
  (code: string): Fault =>
  ({ body }) => ({
    status: 200,
    body: toJson({ ...body, status: 'rejected', code }),
  });

/** The payout once it is as wanted. Rows are made due meanwhile: nobody waits for the times of inquiries. */
async function eventually(id: string, isWanted: (payout: Payout) => boolean): Promise<Payout> {
  const behind = lookInto(started.product.database);
  try {
    return await until(async () => {
      await makeRowsDue(behind);
      return client.read<Payout>(`/v1/payouts/${id}`);
    }, isWanted);
  } finally {
    await behind.end();
  }
}

test('a payout goes to the gateway, by whichever destination it carries', async () => {
  const account = await funded();
  for (const destination of [
    shop(),
    {
      type: 'iban',
      iban: 'JO94CBJO0010000000000131000302',
      name: 'سلمى حداد',
      address: { line1: 'A', city: 'B', country: 'JO' },
    },
    { type: 'wallet', phone: '+962791234567' },
  ]) {
    const payout = await sent(client, account, destination);
    const paid = await client.payoutUntil(payout.id, 'paid');
    expect(paid).toMatchObject({ rail: RAIL_NAME, rail_reference: orderOf(paid)!.railReference });
    expect(await bookedOf(client, paid)).toEqual(USUAL);
  }
});

test('what travels with the money is told to the gateway: remittance, else the description, and the purpose', async () => {
  const account = await funded();
  for (const [texts, carried] of [
    [
      { remittance: 'Invoice 17', description: 'Not this', purpose_code: 'SALA' },
      { remittance: 'Invoice 17', purposeCode: 'SALA' },
    ],
    [{ description: 'Order 18' }, { remittance: 'Order 18', purposeCode: null }],
    [{ description: 'x'.repeat(141) }, { remittance: null, purposeCode: null }],
  ] as const) {
    const body = { account, amount: AMOUNT, currency: 'JOD', destination: shop(), ...texts };
    const payout = succeeded(await client.post<Payout>('/v1/payouts', body));
    expect(orderOf(await client.payoutUntil(payout.id, 'paid'))).toMatchObject(carried);
  }
});

test('a destination of live mode that no rail carries is refused with the reason', async () => {
  const account = (await live.openAccount({ funds: 0 })).id;
  expect(await send(live, account, shop())).toMatchObject({
    status: 422,
    body: { code: 'rail_unavailable', param: '/destination/type' },
  });
});

test('E1: no answer, and an inquiry finds it paid: one movement, never failed', async () => {
  const account = await funded();
  failing('payout_submit', 'unanswered');
  const payout = await sent(client, account, shop());
  const unknown = await client.payoutUntil(payout.id, ({ outcome }) => outcome === 'unknown');
  expect(unknown).toMatchObject({ status: 'processing', waiting_on: 'inquiry' });
  const paid = await eventually(payout.id, ({ status }) => status === 'paid');
  expect(await bookedOf(client, paid)).toEqual(USUAL);
  expect(orderOf(paid)).toMatchObject({ movements: 1 });
  expect(await eventsOf(client, payout)).toEqual(['payout.created', 'payout.processing', 'payout.paid']);
});

test('E2: not found before its time is sent again; after it, by the partner’s clock, it has failed', async () => {
  const account = await funded();
  let heard = 0;
  started.gateway.faultOf = (call) => (call === 'payout_submit' && heard++ < 2 ? 'unheard' : undefined);
  const again = await sent(client, account, shop());
  await eventually(again.id, ({ status }) => status === 'paid');
  expect(heard).toBe(3);
  expect(orderOf(again)).toMatchObject({ movements: 1 });

  let asOf = Date.now();
  started.gateway.faultOf = (call) => {
    if (call === 'payout_submit') return 'unheard';
    if (call !== 'payout_inquire') return undefined;
    return ({ body }) => ({ status: 200, body: toJson({ ...body, as_of: new Date(asOf).toISOString() }) });
  };
  const never = await sent(client, account, shop());
  await eventually(never.id, ({ outcome, next_inquiry_at }) => outcome === 'unknown' && next_inquiry_at !== null);
  await eventually(never.id, ({ version }) => version > 3);
  expect(await client.read(`/v1/payouts/${never.id}`)).toMatchObject({ status: 'processing', outcome: 'unknown' });
  asOf = Date.now() + 3_600_000;
  const failed = await eventually(never.id, ({ status }) => status === 'failed');
  expect(failed.failure).toMatchObject({ code: 'payee_bank_unavailable', rail_code: 'NOT_FOUND' });
  expect(await bookedOf(client, failed)).toEqual(GIVEN_BACK);
});

test('E3: rejected by AB05, and given back', async () => {
  const account = await funded();
  failing('payout_submit', rejecting('AB05'));
  const payout = await sent(client, account, shop('PENDING'));
  const failed = await client.payoutUntil(payout.id, 'failed');
  expect(failed.failure).toMatchObject({ code: 'payee_bank_unavailable', rail_code: 'AB05' });
  expect(await bookedOf(client, failed)).toEqual(GIVEN_BACK);
  expect(await balanceOf(client, account)).toEqual(holding(FUNDS));
});

/** What the process has counted, as it is scraped. */
async function failuresCounted(code: string): Promise<number> {
  const text = await started.product.runtime.metrics.render();
  const line = `countinghouse_payouts_failed_total{rail="${RAIL_NAME}",code="${code}"} `;
  return Number(
    text
      .split('\n')
      .find((one) => one.startsWith(line))!
      .slice(line.length),
  );
}

test.each(['AM04', 'AC05', 'AM10'])(
  'H29: %s is about the operator’s own account, and is counted for an alert',
  async (code) => {
    const account = await funded();
    const before = await failuresCounted('rail_suspended');
    failing('payout_submit', rejecting(code));
    const payout = await sent(client, account, shop('PENDING'));
    const failed = await client.payoutUntil(payout.id, 'failed');
    expect(failed.failure).toMatchObject({ code: 'rail_suspended', rail_code: code });
    expect(await bookedOf(client, failed)).toEqual(GIVEN_BACK);
    await until(
      () => failuresCounted('rail_suspended'),
      (now) => now === before + 1,
    );
    // From the start: an increase is seen with the first.
    expect(await failuresCounted('compliance_rejected')).toBe(0);
  },
);

test('E4: rejected as a duplicate is unknown, with an exception; a notice says paid', async () => {
  const account = await funded();
  failing('payout_submit', rejecting('DU04'));
  const payout = await sent(client, account, shop('PENDING'));
  const unknown = await client.payoutUntil(payout.id, ({ outcome }) => outcome === 'unknown');
  expect(unknown).toMatchObject({ status: 'processing', failure: null });
  expect(await exceptionsAbout(client, payout)).toEqual(['rail_duplicate']);
  expect(await bookedOf(client, payout)).toEqual([['reserved', AMOUNT]]);
  started.gateway.payouts.decide(orderOf(payout)!, 'paid');
  const paid = await eventually(payout.id, ({ status }) => status === 'paid');
  expect(await bookedOf(client, paid)).toEqual(USUAL);
  expect(await balanceOf(client, account)).toEqual(holding(FUNDS - AMOUNT - FEE));
  expect(await eventsOf(client, payout)).toEqual(['payout.created', 'payout.processing', 'payout.paid']);
});

test('E5: rejected, and later a notice says paid: below the floor where it must be, and no fee', async () => {
  const { id: account } = await client.openAccount({ funds: AMOUNT + FEE });
  const { id: other } = await client.openAccount({ funds: 0 });
  const payout = await sent(client, account, shop('CLOSED'));
  await client.payoutUntil(payout.id, 'failed');
  const emptied = { account, amount: AMOUNT + FEE, currency: 'JOD', destination: { type: 'account', account: other } };
  const away = succeeded(await client.post<Payout>('/v1/payouts', emptied));
  await client.payoutUntil(away.id, 'paid');
  started.gateway.payouts.decide(orderOf(payout)!, 'paid');
  const paid = await eventually(payout.id, ({ status }) => status === 'paid');
  expect(await bookedOf(client, paid)).toEqual([...GIVEN_BACK, ['paid_after_failed', AMOUNT]]);
  expect(await balanceOf(client, account)).toEqual(holding(-AMOUNT));
  expect(await exceptionsAbout(client, payout)).toEqual(['paid_after_failed']);
  expect((await eventsOf(client, payout)).slice(-2)).toEqual(['payout.failed', 'payout.paid']);
});

test('what came back is booked for its amount', async () => {
  const payout = await sent(client, await funded(), shop('RETURNHALF'));
  const returned = await eventually(payout.id, ({ amount_returned }) => amount_returned > 0);
  expect(returned).toMatchObject({ status: 'paid', amount_returned: AMOUNT / 2 });
});

test('an alias is resolved at the gateway, and held to the account that was found', async () => {
  const resolution = succeeded(
    await client.post<{ resolution: string; name_masked: string }>('/v1/payouts/resolve', {
      destination: shop('REPOINTED'),
    }),
  );
  expect(resolution.name_masked).toBe('S***** P****');
  const pinned = { ...shop('REPOINTED'), resolution: resolution.resolution };
  const payout = await sent(client, await funded(), pinned);
  expect((await client.payoutUntil(payout.id, 'failed')).failure).toMatchObject({ code: 'payee_changed' });
  failing('payout_resolve', 'unheard');
  expect(await client.post('/v1/payouts/resolve', { destination: shop() })).toMatchObject({ status: 503 });
});

test('F2: a token of an acquirer that no rail pays out to is refused, and stays as it is', async () => {
  const token = succeeded(
    await client.post<{ id: string }>('/v1/payments/tokens', {
      card: { number: '4242424242424242', exp_month: 12, exp_year: 2034, cvc: '123' },
    }),
  );
  const behind = lookInto(started.product.database);
  await behind.query('UPDATE payment_tokens SET acquirer = $2 WHERE id = $1', [
    parsePublicId('paymentToken', token.id),
    'an_acquirer_of_before',
  ]);
  await behind.end();
  expect(await send(client, await funded(), { type: 'card', card: token.id })).toMatchObject({
    status: 422,
    body: { code: 'rail_unavailable', param: '/destination/type' },
  });
  expect(await client.read(`/v1/payments/tokens/${token.id}`)).toMatchObject({ status: 'active' });
});

test.each([
  ['about another payout', (body: object) => ({ ...body, reference: 'ANOTHER' })],
  ['of another originator', (body: object) => ({ ...body, originator: 'book_other' })],
  ['of no status', (body: object) => ({ ...body, status: 'done' })],
  ['with an amount in text', (body: object) => ({ ...body, amount: '5124' })],
])('an answer %s leaves the outcome unknown, and an inquiry settles it', async (_, change) => {
  failing('payout_submit', ({ body }) => ({ status: 200, body: toJson(change(parseJson(toJson(body)) as object)) }));
  const payout = await sent(client, await funded(), shop());
  await client.payoutUntil(payout.id, ({ outcome, status }) => outcome === 'unknown' || status === 'paid');
  await eventually(payout.id, ({ status }) => status === 'paid');
  expect(orderOf(payout)).toMatchObject({ movements: 1 });
});
