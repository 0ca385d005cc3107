/** Rows beside the golden scenarios, over HTTP: other currencies, how long things are held, windows and filters of limits, cards, settlement. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Client, type List, succeeded } from '../../../scripts/harness/client.ts';
import { act, type Card, type CardToken, type Controls, makeCard } from '../../support/cards.ts';
import { startContracted } from '../../support/contracted.ts';
import { findingsOf } from '../../support/findings.ts';
import type { OrganisationKeys, Product } from '../../support/product.ts';
import {
  advanceClock,
  answerOf,
  MERCHANT,
  nextReference,
  purchase,
  readTransaction,
  type Transaction,
  tell,
} from '../../support/purchases.ts';

let product: Product;
let client: Client;
let keys: OrganisationKeys;
let account: string;
let card: string;

beforeAll(async () => {
  product = await startContracted({ backend: 'postgres' });
});
afterAll(() => product?.close());
beforeEach(async () => {
  ({ client, keys } = await product.organisation());
  await open({ currency: 'USD', funds: 10_000_000 });
});
afterEach(async () => {
  expect(await findingsOf({ pool: product.runtime.pool, id: keys.testBookId })).toEqual([]);
});

async function open(of: { currency: string; funds: number }): Promise<void> {
  account = (await client.openAccount(of)).id;
  card = (await makeCard(client, { account })).id;
}
const at = (mcc: string, change: object = {}) => ({ merchant: { ...MERCHANT, mcc, ...change } });
const buy = (amount: number, body: object = {}) => purchase(client, { card, amount, ...body });
const said = async (amount: number, body: object = {}) => answerOf(await buy(amount, body));
const send = async (path: string, body: object) =>
  succeeded(
    await client.post<Transaction>(`/v1/transactions/${path}`, {
      ...{ message_reference: nextReference(), network_reference: nextReference(), card, currency: 'USD' },
      ...{ merchant: MERCHANT, ...body },
    }),
  );
const STAND_IN = { reason: 'stand_in', of: 'authorization', decision: 'approved', approved_amount: 1_000 };
const PARTIAL = { partial_approval_allowed: true };
const amountsOf = ({ amounts: { held, fee_held, cleared, fee } }: Transaction) => [held, fee_held, cleared, fee];
const available = async () =>
  (await client.read<{ balance: { available: number } }>(`/v1/accounts/${account}`)).balance.available;
const control = async (content: object) =>
  succeeded(await client.post<Controls>('/v1/cards/controls', { status: 'active', card, ...content })).id;

/** `used, remaining` of each limit on amounts. */
async function usage(controls: string): Promise<string[]> {
  const { limits } = await client.read<Controls>(`/v1/cards/controls/${controls}`);
  return limits.map(({ usage: shown }) => {
    const { used, remaining } = shown![0]!.amount!;
    return `${used}, ${remaining}`;
  });
}

describe('currencies', () => {
  test('of three decimals: the markup is half to even, the rate of the day stands in fx_difference', async () => {
    await open({ currency: 'JOD', funds: 100_000 });
    succeeded(await client.patch('/v1/cards/program', { fees: { foreign_currency: { basis_points: 125 } } }));
    const dollars = { merchant_amount: 1_001, merchant_currency: 'USD' };
    const bought = await buy(7_100, { currency: 'JOD', ...dollars });
    expect(amountsOf(bought)).toEqual([7_100, 89, 0, 0]);
    const cleared = await tell(client, bought.id, 'clear', { amount: 7_107, currency: 'JOD', ...dollars });
    expect([...amountsOf(cleared), cleared.amounts.fx_difference]).toEqual([0, 0, 7_107, 89, 7]);
    expect(await available()).toBe(92_804);
    expect(await said(100)).toBe('declined currency_not_supported, 57');
  });

  test('without decimals: the largest part leaves room for its markup', async () => {
    await open({ currency: 'JPY', funds: 10_000 });
    succeeded(await client.patch('/v1/cards/program', { fees: { foreign_currency: { basis_points: 300 } } }));
    const yen = (amount: number) => ({ currency: 'JPY', merchant_amount: amount, merchant_currency: 'USD' });
    expect(amountsOf(await buy(1_050, yen(701)))).toEqual([1_050, 32, 0, 0]);
    expect(amountsOf(await buy(1_150, yen(767)))).toEqual([1_150, 34, 0, 0]);
    const part = await buy(20_000, { ...yen(13_333), ...PARTIAL });
    expect([answerOf(part), ...amountsOf(part)]).toEqual(['approved 7509, 10', 7_509, 225, 0, 0]);
    expect(await available()).toBe(0);
  });

  test('that the program lacks are declined; credits are not', async () => {
    succeeded(await client.patch('/v1/cards/program', { currencies: ['EUR'] }));
    expect(await said(100)).toBe('declined currency_not_supported, 57');
    expect(await said(100, { kind: 'refund' })).toBe('approved 100, 00');
  });

  test('settle apart, and credits alone are ours to receive', async () => {
    const dollars = card;
    await open({ currency: 'EUR', funds: 100_000 });
    const clearing = { amount: 10_000, message_reference: nextReference() };
    const { id } = await send('clearings', { ...clearing, card: dollars });
    await send('clearings', { amount: 5_000, currency: 'EUR' });
    const settle = async () => {
      type Settlements = List<{ currency: string; net: number; lines: number }>;
      const { data } = succeeded(await client.post<Settlements>('/v1/simulations/scheme_settlements', {}));
      return data.map(({ currency, net, lines }) => `${currency} ${net} of ${lines}`).toSorted();
    };
    expect(await settle()).toEqual(['EUR 5000 of 1', 'USD 10000 of 1']);
    await tell(client, id, 'reverse', { reverses: clearing.message_reference });
    await send('refunds', { amount: 1_000, currency: 'EUR' });
    await send('refunds', { amount: 1_000, currency: 'EUR' });
    expect(await settle()).toEqual(['EUR -2000 of 2', 'USD -10000 of 1']);
  });
});

