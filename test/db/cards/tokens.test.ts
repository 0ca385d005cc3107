/** Tokens over the API: asked for by networks, approved, verified, suspended, and over with their line. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Client, type Event, type List, succeeded } from '../../../scripts/harness/client.ts';
import { act, type Card, type CardToken, makeCard } from '../../support/cards.ts';
import { startContracted } from '../../support/contracted.ts';
import { eraseDirectly } from '../../support/erase.ts';
import { findingsOf } from '../../support/findings.ts';
import type { OrganisationKeys, Product } from '../../support/product.ts';

let product: Product;
let client: Client;
let keys: OrganisationKeys;
let account: string;
let card: Card;

beforeAll(async () => {
  product = await startContracted({ backend: 'postgres' });
  ({ client, keys } = await product.organisation());
  account = (await client.openAccount({ funds: 0 })).id;
  card = await makeCard(client, { account });
});
afterAll(() => product?.close());

const ask = (body: object = {}, of = card.id) =>
  client.post<CardToken>(`/v1/cards/${of}/tokens`, { token_reference: randomUUID(), wallet: 'apple_pay', ...body });
const asked = async (body: object = {}) => succeeded(await ask(body));
const read = (id: string) => client.read<CardToken>(`/v1/cards/tokens/${id}`);
const move = (id: string, action: string) => client.post<CardToken>(`/v1/cards/tokens/${id}/${action}`);

test('a token is requested with what the network says of its device', async () => {
  const device = { type: 'phone', name: 'Phone of Ada', id: '04312E3E' };
  const token = await asked({ last_four: '0421', device, recommendation: 'verify', requestor_id: '40010030273' });
  expect(token).toMatchObject({
    status: 'requested',
    card: card.id,
    account,
    network: 'visa',
    wallet: 'apple_pay',
    last_four: '0421',
    device: { type: 'phone', device_name: 'Phone of Ada', id: '04312E3E' },
    recommendation: 'verify',
    verifying: false,
    allowed_actions: ['approve', 'verify', 'decline'],
  });
  const { data } = await client.read<List<Event>>(`/v1/events?object=${token.id}`);
  expect(data).toMatchObject([
    { type: 'card_token.requested', data: { object: { device: { device_name: 'Phone of Ada' } } } },
  ]);
  expect(await eraseDirectly(product, token.id)).toEqual([]);
  expect((await read(token.id)).device).toMatchObject({ type: 'phone', device_name: null });
});

test('asked twice by its network it is one token, and never of two cards', async () => {
  const token_reference = randomUUID();
  const answers = await Promise.all(Array.from({ length: 10 }, () => ask({ token_reference })));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
  expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
  const other = await makeCard(client, { account });
  expect(await ask({ token_reference }, other.id)).toMatchObject({ status: 409, body: { code: 'state_conflict' } });
});

describe('a token', () => {
  test.each`
    actions                                 | status           | reason         | events
    ${['approve']}                          | ${'active'}      | ${null}        | ${['activated']}
    ${['verify', 'approve']}                | ${'active'}      | ${null}        | ${['activated']}
    ${['decline']}                          | ${'deactivated'} | ${'declined'}  | ${['deactivated']}
    ${['approve', 'suspend']}               | ${'suspended'}   | ${null}        | ${['activated', 'suspended']}
    ${['approve', 'suspend', 'resume']}     | ${'active'}      | ${null}        | ${['activated', 'suspended', 'resumed']}
    ${['approve', 'suspend', 'deactivate']} | ${'deactivated'} | ${'requested'} | ${['activated', 'suspended', 'deactivated']}
  `('$actions is $status', async ({ actions, status, reason, events }) => {
    const { id } = await asked();
    for (const action of actions) succeeded(await move(id, action));
    expect(await read(id)).toMatchObject({ status, verifying: false, deactivated_reason: reason });
    const types = (await client.read<List<Event>>(`/v1/events?object=${id}`)).data.map(({ type }) => type);
    expect(types.toReversed()).toEqual(['requested', ...events].map((name) => `card_token.${name}`));
  });

  test('that is verified stays requested, and a second time changes nothing', async () => {
    const { id } = await asked();
    expect(succeeded(await move(id, 'verify'))).toMatchObject({ status: 'requested', verifying: true });
    expect(succeeded(await move(id, 'verify'))).toMatchObject({ status: 'requested', verifying: true });
  });

  test.each(['approve', 'verify', 'decline', 'resume'])('that is active is not to %s', async (action) => {
    const { id } = await asked();
    succeeded(await move(id, 'approve'));
    expect(await move(id, action)).toMatchObject({ status: 409, body: { code: 'state_conflict' } });
  });
});

test('a closed card has no further tokens, and those it had are deactivated with it', async () => {
  const own = await makeCard(client, { account });
  const [first, second] = [succeeded(await ask({}, own.id)), succeeded(await ask({ wallet: 'merchant' }, own.id))];
  succeeded(await move(first.id, 'approve'));
  await act(client, own.id, 'close');
  for (const { id } of [first, second])
    expect(await read(id)).toMatchObject({ status: 'deactivated', deactivated_reason: 'card_closed' });
  expect(await ask({}, own.id)).toMatchObject({ status: 409, body: { code: 'state_conflict' } });
});

test('tokens are listed with their card, by status', async () => {
  const own = await makeCard(client, { account });
  const [first, second] = [succeeded(await ask({}, own.id)), succeeded(await ask({}, own.id))];
  succeeded(await move(first.id, 'approve'));
  const ids = async (query: string) =>
    (await client.read<List<CardToken>>(`/v1/cards/${own.id}/tokens${query}`)).data.map(({ id }) => id);
  expect(await ids('')).toEqual([second.id, first.id]);
  expect(await ids('?status=active')).toEqual([first.id]);
});

test('a simulation fills its reference in, the same under the same key', async () => {
  const options = { idempotencyKey: randomUUID() };
  const body = { card: card.id, wallet: 'google_pay' };
  const simulate = () => client.post<CardToken>('/v1/simulations/card_token_requests', body, options);
  const first = succeeded(await simulate());
  expect(first.token_reference).toMatch(/^[0-9a-z]{26}$/);
  expect(succeeded(await simulate()).id).toBe(first.id);
});

test.each`
  what                          | body                              | param
  ${'no reference'}             | ${{ token_reference: undefined }} | ${'/token_reference'}
  ${'a reference in two words'} | ${{ token_reference: 'a b' }}     | ${'/token_reference'}
  ${'an unknown wallet'}        | ${{ wallet: 'purse' }}            | ${'/wallet'}
  ${'five last digits'}         | ${{ last_four: '12345' }}         | ${'/last_four'}
  ${'a device of no type'}      | ${{ device: { name: 'Phone' } }}  | ${'/device/type'}
`('a request with $what is refused', async ({ body, param }) => {
  expect(await ask(body)).toMatchObject({ status: 400, body: { errors: [{ param }] } });
});

test('a card number in the name of a device is masked', async () => {
  const { id } = await asked({ device: { type: 'phone', name: 'Phone 4242 4242 4242 4242' } });
  expect((await read(id)).device!.device_name).not.toContain('4242 4242 4242 4242');
});

test('verify finds nothing', async () => {
  expect(await findingsOf({ pool: product.runtime.pool, id: keys.testBookId })).toEqual([]);
});
