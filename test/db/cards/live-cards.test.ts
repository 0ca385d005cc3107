/** Cards in live mode, at a partner's gateway: nothing of a number comes here, and what is shown of a card stands on its pages. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Client, succeeded, until } from '../../../scripts/harness/client.ts';
import { act, type Card, cardholder, makeCard, SHIPPING } from '../../support/cards.ts';
import { contractOf } from '../../support/contracted.ts';
import { findingsOf } from '../../support/findings.ts';
import { type GatewayProduct, startWithGateway } from '../../support/gateway.ts';
import type { OrganisationKeys } from '../../support/product.ts';

let started: GatewayProduct;
let keys: OrganisationKeys;
let client: Client;
let account: string;

beforeAll(async () => {
  started = await startWithGateway();
  await contractOf(started.product);
  ({ keys } = await started.product.organisation());
  const scopes = ['*', 'cards:details', 'transactions:process'];
  client = await started.product.clientWith({ bookId: keys.liveBookId, mode: 'live', scopes });
  account = (await client.openAccount({ funds: 0 })).id;
});
afterAll(() => started?.close());

test.each`
  what         | path
  ${'number'}  | ${'details'}
  ${'own PIN'} | ${'pin'}
`('the $what of a card is shown by a page of its processor, once', async ({ path }) => {
  const { id, last_four } = await makeCard(client, { account });
  expect(last_four).toMatch(/^\d{4}$/);
  const answer = await client.get<{ url: string }>(`/v1/cards/${id}/${path}`);
  expect(answer).toMatchObject({ status: 200, body: { card: id, url: expect.stringContaining(started.gateway.url) } });
  expect(answer.text).not.toMatch(/\d{16}/);
  const shown = await (await fetch(answer.body.url)).text();
  expect(shown).toMatch(path === 'pin' ? /PIN \d{4}/ : new RegExp(`${last_four}, \\d`));
  expect((await fetch(answer.body.url)).status).toBe(404);
});

test('the processor is told of a card that is replaced, frozen and closed', async () => {
  const made = await makeCard(client, { account, type: 'physical', shipping: SHIPPING });
  await act(client, made.id, 'activate');
  const next = await act(client, made.id, 'replace', { reason: 'renewal' });
  expect(next).toMatchObject({ status: 'pending_activation', last_four: made.last_four });
  await act(client, next.id, 'activate');
  await act(client, next.id, 'freeze');
  await act(client, next.id, 'close');
  const left = () =>
    started.product.runtime.pool
      .query("SELECT FROM card_operations WHERE status <> 'succeeded'")
      .then(({ rows }) => rows.length);
  await until(left, (pending) => pending === 0);
});

test('a processor that does not answer shows nothing, and the look is listed all the same', async () => {
  const { id } = await makeCard(client, { account });
  started.gateway.faultOf = (call) => (call === 'card_reveal' ? 'unheard' : undefined);
  expect(await client.get(`/v1/cards/${id}/details`)).toMatchObject({
    status: 503,
    body: { code: 'service_unavailable' },
  });
  started.gateway.faultOf = () => undefined;
  const { data } = succeeded(await client.get<{ data: unknown[] }>(`/v1/cards/${id}/details/accesses`));
  expect(data).toMatchObject([{ what: 'details' }]);
});

test('a card that the processor makes later is told by its notice', async () => {
  const body = { account, type: 'virtual', cardholder: cardholder('PENDING') };
  const answer = await client.post<Card>('/v1/cards', body);
  expect(answer).toMatchObject({ status: 202, body: { last_four: null } });
  const issued = () => client.read<Card>(`/v1/cards/${answer.body.id}`);
  await until(issued, ({ last_four }) => last_four !== null);
});

test('verify finds nothing', async () => {
  expect(await findingsOf({ pool: started.product.runtime.pool, id: keys.liveBookId })).toEqual([]);
});
