/** Cards over the API: made by the sandbox, shown, changed, frozen, closed. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Client, type Event, type List, type Problem, succeeded, until } from '../../../scripts/harness/client.ts';
import { parsePublicId } from '../../../src/values/ids.ts';
import { act, type Card, cardholder, type Details, makeCard, requestCard, SHIPPING } from '../../support/cards.ts';
import { startContracted } from '../../support/contracted.ts';
import { eraseDirectly } from '../../support/erase.ts';
import { findingsOf } from '../../support/findings.ts';
import type { OrganisationKeys, Product } from '../../support/product.ts';

let product: Product;
let client: Client;
let live: Client;
let keys: OrganisationKeys;
let account: string;

beforeAll(async () => {
  product = await startContracted({ backend: 'postgres' });
  ({ client, live, keys } = await product.organisation());
  account = (await client.openAccount({ funds: 0 })).id;
});
afterAll(() => product?.close());

const read = (id: string) => client.read<Card>(`/v1/cards/${id}`);
const details = (id: string) => client.get<Details>(`/v1/cards/${id}/details`);
const eventsOf = async (id: string) =>
  (await client.read<List<Event>>(`/v1/events?object=${id}`)).data.map(({ type }) => type).toReversed();
/** What the processor has of a card, once everything is told. */
const toldStates = async (id: string) => {
  const { rows } = await product.runtime.pool.query<{ kind: string; state: string | null; status: string }>(
    'SELECT kind, state, status FROM card_operations WHERE card_id = $1 ORDER BY id',
    [parsePublicId('card', id)],
  );
  return rows.map(({ kind, state, status }) => [kind, state, status]);
};
const toldAll = (id: string) =>
  until(
    () => toldStates(id),
    (rows) => rows.every(([, , status]) => status !== 'pending'),
  );

