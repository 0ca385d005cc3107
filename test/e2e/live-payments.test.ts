/** Payments in live mode, through the http acquirer and the reference gateway (docs/partners.md): answers lost, wrong and late. */
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Fault } from '../../scripts/gateway/server.ts';
import { type Client, type List, succeeded, until } from '../../scripts/harness/client.ts';
import { makeRowsDue } from '../../scripts/harness/database-store.ts';
import { newId, parsePublicId, publicId } from '../../src/values/ids.ts';
import { parseJson, toJson } from '../../src/values/json.ts';
import { GATEWAY_NAME, type GatewayProduct, startWithGateway } from '../support/gateway.ts';
import { expectInvariants } from '../support/invariants.ts';
import { tablesWith } from '../support/live-cards.ts';
import { lookInto } from '../support/product.ts';

// biome-ignore lint/suspicious/noExplicitAny: as the answer shows it
type Shown = any;

let started: GatewayProduct;
let live: Client;
let account: string;
let originator: string;

beforeAll(async () => {
  started = await startWithGateway({ environment: { ACQUIRER_HTTP_CARD_DATA: 'true', PAYMENT_FEE_FIXED: 'EUR:500' } });
  const organisation = await started.product.organisation();
  ({ live } = organisation);
  originator = organisation.keys.liveBookId;
  account = (await live.openAccount({ funds: 0 })).id;
});
afterEach(() => {
  started.gateway.faultOf = () => undefined;
  started.gateway.delayOf = () => undefined;
});
afterAll(async () => {
  await expectInvariants(started.product);
  await started.close();
});

const card = (number = '4242424242424242') => ({ type: 'card', number, exp_month: 12, exp_year: 2034, cvc: '123' });
const request = (body: object = {}, options: object = {}) =>
  live.post<Shown>('/v1/payments', { account, amount: 20_000, currency: 'JOD', source: card(), ...body }, options);
const pay = async (body: object = {}) => succeeded(await request(body));
/** Not waited for: its answer is lost, and found in its own time. */
const payUnheard = async (body: object = {}) => succeeded(await request(body, ASYNC));
const ASYNC = { headers: { prefer: 'respond-async' } };
const read = (id: string) => live.read<Shown>(`/v1/payments/${id}`);
const act = (id: string, action: string, body: object = {}, options: object = {}) =>
  live.post<Shown>(`/v1/payments/${id}/${action}`, body, options);

/** The payment once it is as wanted. Rows are made due meanwhile: nobody waits for the times of inquiries. */
async function eventually(id: string, isWanted: (payment: Shown) => boolean): Promise<Shown> {
  const behind = lookInto(started.product.database);
  try {
    return await until(async () => {
      await makeRowsDue(behind);
      return read(id);
    }, isWanted);
  } finally {
    await behind.end();
  }
}

/** The gateway's own records of a payment's authorization. */
async function atGateway(id: string) {
  const { pool } = started.product.runtime;
  const { rows } = await pool.query<{ reference: string }>(
    `SELECT o.reference FROM payment_operations AS o JOIN payments AS p ON p.book_id = o.book_id AND p.id = o.payment_id
     WHERE o.kind = 'authorize' AND o.book_id = $1 ORDER BY o.id DESC`,
    [originator],
  );
  const shown = await read(id);
  const found = rows
    .map(({ reference }) => started.gateway.rules.records.find(publicId('book', originator), reference))
    .find((known) => known?.amount === BigInt(shown.amount));
  if (!found) throw new Error('The gateway has no such authorization');
  return found;
}

/** The first call of each of these kinds goes wrong. */
function failOnce(call: string, fault: Fault): void {
  let left = 1;
  started.gateway.faultOf = (asked) => (asked === call && left-- > 0 ? fault : undefined);
}

/** Each payment of a test has an amount of its own, by which the gateway's record is found. */
let amounts = 20_000;
const amount = () => ++amounts;

test.each`
  number                | status        | code
  ${'4242424242424242'} | ${'captured'} | ${undefined}
  ${'5555555555554444'} | ${'captured'} | ${undefined}
  ${'4000000000009995'} | ${'failed'}   | ${'insufficient_funds'}
  ${'4000000000000127'} | ${'failed'}   | ${'incorrect_cvc'}
  ${'4000000000000705'} | ${'captured'} | ${undefined}
  ${'4000000000000713'} | ${'failed'}   | ${'processing_error'}
`('the number $number of the gateway ends $status', async ({ number, status, code }) => {
  const { id } = await payUnheard({ source: card(number) });
  const payment = await eventually(id, (one) => one.status === status);
  expect(payment).toMatchObject({ livemode: true, outcome: null });
  expect(payment.decline?.code).toBe(code);
});

