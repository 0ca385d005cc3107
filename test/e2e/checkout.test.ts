/** The hosted page as a payer's browser sees it, without a script: forms, redirects, pages (docs/decisions/checkout.md). */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Client, until } from '../../scripts/harness/client.ts';
import { tablesContaining } from '../../scripts/harness/database-store.ts';
import { type Receiver, startReceiver } from '../../scripts/harness/receiver.ts';
import { type Payer, payerOf, type ShownPage } from '../support/payer.ts';
import { ALL_POOLS, lookInto, type Product, startProduct } from '../support/product.ts';

const PUBLIC_URL = 'https://pay.example';
const APPROVED = '4242424242424242';
const DECLINED = '4000000000000002';
const LOST = '4000000000009987';
const CHALLENGED = '4000002500003155';
const RETURN_URL = 'https://shop.example/return?order=7';

let product: Product;
let client: Client;
let receiver: Receiver;
let hook: string;
let payers = 0;

beforeAll(async () => {
  const environment = { PUBLIC_URL, TRUSTED_PROXIES: 'loopback' };
  product = await startProduct({ backend: 'postgres', pools: [...ALL_POOLS, 'payments'], environment });
  ({ client } = await product.organisation());
  await client.openAccount();
  receiver = await startReceiver();
  hook = new URL((await receiver.subscribe(client, { events: ['payment.*'] })).url).pathname;
});

afterAll(async () => {
  await receiver?.close();
  await product?.close();
});

// biome-ignore lint/suspicious/noExplicitAny: as the answer shows it
type Shown = any;

/** Of an address of their own: cards that are refused count by address. */
const newPayer = (): Payer =>
  payerOf(product.baseUrl, { publicUrl: PUBLIC_URL, address: `198.51.100.${(++payers % 250) + 1}` });

async function create(more: object = {}): Promise<Shown> {
  const body = { amount: 25_000, currency: 'JOD', source: { type: 'checkout' }, ...more };
  const answer = await client.post<Shown>('/v1/payments', body);
  expect(answer.status).toBe(201);
  return answer.body;
}

/** A new payment, its payer, and the form of its page. */
async function opened(more: object = {}): Promise<{ payment: Shown; payer: Payer; form: ShownPage }> {
  const payment = await create(more);
  const payer = newPayer();
  return { payment, payer, form: await payer.open(payment.next_action.url) };
}

const read = async ({ id }: { id: string }): Promise<Shown> => (await client.get<Shown>(`/v1/payments/${id}`)).body;
const card = (number: string) => ({ number, expiry: '12 / 34', cvc: '123' });

async function countAtAcquirer(): Promise<number> {
  const behind = lookInto(product.database);
  try {
    const { rows } = await behind.query('SELECT count(*)::int AS found FROM sandbox_acquirer.instructions');
    return rows[0].found;
  } finally {
    await behind.end();
  }
}

