/** `POST /partners/{name}/notices`: what is kept, what is refused, and that nothing is taken twice (docs/partners.md). */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { request } from 'undici';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../../scripts/harness/until.ts';
import { inquireCall } from '../../src/acquirers/http/write-calls.ts';
import { GatewayClient } from '../../src/outside/gateway/gateway-client.ts';
import { pruneNotices } from '../../src/outside/notices/prune-notices.ts';
import { PartyUnreachable } from '../../src/outside/party/party.ts';
import { systemClock } from '../../src/values/clock.ts';
import { newId, publicId } from '../../src/values/ids.ts';
import type { JsonObject } from '../../src/values/json.ts';
import { createSigningKey, newSecret, sign } from '../../src/values/standard-webhooks.ts';
import { GATEWAY_NAME, type GatewayProduct, startWithGateway } from '../support/gateway.ts';

const FORMER = newSecret();
let started: GatewayProduct;
let addresses = 0;

beforeAll(async () => {
  const environment = { TRUSTED_PROXIES: 'loopback' };
  started = await startWithGateway({ pools: [], secrets: [newSecret(), FORMER], environment });
});
afterAll(() => started?.close());

interface Sent {
  readonly id?: string;
  readonly body?: string;
  readonly secret?: string;
  readonly at?: number;
  readonly name?: string;
  readonly method?: 'POST' | 'GET';
  readonly headers?: Record<string, string | undefined>;
  readonly tampered?: string;
  readonly address?: string;
}

const notice = () => ({
  merchant: publicId('book', newId()),
  reference: newId(),
  kind: 'succeeded',
  acquirer_reference: 'A1',
});

async function send(sent: Sent = {}) {
  const { id = `ntc_${newId()}`, body = JSON.stringify(notice()), secret = started.secret, at = Date.now() } = sent;
  const timestampSeconds = Math.floor(at / 1_000);
  const {
    name = GATEWAY_NAME,
    method = 'POST',
    tampered = body,
    address = `198.51.100.${(++addresses % 250) + 1}`,
  } = sent;
  const headers = {
    'content-type': 'application/json',
    'x-forwarded-for': address,
    'webhook-id': id,
    'webhook-timestamp': String(timestampSeconds),
    'webhook-signature': sign({ id, timestampSeconds, body }, [createSigningKey(secret)]),
    ...sent.headers,
  };
  const given = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined));
  const answer = await request(`${started.product.baseUrl}/partners/${name}/notices`, {
    method,
    headers: given as Record<string, string>,
    ...(method === 'POST' && { body: tampered }),
  });
  const said = await answer.body.text();
  return { id, status: answer.statusCode, body: said === '' ? undefined : JSON.parse(said) };
}

async function kept(id: string): Promise<{ body: string; acknowledged: boolean }[]> {
  const { rows } = await started.product.runtime.pool.query<{ body: Buffer; acknowledged: boolean }>(
    'SELECT body, acknowledged_at IS NOT NULL AS acknowledged FROM partner_notices WHERE webhook_id = $1',
    [id],
  );
  return rows.map(({ body, acknowledged }) => ({ body: body.toString(), acknowledged }));
}

const card = (more: object): Sent => ({ body: JSON.stringify({ ...notice(), ...more }) });

const MINUTE_MS = 60_000;