describe('an authorization holds', () => {
  const days = ({ created_at, expires_at }: Transaction) =>
    (Date.parse(expires_at!) - Date.parse(created_at)) / 86_400_000;

  test('for the days of its category', async () => {
    succeeded(
      await client.patch('/v1/cards/program', { fuel: [{ currency: 'USD', amount: 10_000, status_check_max: 100 }] }),
    );
    const asked = {
      ...{ 3000: 7, 3350: 7, 3351: 30, 3500: 30, 3501: 30, 3999: 30, 4411: 30, 5411: 7, 5541: 7, 5542: 2 },
      ...{ 7011: 30, 7512: 30, 7513: 7 },
    };
    const found = await Promise.all(
      Object.keys(asked).map(async (mcc) => [mcc, days(await buy(100, at(mcc)))] as const),
    );
    expect(Object.fromEntries(found)).toEqual(asked);
    expect(days(await buy(101, at('5542')))).toBe(7);
    expect(days(await buy(100, { kind: 'refund', ...at('7011') }))).toBe(30);
  });

  test('anew from an increment that we or the network approve, and from nothing else', async () => {
    const { id, network_reference, expires_at } = await buy(1_000);
    await advanceClock(client, { by: 'P1D' });
    const expiresAfter = async (action: string, body: object) => (await tell(client, id, action, body)).expires_at;
    expect(await expiresAfter('increment', { amount: 100_000_000 })).toBe(expires_at);
    expect(await expiresAfter('reverse', { amount: 100 })).toBe(expires_at);
    expect(await expiresAfter('clear', { amount: 100, currency: 'USD', final: false })).toBe(expires_at);
    const advice = { ...STAND_IN, of: 'increment' };
    expect(days(await send('advices', { network_reference, advice }))).toBeGreaterThan(7.9);
    await advanceClock(client, { to: expires_at! });
    expect(await readTransaction(client, id)).toMatchObject({ status: 'pending', amounts: { held: 1_800 } });
    expect(days(await tell(client, id, 'increment', { amount: 100 }))).toBeGreaterThan(13.9);
  });
});

