/** Messages of processors over the API: what is refused, what a reference stands for, dry runs, reads, and many at once. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Client, type Event, type List, type Problem, succeeded } from '../../../scripts/harness/client.ts';
import { parsePublicId } from '../../../src/values/ids.ts';
import { act, type Card, type CardToken, makeCard } from '../../support/cards.ts';
import { startContracted } from '../../support/contracted.ts';
import { findingsOf } from '../../support/findings.ts';
import type { OrganisationKeys, Product } from '../../support/product.ts';
import {
  advanceClock,
  answerOf,
  MERCHANT,
  messagesOf,
  nextReference,
  purchase,
  readTransaction,
  requestPurchase,
  type Transaction,
  type TransactionEvent,
  tell,
} from '../../support/purchases.ts';

interface TakenMessage {
  readonly transaction: string;
  readonly event: TransactionEvent;
}
interface Refused extends Problem {
  readonly resource?: string;
  readonly current_status?: string;
  readonly blocked_by?: unknown;
}

let product: Product;
let client: Client;
let live: Client;
let keys: OrganisationKeys;
let account: string;
let card: Card;

beforeAll(async () => {
  product = await startContracted({ backend: 'postgres' });
  ({ client, live, keys } = await product.organisation());
  account = (await client.openAccount({ currency: 'USD', funds: 10_000_000 })).id;
  card = await makeCard(client, { account });
});
afterAll(async () => {
  try {
    expect(await findingsOf({ pool: product.runtime.pool, id: keys.testBookId })).toEqual([]);
  } finally {
    await product?.close();
  }
});

const NOBODY = { card: 'card_01k5c2r3v8e9m0x6y7z4a1b2cd', token: 'ctok_01k5c2r3v8e9m0x6y7z4a1b2cd' };

const buy = (amount: number, body: object = {}) => purchase(client, { card: card.id, amount, ...body });
const references = () => ({ message_reference: nextReference(), network_reference: nextReference() });
const send = <Body = Transaction>(path: string, body: object) => client.post<Body>(`/v1/transactions${path}`, body);
const taken = (reference: string) => client.get<TakenMessage>(`/v1/transactions/messages/${reference}`);
const first = (body: object = {}) => ({ card: card.id, merchant: MERCHANT, currency: 'USD', ...references(), ...body });
const latest = async (count: number) => (await client.read<List<Event>>(`/v1/events?limit=${count}`)).data.toReversed();

describe('a reference', () => {
  test('is of one message: a repeat gets the first answer to the byte, whatever happened since', async () => {
    const body = { ...first({ amount: 500, entry_mode: 'chip' }) };
    const answer = await send('', body);
    await tell(client, answer.body.id, 'reverse');
    const repeat = await client.post('/v1/transactions', body, { idempotencyKey: null });
    expect(repeat).toMatchObject({ status: 200, text: answer.text, headers: { 'idempotent-replayed': 'true' } });
    expect(await readTransaction(client, answer.body.id)).toMatchObject({ status: 'reversed' });
  });

  test.each`
    since                         | becomes
    ${'its card is closed'}       | ${'pending'}
    ${'its hold has expired'}     | ${'expired'}
    ${'the purchase has settled'} | ${'settled'}
  `('gets the first answer to the byte after $since (G21)', async ({ since, becomes }) => {
    const own = await makeCard(client, { account });
    const body = { ...first({ amount: 4_000, entry_mode: 'chip' }), card: own.id };
    const answer = await send('', body);
    const { id } = succeeded(answer);
    if (since === 'its card is closed') await act(client, own.id, 'close');
    else if (since === 'its hold has expired') await tell(client, id, 'expire');
    else await tell(client, id, 'clear', { amount: 4_000, currency: 'USD' });
    const left = await readTransaction(client, id);
    expect(left.status).toBe(becomes);
    const repeat = await send('', body);
    expect(repeat).toMatchObject({ status: 200, text: answer.text, headers: { 'idempotent-replayed': 'true' } });
    const other = await send('', { ...body, amount: 4_100 });
    expect(other).toMatchObject({ status: 422, body: { code: 'idempotency_key_reused', resource: id } });
    expect(await readTransaction(client, id)).toEqual(left);
  });

  test('whose message says something else is refused, and names the transaction', async () => {
    const { id, network_reference } = await buy(500);
    const [{ message_reference }] = (await messagesOf(client, id)) as [TransactionEvent];
    const other = { card: card.id, amount: 501, message_reference, network_reference };
    const refused = { status: 422, body: { code: 'idempotency_key_reused', resource: id } };
    expect(await requestPurchase(client, other)).toMatchObject(refused);
    expect(await send(`/${id}/reverse`, { message_reference })).toMatchObject(refused);
    expect(await readTransaction(client, id)).toMatchObject({ version: 1, amounts: { held: 500 } });
  });

  test('is no Idempotency-Key: that is not looked at, and the same text as a key is another', async () => {
    const body = first({ amount: 100, entry_mode: 'chip' });
    const one = await client.post<Transaction>('/v1/transactions', body, { idempotencyKey: 'a key' });
    const other = await client.post<Transaction>('/v1/transactions', first({ amount: 100, entry_mode: 'chip' }), {
      idempotencyKey: 'a key',
    });
    expect(succeeded(other).id).not.toBe(succeeded(one).id);
    const made = await client.post(
      '/v1/accounts',
      { currency: 'USD', name: 'A' },
      { idempotencyKey: body.message_reference },
    );
    expect(made.status).toBe(201);
  });

  test('is taken by an answer of 200 alone: what was refused comes again', async () => {
    const body = first({ amount: 100, entry_mode: 'chip' });
    expect(await send('', { ...body, card: NOBODY.card })).toMatchObject({ status: 404 });
    expect(await send('', { ...body, amount: 0.5 })).toMatchObject({ status: 400 });
    const elsewhere = await makeCard(client, { account });
    const { network_reference } = await buy(100, { card: elsewhere.id });
    expect(await send('', { ...body, network_reference })).toMatchObject({ status: 409 });
    expect(await taken(body.message_reference)).toMatchObject({ status: 404 });
    expect(answerOf(succeeded(await send('', body)))).toBe('approved 100, 00');
  });

  test('says what became of it', async () => {
    const body = first({ amount: 100, entry_mode: 'chip' });
    const { id } = succeeded(await send('', body));
    const declined = first({ amount: 2_000_000_000, entry_mode: 'chip' });
    const other = succeeded(await send('', declined));
    expect(succeeded(await taken(body.message_reference))).toMatchObject({
      transaction: id,
      event: { type: 'authorization', message_reference: body.message_reference, decision: 'approved', amount: 100 },
    });
    expect(succeeded(await taken(declined.message_reference))).toMatchObject({
      transaction: other.id,
      event: { decision: 'declined', decline_code: 'insufficient_funds' },
    });
    expect(await taken('nobody-said-this')).toMatchObject({ status: 404, body: { code: 'resource_not_found' } });
  });

  test('of the network names one purchase, of one line of cards', async () => {
    const other = await makeCard(client, { account });
    const { id, network_reference } = await buy(100, { card: other.id });
    const refused = await send<Refused>('', { ...first({ amount: 100, entry_mode: 'chip' }), network_reference });
    expect(refused).toMatchObject({ status: 409, body: { code: 'state_conflict', current_status: 'pending' } });
    expect(refused.body.detail).toContain(id);
    const next = await act(client, other.id, 'replace', { reason: 'lost' });
    const cleared = await send('/clearings', {
      ...{ ...first({ amount: 100 }), card: next.id, network_reference },
    });
    expect(succeeded(cleared)).toMatchObject({ id, status: 'settled', card: other.id });
  });
});

describe('a message that nothing comes of', () => {
  const fields = ({ body }: { body: unknown }) =>
    (body as Problem).errors?.map(({ param, code }) => `${param} ${code}`) ?? [];

  test.each`
    what                                      | path            | change                                                                | field
    ${'no card at all'}                       | ${''}           | ${{ card: undefined }}                                                | ${'/card parameter_missing'}
    ${'two cards'}                            | ${''}           | ${{ token: NOBODY.token }}                                            | ${'/token parameter_invalid'}
    ${'a card and its reference'}             | ${''}           | ${{ card_reference: 'nobody' }}                                       | ${'/card_reference parameter_invalid'}
    ${'a reference and a token'}              | ${''}           | ${{ card: undefined, card_reference: 'nobody', token: NOBODY.token }} | ${'/token parameter_invalid'}
    ${'all three names of a card'}            | ${''}           | ${{ card_reference: 'nobody', token: NOBODY.token }}                  | ${'/card_reference parameter_invalid'}
    ${'half of a merchant amount'}            | ${''}           | ${{ merchant_amount: 10 }}                                            | ${'/merchant_currency parameter_missing'}
    ${'the other half'}                       | ${''}           | ${{ merchant_currency: 'EUR' }}                                       | ${'/merchant_amount parameter_missing'}
    ${'more cashback than amount'}            | ${''}           | ${{ cashback_amount: 101 }}                                           | ${'/cashback_amount parameter_invalid'}
    ${'nothing'}                              | ${''}           | ${{ amount: 0 }}                                                      | ${'/amount amount_below_minimum'}
    ${'a verification of something'}          | ${''}           | ${{ kind: 'account_verification' }}                                   | ${'/amount amount_above_maximum'}
    ${'a reference with a space'}             | ${''}           | ${{ message_reference: 'a b' }}                                       | ${'/message_reference parameter_invalid'}
    ${'a reference with a NUL'}               | ${''}           | ${{ message_reference: 'a\u0000b' }}                                  | ${'/message_reference parameter_invalid'}
    ${'a network reference with a line feed'} | ${'/clearings'} | ${{ network_reference: 'a\nb' }}                                      | ${'/network_reference parameter_invalid'}
    ${'a reference that ends with DEL'}       | ${'/reversals'} | ${{ message_reference: 'ab\u007f' }}                                  | ${'/message_reference parameter_invalid'}
    ${'a card reference with an escape'}      | ${''}           | ${{ card: undefined, card_reference: 'a\u001bb' }}                    | ${'/card_reference parameter_invalid'}
    ${'no merchant, and first'}               | ${'/clearings'} | ${{ merchant: undefined }}                                            | ${'/merchant parameter_missing'}
    ${'no card, and first'}                   | ${'/clearings'} | ${{ card: undefined }}                                                | ${'/card parameter_missing'}
    ${'the fifth piece of four'}              | ${'/clearings'} | ${{ sequence: { number: 5, count: 4 } }}                              | ${'/sequence/number parameter_invalid'}
  `('of $what is refused at its place', async ({ path, change, field }) => {
    const answer = await send(path, {
      ...first({ amount: 100 }),
      ...(path === '' && { entry_mode: 'chip' }),
      ...change,
    });
    expect(answer.status).toBe(field.includes('amount_') ? 422 : 400);
    expect(fields(answer)).toEqual([field]);
  });

  test.each`
    what           | named                           | param
    ${'card'}      | ${{ card: NOBODY.card }}        | ${'/card'}
    ${'token'}     | ${{ token: NOBODY.token }}      | ${'/token'}
    ${'reference'} | ${{ card_reference: 'nobody' }} | ${'/card_reference'}
  `('of a $what of nobody is 404', async ({ named, param }) => {
    const { card: _, ...others } = first({ amount: 100, entry_mode: 'chip' });
    const answer = await send('', { ...others, ...named });
    expect(answer).toMatchObject({ status: 404, body: { code: 'resource_not_found', errors: [{ param }] } });
  });

  test('of a transaction of nobody is 404', async () => {
    const path = '/txn_01k5c2r3v8e9m0x6y7z4a1b2cd/reverse';
    expect(await send(path, { message_reference: nextReference() })).toMatchObject({ status: 404 });
  });

  test('in another currency: a request is declined, a posting refused', async () => {
    expect(answerOf(await buy(100, { currency: 'EUR' }))).toBe('declined currency_not_supported, 57');
    const { id } = await buy(100);
    const clearing = { message_reference: nextReference(), amount: 100, currency: 'EUR' };
    expect(await send(`/${id}/clear`, clearing)).toMatchObject({ status: 422, body: { code: 'currency_mismatch' } });
  });

  test('advice that contradicts itself is refused', async () => {
    const advice = { reason: 'stand_in', of: 'authorization', decision: 'declined', approved_amount: 100 };
    expect(await send('/advices', first({ advice }))).toMatchObject({ status: 400 });
    const nothing = { ...advice, decision: 'approved', approved_amount: 0 };
    expect(await send('/advices', first({ advice: nothing }))).toMatchObject({ status: 400 });
  });
});

describe('a message that does not say its kind', () => {
  const question = (kind: string) => buy(0, { kind });

  test.each(['account_verification', 'balance_inquiry'])('after an %s is of the merchant, and holds', async (kind) => {
    const { network_reference } = await question(kind);
    const asked = succeeded(await send('', { ...first({ amount: 400, entry_mode: 'chip' }), network_reference }));
    expect(asked).toMatchObject({ kind: 'purchase', status: 'pending', amounts: { held: 400 } });
    expect(answerOf(asked)).toBe('approved 400, 00');
    const more = await tell(client, asked.id, 'increment', { amount: 50 });
    expect(more).toMatchObject({ network_response_code: '00', amounts: { held: 450 } });
    expect(await tell(client, asked.id, 'clear', { amount: 450, currency: 'USD' })).toMatchObject({ flags: [] });
  });

  test.each`
    path             | body
    ${'/increments'} | ${{ amount: 300 }}
    ${'/advices'}    | ${{ advice: { reason: 'stand_in', of: 'authorization', decision: 'approved', approved_amount: 300 } }}
  `('holds on $path after a question, and after a refund', async ({ path, body }) => {
    const asked = await question('account_verification');
    const given = succeeded(await send('/refunds', first({ amount: 100 })));
    for (const { network_reference } of [asked, given])
      expect(succeeded(await send(path, { ...first(body), network_reference }))).toMatchObject({
        kind: 'purchase',
        amounts: { held: 300 },
      });
  });

  test('is of the credit where it advises one', async () => {
    const { network_reference } = await buy(200, { kind: 'refund' });
    const advice = { reason: 'stand_in', of: 'authorization', decision: 'approved', approved_amount: 200 };
    expect(succeeded(await send('/advices', { ...first({ advice }), network_reference }))).toMatchObject({
      kind: 'refund',
      amounts: { authorized: 0, held: 0 },
    });
  });

  test('is cash at a cash machine, with its fee, also where nothing was authorized', async () => {
    const { client: own } = await product.organisation();
    succeeded(await own.patch('/v1/cards/program', { fees: { cash: { fixed: 300 } } }));
    const { id } = await own.openAccount({ currency: 'USD', funds: 50_000 });
    const made = await makeCard(own, { account: id });
    const body = { ...first({ amount: 20_000 }), card: made.id, merchant: { ...MERCHANT, mcc: '6011' } };
    expect(succeeded(await own.post<Transaction>('/v1/transactions/clearings', body))).toMatchObject({
      kind: 'cash',
      amounts: { cleared: 20_000, fee: 300 },
    });
  });
});

test('how the card was presented is known from the first message that names it', async () => {
  const made = await makeCard(client, { account, controls: { entry_modes: { allow: ['chip'] } } });
  const early = { ...first({ amount: 300 }), card: made.id };
  expect(succeeded(await send('/reversals', early))).toMatchObject({ status: 'reversed', entry_mode: null });
  const asked = { ...first({ amount: 1_000, entry_mode: 'chip' }), card: made.id };
  const approved = succeeded(await send('', { ...asked, network_reference: early.network_reference }));
  expect(answerOf(approved)).toBe('approved 1000, 00');
  expect(approved).toMatchObject({ entry_mode: 'chip', amounts: { held: 700 } });
});

describe('the card', () => {
  test("is named by the processor's reference, which only it knows", async () => {
    const { card: _, ...others } = first({ amount: 100, entry_mode: 'chip' });
    const answer = await send('', { ...others, card_reference: card.card_reference });
    expect(succeeded(answer)).toMatchObject({ card: card.id, decision: 'approved' });
  });

  test('or by a token, which has to be active', async () => {
    const asked = { token_reference: nextReference(), wallet: 'apple_pay' };
    const { id: token } = succeeded(await client.post<CardToken>(`/v1/cards/${card.id}/tokens`, asked));
    const { card: _, ...others } = first({ amount: 100, entry_mode: 'contactless' });
    expect(answerOf(succeeded(await send('', { ...others, token })))).toBe('declined token_not_active, 62');
    succeeded(await client.post(`/v1/cards/tokens/${token}/approve`));
    const { card: __, ...again } = first({ amount: 100, entry_mode: 'contactless' });
    expect(succeeded(await send('', { ...again, token }))).toMatchObject({
      token,
      card: card.id,
      decision: 'approved',
    });
  });
});

describe('a dry run', () => {
  test('decides, and writes nothing', async () => {
    const controls = { limits: [{ window: 'day', amount: 1_000 }] };
    const own = await makeCard(client, { account, controls });
    const body = { ...first({ amount: 800, entry_mode: 'chip' }), card: own.id };
    const [before] = await latest(1);
    for (const _ of [1, 2]) {
      const answer = succeeded(await send('?dry_run=true', body));
      expect(answer).toMatchObject({
        decision: 'approved',
        approved_amount: 800,
        amounts: { held: 800 },
        dry_run: true,
      });
    }
    expect((await latest(1))[0]!.id).toBe(before!.id);
    expect(await taken(body.message_reference)).toMatchObject({ status: 404 });
    const real = succeeded(await send('', body));
    expect(real).toMatchObject({ decision: 'approved' });
    const more = { message_reference: nextReference(), amount: 300 };
    const dry = succeeded(await send(`/${real.id}/increment?dry_run=true`, more));
    expect(answerOf(dry)).toBe('declined limit_period, 61');
    expect(await readTransaction(client, real.id)).toMatchObject({ version: 1, amounts: { held: 800 } });
  });

  test('under a reference that is taken is answered as the message would be', async () => {
    const body = first({ amount: 800, entry_mode: 'chip' });
    const real = await send('', body);
    expect(await send('?dry_run=true', body)).toMatchObject({
      status: 200,
      text: real.text,
      headers: { 'idempotent-replayed': 'true' },
    });
    expect(await send('?dry_run=true', { ...body, amount: 801 })).toMatchObject({
      status: 422,
      body: { code: 'idempotency_key_reused', resource: real.body.id },
    });
    const increment = { message_reference: body.message_reference, amount: 100 };
    expect(await send(`/${real.body.id}/increment?dry_run=true`, increment)).toMatchObject({ status: 422 });
  });

  test('of a wrong PIN counts none', async () => {
    const own = await makeCard(client, { account });
    const body = { ...first({ amount: 800, entry_mode: 'chip', pin_result: 'no_match' }), card: own.id };
    expect(answerOf(succeeded(await send('?dry_run=true', body)))).toBe('declined pin_incorrect, 55');
    expect(await client.read<Card>(`/v1/cards/${own.id}`)).toMatchObject({ pin_attempts_left: 3 });
  });
});

describe('what is read', () => {
  test('a purchase, its messages, its timeline, and its events with the entries', async () => {
    const bought = await buy(4_000, { merchant: { ...MERCHANT, terminal: 'T1' }, cvv_result: 'match' });
    const { id } = bought;
    expect(bought).toMatchObject({
      object: 'transaction',
      livemode: false,
      status: 'pending',
      kind: 'purchase',
      card: card.id,
      account,
      currency: 'USD',
      merchant: { ...MERCHANT, postal_code: null, terminal: 'T1' },
      amounts: { authorized: 4_000, held: 4_000, cleared: 0 },
      hold: expect.stringMatching(/^hold_/),
      expires_at: expect.any(String),
      allowed_actions: expect.arrayContaining(['expire']),
      version: 1,
    });
    await tell(client, id, 'clear', { amount: 3_000, currency: 'USD', interchange: -12 });
    const read = await readTransaction(client, id);
    expect(read).toMatchObject({
      status: 'settled',
      amounts: { held: 0, cleared: 3_000 },
      expires_at: null,
      version: 2,
    });
    const [cleared, authorized] = (await messagesOf(client, id)) as [TransactionEvent, TransactionEvent];
    expect(authorized).toMatchObject({ type: 'authorization', checks: { cvv_result: 'match', pin_result: null } });
    expect(cleared).toMatchObject({
      type: 'clearing',
      amount: 3_000,
      interchange: -12,
      journal_entries: [expect.any(String)],
    });
    expect((await latest(2)).map(({ type, data }) => [type, data.object.id])).toEqual([
      ['transaction.authorized', id],
      ['transaction.cleared', id],
    ]);
    const timeline = await client.read<List<unknown>>(`/v1/transactions/${id}/timeline`);
    expect(timeline.data.length).toBeGreaterThan(1);
    expect(await client.read(`/v1/accounts/${account}/holds/${read.hold}`)).toMatchObject({
      ...{ status: 'released', captured: 3_000, released: 1_000 },
    });
  });

  test('lists, newest first, by card, account and status', async () => {
    const own = await makeCard(client, { account });
    const made: string[] = [];
    for (const amount of [100, 200, 300]) made.unshift((await buy(amount, { card: own.id })).id);
    await tell(client, made[1]!, 'reverse');
    const list = async (query: string) =>
      (await client.read<List<Transaction>>(`/v1/transactions?${query}`)).data.map(({ id }) => id);
    expect(await list(`card=${own.id}`)).toEqual(made);
    expect(await list(`card=${own.id}&status=pending`)).toEqual([made[0], made[2]]);
    expect(await list(`account=${account}&limit=1`)).toEqual([made[0]]);
    const { data, next_cursor } = await client.read<List<Transaction> & { next_cursor: string }>(
      `/v1/transactions?card=${own.id}&limit=2`,
    );
    expect(data.map(({ id }) => id)).toEqual(made.slice(0, 2));
    expect(await list(`card=${own.id}&limit=2&starting_after=${next_cursor}`)).toEqual([made[2]]);
  });

  test('metadata, which alone is updated', async () => {
    const { id } = await buy(100);
    const updated = await client.patch<Transaction>(`/v1/transactions/${id}`, { metadata: { trip: '7' } });
    expect(succeeded(updated)).toMatchObject({ metadata: { trip: '7' }, version: 2 });
    expect((await latest(1))[0]).toMatchObject({ type: 'transaction.updated', data: { object: { id } } });
    await tell(client, id, 'clear', { amount: 100, currency: 'USD' });
    expect(await readTransaction(client, id)).toMatchObject({ metadata: { trip: '7' }, version: 3 });
  });

  test('G14 a balance inquiry is answered with the balance, less what another purchase holds', async () => {
    const own = await client.openAccount({ currency: 'USD', funds: 100_000 });
    const { id } = await makeCard(client, { account: own.id });
    await buy(25_000, { card: id });
    const asked = await buy(0, { card: id, kind: 'balance_inquiry' });
    expect(answerOf(asked)).toBe('approved 0, 00');
    expect(asked).toMatchObject({ status: 'verified', hold: null, balance: { posted: 100_000, available: 75_000 } });
    expect((await latest(1)).map(({ type, data }) => [type, data.object.id])).toEqual([
      ['transaction.verified', asked.id],
    ]);
  });

  test('G13 a verification, with what was checked: a wrong address declines nothing by itself', async () => {
    const controls = { limits: [{ window: 'day', amount: 1_000, count: 1 }] };
    const own = await makeCard(client, { account, controls });
    const verify = (checks: object) => buy(0, { card: own.id, kind: 'account_verification', ...checks });
    const checksOf = async (id: string) => ((await messagesOf(client, id)).at(-1) as TransactionEvent).checks;
    const right = await verify({ cvv_result: 'match', avs_result: 'match' });
    expect(answerOf(right)).toBe('approved 0, 85');
    expect((await latest(1)).map(({ type }) => type)).toEqual(['transaction.verified']);
    expect(await checksOf(right.id)).toMatchObject({ cvv_result: 'match', avs_result: 'match' });
    expect(await tell(client, right.id, 'reverse')).toMatchObject({ status: 'verified', amounts: { held: 0 } });
    const elsewhere = await verify({ cvv_result: 'match', avs_result: 'no_match' });
    expect([answerOf(elsewhere), elsewhere.status]).toEqual(['approved 0, 85', 'verified']);
    expect(await checksOf(elsewhere.id)).toMatchObject({ cvv_result: 'match', avs_result: 'no_match' });
    const wrong = await verify({ cvv_result: 'no_match', avs_result: 'no_match' });
    expect(answerOf(wrong)).toBe('declined cvv_incorrect, N7');
    expect(await checksOf(wrong.id)).toMatchObject({ cvv_result: 'no_match', avs_result: 'no_match' });
    // Nothing is held, and nothing counted: the one purchase of the day is still free.
    expect(answerOf(await buy(1_000, { card: own.id, avs_result: 'no_match' }))).toBe('approved 1000, 00');
  });
});

describe('what is held ends', () => {
  test('by /expire, and once alone', async () => {
    const { id } = await buy(100);
    expect(await tell(client, id, 'expire')).toMatchObject({ status: 'expired', amounts: { held: 0 } });
    const again = await send<Refused>(`/${id}/expire`, { message_reference: nextReference() });
    expect(again).toMatchObject({ status: 409, body: { code: 'state_conflict', current_status: 'expired' } });
    const late = await tell(client, id, 'clear', { amount: 100, currency: 'USD' });
    expect(late).toMatchObject({ status: 'settled', flags: ['late'] });
  });

  test('at its time, whoever comes first: a clearing finds it ended though nobody has come to end it', async () => {
    const { id } = await buy(100);
    // As where the worker is late: the appointment is still ahead, the time is over.
    await product.runtime.pool.query(
      `UPDATE transactions SET expires_at = expires_at - interval '8 days', lasts_until = lasts_until - interval '8 days'
       WHERE id = $1`,
      [parsePublicId('transaction', id)],
    );
    const late = await tell(client, id, 'clear', { amount: 100, currency: 'USD' });
    expect(late).toMatchObject({ status: 'settled', flags: ['late'] });
    const [cleared, expired] = (await messagesOf(client, id)) as [TransactionEvent, TransactionEvent];
    expect([cleared.type, expired.type, expired.message_reference]).toEqual(['clearing', 'expiry', null]);
  });

  test('by the clock of the book', async () => {
    const { client: of } = await product.organisation();
    const own = await of.openAccount({ currency: 'USD' });
    const { id: by } = await makeCard(of, { account: own.id });
    const week = await purchase(of, { card: by, amount: 100 });
    const hotel = await purchase(of, { card: by, amount: 100, merchant: { ...MERCHANT, mcc: '7011' } });
    await advanceClock(of, { by: 'P8D' });
    expect(await readTransaction(of, week.id)).toMatchObject({ status: 'expired', amounts: { held: 0 } });
    expect(await readTransaction(of, hotel.id)).toMatchObject({ status: 'pending', amounts: { held: 100 } });
    const { data } = await of.read<List<Event>>('/v1/events?limit=1');
    expect(data[0]).toMatchObject({ type: 'transaction.expired', data: { object: { id: week.id } } });
  });
});

test('G88 an account stays open while a purchase holds something or is disputed', async () => {
  const own = (await client.openAccount({ currency: 'USD', funds: 1_000 })).id;
  const { id: by } = await makeCard(client, { account: own });
  const { id } = await buy(600, { card: by });
  const other = await buy(400, { card: by });
  await tell(client, other.id, 'clear', { amount: 400, currency: 'USD' });
  const close = () => client.post<Refused>(`/v1/accounts/${own}/close`);
  const blocked = async () => (await close()).body.blocked_by;
  expect(await close()).toMatchObject({
    ...{ status: 409 },
    body: {
      code: 'account_not_empty',
      blocked_by: [
        { type: 'balance', posted: 600, currency: 'USD' },
        { type: 'holds', held: 600, currency: 'USD' },
        { type: 'cards_open', cards: [by] },
        { type: 'transactions_open', transactions: [id] },
      ],
    },
  });
  await act(client, by, 'close');
  expect(await blocked()).toContainEqual({ type: 'transactions_open', transactions: [id] });
  await tell(client, id, 'clear', { amount: 600, currency: 'USD' });
  const dispute = succeeded(
    await client.post<{ id: string }>(`/v1/transactions/${id}/disputes`, { reason: 'product_not_received' }),
  );
  expect(await blocked()).toContainEqual({ type: 'transaction_disputes_open', transaction_disputes: [dispute.id] });
  succeeded(await client.post(`/v1/transactions/${id}/disputes/${dispute.id}/withdraw`));
  expect(await close()).toMatchObject({ status: 200, body: { status: 'closed' } });
});

describe('scopes', () => {
  test('messages need transactions:process, reads transactions:read, disputes transactions:write', async () => {
    const { id } = await buy(100);
    await tell(client, id, 'clear', { amount: 100, currency: 'USD' });
    const { testBookId: bookId } = keys;
    const reads = await product.clientWith({ bookId, mode: 'test', scopes: ['transactions:read'] });
    const processes = await product.clientWith({ bookId, mode: 'test', scopes: ['transactions:process'] });
    const writes = await product.clientWith({ bookId, mode: 'test', scopes: ['transactions:write'] });
    const dispute = { reason: 'product_not_received' };
    const statuses = async (of: Client) => [
      (await requestPurchase(of, { card: card.id, amount: 100 })).status,
      (await of.get(`/v1/transactions/${id}`)).status,
      (await of.patch(`/v1/transactions/${id}`, { metadata: { a: '1' } })).status,
      (await of.post(`/v1/transactions/${id}/disputes`, { ...dispute, amount: 1 })).status,
    ];
    expect(await statuses(reads)).toEqual([403, 200, 403, 403]);
    expect(await statuses(processes)).toEqual([200, 403, 403, 403]);
    expect(await statuses(writes)).toEqual([403, 403, 200, 201]);
  });
});

describe('simulations', () => {
  test('fill in the references: the same of the same Idempotency-Key', async () => {
    const simulate = (name: string, body: object, idempotencyKey?: string) =>
      client.post<Transaction>(`/v1/simulations/${name}`, body, { idempotencyKey });
    const body = { card: card.id, amount: 700, currency: 'USD', merchant: MERCHANT, entry_mode: 'chip' };
    const one = await simulate('card_authorizations', body, 'simulated');
    expect(succeeded(one)).toMatchObject({ status: 'pending', decision: 'approved' });
    expect(one.body.network_reference).toMatch(/^[0-9a-z]{26}$/);
    expect(await simulate('card_authorizations', body, 'simulated')).toMatchObject({ text: one.text });
    const { network_reference, id } = one.body;
    const more = await simulate('card_increments', { network_reference, amount: 100 });
    expect(succeeded(more)).toMatchObject({ id, amounts: { held: 800 } });
    const less = await simulate('card_reversals', { network_reference, amount: 300 });
    expect(succeeded(less)).toMatchObject({ id, amounts: { held: 500 } });
    const cleared = await simulate('card_clearings', { network_reference, amount: 500, currency: 'USD' });
    expect(succeeded(cleared)).toMatchObject({ id, status: 'settled' });
    const refunded = await simulate('card_refunds', { network_reference, amount: 200, currency: 'USD' });
    expect(succeeded(refunded)).toMatchObject({ id, amounts: { refunded: 200 } });
    const { entry_mode: _, ...forced } = body;
    expect(succeeded(await simulate('card_forced_posts', forced))).toMatchObject({
      status: 'settled',
      flags: ['forced'],
    });
    const advice = { reason: 'stand_in', of: 'authorization', decision: 'approved', approved_amount: 700 };
    const { amount: __, ...advised } = body;
    expect(succeeded(await simulate('card_advices', { ...advised, advice }))).toMatchObject({
      status: 'pending',
      decision_source: 'network',
      flags: ['stand_in'],
    });
  });

  test.each`
    name                     | says
    ${'card_authorizations'} | ${{ status: 'pending', amounts: { held: 700 } }}
    ${'card_increments'}     | ${{ status: 'pending', amounts: { held: 1_400 } }}
  `('of $name may be asked in vain, and use no key', async ({ name, says }) => {
    const body = { card: card.id, amount: 700, currency: 'USD', merchant: MERCHANT, entry_mode: 'chip' };
    const simulate = (of: string, asked: object, idempotencyKey?: string) =>
      client.post<Transaction>(`/v1/simulations/${of}`, asked, { idempotencyKey });
    const { network_reference } = succeeded(await simulate('card_authorizations', body));
    const message_reference = nextReference();
    const asked = { message_reference, ...(name === 'card_increments' ? { network_reference, amount: 700 } : body) };
    const tried = await simulate(`${name}?dry_run=true`, asked, `dry-${name}`);
    expect(succeeded(tried)).toMatchObject({ ...says, decision: 'approved', dry_run: true });
    const recorded = await client.get(`/v1/transactions/messages/${message_reference}`);
    expect(recorded).toMatchObject({ status: 404 });
    const asReal = succeeded(await simulate(name, asked, `dry-${name}`));
    expect(asReal).toMatchObject(says);
    expect(asReal).not.toHaveProperty('dry_run');
  });

  test('are of test books alone', async () => {
    const body = { card: card.id, amount: 700, currency: 'USD', merchant: MERCHANT, entry_mode: 'chip' };
    expect((await live.post('/v1/simulations/card_authorizations', body)).status).toBeGreaterThanOrEqual(400);
  });
});

describe('what the scheme settles', () => {
  test('nets what was cleared since, once, and lists it', async () => {
    const { client: of, keys: own } = await product.organisation();
    const { id: by } = await makeCard(of, { account: (await of.openAccount({ currency: 'USD' })).id });
    const bought = await purchase(of, { card: by, amount: 1_000 });
    await tell(of, bought.id, 'clear', { amount: 1_000, currency: 'USD', interchange: -15 });
    await tell(of, bought.id, 'refund', { amount: 400, currency: 'USD' });
    interface Settlement {
      readonly id: string;
      readonly net: number;
      readonly lines: number;
      readonly journal_entries: readonly string[];
    }
    const settle = async () =>
      succeeded(await of.post<List<Settlement>>('/v1/simulations/scheme_settlements', {})).data;
    const [settlement, ...others] = (await settle()) as [Settlement];
    expect(others).toEqual([]);
    expect(settlement).toMatchObject({ net: 600, lines: 2, journal_entries: [expect.any(String)] });
    expect(await settle()).toEqual([]);
    expect(await of.read(`/v1/transactions/settlements/${settlement.id}`)).toMatchObject(settlement);
    const { data } = await of.read<List<object>>(`/v1/transactions/settlements/${settlement.id}/lines`);
    expect(data).toMatchObject([
      { type: 'refunded', amount: -400, transaction: bought.id, interchange: null },
      { type: 'cleared', amount: 1_000, transaction: bought.id, interchange: -15, dispute: null },
    ]);
    const events = (await of.read<List<Event>>('/v1/events?limit=1')).data;
    expect(events).toMatchObject([{ type: 'scheme_settlement.completed', data: { object: { id: settlement.id } } }]);
    expect(await findingsOf({ pool: product.runtime.pool, id: own.testBookId })).toEqual([]);
  });
});

describe('many at once', () => {
  test('the same message, twenty times: one purchase, one answer', async () => {
    const body = first({ amount: 100, entry_mode: 'chip' });
    const answers = await Promise.all(Array.from({ length: 20 }, () => send('', body)));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers.filter(({ headers }) => headers['idempotent-replayed'] === 'true')).toHaveLength(19);
    expect(await messagesOf(client, answers[0]!.body.id)).toHaveLength(1);
  });

  test('first messages of one purchase: an authorization, its clearing and its reversal make the same of it', async () => {
    const { network_reference, ...common } = first({ amount: 100 });
    const named = () => ({ ...common, network_reference, message_reference: nextReference() });
    const answers = await Promise.all([
      send('', { ...named(), entry_mode: 'chip' }),
      send('/clearings', named()),
      send('/increments', { ...named(), amount: 50 }),
      send('/refunds', { ...named(), amount: 10 }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const { id } = answers[0]!.body;
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    expect(await messagesOf(client, id)).toHaveLength(4);
    expect(await readTransaction(client, id)).toMatchObject({
      status: 'settled',
      amounts: { cleared: 100, refunded: 10 },
      version: 4,
    });
  });

  test('purchases of an account that has money for ten of them', async () => {
    const own = await client.openAccount({ currency: 'USD', funds: 1_000 });
    const { id } = await makeCard(client, { account: own.id });
    const answers = await Promise.all(Array.from({ length: 40 }, () => buy(100, { card: id })));
    expect(answers.filter(({ decision }) => decision === 'approved')).toHaveLength(10);
    expect(await client.read(`/v1/accounts/${own.id}`)).toMatchObject({ balance: { posted: 1_000, available: 0 } });
  });
});
