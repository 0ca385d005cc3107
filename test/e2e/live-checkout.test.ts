/** Live mode without card numbers in the API: the acquirer's own page, its own tokens, and what is refused (docs/partners.md). */
import { request as send } from 'undici';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Client, succeeded, until } from '../../scripts/harness/client.ts';
import { makeRowsDue } from '../../scripts/harness/database-store.ts';
import { publicId } from '../../src/values/ids.ts';
import { type GatewayProduct, startWithGateway } from '../support/gateway.ts';
import { expectInvariants } from '../support/invariants.ts';
import { type Payer, payerOf, type ShownPage } from '../support/payer.ts';
import { lookInto } from '../support/product.ts';

const PUBLIC_URL = 'https://pay.example';
const RETURN_URL = 'https://shop.example/return?order=7';
const APPROVED = '4242424242424242';
const DECLINED = '4000000000000002';

// biome-ignore lint/suspicious/noExplicitAny: as the answer shows it
type Shown = any;

let started: GatewayProduct;
let live: Client;
let account: string;
let originator: string;
let payers = 0;

beforeAll(async () => {
  started = await startWithGateway({ environment: { PUBLIC_URL, TRUSTED_PROXIES: 'loopback' } });
  const organisation = await started.product.organisation();
  ({ live } = organisation);
  originator = organisation.keys.liveBookId;
  account = (await live.openAccount({ funds: 0 })).id;
});
afterEach(() => {
  started.gateway.faultOf = () => undefined;
});
afterAll(async () => {
  await expectInvariants(started.product);
  await started.close();
});

const card = { number: APPROVED, exp_month: 12, exp_year: 2034, cvc: '123' };
const request = (body: object) =>
  live.post<Shown>('/v1/payments', { account, amount: 25_000, currency: 'JOD', ...body });
const read = (id: string) => live.read<Shown>(`/v1/payments/${id}`);

describe('card numbers', () => {
  test.each`
    path                           | body                                                                      | param
    ${'/v1/payments'}              | ${{ amount: 25_000, currency: 'JOD', source: { type: 'card', ...card } }} | ${'/source'}
    ${'/v1/payments?dry_run=true'} | ${{ amount: 25_000, currency: 'JOD', source: { type: 'card', ...card } }} | ${'/source'}
    ${'/v1/payments/tokens'}       | ${{ card, customer_reference: 'customer-1' }}                             | ${'/card'}
  `('are refused at $path before anybody is asked', async ({ path, body, param }) => {
    const heard: string[] = [];
    started.gateway.faultOf = (call) => {
      heard.push(call);
      return undefined;
    };
    const answer = await live.post<Shown>(path, body);
    expect(answer).toMatchObject({ status: 403, body: { code: 'card_data_disabled', param, retryable: false } });
    expect(answer.text).not.toContain(APPROVED);
    expect(heard).toEqual([]);
  });
});

describe("a token of the acquirer's own", () => {
  /** As the integrator's page gets it from the gateway. */
  const tokenOfPage = ({ reusable = true, by = publicId('book', originator) } = {}) =>
    started.gateway.rules.records.keepCard(
      { number: APPROVED, expMonth: 12, expYear: 2034, hasCode: false },
      { originator: by, reusable },
    )!.token;
  const imported = (body: object) => live.post<Shown>('/v1/payments/tokens', body);

  test('is kept for a customer, verified, and pays more than once', async () => {
    const token = succeeded(
      await imported({ acquirer_token: tokenOfPage(), customer_reference: 'customer-1', verify: true }),
    );
    expect(token).toMatchObject({
      ...{ status: 'active', livemode: true, customer_reference: 'customer-1' },
      card: { brand: 'visa', last_four: '4242', fingerprint: expect.stringMatching(/^.{32}$/) },
      verification: { status: 'succeeded' },
    });
    for (const cvc of [undefined, '123']) {
      const paid = await request({ source: { type: 'token', token: token.id, ...(cvc && { cvc }) } });
      expect(paid).toMatchObject({ status: 201, body: { status: 'captured', livemode: true } });
      expect(paid.body.authorization.cvc).toBe(cvc ? 'match' : null);
    }
  });

  test.each<[string, () => object, string, string]>([
    ['an unknown one', () => ({ acquirer_token: 'nothing' }), 'token_invalid', '/acquirer_token'],
    ["another book's", () => ({ acquirer_token: tokenOfPage({ by: 'another' }) }), 'token_invalid', '/acquirer_token'],
    [
      'a one-time one',
      () => ({ acquirer_token: tokenOfPage({ reusable: false }) }),
      'token_invalid',
      '/acquirer_token',
    ],
    ['none', () => ({}), 'parameter_missing', '/acquirer_token'],
    ['a card beside it', () => ({ acquirer_token: tokenOfPage(), card }), 'parameter_invalid', '/acquirer_token'],
  ])('is not made of %s', async (_, body, code, param) => {
    const answer = await imported({ customer_reference: 'customer-1', ...body() });
    expect(answer.body).toMatchObject({ code, param });
  });

  test('needs a customer to be kept for', async () => {
    const answer = await imported({ acquirer_token: tokenOfPage() });
    expect(answer.body).toMatchObject({ code: 'parameter_missing', param: '/customer_reference' });
  });
});