describe('a card', () => {
  test('is made within its answer, and its number stands in no answer but the one that shows it', async () => {
    const answer = await requestCard(client, { account, external_id: 'card-1', metadata: { team: 'blue' } });
    expect(answer.status).toBe(201);
    expect(answer.body).toMatchObject({
      status: 'active',
      type: 'virtual',
      account,
      currency: 'JOD',
      card_reference: expect.stringMatching(/^SBC[0-9A-F]{24}$/),
      network: 'visa',
      last_four: expect.stringMatching(/^\d{4}$/),
      cardholder: { name_masked: 'A*** L***', reference: null },
      shipping: null,
      pin_status: 'ok',
      pin_attempts_left: 3,
      closed_reason: null,
      external_id: 'card-1',
      metadata: { team: 'blue' },
      allowed_actions: ['freeze', 'close', 'replace'],
    });
    const { id, last_four } = answer.body;
    const { number, cvc } = succeeded(await details(id));
    expect(number).toMatch(/^4\d{15}$/);
    expect(number.slice(-4)).toBe(last_four);
    expect(await eventsOf(id)).toEqual(['card.created', 'card.updated']);
    const { rows } = await product.runtime.pool.query<{ text: string }>(
      `SELECT payload AS text FROM events UNION ALL SELECT body FROM idempotency_keys WHERE body IS NOT NULL
       UNION ALL SELECT answer::text FROM rail_answers UNION ALL SELECT row_to_json(c)::text FROM cards c`,
    );
    expect(rows.length).toBeGreaterThan(3);
    expect(rows.filter(({ text }) => text.includes(number) || text.includes(`"${cvc}"`))).toEqual([]);
    expect(answer.text).not.toContain('Lovelace');
  });

  test('is not made a second time under the same key', async () => {
    const options = { idempotencyKey: randomUUID() };
    const first = await requestCard(client, { account }, options);
    const again = await requestCard(client, { account }, options);
    expect([first.status, again.status]).toEqual([201, 201]);
    expect(again.body.id).toBe(first.body.id);
    expect(await toldStates(first.body.id)).toEqual([['issue', 'active', 'succeeded']]);
  });

  test('that is asked for without waiting is issued afterwards', async () => {
    const answer = await requestCard(client, { account }, { headers: { prefer: 'respond-async' } });
    expect(answer.status).toBe(202);
    const unissued = { card_reference: null, last_four: null, exp_month: null, network: null };
    expect(answer.body).toMatchObject({ status: 'active', ...unissued, allowed_actions: ['freeze', 'close'] });
    const issued = await until(
      () => read(answer.body.id),
      ({ last_four }) => last_four !== null,
    );
    expect(issued.version).toBe(2);
  });

  test.each`
    reference        | status | card        | reason          | what
    ${'REFUSED'}     | ${201} | ${'closed'} | ${'not_issued'} | ${'refused'}
    ${'TIMEOUT'}     | ${201} | ${'active'} | ${null}         | ${'made, without an answer'}
    ${'TIMEOUTFAIL'} | ${201} | ${'closed'} | ${'not_issued'} | ${'refused, without an answer'}
    ${'LOST'}        | ${201} | ${'closed'} | ${'not_issued'} | ${'never asked for'}
  `('for $reference is $what', async ({ reference, status, card, reason }) => {
    const answer = await requestCard(client, { account, cardholder: cardholder(reference) });
    expect(answer.status).toBe(status);
    expect(answer.body).toMatchObject({ status: card, closed_reason: reason, cardholder: { reference } });
    expect(answer.body.last_four === null).toBe(card === 'closed');
  });

  test('that the processor makes later is told by its notice', async () => {
    const answer = await requestCard(client, { account, cardholder: cardholder('PENDING') });
    expect(answer).toMatchObject({ status: 202, body: { status: 'active', last_four: null } });
    await until(
      () => read(answer.body.id),
      ({ last_four }) => last_four !== null,
    );
  });

  test.each`
    what                               | body                                              | status | code                         | param
    ${'an account of nobody'}          | ${{ account: 'acct_01k5c2r3v8e9m0x6y7z4a1b2cd' }} | ${404} | ${'resource_not_found'}      | ${'/account'}
    ${'no address for a real card'}    | ${{ type: 'physical' }}                           | ${400} | ${'parameter_missing'}       | ${'/shipping'}
    ${'an address for no real card'}   | ${{ shipping: SHIPPING }}                         | ${400} | ${'parameter_invalid'}       | ${'/shipping'}
    ${'a number for a name'}           | ${{ cardholder: { name: '4242424242424242' } }}   | ${400} | ${'card_number_not_allowed'} | ${'/cardholder/name'}
    ${'controls that fit not'}         | ${{ controls: { mcc: {} } }}                      | ${400} | ${'parameter_invalid'}       | ${'/controls/mcc'}
    ${'a limit of nothing'}            | ${{ controls: { limits: [{ window: 'day' }] } }}  | ${400} | ${'parameter_invalid'}       | ${'/controls/limits/0'}
    ${'a country that does not exist'} | ${{ controls: { countries: { block: ['XZ'] } } }} | ${400} | ${'parameter_invalid'}       | ${'/controls/countries/block/0'}
  `('with $what is refused', async ({ body, status, code, param }) => {
    const answer = await requestCard(client, { account, ...body });
    expect(answer.status).toBe(status);
    expect(answer.body).toMatchObject({ code, errors: [{ param }] });
  });

  test('in live mode finds no processor', async () => {
    const { testBookId, liveBookId } = keys;
    expect(testBookId).not.toBe(liveBookId);
    const { id } = await live.openAccount({ funds: 0 });
    expect(await requestCard(live, { account: id })).toMatchObject({
      status: 422,
      body: { code: 'processor_unavailable' },
    });
  });

  test('of another book is not there', async () => {
    const { id } = await makeCard(client, { account });
    const { client: stranger } = await product.organisation();
    for (const path of [
      `/v1/cards/${id}`,
      `/v1/cards/${id}/details`,
      `/v1/cards/${id}/controls`,
      `/v1/cards/${id}/tokens`,
    ])
      expect((await stranger.get(path)).status, path).toBe(404);
    expect((await stranger.post(`/v1/cards/${id}/freeze`)).status).toBe(404);
  });
});

