/** Controls over the API: versions of a card, an account and the program, and what they have used up. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Client, type Event, type List, succeeded } from '../../../scripts/harness/client.ts';
import { type Card, type Controls, makeCard } from '../../support/cards.ts';
import { startContracted } from '../../support/contracted.ts';
import { findingsOf } from '../../support/findings.ts';
import type { OrganisationKeys, Product } from '../../support/product.ts';
import { advanceClock, purchase } from '../../support/purchases.ts';

type Step = Pick<Event, 'type'> & { status: string };

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

const limits = (amount: number) => ({ limits: [{ window: 'day', amount }] });
const create = (body: object) => client.post<Controls>('/v1/cards/controls', body);
const made = async (body: object) => succeeded(await create(body));
const read = (id: string) => client.read<Controls>(`/v1/cards/controls/${id}`);
const move = (id: string, action: string) => client.post<Controls>(`/v1/cards/controls/${id}/${action}`);

describe('versions', () => {
  test('of an account: drafts decide nothing, one is active and one shadow', async () => {
    const own = (await client.openAccount({ funds: 0 })).id;
    const first = await made({ account: own, ...limits(100) });
    expect(first).toMatchObject({
      status: 'draft',
      scope: 'account',
      account: own,
      card: null,
      number: 1,
      counted_since: null,
      allowed_actions: ['shadow', 'activate', 'retire'],
    });
    expect(succeeded(await move(first.id, 'activate'))).toMatchObject({
      status: 'active',
      counted_since: expect.any(String),
    });
    const second = await made({ account: own, ...limits(200), status: 'shadow' });
    expect(second).toMatchObject({ status: 'shadow', number: 2 });
    const third = await made({ account: own, ...limits(300), status: 'shadow' });
    expect(await read(second.id)).toMatchObject({ status: 'retired' });
    expect(succeeded(await move(third.id, 'activate'))).toMatchObject({ status: 'active' });
    expect(await read(first.id)).toMatchObject({ status: 'retired', allowed_actions: [] });
    const types = (await client.read<List<Event>>(`/v1/events?object=${third.id}`)).data.map(({ type }) => type);
    expect(types.toReversed()).toEqual(['card_controls.created', 'card_controls.shadowed', 'card_controls.activated']);
    const { data } = await client.read<List<Step>>(`/v1/cards/controls/${second.id}/timeline`);
    expect(data.map(({ type, status }) => [type, status])).toEqual([
      ['card_controls.created', 'draft'],
      ['card_controls.shadowed', 'shadow'],
      ['card_controls.retired', 'retired'],
    ]);
  });

  test('older than the active one are put into force by nobody', async () => {
    const own = (await client.openAccount({ funds: 0 })).id;
    const older = await made({ account: own, ...limits(100) });
    const newer = await made({ account: own, ...limits(200), status: 'active' });
    for (const action of ['shadow', 'activate'])
      expect(await move(older.id, action)).toMatchObject({ status: 412, body: { code: 'version_mismatch' } });
    succeeded(await move(newer.id, 'retire'));
    expect(succeeded(await move(older.id, 'activate'))).toMatchObject({ status: 'active' });
  });

  test('of a card are set by one call, and listed', async () => {
    const path = `/v1/cards/${card.id}/controls`;
    const first = succeeded(await client.post<Controls>(path, { mcc: { block: ['7995', '3501-3999'] } }));
    const second = succeeded(await client.post<Controls>(path, { cash: 'block' }));
    const third = succeeded(await client.post<Controls>(path, { ...limits(1), status: 'draft' }));
    expect((await client.read<List<Controls>>(path)).data).toMatchObject([
      { id: third.id, status: 'draft', number: 3, scope: 'card', card: card.id },
      { id: second.id, status: 'active', number: 2, cash: 'block', mcc: null },
      { id: first.id, status: 'retired', number: 1, mcc: { allow: null, block: ['7995', '3501-3999'] } },
    ]);
    const active = await client.read<List<Controls>>(`/v1/cards/controls?card=${card.id}&status=active`);
    expect(active.data.map(({ id }) => id)).toEqual([second.id]);
  });

  test('of twenty activations at once, one is active', async () => {
    const own = (await client.openAccount({ funds: 0 })).id;
    const drafts = await Promise.all(
      Array.from({ length: 20 }, (_, index) => made({ account: own, ...limits(index) })),
    );
    await Promise.all(drafts.map(({ id }) => move(id, 'activate')));
    const { data } = await client.read<List<Controls>>(`/v1/cards/controls?account=${own}&status=active`);
    expect(data).toHaveLength(1);
    expect(data[0]!.number).toBeGreaterThan(0);
    expect(new Set(drafts.map(({ number }) => number)).size).toBe(20);
  });
});

describe('the content', () => {
  test('is shown as it was given', async () => {
    const content = {
      limits: [
        { window: 'authorization', amount: 9_007_199_254_740_991 },
        {
          window: 'month',
          count: 10,
          for: { kinds: ['cash'], mccs: ['6011'], countries: ['JO'], merchants: ['M-1'], entry_modes: ['chip'] },
        },
        { window: 'all_time', amount: 0, net_of_refunds: true },
      ],
      countries: { allow: ['JO', 'AE'] },
      merchants: { block: ['4242424242424242'] },
      entry_modes: { allow: ['chip', 'contactless'] },
      require_three_d_secure_above: 5_000,
    };
    const { id } = await made({ program: true, ...content });
    expect(await read(id)).toMatchObject({
      scope: 'program',
      card: null,
      account: null,
      limits: [
        { window: 'authorization', amount: 9_007_199_254_740_991, count: null, for: null },
        { window: 'month', amount: null, count: 10, for: content.limits[1]!.for },
        { window: 'all_time', amount: 0, net_of_refunds: true },
      ],
      countries: { allow: ['JO', 'AE'], block: null },
      merchants: { allow: null, block: ['4242424242424242'] },
      entry_modes: content.entry_modes,
      cash: null,
      require_three_d_secure_above: 5_000,
    });
  });

  test.each`
    what                         | body                                                                                           | param
    ${'nobody'}                  | ${{}}                                                                                          | ${'/card'}
    ${'two subjects'}            | ${{ program: true, account: 'acct_01k5c2r3v8e9m0x6y7z4a1b2cd' }}                               | ${'/program'}
    ${'allow beside block'}      | ${{ program: true, mcc: { allow: ['5411'], block: ['7995'] } }}                                | ${'/mcc'}
    ${'an unknown MCC'}          | ${{ program: true, mcc: { block: ['9998'] } }}                                                 | ${'/mcc/block/0'}
    ${'an unknown country'}      | ${{ program: true, countries: { allow: ['JO', 'XZ'] } }}                                       | ${'/countries/allow/1'}
    ${'a count of one purchase'} | ${{ program: true, limits: [{ window: 'authorization', count: 1 }] }}                          | ${'/limits/0/count'}
    ${'refunds of a day'}        | ${{ program: true, limits: [{ window: 'day', amount: 1, net_of_refunds: true }] }}             | ${'/limits/0/net_of_refunds'}
    ${'a limit for nothing'}     | ${{ program: true, limits: [{ window: 'day', amount: 1, for: {} }] }}                          | ${'/limits/0/for'}
    ${'21 limits'}               | ${{ program: true, limits: Array.from({ length: 21 }, () => ({ window: 'day', amount: 1 })) }} | ${'/limits'}
  `('of $what is refused at its place', async ({ body, param }) => {
    const answer = await create(body);
    expect(answer.status).toBe(400);
    expect((answer.body as unknown as { errors: { param: string }[] }).errors.map((error) => error.param)).toContain(
      param,
    );
  });

  test('for a card or an account of nobody is 404', async () => {
    for (const [member, id] of [
      ['card', 'card_01k5c2r3v8e9m0x6y7z4a1b2cd'],
      ['account', 'acct_01k5c2r3v8e9m0x6y7z4a1b2cd'],
    ] as const)
      expect(await create({ [member]: id, ...limits(1) })).toMatchObject({
        status: 404,
        body: { code: 'resource_not_found', errors: [{ param: `/${member}` }] },
      });
  });
});

describe('usage', () => {
  /** An account with two purchases of 200 each. */
  const used = async () => {
    const own = (await client.openAccount({ funds: 10_000 })).id;
    const { id } = await makeCard(client, { account: own });
    for (const amount of [200, 200]) await purchase(client, { card: id, amount, currency: 'JOD' });
    return own;
  };

  test('is read with the limits: used, remaining, and when it begins anew', async () => {
    const own = await used();
    const { id, limits: written } = await made({
      account: own,
      limits: [
        { window: 'authorization', amount: 100 },
        { window: 'day', amount: 1_000, count: 1 },
        { window: 'day', amount: 1_000, for: { kinds: ['cash'] } },
      ],
      status: 'active',
    });
    expect(written.map(({ usage }) => usage)).toEqual([null, null, null]);
    const controls = await read(id);
    expect(controls.limits.map(({ usage }) => usage)).toEqual([
      [{ currency: 'JOD', amount: { used: 0, remaining: 100 }, count: null, resets_at: null, counted_since: null }],
      [
        {
          currency: 'JOD',
          amount: { used: 400, remaining: 600 },
          count: { used: 2, remaining: 0 },
          resets_at: expect.stringMatching(/T00:00:00\.000Z$/),
          counted_since: null,
        },
      ],
      [
        {
          currency: 'JOD',
          amount: { used: 0, remaining: 1_000 },
          count: null,
          resets_at: expect.any(String),
          counted_since: controls.counted_since,
        },
      ],
    ]);
  });

  test('of a day that is over is none', async () => {
    const own = await used();
    const { id } = await made({
      account: own,
      limits: [
        { window: 'day', amount: 1_000 },
        { window: 'all_time', amount: 1_000 },
      ],
    });
    const sums = async () => (await read(id)).limits.map(({ usage }) => usage![0]!.amount!.used);
    expect(await sums()).toEqual([400, 400]);
    await advanceClock(client, { by: 'P2D' });
    expect(await sums()).toEqual([0, 400]);
  });

  test('of the program is shown in each currency', async () => {
    await client.openAccount({ funds: 0, currency: 'USD' });
    const { id } = await made({ program: true, ...limits(10) });
    const [limit] = (await read(id)).limits;
    expect(limit!.usage!.map(({ currency }) => currency)).toEqual(['JOD', 'USD']);
  });
});

test('verify finds nothing', async () => {
  expect(await findingsOf({ pool: product.runtime.pool, id: keys.testBookId })).toEqual([]);
});
