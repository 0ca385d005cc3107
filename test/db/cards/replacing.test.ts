/** Cards that replace one another: numbers, states, tokens and controls of a line. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Client, type Event, type List, succeeded, until } from '../../../scripts/harness/client.ts';
import {
  act,
  type Card,
  type CardToken,
  type Controls,
  cardholder,
  type Details,
  makeCard,
  SHIPPING,
} from '../../support/cards.ts';
import { startContracted } from '../../support/contracted.ts';
import { findingsOf } from '../../support/findings.ts';
import type { OrganisationKeys, Product } from '../../support/product.ts';
import { answerOf, purchase } from '../../support/purchases.ts';

let product: Product;
let client: Client;
let keys: OrganisationKeys;
let account: string;

beforeAll(async () => {
  product = await startContracted({ backend: 'postgres' });
  ({ client, keys } = await product.organisation());
  account = (await client.openAccount({ currency: 'USD', funds: 0 })).id;
});
afterAll(() => product?.close());

const read = (id: string) => client.read<Card>(`/v1/cards/${id}`);
const details = async (id: string) => succeeded(await client.get<Details>(`/v1/cards/${id}/details`));
const replace = (id: string, reason: string, body: object = {}) => act(client, id, 'replace', { reason, ...body });
const physical = async (reference?: string) => {
  const made = await makeCard(client, {
    account,
    type: 'physical',
    shipping: SHIPPING,
    cardholder: cardholder(reference),
  });
  return act(client, made.id, 'activate');
};
const token = async (card: string) =>
  succeeded(
    await client.post<CardToken>(`/v1/cards/${card}/tokens`, {
      token_reference: `T-${card}`,
      wallet: 'apple_pay',
    }),
  );
const lastEvents = async (count: number) =>
  (await client.read<List<Event>>(`/v1/events?limit=${count}`)).data
    .map(({ type, data }) => [type, data.object.id])
    .toReversed();

describe('lost and stolen', () => {
  test.each(['lost', 'stolen'])('%s: the card closes at once, and another number takes its place', async (reason) => {
    const made = await makeCard(client, { account });
    const before = await details(made.id);
    const next = await replace(made.id, reason);
    expect(next).toMatchObject({
      status: 'active',
      type: 'virtual',
      account,
      replacement_for: made.id,
      replacement_reason: reason,
      external_id: null,
    });
    expect(await read(made.id)).toMatchObject({ status: 'closed', closed_reason: reason, replaced_by: next.id });
    expect((await details(next.id)).number).not.toBe(before.number);
  });

  test('announces all of it in one commit', async () => {
    const made = await makeCard(client, { account });
    const next = await client.post<Card>(
      `/v1/cards/${made.id}/replace`,
      { reason: 'lost' },
      { headers: { prefer: 'respond-async' } },
    );
    const told = (await client.read<List<Event>>('/v1/events?limit=10')).data.filter(
      ({ request_id }) => request_id === next.body.request_id,
    );
    expect(
      told
        .map(({ type, data }) => [type, data.object.id])
        .toReversed()
        .slice(0, 3),
    ).toEqual([
      ['card.replaced', made.id],
      ['card.created', next.body.id],
      ['card.closed', made.id],
    ]);
  });
});

describe('damaged and renewal', () => {
  test.each(['damaged', 'renewal'])('%s: the number stays, with another code', async (reason) => {
    const made = await physical();
    const before = await details(made.id);
    const next = await replace(made.id, reason);
    expect(next).toMatchObject({
      status: 'pending_activation',
      last_four: made.last_four,
      shipping: { status: 'ordered' },
    });
    expect(await read(made.id)).toMatchObject({ status: 'active', replaced_by: next.id });
    const after = await details(next.id);
    expect(after.number).toBe(before.number);
    expect(after.cvc).not.toBe(before.cvc);
    await act(client, next.id, 'activate');
    expect(await read(made.id)).toMatchObject({ status: 'closed', closed_reason: reason });
    expect(await lastEvents(2)).toEqual([
      ['card.closed', made.id],
      ['card.activated', next.id],
    ]);
    expect((await client.get(`/v1/cards/${made.id}/details`)).status).toBe(409);
  });

  test('a virtual card that is frozen stays frozen under its new expiry', async () => {
    const made = await makeCard(client, { account });
    await act(client, made.id, 'freeze');
    expect(await replace(made.id, 'renewal')).toMatchObject({ status: 'frozen', last_four: made.last_four });
    expect(await read(made.id)).toMatchObject({ status: 'closed', closed_reason: 'renewal' });
  });

  test('a card is replaced once', async () => {
    const made = await physical();
    await replace(made.id, 'damaged');
    expect(await client.post(`/v1/cards/${made.id}/replace`, { reason: 'lost' })).toMatchObject({
      status: 409,
      body: { code: 'state_conflict', allowed_actions: ['freeze', 'close', 'ship'] },
    });
  });

  test('closed while it waits, takes no place: the card before it goes on and is replaced again', async () => {
    const made = await physical();
    const { id } = await token(made.id);
    const waiting = await replace(made.id, 'damaged');
    await act(client, waiting.id, 'close');
    expect(await lastEvents(2)).toEqual([
      ['card.closed', waiting.id],
      ['card.updated', made.id],
    ]);
    expect(await read(made.id)).toMatchObject({ status: 'active', replaced_by: null });
    const next = await replace(made.id, 'lost');
    expect(next).toMatchObject({ status: 'pending_activation', replacement_for: made.id });
    expect(await read(made.id)).toMatchObject({ status: 'closed', closed_reason: 'lost', replaced_by: next.id });
    expect(await client.read<CardToken>(`/v1/cards/tokens/${id}`)).toMatchObject({ status: 'requested' });
    await act(client, next.id, 'close');
    expect(await client.read<CardToken>(`/v1/cards/tokens/${id}`)).toMatchObject({ status: 'deactivated' });
  });

  describe('and replaced again while they wait', () => {
    /** A card with a token that pays, and two that wait behind it. */
    const threeCards = async () => {
      const made = await physical();
      const { id } = await token(made.id);
      succeeded(await client.post(`/v1/cards/tokens/${id}/approve`));
      const second = await replace(made.id, 'damaged');
      const third = await replace(second.id, 'damaged');
      return { first: made.id, second: second.id, third: third.id, token: id };
    };
    /** The card of the line that the token pays with. */
    const pay = async (token: string) => {
      const asked = { token, amount: 0, kind: 'account_verification', entry_mode: 'contactless' };
      const paid = await purchase(client, asked);
      return `${answerOf(paid)}: ${paid.card}`;
    };

    test('the one between closes: the third takes the place of the first, and its tokens', async () => {
      const { first, second, third, token } = await threeCards();
      await act(client, second, 'close');
      expect(await lastEvents(1)).toEqual([['card.closed', second]]);
      expect(await read(first)).toMatchObject({ status: 'active', replaced_by: second });
      expect((await read(first)).allowed_actions).not.toContain('replace');
      await act(client, third, 'activate');
      expect(await read(first)).toMatchObject({ status: 'closed', closed_reason: 'damaged' });
      expect(await pay(token)).toBe(`approved 0, 85: ${third}`);
    });

    test.each(['second third', 'third second'])('%s close: the first is replaced again', async (order) => {
      const { token, ...line } = await threeCards();
      for (const name of order.split(' ')) await act(client, line[name as 'second' | 'third'], 'close');
      expect(await read(line.first)).toMatchObject({ status: 'active', replaced_by: null });
      expect(await pay(token)).toBe(`approved 0, 85: ${line.first}`);
      const next = await replace(line.first, 'lost');
      expect(await pay(token)).toBe(`approved 0, 85: ${next.id}`);
    });

    test.each(['REFUSED', 'TIMEOUTFAIL'])('the one between closes, and the third is %s', async (reference) => {
      const made = await physical();
      const second = await replace(made.id, 'damaged');
      succeeded(await client.patch(`/v1/cards/${second.id}`, { cardholder: cardholder(reference) }));
      const asked = await client.post<Card>(
        `/v1/cards/${second.id}/replace`,
        { reason: 'damaged' },
        { headers: { prefer: 'respond-async' } },
      );
      await act(client, second.id, 'close');
      await until(
        () => read(asked.body.id),
        ({ closed_reason }) => closed_reason === 'not_issued',
      );
      expect(await read(made.id)).toMatchObject({ status: 'active', replaced_by: null });
      expect(await replace(made.id, 'damaged')).toMatchObject({ status: 'pending_activation' });
    });
  });

  test('of ten replacements at once, one is made', async () => {
    const made = await makeCard(client, { account });
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => client.post<Card>(`/v1/cards/${made.id}/replace`, { reason: 'lost' })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array.from({ length: 9 }, () => 409)]);
  });

  test('closing both ends the line; a renewal that is lost closes every card with its number', async () => {
    const made = await physical();
    const renewed = await replace(made.id, 'renewal');
    const next = await replace(renewed.id, 'lost');
    expect(await read(made.id)).toMatchObject({ status: 'closed', closed_reason: 'lost' });
    expect(await read(renewed.id)).toMatchObject({ status: 'closed', closed_reason: 'lost' });
    expect(next).toMatchObject({ status: 'pending_activation' });
  });
});