test.each<[string, Sent, number, string]>([
  ['no partner of this name', { name: 'nobody' }, 404, 'resource_not_found'],
  ['a partner that sends no notices', { name: 'sandbox_acquirer' }, 404, 'resource_not_found'],
  ['a secret that nobody shares', { secret: newSecret() }, 403, 'signature_invalid'],
  ['a body that was changed', { tampered: '{"kind":"succeeded"}' }, 403, 'signature_invalid'],
  ['an id that was changed', { headers: { 'webhook-id': 'another' } }, 403, 'signature_invalid'],
  ['a timestamp that was changed', { headers: { 'webhook-timestamp': '1' } }, 403, 'signature_invalid'],
  ['a timestamp of six minutes ago', { at: Date.now() - 6 * MINUTE_MS }, 403, 'signature_invalid'],
  ['a timestamp in six minutes', { at: Date.now() + 6 * MINUTE_MS }, 403, 'signature_invalid'],
  ['what has the id of a call', { id: `call_${newId()}` }, 403, 'signature_invalid'],
  ['what has the body of a call', { body: '{"call":"inquire","reference":"R"}' }, 403, 'signature_invalid'],
  ['no signature', { headers: { 'webhook-signature': undefined } }, 403, 'signature_invalid'],
  ['no timestamp', { headers: { 'webhook-timestamp': undefined } }, 403, 'signature_invalid'],
  ['no id', { headers: { 'webhook-id': undefined } }, 400, 'parameter_invalid'],
  ['an id that is too long', { id: 'i'.repeat(256) }, 400, 'parameter_invalid'],
  ['an id of two words', { id: 'two words' }, 400, 'parameter_invalid'],
  ['no JSON', { headers: { 'content-type': 'text/plain' } }, 415, 'unsupported_media_type'],
  ['a compressed body', { headers: { 'content-encoding': 'gzip' } }, 415, 'unsupported_media_type'],
  ['a body that is too large', { body: JSON.stringify(notice()).padEnd(8_193) }, 413, 'payload_too_large'],
  ['a card number in a member', card({ memo: 'Paid by 4242 4242 4242 4242' }), 400, 'card_number_not_allowed'],
  ['a card number as a number', card({ card: { number: 4_242_424_242_424_242 } }), 400, 'card_number_not_allowed'],
  ['a card number as a name', card({ '4242-4242-4242-4242': true }), 400, 'card_number_not_allowed'],
  ['a card number behind a line break', card({ memo: 'Card\n4242424242424242' }), 400, 'card_number_not_allowed'],
  [
    'a card number in a repeated member',
    { body: '{"reference":"4242424242424242","note":"5105105105105100","note":"x"}' },
    400,
    'card_number_not_allowed',
  ],
  [
    'a card number in escapes in a repeated member',
    { body: '{"note":"\\u0035105105105105100","note":"x"}' },
    400,
    'card_number_not_allowed',
  ],
  [
    'a card number in a list of references',
    { body: '{"reference":["4242424242424242"]}' },
    400,
    'card_number_not_allowed',
  ],
  ['a card number in escapes', { body: '{"memo":"\\u0034242424242424242"}' }, 400, 'card_number_not_allowed'],
  [
    'a card number beside a like reference',
    card({ reference: '5105105105105100', memo: '4242-4242-4242-4242' }),
    400,
    'card_number_not_allowed',
  ],
  ['a card number in no JSON', { body: 'number=4242424242424242' }, 400, 'card_number_not_allowed'],
  ['another method', { method: 'GET' }, 405, 'method_not_allowed'],
])('%s is refused, and nothing is kept', async (_, sent, status, code) => {
  const answer = await send(sent);
  expect(answer).toMatchObject({ status, body: { code, request_id: expect.stringMatching(/^req_/) } });
  expect(await kept(answer.id)).toEqual([]);
});

