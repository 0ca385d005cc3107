/**
 * Headers that carry a caller's text: each header of pages, of answers of the API and of webhooks is read by its own grammar, whatever the
 * caller wrote.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Account, type Client, type Endpoint, succeeded } from '../../scripts/harness/client.ts';
import { type Receiver, startReceiver } from '../../scripts/harness/receiver.ts';
import { type Payer, payerOf, type ShownPage } from '../support/payer.ts';
import { ALL_POOLS, lookInto, type Product, startProduct } from '../support/product.ts';

const PUBLIC_URL = 'https://pay.example';
const APPROVED = '4242424242424242';
const CHALLENGED = '4000002500003155';
/** What a header, a parameter of one or a list of them would take for more than a text. */
const ODD = `a; "b"; c=d, 'e' ü€`;
const LINES = `${ODD}\r\nSet-Cookie: f=g`;

let product: Product;
let client: Client;
let receiver: Receiver;
let account: Account;
let payers = 0;

beforeAll(async () => {
  const environment = { PUBLIC_URL, TRUSTED_PROXIES: 'loopback' };
  product = await startProduct({ backend: 'postgres', pools: [...ALL_POOLS, 'payments'], environment });
  ({ client } = await product.organisation());
  account = await client.openAccount({ name: ODD, external_id: 'odd; "0"', metadata: { [ODD]: ODD } });
  receiver = await startReceiver();
});

afterAll(async () => {
  await product?.close();
  await receiver?.close();
});

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