describe('a replacement that the processor refuses', () => {
  test('leaves the line, and the card before it may be replaced again', async () => {
    const made = await physical();
    succeeded(await client.patch(`/v1/cards/${made.id}`, { cardholder: cardholder('REFUSED') }));
    const refused = await replace(made.id, 'damaged');
    expect(refused).toMatchObject({ status: 'closed', closed_reason: 'not_issued', last_four: null });
    expect(await read(made.id)).toMatchObject({ status: 'active', replaced_by: null });
    succeeded(await client.patch(`/v1/cards/${made.id}`, { cardholder: cardholder() }));
    expect(await replace(made.id, 'damaged')).toMatchObject({
      status: 'pending_activation',
      last_four: made.last_four,
    });
  });

  test('of a lost card ends its tokens', async () => {
    const made = await makeCard(client, { account });
    const { id } = await token(made.id);
    succeeded(await client.patch(`/v1/cards/${made.id}`, { cardholder: cardholder('REFUSED') }));
    await replace(made.id, 'lost');
    expect(await client.read<CardToken>(`/v1/cards/tokens/${id}`)).toMatchObject({
      status: 'deactivated',
      deactivated_reason: 'card_closed',
    });
  });
});

describe('the line', () => {
  test('keeps tokens and controls, and ends with its last card', async () => {
    const made = await makeCard(client, { account, controls: { limits: [{ window: 'day', amount: 5_000 }] } });
    const { id } = await token(made.id);
    succeeded(await client.post(`/v1/cards/tokens/${id}/approve`));
    const next = await replace(made.id, 'stolen');
    const tokens = await client.read<List<CardToken>>(`/v1/cards/${next.id}/tokens`);
    expect(tokens.data).toMatchObject([{ id, status: 'active' }]);
    const controls = await client.read<List<Controls>>(`/v1/cards/${next.id}/controls`);
    expect(controls.data).toMatchObject([{ status: 'active', number: 1, card: made.id }]);
    await act(client, next.id, 'close');
    expect(await client.read<CardToken>(`/v1/cards/tokens/${id}`)).toMatchObject({
      status: 'deactivated',
      deactivated_reason: 'card_closed',
    });
    expect((await lastEvents(2)).map(([type]) => type)).toEqual(['card.closed', 'card_token.deactivated']);
  });
});

test('verify finds nothing', async () => {
  expect(await findingsOf({ pool: product.runtime.pool, id: keys.testBookId })).toEqual([]);
});
