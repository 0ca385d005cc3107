/** Headers that carry a caller's text: each header of each answer is read by its own grammar, whatever the caller wrote. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Client } from '../../scripts/harness/client.ts';
import { type Payer, payerOf, type ShownPage } from '../support/payer.ts';
import { ALL_POOLS, lookInto, type Product, startProduct } from '../support/product.ts';

const PUBLIC_URL = 'https://pay.example';
const APPROVED = '4242424242424242';
const CHALLENGED = '4000002500003155';

let product: Product;
let client: Client;
let payers = 0;

beforeAll(async () => {
  const environment = { PUBLIC_URL, TRUSTED_PROXIES: 'loopback' };
  product = await startProduct({ backend: 'postgres', pools: [...ALL_POOLS, 'payments'], environment });
  ({ client } = await product.organisation());
  await client.openAccount();
});

afterAll(() => product?.close());

// biome-ignore lint/suspicious/noExplicitAny: as the answer shows it
type Shown = any;

const newPayer = (): Payer =>
  payerOf(product.baseUrl, { publicUrl: PUBLIC_URL, address: `198.51.100.${(++payers % 250) + 1}` });
const card = (number: string) => ({ number, expiry: '12 / 34', cvc: '123' });

const create = (more: object) =>
  client.post<Shown>('/v1/payments', { amount: 25_000, currency: 'JOD', source: { type: 'checkout' }, ...more });

const ORIGIN = String.raw`https?://[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?\.?(?::\d{1,5})?`;
const OWN =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'";

/** Every header of a page, and all that its value may be. One that is not listed fails, so that it is looked at. */
const GRAMMAR: Readonly<Record<string, RegExp>> = {
  'cache-control': /^no-store$/,
  connection: /^(keep-alive|close)$/,
  'content-length': /^\d+$/,
  'content-security-policy': new RegExp(`^${OWN}; form-action 'self'(?: ${ORIGIN})*; frame-ancestors 'none'$`),
  'content-type': /^text\/html; charset=utf-8$/,
  'cross-origin-opener-policy': /^same-origin$/,
  'cross-origin-resource-policy': /^same-origin$/,
  date: /^[\w :,]+$/,
  // As the merchant wrote it, in visible ASCII.
  'hx-redirect': /^https?:\/\/[\x21-\x7e]+$/,
  'keep-alive': /^timeout=\d+$/,
  location: /^(?:https?:\/\/|chk_)[\x21-\x7e]+$/,
  'origin-agent-cluster': /^\?1$/,
  'referrer-policy': /^no-referrer$/,
  'request-id': /^req_[0-9a-z]+$/,
  vary: /^Accept-Language, HX-Request$/,
  'x-content-type-options': /^nosniff$/,
  'x-dns-prefetch-control': /^off$/,
  'x-download-options': /^noopen$/,
  'x-frame-options': /^DENY$/,
  'x-permitted-cross-domain-policies': /^none$/,
  'x-xss-protection': /^0$/,
};

function expectGrammar({ headers }: Pick<ShownPage, 'headers'>): void {
  for (const [name, value] of Object.entries(headers)) {
    expect(Object.keys(GRAMMAR)).toContain(name);
    expect(`${name}: ${value}`).toMatch(new RegExp(`^${name}: `));
    expect(String(value)).toMatch(GRAMMAR[name]!);
  }
}

/** All pages that a payer with this payment meets, by forms and by script. */
async function walk(payment: Shown): Promise<ShownPage[]> {
  const payer = newPayer();
  const form = await payer.open(payment.next_action.url);
  const refused = await payer.submit(form, card('1'));
  const bank = await payer.submit(form, card(CHALLENGED));
  const meanwhile = await payer.open(payment.next_action.url);
  const passed = await payer.submit(bank, { result: 'pass' });
  const after = await payer.open(payment.next_action.url);
  const byScript = await payer.open(payment.next_action.url, { 'hx-request': 'true' });
  return [form, refused, bank, meanwhile, passed, after, byScript];
}

/** What a parser takes for a part of the host, or a policy and a header for more than one. */
const HOSTS = [
  'a.b;sandbox.example',
  '*.example',
  "a.b'.example",
  'a,b.example',
  'a"b.example',
  'a$b.example',
  'a=b.example',
  'a_b.example',
];

describe('a URL of a merchant', () => {
  test.each(HOSTS)('with the host %s is refused', async (host) => {
    for (const member of ['return_url', 'cancel_url']) {
      const answer = await create({ [member]: `https://${host}/` });
      expect([answer.status, answer.body.errors?.[0]?.param]).toEqual([400, `/${member}`]);
    }
  });

  test.each([
    `https://shop.example/a;b,'c"<d>*?e=;script-src 'none'&f='unsafe-inline'#;*`.replaceAll(' ', '+'),
    'https://shop.example:8443/%5C%0d%0aSet-Cookie:a=b',
    "https://متجر.الاردن/عودة;'self'?طلب=١#نهاية",
    'https://SHOP.example./?a',
    'https://[2606:4700:4700::1111]/a;b',
  ])('%s changes no header but Location', async (url) => {
    const { status, body } = await create({ return_url: url, cancel_url: url });
    expect(status).toBe(201);
    const pages = await walk(body);
    for (const page of pages) expectGrammar(page);
    const hasName = !url.includes('[');
    const [, , , , passed, after, byScript] = pages;
    if (hasName)
      expect([passed, after].map((page) => page!.headers.location)).toEqual([expect.anything(), expect.anything()]);
    else expect(after!.text).toContain(`href="https://[2606:4700:4700::1111]/a;b?payment=${body.id}"`);
    expect(byScript!.headers['hx-redirect']).toBeDefined();
  });

  test.each(HOSTS)('that an earlier release took with the host %s stands in no policy', async (host) => {
    const { body } = await create({ return_url: 'https://shop.example/' });
    const behind = lookInto(product.database);
    await behind.query('UPDATE payments SET return_url = $1 WHERE return_url = $2', [
      `https://${host}/`,
      'https://shop.example/',
    ]);
    await behind.end();
    const payer = newPayer();
    const form = await payer.open(body.next_action.url);
    expectGrammar(form);
    expect(form.headers['content-security-policy']).toContain("form-action 'self' https://pay.example; frame");
    const paid = await payer.submit(form, card(APPROVED));
    expectGrammar(paid);
    expect([paid.status, paid.headers.location]).toEqual([200, undefined]);
    expect(paid.text).toContain('Payment received');
  });
});