describe('a checkout', () => {
  const newPayer = (): Payer => {
    const address = `198.51.100.${(++payers % 250) + 1}`;
    return payerOf(started.product.baseUrl, { publicUrl: PUBLIC_URL, address });
  };
  const create = async (more: object = {}) =>
    succeeded(await request({ source: { type: 'checkout' }, return_url: RETURN_URL, ...more }));

  /** The payer presses the button of our page. */
  async function left(more: object = {}): Promise<{ payment: Shown; payer: Payer; form: ShownPage; page: string }> {
    const payment = await create(more);
    const payer = newPayer();
    const form = await payer.open(payment.next_action.url);
    const shown = await payer.submit(form, {});
    return { payment, payer, form, page: linkOf(shown) };
  }

  /** Our page's link to the acquirer's: without a script a form leads nowhere else by itself. */
  function linkOf({ text }: ShownPage): string {
    const link = /<a class="button" href="([^"]+)"/.exec(text)?.[1];
    if (link === undefined) throw new Error(`The page leads nowhere: ${text}`);
    return link;
  }

  /** The payer gives a card on the gateway's page. Resolves to where the gateway sends the payer then. */
  async function giveCard(page: string, number: string): Promise<string> {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const answer = await send(page, { method: 'POST', headers, body: `number=${number}` });
    await answer.body.dump();
    expect(answer.statusCode).toBe(303);
    return String(answer.headers.location);
  }

  test("asks for no card, leads to the acquirer's page, and comes back paid", async () => {
    const { payment, payer, form, page } = await left();
    expect(form.status).toBe(200);
    expect(form.text).not.toMatch(/name="number"|name="cvc"/);
    expect(page).toMatch(new RegExp(`^${started.gateway.url}/pages/`));
    expect(await read(payment.id)).toMatchObject({
      ...{ status: 'requires_action', waiting_on: 'payer', next_action: { type: 'redirect', url: page } },
    });
    const back = await giveCard(page, APPROVED);
    expect(new URL(back).origin).toBe(PUBLIC_URL);
    expect(await payer.open(back)).toMatchObject({ left: `${RETURN_URL}&payment=${payment.id}` });
    const paid = await read(payment.id);
    expect(paid).toMatchObject({ status: 'captured', amount_captured: 25_000, livemode: true, next_action: null });
  });

  test.each([
    ['a form', 'application/x-www-form-urlencoded', 'cres=abc&payment=1'],
    ['nothing', undefined, ''],
    [
      'several parts',
      'multipart/form-data; boundary=b',
      '--b\r\ncontent-disposition: form-data; name="x"\r\n\r\n1\r\n--b--',
    ],
    ['12 kB', 'application/x-www-form-urlencoded', `cres=${'a'.repeat(12_000)}`],
    ['JSON', 'application/json', '{}'],
  ])('comes back by POST with %s as by GET', async (_, type, body) => {
    const { payment, page, payer } = await left({ return_url: 'https://shop.example/back?a=%20b&payment=mine#end' });
    const { pathname, search } = new URL(await giveCard(page, APPROVED));
    const headers = { 'x-forwarded-for': '198.51.100.7:5000', ...(type !== undefined && { 'content-type': type }) };
    const post = () => send(started.product.baseUrl + pathname + search, { method: 'POST', headers, body });
    const answers = [await post(), await post()];
    const back = `https://shop.example/back?a=%20b&payment=mine&countinghouse_payment=${payment.id}#end`;
    for (const answer of answers) {
      await answer.body.dump();
      expect([answer.statusCode, answer.headers.location]).toEqual([303, back]);
    }
    expect(await read(payment.id)).toMatchObject({ status: 'captured', amount_captured: 25_000 });
    expect((await payer.open(payment.next_action.url)).left).toBe(back);
  });

  test('with a script, is led there at once', async () => {
    const payment = await create();
    const { pathname } = new URL(payment.next_action.url);
    const headers = { 'content-type': 'application/x-www-form-urlencoded', 'hx-request': 'true' };
    const answer = await send(`${started.product.baseUrl}${pathname}`, { method: 'POST', headers, body: 'attempt=1' });
    await answer.body.dump();
    expect(answer.headers['hx-redirect']).toMatch(new RegExp(`^${started.gateway.url}/pages/`));
  });

  test('declined there, offers another try here', async () => {
    const { payment, payer, page } = await left();
    const again = await payer.open(await giveCard(page, DECLINED));
    expect(again.text).toMatch(/role="alert"/);
    expect((await read(payment.id)).attempts).toHaveLength(1);
    const next = linkOf(await payer.submit(again, {}));
    expect(next).not.toBe(page);
    await payer.open(await giveCard(next, APPROVED));
    expect(await read(payment.id)).toMatchObject({
      status: 'captured',
      attempts: [{ decline: { code: 'generic_decline' } }],
    });
  });

  test('is told by a notice, where the payer never comes back', async () => {
    const { payment, page } = await left({ capture: 'manual' });
    await giveCard(page, APPROVED);
    await until(
      () => read(payment.id),
      ({ status }) => status === 'authorized',
    );
  });

  test('whose acquirer gives no answer to the return waits here, and is settled later', async () => {
    const { payment, payer, page } = await left();
    started.gateway.notices.isSilent = true;
    const back = await giveCard(page, APPROVED);
    started.gateway.faultOf = (call) => (call === 'inquire' ? 'unheard' : undefined);
    const shown = await payer.open(back);
    expect(shown).toMatchObject({ status: 200 });
    expect(shown.left).toBeUndefined();
    expect(shown.text).not.toMatch(/http-equiv="refresh"/);
    started.gateway.faultOf = () => undefined;
    started.gateway.notices.isSilent = false;
    expect(await payer.open(back)).toMatchObject({ left: expect.stringContaining('shop.example') });
    expect((await read(payment.id)).status).toBe('captured');
  });

  test('sent twice, is one session', async () => {
    const payment = await create();
    const payer = newPayer();
    const form = await payer.open(payment.next_action.url);
    const links = (await Promise.all([payer.submit(form, {}), payer.submit(form, {})])).map(linkOf);
    expect(new Set(links).size).toBe(1);
  });

  test('while the gateway is away, waits; the session is made when it is back', async () => {
    const payment = await create();
    const payer = newPayer();
    const form = await payer.open(payment.next_action.url);
    started.gateway.faultOf = () => 'unheard';
    const pressed = payer.submit(form, {});
    const behind = lookInto(started.product.database);
    await until(
      () => read(payment.id),
      ({ outcome }) => outcome === 'unknown',
    );
    started.gateway.faultOf = () => undefined;
    await until(
      async () => {
        await makeRowsDue(behind);
        return read(payment.id);
      },
      ({ status }) => status === 'requires_action',
    );
    await behind.end();
    const page = linkOf(await pressed);
    await payer.open(await giveCard(page, APPROVED));
    expect((await read(payment.id)).status).toBe('captured');
  });

  test('that nobody ends is canceled at the acquirer: its page takes no card any more', async () => {
    const { payment, page } = await left();
    await started.product.runtime.pool.query(
      `UPDATE payment_operations SET due_at = now(), payer_until = now() WHERE book_id = $1 AND status = 'requires_action'`,
      [originator],
    );
    await until(
      () => read(payment.id),
      ({ status }) => status === 'canceled',
    );
    const answer = await send(page, { method: 'POST', body: `number=${APPROVED}` });
    await answer.body.dump();
    expect(answer.statusCode).toBe(404);
  });

  test('keeps no card: it is imported by its token instead', async () => {
    const answer = await request({ source: { type: 'checkout' }, store_for: 'customer-1' });
    expect(answer).toMatchObject({ status: 400, body: { code: 'parameter_invalid', param: '/store_for' } });
  });
});