/** Every header of an answer of the API. */
const OF_API: typeof GRAMMAR = {
  'accept-ranges': /^bytes$/,
  allow: /^[A-Z]+(, [A-Z]+)*$/,
  'cache-control': /^no-store$/,
  connection: /^(keep-alive|close)$/,
  'content-disposition': /^attachment; filename="[a-z0-9_-]+\.[a-z]+"$/,
  'content-length': /^\d+$/,
  'content-type':
    /^(?:(?:application\/(?:problem\+)?json|text\/csv|application\/xml)(?:; charset=utf-8)?|application\/pdf)$/,
  date: /^[\w :,]+$/,
  etag: /^"[0-9a-f]{64}"$/,
  'idempotent-replayed': /^true$/,
  'keep-alive': /^timeout=\d+$/,
  'preference-applied': /^(?:respond-async|wait=\d+)$/,
  ratelimit: /^[\w"=; -]+$/,
  'ratelimit-policy': /^[\w"=; -]+$/,
  'request-id': /^req_[0-9a-z]+$/,
  'statement-closing': /^-?\d+$/,
  'statement-digest': /^[0-9a-f]+$/,
  'statement-lines': /^\d+$/,
  'statement-opening': /^-?\d+$/,
  'transfer-encoding': /^chunked$/,
  'x-content-type-options': /^nosniff$/,
};

/** Every header of a webhook, but for those that its endpoint names. */
const OF_WEBHOOK: typeof GRAMMAR = {
  connection: /^keep-alive$/,
  'content-length': /^\d+$/,
  'content-type': /^application\/json$/,
  host: /^127\.0\.0\.1:\d+$/,
  'user-agent': /^Countinghouse-Webhooks\/1\.0$/,
  'webhook-id': /^evt_[0-9a-z]+$/,
  'webhook-signature': /^v1,[A-Za-z0-9+/=]+$/,
  'webhook-timestamp': /^\d+$/,
};

function expectGrammar({ headers }: { headers: object }, grammar = GRAMMAR): void {
  for (const [name, value] of Object.entries(headers)) {
    expect(Object.keys(grammar)).toContain(name);
    expect(`${name}: ${value}`).toMatch(new RegExp(`^${name}: `));
    expect(String(value)).toMatch(grammar[name]!);
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

describe('an answer of the API', () => {
  const expectAnswer = (status: number, answer: { status: number; headers: object }) => {
    expect(answer.status).toBe(status);
    expectGrammar(answer, OF_API);
  };

  test('to a body with such texts, and to its repetition', async () => {
    const body = { currency: 'JOD', name: ODD, external_id: 'odd "1", 2; 3', metadata: { [ODD]: ODD } };
    for (const idempotencyKey of ['a;b,"c"=d', `'e':f/g`]) {
      expectAnswer(201, await client.post('/v1/accounts', body, { idempotencyKey }));
      const again = await client.post('/v1/accounts', body, { idempotencyKey });
      expectAnswer(201, again);
      expect(again.headers['idempotent-replayed']).toBe('true');
      expectAnswer(422, await client.post('/v1/accounts', { ...body, name: 'x' }, { idempotencyKey }));
      body.external_id += '.';
    }
    expectAnswer(400, await client.post('/v1/accounts', { ...body, [LINES]: LINES, currency: LINES }));
  });

  test.each(['wait=1; a="b;c", d=e', 'respond-async;f="g", wait=h', 'wait="0";i'])(
    'that prefers %s',
    async (prefer) => {
      const answer = await client.requestPayout({ account: account.id, headers: { prefer } });
      expectAnswer(202, answer);
      expect(answer.headers['preference-applied']).toMatch(/^(?:respond-async|wait=[01])$/);
    },
  );

  test('to a path and a query with such texts', async () => {
    const odd = encodeURIComponent(LINES);
    expectAnswer(404, await client.get(`/v1/accounts/${odd}`));
    expectAnswer(404, await client.get(`/v1/${odd}?${odd}=${odd}`));
    expectAnswer(400, await client.get(`/v1/accounts?${odd}=${odd}&cursor=${odd}`));
    expectAnswer(405, await client.delete(`/v1/accounts?${odd}`));
    expectAnswer(200, await client.get(`/v1/accounts?external_id=${odd}`));
  });

  test.each(['csv', 'pdf'])('that is a file of an account with such names, as %s', async (format) => {
    const day = account.created_at.slice(0, 10);
    const answer = await client.get(`/v1/accounts/${account.id}/statements?from=${day}&to=${day}&format=${format}`);
    expectAnswer(200, answer);
    expect(answer.headers['content-disposition']).toContain(account.id);
  });
});

describe('a webhook', () => {
  /** As they stand in a request, whatever they may mean elsewhere. */
  const OWN = {
    'X-Odd': `a;b="c", 'd' {e} \\f`,
    Authorization: 'Basic Zjpn, Bearer h;i=j',
    "!#$%&'*+.^_`|~0": 'k l',
  };

  test('has the headers of its endpoint as they were given, and no other text of a caller', async () => {
    const path = "/a/../b/%2e%2e/c;d,'e'";
    const url = `${receiver.url(path)}?f='g'&h=i;j,k`;
    const body = { url, description: 'odd', headers: OWN, events: ['account.created'] };
    const endpoint = succeeded(await client.post<Endpoint>('/v1/webhooks', body));
    const target = url.slice(url.indexOf('/', 'http://'.length));
    receiver.trust(target, endpoint.secret);
    const { id } = await client.openAccount({ funds: 0, name: ODD, external_id: 'odd; "2"', metadata: { [ODD]: ODD } });
    const { headers, forged } = await receiver.event(target, 'account.created', id);
    expect(forged).toBeUndefined();
    const own = new Map(Object.entries(OWN).map(([name, value]) => [name.toLowerCase(), value]));
    for (const [name, value] of own) expect(headers[name]).toBe(value);
    expectGrammar(
      { headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !own.has(name))) },
      OF_WEBHOOK,
    );
  });

  test.each([{ 'X-Odd': 'a\r\nSet-Cookie: b=c' }, { 'X-Odd: a': 'b' }, { 'X-Odd': 'ü' }, { 'Content-Length': '1' }])(
    'takes no header %s',
    async (headers) => {
      const answer = await client.post<Shown>('/v1/webhooks', { url: receiver.url('/odd'), headers });
      expect([answer.status, answer.body.errors?.[0]?.param]).toEqual([400, `/headers/${Object.keys(headers)[0]}`]);
    },
  );
});