describe('a payment with a hosted page', () => {
  test('waits for its payer, and says where and until when', async () => {
    const payment = await create();
    expect(payment).toMatchObject({
      status: 'requires_action',
      waiting_on: 'payer',
      source: { type: 'checkout', card: null },
      allowed_actions: ['cancel'],
      next_action: { type: 'redirect' },
    });
    expect(payment.next_action.url).toMatch(/^https:\/\/pay\.example\/checkout\/chk_[\w-]{43}$/);
    expect(Date.parse(payment.next_action.expires_at) - Date.parse(payment.created_at)).toBe(24 * 3_600_000);
    expect((await read(payment)).next_action).toEqual(payment.next_action);
  });

  test('has the link in its webhooks, and in no row', async () => {
    const payment = await create({ metadata: { url: 'checkout:pay_x', next_action: '{"url":"checkout:pay_x"}' } });
    const told = await receiver.event(hook, 'payment.created', payment.id);
    expect(told.forged).toBeUndefined();
    expect(told.event.data.object.next_action).toEqual(payment.next_action);
    const events = await client.get<Shown>(`/v1/payments/${payment.id}/timeline`);
    expect(events.status).toBe(200);
    const behind = lookInto(product.database);
    const token = payment.next_action.url.split('/').at(-1);
    expect(await tablesContaining(behind, [token])).toEqual([]);
    await behind.end();
    expect((await read(payment)).metadata).toEqual(payment.metadata);
  });

  test('is paid: declined with one card, approved with another', async () => {
    const { payment, payer, form } = await opened({ return_url: RETURN_URL, cancel_url: 'https://shop.example/cart' });
    expect(form.status).toBe(200);
    expect(form.text).toContain('25.000 JOD');
    expect(form.text).toContain(`https://shop.example/cart?payment=${payment.id}`);

    const declined = await payer.submit(form, card('4000 0000 0000 9987'));
    expect(declined.status).toBe(200);
    expect(declined.text).toContain('Your bank declined this card');
    expect(declined.text).not.toMatch(/lost|stolen|fraud/i);
    expect(await read(payment)).toMatchObject({
      status: 'requires_action',
      next_action: payment.next_action,
      attempts: [{ decline: { code: 'lost_card' }, card: { last_four: '9987' } }],
    });

    const paid = await payer.submit(declined, card(APPROVED));
    expect(paid.left).toBe(`${RETURN_URL}&payment=${payment.id}`);
    expect(await read(payment)).toMatchObject({
      status: 'captured',
      amount_captured: 25_000,
      next_action: null,
      source: { card: { last_four: '4242' } },
      authorization: { network: 'visa', cvc: 'match' },
    });
    expect((await payer.open(payment.next_action.url)).left).toBe(paid.left);
  });

  test('shows a receipt where the merchant named no page, and is only authorized where captures are manual', async () => {
    const { payment, payer, form } = await opened({ capture: 'manual', amount: 1_234_567 });
    const paid = await payer.submit(form, card(APPROVED));
    expect([paid.status, paid.text]).toEqual([200, expect.stringContaining('The amount is reserved on your card')]);
    for (const shown of ['1234.567 JOD', 'Visa •••• 4242', payment.id]) expect(paid.text).toContain(shown);
    expect(await read(payment)).toMatchObject({ status: 'authorized', amount_capturable: 1_234_567 });
  });

  test('is charged once, however often its form is sent', async () => {
    const { payment, payer, form } = await opened();
    const before = await countAtAcquirer();
    const pages = await Promise.all(Array.from({ length: 5 }, () => payer.submit(form, card(APPROVED))));
    for (const page of pages) expect(page.text).toContain('Payment received');
    expect((await payer.submit(form, card(APPROVED))).text).toContain('Payment received');
    expect(await read(payment)).toMatchObject({ status: 'captured', amount_captured: 25_000 });
    expect(await countAtAcquirer()).toBe(before + 1);
  });

  test('takes no form that is older than its last attempt', async () => {
    const { payment, payer, form } = await opened();
    await payer.submit(form, card(DECLINED));
    const again = await payer.submit(form, card(APPROVED));
    expect(again.text).toContain('Your bank declined this card');
    expect(await read(payment)).toMatchObject({ status: 'requires_action', attempts: [{}] });
  });

  test('is paid although the acquirer broke off before its answer', async () => {
    const { payment, payer, form } = await opened();
    const paid = await payer.submit(form, card('4000000000000705'));
    expect(paid.text).toContain('Payment received');
    expect((await read(payment)).authorization).toMatchObject({ network: 'visa' });
  });

  test('fails with its tenth decline', async () => {
    const { payment, payer, form } = await opened({ cancel_url: 'https://shop.example/cart' });
    let page = form;
    for (let attempt = 1; attempt <= 10; attempt++) page = await payer.submit(page, card(DECLINED));
    expect([page.status, page.text]).toEqual([410, expect.stringContaining('The payment was not made')]);
    expect(page.text).toContain('https://shop.example/cart');
    expect((await payer.submit(form, card(APPROVED))).status).toBe(410);
    const failed = await read(payment);
    expect(failed).toMatchObject({ status: 'failed', next_action: null });
    expect(failed.attempts).toHaveLength(10);
  });

  test('cannot be paid once it is canceled', async () => {
    const { payment, payer, form } = await opened();
    expect((await client.post(`/v1/payments/${payment.id}/cancel`)).status).toBe(200);
    const page = await payer.submit(form, card(APPROVED));
    expect([page.status, page.text]).toEqual([410, expect.stringContaining('This payment was canceled')]);
  });

  test('cannot be paid once its time is over', async () => {
    const { client: other } = await product.organisation();
    await other.openAccount();
    const body = { amount: 500, currency: 'JOD', source: { type: 'checkout' } };
    const { body: payment } = await other.post<Shown>('/v1/payments', body);
    const payer = newPayer();
    const form = await payer.open(payment.next_action.url);
    await other.post('/v1/simulations/clock/advance', { by: 'PT25H' });
    await until(
      () => other.get<Shown>(`/v1/payments/${payment.id}`),
      (answer) => answer.body.status === 'expired',
    );
    const page = await payer.submit(form, card(APPROVED));
    expect([page.status, page.text]).toEqual([410, expect.stringContaining('This page has expired')]);
  });
});