describe('limits', () => {
  test('what is given back or posted late changes the windows in which it began, as far as they last', async () => {
    // A Sunday in the middle of a month.
    const year = new Date().getUTCFullYear() + 1;
    const sunday = Date.UTC(year, 2, 14 - new Date(Date.UTC(year, 2, 14)).getUTCDay());
    const to = (day: number, time: string) =>
      `${new Date(sunday + day * 86_400_000).toISOString().slice(0, 10)}T${time}Z`;
    await advanceClock(client, { to: to(0, '12:00:00') });
    const windows = { day: 10_000, week: 15_000, month: 40_000, all_time: 100_000 };
    const limits = Object.entries(windows).map(([window, amount]) => ({ window, amount }));
    const controls = await control({ limits });
    const first = await buy(9_000);
    expect(await said(1_001)).toBe('declined limit_period, 61');
    expect(await said(1_000)).toBe('approved 1000, 00');
    expect(await said(0, { kind: 'balance_inquiry' })).toBe('approved 0, 00');
    expect(await usage(controls)).toEqual(['10000, 0', '10000, 5000', '10000, 30000', '10000, 90000']);
    await advanceClock(client, { to: to(1, '00:00:00') });
    await tell(client, first.id, 'clear', { amount: 9_500, currency: 'USD' });
    expect(await usage(controls)).toEqual(['0, 10000', '0, 15000', '10500, 29500', '10500, 89500']);
    const second = await buy(8_000);
    await advanceClock(client, { to: to(8, '12:00:00') });
    expect(await usage(controls)).toEqual(['0, 10000', '0, 15000', '9500, 30500', '9500, 90500']);
    await tell(client, second.id, 'clear', { amount: 8_000, currency: 'USD' });
    expect(await usage(controls)).toEqual(['0, 10000', '0, 15000', '17500, 22500', '17500, 82500']);
    const single = await buy(3_000, { message: 'single' });
    await tell(client, single.id, 'reverse', { amount: 1_000 });
    await send('clearings', { amount: 12_000 });
    expect(await usage(controls)).toEqual(['14000, 0', '14000, 1000', '31500, 8500', '31500, 68500']);
    expect(await said(100, PARTIAL)).toBe('declined limit_period, 61');
  });

  test('are for what they name, of all cards of the account', async () => {
    const other = (await makeCard(client, { account })).id;
    const controls = await control({
      ...{ card: undefined, account },
      limits: [
        { window: 'day', amount: 10_000, for: { mccs: ['3501-3999', '7011'] } },
        { window: 'day', amount: 5_000, for: { entry_modes: ['ecommerce', 'recurring'] } },
        { window: 'authorization', amount: 1_000, for: { countries: ['DE'] } },
      ],
    });
    expect(await said(9_000, at('3750'))).toBe('approved 9000, 00');
    expect(await said(1_001, { card: other, ...at('7011') })).toBe('declined limit_period, 61');
    expect(await said(1_000, { card: other, ...at('3501') })).toBe('approved 1000, 00');
    expect(await said(4_000, { entry_mode: 'ecommerce' })).toBe('approved 4000, 00');
    expect(await said(1_001, { entry_mode: 'recurring' })).toBe('declined limit_period, 61');
    expect(await said(1_001, at('5411', { country: 'DE' }))).toBe('declined limit_per_authorization, 61');
    // A forced post does not say how the card was presented.
    await send('clearings', { amount: 700 });
    expect((await usage(controls)).slice(0, 2)).toEqual(['10000, 0', '4000, 1000']);
    // Without a filter, a limit counts what was before it.
    const lower = await control({ card: undefined, account, limits: [{ window: 'day', amount: 14_000 }] });
    expect(await usage(lower)).toEqual(['14700, 0']);
  });

  test('a budget net of refunds is filled up by all that is refunded, also without a purchase of ours', async () => {
    const controls = await control({ limits: [{ window: 'all_time', amount: 10_000, net_of_refunds: true }] });
    await buy(10_000);
    await send('refunds', { amount: 4_000 });
    expect(await usage(controls)).toEqual(['6000, 4000']);
    expect(await said(4_001)).toBe('declined limit_period, 61');
    expect(await said(4_000)).toBe('approved 4000, 00');
    await send('refunds', { amount: 30_000 });
    expect(await usage(controls)).toEqual(['0, 10000']);
  });

  test('a part is what funds with the fee, and the limit, allow', async () => {
    await open({ currency: 'USD', funds: 5_100 });
    succeeded(await client.patch('/v1/cards/program', { fees: { cash: { fixed: 300 } } }));
    await control({ limits: [{ window: 'day', amount: 5_000 }] });
    expect(await said(9_000, { ...at('6011'), ...PARTIAL })).toBe('approved 4800, 10');
    expect(await available()).toBe(0);
  });

  test('of 0 leave inquiries and credits, and a status check is measured by what it holds', async () => {
    const fuel = [{ currency: 'USD', amount: 10_000, status_check_max: 100 }];
    succeeded(await client.patch('/v1/cards/program', { fuel }));
    await control({ limits: [{ window: 'authorization', amount: 9_999 }] });
    expect(await said(100, { ...at('5542'), ...PARTIAL })).toBe('declined limit_per_authorization, 61');
    await control({ limits: [{ window: 'day', amount: 0 }] });
    expect(await said(1)).toBe('declined limit_period, 61');
    expect(await said(0, { kind: 'account_verification' })).toBe('approved 0, 85');
    expect(await said(1, { kind: 'transfer_in', message: 'single' })).toBe('approved 1, 00');
  });
});