test.each`
  what                              | terms                                               | status | code
  ${'of an unknown account'}        | ${{ account: publicId('account', newId()) }}        | ${404} | ${'resource_not_found'}
  ${'of a currency without any'}    | ${{ account: undefined, currency: 'USD' }}          | ${404} | ${'resource_not_found'}
  ${'in another currency'}          | ${{ currency: 'EUR' }}                              | ${422} | ${'currency_mismatch'}
  ${'to a closed account'}          | ${{ account: 'closed' }}                            | ${422} | ${'account_closed'}
  ${'whose fee reaches its amount'} | ${{ account: 'EUR', currency: 'EUR', amount: 500 }} | ${422} | ${'amount_below_minimum'}
`(
  'a payment $what is refused before the gateway hears of it, and its key keeps that',
  async ({ terms, status, code }) => {
    const named: Record<string, string> = {
      closed: (await live.openAccount({ funds: 0 })).id,
      EUR: (await live.openAccount({ funds: 0, currency: 'EUR' })).id,
    };
    succeeded(await live.post(`/v1/accounts/${named.closed}/close`, {}));
    const { type: _, ...kept } = card();
    const token = succeeded(
      await live.post<Shown>('/v1/payments/tokens', { card: kept, customer_reference: 'customer-1' }),
    );
    const coded = { type: 'token', token: token.id, cvc: '123' };
    const heard: string[] = [];
    started.gateway.delayOf = (call) => {
      heard.push(call);
      return undefined;
    };
    for (const source of [card(), coded]) {
      const asked = { source, ...terms, ...(named[terms.account] && { account: named[terms.account] }) };
      const idempotencyKey = newId();
      const first = await request(asked, { idempotencyKey });
      expect(first).toMatchObject({ status, body: { code } });
      expect((await request(asked, { idempotencyKey })).text).toBe(first.text);
    }
    expect(heard).toEqual([]);
    for (const source of [card(), coded]) expect(await pay({ source })).toMatchObject({ status: 'captured' });
    expect(heard.length).toBe(4);
  },
);

test("an acquirer's answer with card numbers is applied, and they are kept in its references alone", async () => {
  const [reference, network, elsewhere] = ['5105105105105100', '4000056655665556', '4012 8888 8888 1881'];
  failOnce('submit', (answer) => {
    const body = JSON.parse(
      JSON.stringify(answer.body, (_, value) => (typeof value === 'bigint' ? Number(value) : value)),
    );
    const facts = { ...body.authorization, network_reference: network, network: elsewhere.replaceAll(' ', '-') };
    const told = { ...body, acquirer_reference: reference, code: elsewhere.replaceAll(' ', '.'), authorization: facts };
    return { status: answer.status, body: JSON.stringify(told) };
  });
  const payment = await pay({ amount: amount() });
  expect(payment.status).toBe('captured');
  expect(payment.authorization).toMatchObject({ network_reference: network, network: '[card number]' });
  expect(await tablesWith(started.product.runtime.pool, ['4012\\D?8888\\D?8888\\D?1881'])).toEqual([]);
});

test('captures in parts and refunds are carried out at the gateway, to the last unit', async () => {
  const { id } = await pay({ capture: 'manual', amount: amount() });
  succeeded(await act(id, 'capture', { amount: 12_000 }));
  const captured = succeeded(await act(id, 'capture', { amount: 5_000, final: true }));
  expect(captured).toMatchObject({ status: 'captured', amount_captured: 17_000, amount_capturable: 0 });
  const refund = await live.post<Shown>(`/v1/payments/${id}/refunds`, { amount: 3_000 });
  expect(refund).toMatchObject({ status: 201, body: { status: 'succeeded' } });
  expect(await atGateway(id)).toMatchObject({ captured: 17_000n, refunded: 3_000n, closed: true });
});

test('an increment and a void reach the gateway', async () => {
  const { id } = await pay({ capture: 'manual', amount: amount() });
  expect(succeeded(await act(id, 'increment', { amount: 90_000 }))).toMatchObject({ amount_authorized: 90_000 });
  expect(succeeded(await act(id, 'cancel'))).toMatchObject({ status: 'canceled' });
  expect(await atGateway(id)).toMatchObject({ authorized: 90_000n, captured: 0n, closed: true });
});

test('an answer that is lost is found by inquiry, and the card is charged once', async () => {
  failOnce('submit', 'unanswered');
  const { id } = await payUnheard({ amount: amount() });
  await eventually(id, ({ status }) => status === 'captured');
  const charged = await atGateway(id);
  expect(charged).toMatchObject({ captured: charged.amount });
});