describe('an action', () => {
  test('counts at once, and the processor is told each state', async () => {
    const { id } = await makeCard(client, { account });
    expect(await act(client, id, 'freeze')).toMatchObject({
      status: 'frozen',
      allowed_actions: ['unfreeze', 'close', 'replace'],
    });
    expect(await act(client, id, 'unfreeze')).toMatchObject({ status: 'active' });
    expect(await act(client, id, 'close')).toMatchObject({
      status: 'closed',
      closed_reason: 'requested',
      allowed_actions: [],
    });
    expect(await eventsOf(id)).toEqual(['card.created', 'card.updated', 'card.frozen', 'card.unfrozen', 'card.closed']);
    expect(await toldAll(id)).toEqual([
      ['issue', 'active', 'succeeded'],
      ['state', 'frozen', 'succeeded'],
      ['state', 'active', 'succeeded'],
      ['state', 'closed', 'succeeded'],
    ]);
    expect(await details(id)).toMatchObject({
      status: 409,
      body: { code: 'state_conflict', current_status: 'closed' },
    });
  });

  test('that the state does not allow is refused, and so is a stale one', async () => {
    const { id, version } = await makeCard(client, { account });
    expect(await client.post(`/v1/cards/${id}/unfreeze`)).toMatchObject({
      status: 409,
      body: { code: 'state_conflict', current_status: 'active', allowed_actions: ['freeze', 'close', 'replace'] },
    });
    const stale = { headers: { 'if-match': `"${version - 1}"` } };
    expect(await client.post(`/v1/cards/${id}/freeze`, undefined, stale)).toMatchObject({
      status: 412,
      body: { code: 'version_mismatch', version },
    });
    for (const action of ['activate', 'ship', 'unblock_pin'])
      expect((await client.post<Problem>(`/v1/cards/${id}/${action}`)).body.code, action).toBe('state_conflict');
  });

  test('a physical card is shipped and activated', async () => {
    const { id, ...made } = await makeCard(client, { account, type: 'physical', shipping: SHIPPING });
    expect(made).toMatchObject({ status: 'pending_activation', shipping: { status: 'ordered' } });
    expect(made.allowed_actions).toEqual(['activate', 'close', 'ship', 'replace']);
    expect(await act(client, id, 'ship')).toMatchObject({ shipping: { status: 'shipped' } });
    expect(await act(client, id, 'activate')).toMatchObject({ status: 'active' });
    expect(await toldAll(id)).toEqual([
      ['issue', 'pending_activation', 'succeeded'],
      ['state', 'active', 'succeeded'],
    ]);
  });

  test('before the card is issued is told with its number', async () => {
    await product.stopPools();
    const { body } = await requestCard(client, { account }, { headers: { prefer: 'respond-async' } });
    expect(await act(client, body.id, 'freeze')).toMatchObject({ status: 'frozen', last_four: null });
    expect(await details(body.id)).toMatchObject({ status: 409, body: { retryable: true } });
    const early = await client.post<Problem>(`/v1/cards/${body.id}/replace`, { reason: 'lost' });
    const allowed = { allowed_actions: ['unfreeze', 'close'] };
    expect(early).toMatchObject({ status: 409, body: { retryable: true, ...allowed } });
    expect(await read(body.id)).toMatchObject({ card_reference: null, ...allowed });
    await product.startPools();
    await until(
      () => read(body.id),
      ({ last_four }) => last_four !== null,
    );
    expect(await toldAll(body.id)).toEqual([
      ['issue', 'active', 'succeeded'],
      ['state', 'frozen', 'succeeded'],
    ]);
  });

  test('that the processor refuses stands all the same', async () => {
    const { id } = await makeCard(client, { account, cardholder: cardholder('NOCHANGES') });
    await act(client, id, 'freeze');
    expect(await toldAll(id)).toEqual([
      ['issue', 'active', 'succeeded'],
      ['state', 'frozen', 'failed'],
    ]);
    expect(await read(id)).toMatchObject({ status: 'frozen' });
  });

  test('of a processor that never answers is found out by asking', async () => {
    const { id } = await makeCard(client, { account, cardholder: cardholder('TIMEOUT') });
    await act(client, id, 'close');
    expect(await toldAll(id)).toEqual([
      ['issue', 'active', 'succeeded'],
      ['state', 'closed', 'succeeded'],
    ]);
  });
});