describe('cards', () => {
  const read = () => client.read<Card>(`/v1/cards/${card}`);

  test('what the network approves binds a locked card and closes one for a single use; what it declines does not', async () => {
    card = (await makeCard(client, { account, type: 'merchant_locked' })).id;
    await send('advices', { advice: { ...STAND_IN, decision: 'declined', approved_amount: 0 } });
    expect(await read()).toMatchObject({ locked_to: null });
    await send('advices', { advice: STAND_IN });
    expect(await read()).toMatchObject({ locked_to: { merchant: 'M1', acquirer: 'Q1' } });
    card = (await makeCard(client, { account, type: 'single_use' })).id;
    const { id } = await send('advices', { advice: STAND_IN });
    expect(await read()).toMatchObject({ status: 'closed', closed_reason: 'used' });
    expect(answerOf(await tell(client, id, 'increment', { amount: 1 }))).toBe('declined card_closed, 46');
    expect(await said(5, { kind: 'transfer_in', message: 'single' })).toBe('declined card_closed, 46');
  });

  test('an increment goes by the card that it is with: a lost one declines', async () => {
    const { id, network_reference } = await buy(2_000);
    const next = await act(client, card, 'replace', { reason: 'lost' });
    expect(answerOf(await tell(client, id, 'increment', { amount: 100 }))).toBe('declined card_closed, 41');
    const asked = { network_reference, card: next.id, amount: 100 };
    expect(answerOf(await send('increments', asked))).toBe('approved 100, 00');
    expect(await readTransaction(client, id)).toMatchObject({ card, amounts: { held: 2_100 } });
  });

  test('checks decide in their order, and a repeat counts no PIN', async () => {
    const wrong = { expiry_result: 'no_match', cvv_result: 'no_match', pin_result: 'no_match' };
    const { expiry_result: _, ...codes } = wrong;
    const poor = 100_000_000;
    expect(await said(poor, wrong)).toBe('declined expiry_mismatch, 54');
    const asked = { message_reference: nextReference(), network_reference: nextReference() };
    expect(await said(poor, { ...codes, ...asked })).toBe('declined cvv_incorrect, N7');
    expect(await said(poor, { ...codes, ...asked })).toBe('declined cvv_incorrect, N7');
    expect(await read()).toMatchObject({ pin_attempts_left: 1 });
    await act(client, card, 'freeze');
    expect(await said(10, { pin_result: 'no_match' })).toBe('declined card_frozen, 62');
    await act(client, card, 'unfreeze');
    expect(await read()).toMatchObject({ pin_status: 'blocked' });
    const inquiry = { kind: 'balance_inquiry', pin_result: 'match' };
    expect(await said(0, inquiry)).toBe('declined pin_blocked, 75');
    expect(await said(10, { pin_result: 'not_checked' })).toBe('approved 10, 00');
  });

  test('controls decide in their order, and stop no credit', async () => {
    await control({
      ...{ countries: { allow: ['US', 'JO'] }, mcc: { block: ['7995', '5900-5999'] }, merchants: { block: ['BAD'] } },
      ...{ entry_modes: { allow: ['chip', 'ecommerce'] }, cash: 'block', require_three_d_secure_above: 5_000 },
    });
    const abroad = at('7995', { country: 'DE', id: 'BAD' });
    const online = { entry_mode: 'ecommerce' };
    expect(await said(10, { entry_mode: 'magstripe', ...abroad })).toBe('declined entry_mode_blocked, 57');
    expect(await said(10, abroad)).toBe('declined cash_blocked, 57');
    expect(await said(10, at('5912', { country: 'DE', id: 'BAD' }))).toBe('declined country_blocked, 62');
    expect(await said(10, at('5912', { id: 'BAD' }))).toBe('declined mcc_blocked, 57');
    expect(await said(6_000, { ...online, ...at('5411', { id: 'BAD' }) })).toBe('declined merchant_blocked, 57');
    const attempted = { ...online, three_d_secure: { result: 'attempted' }, ...PARTIAL };
    expect(await said(5_001, attempted)).toBe('declined three_d_secure_required, 1A');
    expect(await said(10, { kind: 'refund', ...abroad, entry_mode: 'manual' })).toBe('approved 10, 00');
    expect(await said(3_000, { cashback_amount: 1_000, ...PARTIAL })).toBe('approved 2000, 87');
  });

  test('a token that does not pay takes credits, and what it bought clears', async () => {
    const asked = { token_reference: 'T-1', wallet: 'apple_pay' };
    const token = succeeded(await client.post<CardToken>(`/v1/cards/${card}/tokens`, asked)).id;
    const move = async (action: string) => succeeded(await client.post(`/v1/cards/tokens/${token}/${action}`));
    const pay = (amount: number, body: object = {}) => buy(amount, { card: undefined, token, ...body });
    expect(answerOf(await pay(10))).toBe('declined token_not_active, 62');
    await move('approve');
    const { id } = await pay(1_000);
    await move('suspend');
    expect(answerOf(await pay(5, { kind: 'refund' }))).toBe('approved 5, 00');
    expect(answerOf(await tell(client, id, 'increment', { amount: 5 }))).toBe('declined token_suspended, 62');
    const cleared = await tell(client, id, 'clear', { amount: 1_000, currency: 'USD' });
    expect(cleared).toMatchObject({ status: 'settled', flags: [] });
  });
});