test('an instruction that never came is sent again under its reference', async () => {
  failOnce('submit', 'unheard');
  const { id } = await payUnheard({ amount: amount() });
  await eventually(id, ({ status }) => status === 'captured');
  const charged = await atGateway(id);
  expect(charged).toMatchObject({ captured: charged.amount });
});

test.each`
  what          | change
  ${'amount'}   | ${(body: Shown) => ({ ...body, amount: body.amount + 1 })}
  ${'currency'} | ${(body: Shown) => ({ ...body, currency: 'USD' })}
`('another $what than was asked for is never a capture: an exception waits for a person', async ({ what, change }) => {
  started.gateway.faultOf = (call) =>
    call === 'submit' || call === 'inquire'
      ? ({ status, body }) => ({ status, body: toJson(change(parseJson(toJson(body)))) })
      : undefined;
  const { id } = await payUnheard({ amount: amount() });
  const doubted = await eventually(id, ({ outcome }) => outcome === 'unknown');
  expect(doubted).toMatchObject({ status: 'processing', amount_captured: 0 });
  const { data } = await live.read<List<Shown>>('/v1/exceptions');
  expect(data.map(({ kind }) => kind)).toContain(`acquirer_${what}_mismatch`);
});

test.each<[string, Fault]>([
  ['a redirect', () => ({ status: 307, body: '', headers: { location: 'http://127.0.0.1:1/' } })],
  ['a page of a proxy', () => ({ status: 502, body: '<html>Bad gateway</html>' })],
  ['a refusal without a code', () => ({ status: 422, body: '{}' })],
  ['no such route', () => ({ status: 404, body: '{"code":"no_route"}' })],
  ['an answer without end', ({ status, body }) => ({ status, body: toJson({ ...body, padding: 'x'.repeat(70_000) }) })],
  ['no JSON', () => ({ status: 200, body: 'succeeded' })],
  ['another reference', ({ status, body }) => ({ status, body: toJson({ ...body, reference: 'ANOTHER' }) })],
  ['an amount in a text', ({ status, body }) => ({ status, body: toJson({ ...body, amount: '20000' }) })],
  ['a status of its own', ({ status, body }) => ({ status, body: toJson({ ...body, status: 'approved' }) })],
])('%s in place of the answer means that nobody knows: it is asked for', async (_, fault) => {
  failOnce('submit', fault);
  const { id } = await payUnheard({ amount: amount() });
  await eventually(id, ({ status }) => status === 'captured');
  expect((await atGateway(id)).captured).toBe(BigInt((await read(id)).amount));
});

test('a notice settles what nobody answered', async () => {
  const { id } = await pay({ capture: 'manual', amount: amount() });
  started.gateway.faultOf = (call) => (call === 'submit' ? 'unanswered' : 'unheard');
  succeeded(await act(id, 'capture', {}, ASYNC));
  expect(await eventually(id, ({ outcome }) => outcome === 'unknown')).toMatchObject({ status: 'authorized' });
  const { rows } = await started.product.runtime.pool.query<{ reference: string }>(
    `SELECT reference FROM payment_operations WHERE book_id = $1 AND kind = 'capture' AND status = 'pending'`,
    [originator],
  );
  const { rules } = started.gateway;
  rules.notify(rules.records.find(publicId('book', originator), rows[0]!.reference)!, 'succeeded');
  const settled = await eventually(id, ({ status }) => status === 'captured');
  expect(settled.amount_captured).toBe(settled.amount);
});

test('a challenge leads to the gateway, and its notice brings the outcome', async () => {
  const { id, next_action, status } = await pay({
    source: card('4000002500003155'),
    return_url: 'https://shop.example/back',
  });
  expect(status).toBe('requires_action');
  expect(next_action.url).toMatch(new RegExp(`^${started.gateway.url}/pages/`));
  started.gateway.rules.passChallenge(next_action.url.split('/').at(-1)!, { passed: true });
  const paid = await eventually(id, (one) => one.status === 'captured');
  expect(paid.authorization).toMatchObject({ eci: '05', three_d_secure: 'authenticated' });
});

test('a challenge leads where the gateway says, letter by letter, and nothing of it is masked', async () => {
  const url = "https://bank.example/acs/../acs/5105105105105100?x='1'";
  const expires_at = new Date(Date.now() + 60_000).toISOString();
  started.gateway.faultOf = (call) =>
    call === 'submit'
      ? ({ status, body }) => ({
          status,
          body: toJson({ ...body, challenge: { url, expires_at } }),
        })
      : undefined;
  const { id, next_action } = await pay({ source: card('4000002500003155'), return_url: 'https://shop.example/back' });
  started.gateway.faultOf = () => undefined;
  expect(next_action.url).toBe(url);
  expect((await live.read<Shown>(`/v1/payments/${id}`)).next_action.url).toBe(url);
});