describe('a challenge', () => {
  test('is passed: the payer comes back to the page, and on to the merchant', async () => {
    const { payment, payer, form } = await opened({ return_url: RETURN_URL });
    const bank = await payer.submit(form, card(CHALLENGED));
    expect(bank.url).toMatch(/\/sandbox\/challenges\//);
    expect(bank.text).toContain('25.000 JOD');
    expect(await read(payment)).toMatchObject({
      status: 'requires_action',
      waiting_on: 'payer',
      allowed_actions: ['cancel'],
    });
    const meanwhile = await payer.open(payment.next_action.url);
    expect(meanwhile.text).toContain('Your bank asks you to confirm');
    expect((await payer.submit(form, card(APPROVED))).url).toBe(bank.url);

    const back = await payer.submit(bank, { result: 'pass' });
    expect(back.left).toBe(`${RETURN_URL}&payment=${payment.id}`);
    expect(await read(payment)).toMatchObject({
      status: 'captured',
      authorization: { eci: '05', three_d_secure: 'authenticated' },
    });
    expect((await payer.submit(bank, { result: 'fail' })).left).toBe(back.left);
    expect(await read(payment)).toMatchObject({ status: 'captured' });
  });

  test('is failed: the page offers another card', async () => {
    const { payment, payer, form } = await opened();
    const bank = await payer.submit(form, card(CHALLENGED));
    // Neither button: nothing is decided.
    for (const answer of [{}, { result: 'x' }])
      expect(await payer.submit(bank, answer as Record<string, string>)).toMatchObject({ status: 422, url: bank.url });
    const again = await payer.submit(bank, { result: 'fail' });
    expect(again.text).toContain('was not confirmed with your bank');
    expect(await read(payment)).toMatchObject({ status: 'requires_action', attempts: [{}], waiting_on: 'payer' });
    expect((await payer.submit(again, card(APPROVED))).text).toContain('Payment received');
  });

  test('of a payment with a card leads back to the merchant', async () => {
    const source = { type: 'card', number: CHALLENGED, exp_month: 12, exp_year: 2034, cvc: '123' };
    const payment = await create({ source, return_url: RETURN_URL });
    expect(payment).toMatchObject({ status: 'requires_action' });
    const payer = newPayer();
    const bank = await payer.open(payment.next_action.url);
    const back = await payer.submit(bank, { result: 'pass' });
    expect(back.left).toBe(`${RETURN_URL}&payment=${payment.id}`);
    expect(await read(payment)).toMatchObject({ status: 'captured', authorization: { eci: '05' } });
  });

  test('that its notice settles is settled with the facts of its authorization', async () => {
    const { payment, payer, form } = await opened();
    const bank = await payer.submit(form, card(CHALLENGED));
    const challenge = bank.url.split('/').at(-1)!;
    await product.runtime.acquirers.sandbox.resolveChallenge(challenge, { passed: true });
    const settled = await until(
      () => read(payment),
      ({ status }) => status === 'captured',
    );
    expect(settled.authorization).toMatchObject({ network: 'visa', eci: '05', three_d_secure: 'authenticated' });
  });

  test('that is unknown has no page', async () => {
    expect((await newPayer().open(`${PUBLIC_URL}/sandbox/challenges/nothing`)).status).toBe(404);
  });
});

describe('the form', () => {
  test.each`
    field       | value                 | says
    ${'number'} | ${''}                 | ${'Check the card number.'}
    ${'number'} | ${'4242424242424241'} | ${'Check the card number.'}
    ${'number'} | ${'4111111111111111'} | ${'This number is not accepted here.'}
    ${'expiry'} | ${'13 / 34'}          | ${'Enter month and year'}
    ${'expiry'} | ${'01/20'}            | ${'This card has expired.'}
    ${'expiry'} | ${'4242424242'}       | ${'Enter month and year'}
    ${'cvc'}    | ${'12'}               | ${'Enter the three or four digits'}
  `('says beside $field what is wrong with $value', async ({ field, value, says }) => {
    const { payment, payer, form } = await opened();
    const page = await payer.submit(form, { ...card(APPROVED), [field]: value });
    expect(page.status).toBe(422);
    expect(page.text).toMatch(new RegExp(`<p class="fault" id="${field}-fault">${says}`));
    expect(page.text).toMatch(new RegExp(`id="${field}"[^>]* autofocus[^>]* aria-invalid="true"[^>]*${field}-fault`));
    expect(page.text).not.toContain('4242424242"');
    expect(page.text).not.toContain(APPROVED);
    expect(await read(payment)).toMatchObject({ status: 'requires_action', attempts: [] });
  });

  test.each(['٤٢٤٢ ٤٢٤٢ ٤٢٤٢ ٤٢٤٢', '4242-4242-4242-4242', '۴۲۴۲۴۲۴۲۴۲۴۲۴۲۴۲'])(
    'takes %s for a number',
    async (number) => {
      const { payer, form } = await opened();
      const page = await payer.submit(form, { number, expiry: '١٢/٢٠٣٤', cvc: '١٢٣' });
      expect(page.text).toContain('Payment received');
    },
  );

  test('is read up to a size, and as a form alone', async () => {
    const { payer, form } = await opened();
    const large = await payer.submit(form, { ...card(APPROVED), more: 'x'.repeat(9_000) });
    expect([large.status, large.headers['content-type']]).toEqual([413, 'text/html; charset=utf-8']);
    const headers = { 'content-type': 'application/json' };
    expect((await fetch(form.url, { method: 'POST', headers, body: '{}' })).status).toBe(415);
  });

  test('is closed for a while to an address with too many refused cards', async () => {
    const payer = newPayer();
    const first = await create();
    let page = await payer.open(first.next_action.url);
    for (let attempt = 1; attempt <= 20; attempt++) page = await payer.submit(page, card('4111111111111111'));
    expect(page.status).toBe(422);
    const closed = await payer.submit(page, card(APPROVED));
    expect([closed.status, closed.text]).toEqual([429, expect.stringContaining('Too many attempts')]);
    expect(Number(closed.headers['retry-after'])).toBeGreaterThan(0);
    const other = newPayer();
    expect((await other.submit(await other.open(first.next_action.url), card(APPROVED))).text).toContain('received');
  });
});

describe('the page', () => {
  test('is not stored, framed, referred from, or given a script of another', async () => {
    const { form } = await opened({ return_url: RETURN_URL });
    expect(form.headers).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
      'content-type': 'text/html; charset=utf-8',
    });
    const policy = String(form.headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain("form-action 'self' https://pay.example https://shop.example;");
    expect(policy).not.toContain('unsafe');
    expect(form.text).not.toMatch(/<script(?![^>]* src=)|<style| style=| on\w+=/);
  });

  test('loads its files from here', async () => {
    const { payer, form } = await opened();
    const files = [...form.text.matchAll(/(?:src|href)="(assets\/[^"]+)"/g)].map(([, file]) => file!);
    expect(files).toHaveLength(3);
    for (const file of files) expect((await payer.open(new URL(file, form.url).href)).status).toBe(200);
  });

  test('is in Arabic, from right to left, for who asks for it', async () => {
    const { payment, payer } = await opened();
    const { url } = payment.next_action;
    const asked = await payer.open(url, { 'accept-language': 'fr, ar-JO;q=0.9, en;q=0.5' });
    expect(asked.text).toContain('<html lang="ar" dir="rtl">');
    expect(asked.text).toContain('<bdi dir="ltr">25.000 JOD</bdi>');
    const chosen = await payer.open(`${url}?lang=ar`, { 'accept-language': 'en' });
    expect(chosen.text).toContain('رقم البطاقة');
    const declined = await payer.submit(chosen, card(LOST));
    expect(declined.url).toContain('?lang=ar');
    expect(declined.text).toContain('رفض مصرفك هذه البطاقة');
    expect((await payer.open(`${url}?lang=en`, { 'accept-language': 'ar' })).text).toContain(
      '<html lang="en" dir="ltr">',
    );
  });

  test('shows texts of the merchant as texts', async () => {
    const { form } = await opened({ description: '<img src=x onerror=alert(1)> & co' });
    expect(form.text).toContain('&lt;img src=x onerror=alert(1)> &amp; co');
  });

  test.each(['chk_x', `chk_${'A'.repeat(43)}`, 'pay_x', '%00'])('is not there for %s', async (token) => {
    const page = await newPayer().open(`${PUBLIC_URL}/checkout/${token}`);
    expect([page.status, page.text]).toEqual([404, expect.stringContaining('There is no such page')]);
  });
});