describe('a list', () => {
  test('is filtered by account, status, type, reference and metadata', async () => {
    const own = (await client.openAccount({ funds: 0 })).id;
    const first = await makeCard(client, { account: own, external_id: 'a-1', metadata: { floor: '2' } });
    const second = await makeCard(client, { account: own, type: 'single_use' });
    await act(client, first.id, 'freeze');
    const ids = async (query: string) =>
      (await client.read<List<Card>>(`/v1/cards?account=${own}&${query}`)).data.map(({ id }) => id);
    expect(await ids('')).toEqual([second.id, first.id]);
    expect(await ids('status=frozen')).toEqual([first.id]);
    expect(await ids('type=single_use,merchant_locked')).toEqual([second.id]);
    expect(await ids('external_id=a-1')).toEqual([first.id]);
    expect(await ids('metadata[floor]=2')).toEqual([first.id]);
    const page = await client.read<List<Card>>(`/v1/cards?account=${own}&limit=1`);
    expect(page).toMatchObject({ has_more: true, next_cursor: second.id });
    expect(await ids(`limit=1&starting_after=${page.next_cursor}`)).toEqual([first.id]);
  });
});

describe('a change', () => {
  test('of its texts is told, and one that changes nothing is not', async () => {
    const made = await makeCard(client, { account });
    const path = `/v1/cards/${made.id}`;
    const changed = succeeded(
      await client.patch<Card>(path, { cardholder: { name: 'Grace Hopper', reference: 'g' }, external_id: 'x' }),
    );
    expect(changed).toMatchObject({
      cardholder: { name_masked: 'G*** H***', reference: 'g' },
      external_id: 'x',
      version: made.version + 1,
    });
    const again = await client.patch<Card>(path, { cardholder: { name: 'Grace Hopper', reference: 'g' } });
    expect(again.body.version).toBe(changed.version);
    expect((await eventsOf(made.id)).filter((type) => type === 'card.updated')).toHaveLength(2);
  });
});

describe('a timeline', () => {
  test('tells what happened and who did it', async () => {
    const { id } = await makeCard(client, { account });
    await act(client, id, 'freeze');
    const { data } = await client.read<List<{ type: string; actor: { type: string; id: string } }>>(
      `/v1/cards/${id}/timeline`,
    );
    expect(data.map(({ type, actor }) => [type, actor.type])).toEqual([
      ['card.created', 'service'],
      ['card.updated', 'system'],
      ['card.frozen', 'service'],
    ]);
    expect(data[1]!.actor.id).toBe('processor:sandbox_processor');
  });
});

describe('an account with a card', () => {
  test('does not close before the card', async () => {
    const own = (await client.openAccount({ funds: 0 })).id;
    const { id } = await makeCard(client, { account: own });
    expect(await client.post(`/v1/accounts/${own}/close`)).toMatchObject({
      status: 409,
      body: { code: 'account_not_empty', blocked_by: [{ type: 'cards_open', cards: [id] }] },
    });
    await act(client, id, 'close');
    expect(succeeded(await client.post(`/v1/accounts/${own}/close`))).toMatchObject({ status: 'closed' });
    expect(await requestCard(client, { account: own })).toMatchObject({
      status: 422,
      body: { code: 'account_closed' },
    });
  });
});

describe('an erasure', () => {
  test('takes name and addresses, and the card goes on', async () => {
    const made = await makeCard(client, {
      account,
      type: 'physical',
      shipping: SHIPPING,
      cardholder: { name: 'Ada Lovelace', reference: 'ada', billing_address: SHIPPING.address },
      metadata: { note: 'Ada' },
    });
    expect(await eraseDirectly(product, made.id)).toEqual([]);
    expect(await read(made.id)).toMatchObject({
      status: 'pending_activation',
      cardholder: { name_masked: null, reference: null },
      metadata: null,
    });
    const { rows } = await product.runtime.pool.query(
      'SELECT cardholder_sealed, shipping_sealed FROM cards WHERE id = $1',
      [parsePublicId('card', made.id)],
    );
    expect(rows).toEqual([{ cardholder_sealed: null, shipping_sealed: null }]);
    expect(await client.post(`/v1/cards/${made.id}/replace`, { reason: 'damaged', shipping: SHIPPING })).toMatchObject({
      status: 409,
      body: { code: 'state_conflict' },
    });
    succeeded(await client.patch(`/v1/cards/${made.id}`, { cardholder: cardholder() }));
    const next = await act(client, made.id, 'replace', { reason: 'damaged', shipping: SHIPPING });
    expect(next).toMatchObject({ cardholder: { name_masked: 'A*** L***' }, last_four: made.last_four });
  });
});

test('verify finds nothing', async () => {
  expect(await findingsOf({ pool: product.runtime.pool, id: keys.testBookId })).toEqual([]);
});