test('a request to pay is captured once its payer approves', async () => {
  const { id } = await pay({ source: { type: 'cliq_request', alias: 'SALMA77' }, amount: amount() });
  const { reference } = await atGateway(id);
  started.gateway.rules.answerRequest(publicId('book', originator), reference, { approved: true });
  await eventually(id, ({ status }) => status === 'captured');
});

test('a refund that the gateway takes back later has failed', async () => {
  const { id } = await pay({ source: card('4000000000005126') });
  const { body: refund } = await live.post<Shown>(`/v1/payments/${id}/refunds`, { amount: 1_000 });
  await eventually(id, ({ amount_refunded }) => amount_refunded === 0);
  expect(await live.read<Shown>(`/v1/payments/refunds/${refund.id}`)).toMatchObject({ status: 'failed' });
});

test('a dispute is told, answered and won through the gateway', async () => {
  const { id } = await pay({ source: card('4000000000000259'), amount: amount() });
  const { amount: disputed } = await eventually(id, ({ amount_disputed }) => amount_disputed > 0);
  const { data } = await live.read<List<Shown>>('/v1/payments/disputes');
  const dispute = data.find(({ payment }) => payment === id);
  expect(dispute).toMatchObject({ status: 'opened', amount: disputed, reason: 'fraudulent' });
  const evidence = { uncategorized_text: 'Delivered and signed for.' };
  succeeded(await live.post<Shown>(`/v1/payments/disputes/${dispute.id}/evidence`, evidence));
  const records = [...started.gateway.rules.records.disputes.values()];
  const atAcquirer = records.find((known) => known.amount === BigInt(disputed))!;
  await until(() => atAcquirer.status === 'evidence');
  started.gateway.rules.decideDispute(atAcquirer, 'won');
  await eventually(id, ({ amount_disputed }) => amount_disputed === 0);
  expect(await live.read<Shown>(`/v1/payments/disputes/${dispute.id}`)).toMatchObject({ status: 'won' });
});

test('while the gateway is away no card is exchanged, and nothing exists; the same key pays afterwards', async () => {
  const count = async () => (await live.read<List<Shown>>('/v1/payments?limit=100')).data.length;
  const before = await count();
  const options = { idempotencyKey: randomUUID() };
  started.gateway.faultOf = () => 'unheard';
  expect(await request({}, options)).toMatchObject({ status: 503, body: { code: 'service_unavailable' } });
  expect(await count()).toBe(before);
  started.gateway.faultOf = () => undefined;
  expect(await request({}, options)).toMatchObject({ status: 201, body: { status: 'captured' } });
  expect(await count()).toBe(before + 1);
});

test('a card that the gateway does not take is refused at its number', async () => {
  const answer = await request({ source: card('4111111111111111') });
  expect(answer).toMatchObject({ status: 400, body: { code: 'parameter_invalid', param: '/source/number' } });
});

test('a gateway that repeats the number is not believed, and no number is kept anywhere', async () => {
  started.gateway.faultOf = (call) =>
    call === 'tokenize' ? ({ status }) => ({ status, body: '{"token":"4242424242424242"}' }) : undefined;
  expect((await request()).status).toBe(503);
  const { pool } = started.product.runtime;
  expect(await tablesWith(pool, ['4242424242424242', '4000000000000259', '4000002500003155'])).toEqual([]);
});

test('an operation of a gateway that is not configured any more waits for a person, and holds up no other', async () => {
  const [former, other] = [await pay({ capture: 'manual' }), await pay({ capture: 'manual' })];
  const behind = lookInto(started.product.database);
  const rename = (from: string, to: string) =>
    behind.query('UPDATE payments SET acquirer = $2 WHERE acquirer = $1 AND id = $3', [
      ...[from, to],
      parsePublicId('payment', former.id),
    ]);
  await rename(GATEWAY_NAME, 'former_gateway');
  await Promise.all([former, other].map(({ id }) => act(id, 'capture', {}, ASYNC)));
  await eventually(other.id, ({ status }) => status === 'captured');
  const stuck = async () =>
    (await behind.query("SELECT stuck_error FROM payment_operations WHERE acquirer = 'former_gateway'")).rows[0];
  expect((await until(stuck, (row) => row?.stuck_error !== null)).stuck_error).toMatch(/no acquirer named/);
  // It is configured again, and a person retries.
  await rename('former_gateway', GATEWAY_NAME);
  await behind.query(
    "UPDATE payment_operations SET acquirer = $1, stuck_at = NULL, stuck_error = NULL WHERE acquirer = 'former_gateway'",
    [GATEWAY_NAME],
  );
  await eventually(former.id, ({ status }) => status === 'captured');
  await behind.end();
});