test('what was signed for the gateway is no notice of its own', async () => {
  const { product, gateway } = started;
  const heard: { headers: Record<string, string>; body: string }[] = [];
  const proxy = createServer(async (asked, response) => {
    const body = await text(asked);
    heard.push({ headers: asked.headers as Record<string, string>, body });
    const { statusCode, body: answer } = await request(gateway.url + asked.url, {
      method: 'POST',
      headers: Object.fromEntries(
        Object.entries(asked.headers).filter(([name]) => /^(webhook-|content-type)/.test(name)),
      ) as Record<string, string>,
      body,
    });
    response.writeHead(statusCode, { 'content-type': 'application/json' }).end(await answer.text());
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const client = new GatewayClient({
    ...{ url, secrets: [started.secret], callTimeoutMs: 10_000, callsAtOnce: 1 },
    ...{ refusals: {}, unreachable: PartyUnreachable },
  });
  const asked = { originator: newId(), reference: 'R1' };
  const read = (answer: JsonObject) => answer.status;
  expect(await client.call(inquireCall(asked), { id: newId(), read })).toBe('not_found');
  const [{ headers, body }] = heard as [(typeof heard)[0]];
  const { 'webhook-id': id } = headers;
  const sent = Object.fromEntries(Object.entries(headers).filter(([name]) => /^(webhook-|content-type)/.test(name)));
  const answer = await request(`${product.baseUrl}/partners/${GATEWAY_NAME}/notices`, {
    method: 'POST',
    headers: sent,
    body,
  });
  expect([answer.statusCode, await answer.body.json()]).toMatchObject([403, { code: 'signature_invalid' }]);
  expect(await kept(id!)).toEqual([]);
  await client.close();
  proxy.close();
  // Nor is its notice a call.
  const timestampSeconds = Math.floor(Date.now() / 1_000);
  const signature = sign({ id: 'ntc_1', timestampSeconds, body }, [createSigningKey(started.secret)]);
  const back = await request(`${gateway.url}/instructions/inquire`, {
    method: 'POST',
    headers: {
      ...sent,
      'webhook-id': 'ntc_1',
      'webhook-timestamp': String(timestampSeconds),
      'webhook-signature': signature,
    },
    body,
  });
  expect(back.statusCode).toBe(401);
  await back.body.dump();
});

test('a message is kept as it came, once, however often it is sent', async () => {
  const body = `${JSON.stringify(notice(), null, 2)}\n`;
  const { id, status } = await send({ body });
  expect(status).toBe(204);
  const again = await Promise.all([1, 2, 3].map(() => send({ id, body })));
  expect(again.map((answer) => answer.status)).toEqual([204, 204, 204]);
  expect(await kept(id)).toEqual([{ body, acknowledged: false }]);
});

test("a partner's own references may look like card numbers", async () => {
  const { id, status } = await send(card({ reference: '5105105105105100', acquirer_reference: '4242424242424242' }));
  expect(status).toBe(204);
  expect(await kept(id)).toHaveLength(1);
});

test('a message of 8 kB is kept', async () => {
  const body = JSON.stringify(notice()).padEnd(8_192);
  const { id, status } = await send({ body });
  expect(status).toBe(204);
  expect(await kept(id)).toEqual([{ body, acknowledged: false }]);
});

test('another body under the id of a message is refused, and the first stands', async () => {
  const body = JSON.stringify(notice());
  const { id } = await send({ body });
  const other = await send({ id, body: JSON.stringify({ ...notice(), kind: 'declined' }) });
  expect(other).toMatchObject({ status: 409, body: { code: 'state_conflict', param: 'webhook-id' } });
  expect(await kept(id)).toEqual([{ body, acknowledged: false }]);
});

test('during a rotation each of the secrets verifies', async () => {
  expect((await send({ secret: FORMER })).status).toBe(204);
  const [id, body, timestampSeconds] = ['ntc_both', JSON.stringify(notice()), Math.floor(Date.now() / 1_000)];
  const both = sign({ id, timestampSeconds, body }, [newSecret(), FORMER].map(createSigningKey));
  expect((await send({ id, body, headers: { 'webhook-signature': both } })).status).toBe(204);
});

test('an address that sends wrong signatures is turned away for the minute', async () => {
  const address = '203.0.113.7';
  const wrong = newSecret();
  for (let index = 0; index < 60; index++) await send({ address, secret: wrong });
  expect(await send({ address })).toMatchObject({ status: 429, body: { code: 'rate_limited' } });
  expect((await send()).status).toBe(204);
});

test('what cannot be read is kept all the same: its book has an exception, and the operator what names no book', async () => {
  const { product } = started;
  const { live, keys } = await product.organisation();
  const ofBook = await send({
    body: JSON.stringify({ ...notice(), merchant: publicId('book', keys.liveBookId), kind: 'unheard_of' }),
  });
  const ofNobody = await send({ body: 'no JSON at all' });
  expect([ofBook.status, ofNobody.status]).toEqual([204, 204]);
  await product.startPools(['payments', 'sweeper']);
  await until(
    async () => (await live.read<{ data: { kind: string }[] }>('/v1/exceptions')).data,
    (exceptions) => exceptions.some(({ kind }) => kind === 'notice_unreadable'),
  );
  for (const { id } of [ofBook, ofNobody])
    await until(
      () => kept(id),
      ([one]) => one?.acknowledged === true,
    );
  const { rows } = await product.runtime.pool.query<{ count: bigint }>(
    'SELECT count(*) FROM foreign_notices WHERE rail = $1',
    [GATEWAY_NAME],
  );
  expect(rows[0]!.count).toBeGreaterThan(0n);
  await product.stopPools();
});

test('a message is deleted once it was taken and its retention has passed', async () => {
  const { runtime } = started.product;
  const open = await send();
  const { rows } = await runtime.pool.query<{ count: bigint }>(
    'SELECT count(*) FROM partner_notices WHERE acknowledged_at IS NOT NULL',
  );
  const sweepAt = (now: number) =>
    pruneNotices({ ...runtime, clock: { now: () => now } } as unknown as Parameters<typeof pruneNotices>[0]).find(
      ({ name }) => name === 'acknowledged notices of partners',
    )!;
  expect(await sweepAt(systemClock.now()).round()).toBe(0);
  expect(rows[0]!.count).toBeGreaterThan(0n);
  expect(BigInt(await sweepAt(systemClock.now() + 91 * 24 * 60 * MINUTE_MS).round())).toBe(rows[0]!.count);
  expect(await kept(open.id)).toHaveLength(1);
});
