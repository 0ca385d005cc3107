/** Payouts to every destination of the sandbox: aliases that are resolved, bank accounts, wallets, cards, payees. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Account, type Client, type List, type Payout, succeeded } from '../../scripts/harness/client.ts';
import { RESOLUTION_MS, sealResolution } from '../../src/payouts/destinations/resolution-token.ts';
import { pause, resume } from '../../src/payouts/pauses/change-pause.ts';
import { parsePublicId } from '../../src/values/ids.ts';
import { startContracted } from '../support/contracted.ts';
import { eraseDirectly } from '../support/erase.ts';
import { HeldSecond } from '../support/held-second.ts';
import { expectInvariants } from '../support/invariants.ts';
import {
  AMOUNT,
  balanceOf,
  bookedOf,
  eventsOf,
  FEE,
  FUNDS,
  GIVEN_BACK,
  holding,
  send,
  sent,
  USUAL,
} from '../support/payout-rows.ts';
import { lookInto, type OrganisationKeys, type Product } from '../support/product.ts';

interface Resolved {
  name_masked: string | null;
  providers: string[];
  verification: { result: string; name_masked: string | null } | null;
  resolution: string | null;
  expires_at: string | null;
}

interface Payee {
  id: string;
  status: string;
  disabled_reason: string | null;
  destination: Record<string, unknown>;
  destination_version: number;
  version: number;
}

const IBAN = 'JO94CBJO0010000000000131000302';

const second = new HeldSecond();
let product: Product;
let keys: OrganisationKeys;
let client: Client;
let account: Account;

beforeAll(async () => {
  product = await startContracted({ backend: 'postgres', api: { limiter: second.limiter } });
  ({ keys, client } = await product.organisation());
});
afterAll(async () => {
  if (product) await expectInvariants(product);
  await product?.close();
});

async function funded(): Promise<string> {
  account = await client.openAccount({ funds: FUNDS });
  return account.id;
}

const resolve = (destination: object, by = client) => by.post<Resolved>('/v1/payouts/resolve', { destination });
const resolved = async (destination: object) => succeeded(await resolve(destination));

describe('an alias that is resolved', () => {
  test('is told by a masked name, and pinned for a quarter of an hour', async () => {
    const found = await resolved({ type: 'cliq', alias: 'SHOP1' });
    expect(found).toMatchObject({ name_masked: 'S***** P****', providers: [], verification: null });
    expect(Date.parse(found.expires_at!) - Date.now()).toBeGreaterThan(RESOLUTION_MS - 60_000);
    const id = await funded();
    const payout = await sent(client, id, { type: 'cliq', alias: 'SHOP1', resolution: found.resolution });
    await client.payoutUntil(payout.id, 'paid');
    expect(await bookedOf(client, payout)).toEqual(USUAL);
    expect(await balanceOf(client, id)).toEqual(holding(FUNDS - AMOUNT - FEE));
  });

  test('nobody is registered', async () => {
    expect(await resolve({ type: 'cliq', alias: 'NOALIAS' })).toMatchObject({
      status: 422,
      body: { code: 'alias_not_found', param: '/destination/alias' },
    });
  });

  test('E6: the account behind it moves: with the resolution nothing is paid, without it is', async () => {
    const { resolution } = await resolved({ type: 'cliq', alias: 'REPOINTED' });
    const id = await funded();
    const pinned = await sent(client, id, { type: 'cliq', alias: 'REPOINTED', resolution });
    const failed = await client.payoutUntil(pinned.id, 'failed');
    expect(failed.failure).toMatchObject({ code: 'payee_changed' });
    expect(await bookedOf(client, pinned)).toEqual(GIVEN_BACK);
    expect(await balanceOf(client, id)).toEqual(holding(FUNDS));
    const free = await sent(client, id, { type: 'cliq', alias: 'REPOINTED' });
    await client.payoutUntil(free.id, 'paid');
    expect(await bookedOf(client, free)).toEqual(USUAL);
  });

  test('E7: a resolution of another alias, of another book or of before makes no payout, in the same words', async () => {
    const { client: stranger } = await product.organisation();
    const other = await resolved({ type: 'cliq', alias: 'SHOP2' });
    const foreign = succeeded(await resolve({ type: 'cliq', alias: 'SHOP1' }, stranger));
    const expired = sealResolution(
      product.runtime.secretBox,
      { accounts: [{ rail: 'sandbox', account: 'an account' }], expiresAt: Date.now() - 1 },
      { bookId: keys.testBookId, destination: { type: 'cliq', alias: 'SHOP1', provider: null } },
    );
    const id = await funded();
    const refusals = await Promise.all(
      [other.resolution, foreign.resolution, expired, 'AAAA'].map((resolution) =>
        send(client, id, { type: 'cliq', alias: 'SHOP1', resolution }),
      ),
    );
    const told = refusals.map(({ status, body }) => {
      const { code, param, detail } = body as unknown as Record<string, string>;
      return { status, code, param, detail };
    });
    expect(told[0]).toMatchObject({ status: 422, code: 'destination_invalid', param: '/destination/resolution' });
    for (const one of told) expect(one).toEqual(told[0]);
    expect(await balanceOf(client, id)).toEqual(holding(FUNDS));
  });

  test('E8: two providers, none named: no resolution; with one of them, there is', async () => {
    expect(await resolved({ type: 'cliq', alias: 'PROVIDERS' })).toMatchObject({
      providers: ['BANKA', 'BANKB'],
      resolution: null,
      expires_at: null,
    });
    const named = await resolved({ type: 'cliq', alias: 'PROVIDERS', provider: 'BANKB' });
    expect(named.resolution).not.toBeNull();
    const id = await funded();
    const destination = { type: 'cliq', alias: 'PROVIDERS', provider: 'BANKB', resolution: named.resolution };
    await client.payoutUntil((await sent(client, id, destination)).id, 'paid');
    // Pinned with the provider: with another one it is another destination.
    expect(await send(client, id, { ...destination, provider: 'BANKA' })).toMatchObject({ status: 422 });
    const elsewhere = await client.post('/v1/payouts/resolve', {
      destination: { type: 'cliq', alias: 'PROVIDERS', provider: 'BANKC' },
    });
    expect(elsewhere.body).toMatchObject({ status: 422, code: 'alias_not_found' });
  });

  test('E9: a name that is nearly right is told, and a payout is still possible', async () => {
    const destination = { type: 'iban', iban: IBAN, name: 'CLOSE' };
    expect(await resolved(destination)).toMatchObject({
      verification: { result: 'close_match', name_masked: 'S***** P****' },
      resolution: null,
    });
    expect(await resolved({ ...destination, name: 'OTHER' })).toMatchObject({ verification: { result: 'no_match' } });
    const id = await funded();
    await client.payoutUntil((await sent(client, id, destination)).id, 'paid');
  });

  test('more than ten look-ups in a second are too many', async () => {
    const { client: hasty } = await product.organisation();
    const statuses = await second.during(() =>
      Promise.all(
        Array.from({ length: 30 }, async () => (await resolve({ type: 'cliq', alias: 'SHOP1' }, hasty)).status),
      ),
    );
    expect(statuses.filter((status) => status === 200)).toHaveLength(10);
    expect(statuses.filter((status) => status === 429)).toHaveLength(20);
  });
});

describe('a bank account', () => {
  test('is paid, shown masked, and read in clear by who approves', async () => {
    const id = await funded();
    const address = { line1: 'Rainbow Street 7', city: 'Amman', country: 'JO' };
    const payout = await sent(client, id, {
      type: 'iban',
      iban: 'jo94 cbjo 0010 0000 0000 0131 0003 02',
      name: 'Salma Haddad',
      bic: 'CBJOJOAX',
      address,
    });
    expect(payout.destination).toEqual({
      type: 'iban',
      iban_masked: `JO94${'*'.repeat(22)}0302`,
      name_masked: 'S*** H***',
      bic: 'CBJOJOAX',
    });
    await client.payoutUntil(payout.id, 'paid');
    expect(await bookedOf(client, payout)).toEqual(USUAL);
    const shown = await client.get<{ destination: object }>(`/v1/payouts/${payout.id}/destination`);
    expect(shown.headers['cache-control']).toBe('no-store');
    expect(shown.body.destination).toEqual({
      type: 'iban',
      iban: IBAN,
      name: 'Salma Haddad',
      bic: 'CBJOJOAX',
      address: { ...address, postal_code: null },
    });
    const behind = lookInto(product.database);
    const { rows } = await behind.query('SELECT object FROM destination_reads WHERE object_id = $1', [
      parsePublicId('payout', payout.id),
    ]);
    await behind.end();
    expect(rows).toEqual([{ object: 'payout' }]);
  });

  test.each([
    ['wrong check digits', { iban: 'JO95CBJO0010000000000131000302' }, '/destination/iban'],
    ['a length that its country does not have', { iban: 'JO94CBJO001000000000013100030' }, '/destination/iban'],
    ['characters of another alphabet', { iban: `JО94CBJO0010000000000131000302` }, '/destination/iban'],
    ['a BIC that is none', { bic: 'CBJO' }, '/destination/bic'],
    ['a country that is none', { address: { line1: 'A', city: 'B', country: 'XX' } }, '/destination/address/country'],
    ['a country in words', { address: { line1: 'A', city: 'B', country: 'Jordan' } }, '/destination/address/country'],
  ])('%s is refused at its place', async (_, change, param) => {
    const answer = await send(client, await funded(), { type: 'iban', iban: IBAN, name: 'Salma', ...change });
    expect(answer).toMatchObject({ status: 400, body: { code: 'parameter_invalid', param } });
  });

  test('an IBAN of Jordan that ends in a magic alias has its outcome', async () => {
    const closed = ibanEndingIn('CLOSED');
    const payout = await sent(client, await funded(), { type: 'iban', iban: closed, name: 'Salma' });
    const failed = await client.payoutUntil(payout.id, 'failed');
    expect(failed.failure).toMatchObject({ code: 'payee_account_closed', rail_code: 'AC04' });
  });
});

describe('a wallet', () => {
  test.each([
    ['its id', { wallet_id: 'WALLET77' }, { wallet_id_masked: 'W*****77', phone_masked: null }],
    ['its phone', { phone: '+962791234567' }, { wallet_id_masked: null, phone_masked: '+**********67' }],
  ])('is paid by %s', async (_, named, shown) => {
    const payout = await sent(client, await funded(), { type: 'wallet', ...named, provider: 'ZAIN' });
    expect(payout.destination).toEqual({ type: 'wallet', ...shown, provider: 'ZAIN' });
    await client.payoutUntil(payout.id, 'paid');
  });

  test.each([
    ['+962700000002', 'alias_unregistered'],
    ['+962700000005', 'amount_exceeds_rail_limit'],
  ])('the phone %s fails with %s', async (phone, code) => {
    const payout = await sent(client, await funded(), { type: 'wallet', phone });
    expect((await client.payoutUntil(payout.id, 'failed')).failure).toMatchObject({ code });
  });

  test.each<[string, object, string, string?]>([
    ['neither', {}, '/destination/wallet_id', 'parameter_missing'],
    ['both', { wallet_id: 'W', phone: '+962791234567' }, '/destination/phone'],
    ['a phone that no country can have', { phone: '+9621' }, '/destination/phone'],
    ['a phone without its country', { phone: '0791234567' }, '/destination/phone'],
  ])('%s is refused', async (_, named, param, code = 'parameter_invalid') => {
    const answer = await send(client, await funded(), { type: 'wallet', ...named });
    expect(answer).toMatchObject({ status: 400, body: { code, param } });
  });
});

describe('a card', () => {
  const tokenOf = async (number: string, reusable = false) =>
    succeeded(
      await client.post<{ id: string }>('/v1/payments/tokens', {
        card: { number, exp_month: 12, exp_year: 2034, cvc: '123' },
        ...(reusable && { customer_reference: randomUUID() }),
      }),
    ).id;

  test('F1: a one-time token is used up in the payout’s commit, and pays no second time', async () => {
    const id = await funded();
    const card = await tokenOf('4242424242424242');
    const key = randomUUID();
    const payout = succeeded(await send(client, id, { type: 'card', card }, key));
    expect(payout.destination).toEqual({ type: 'card', card, brand: 'visa', last_four: '4242' });
    expect(await client.read(`/v1/payments/tokens/${card}`)).toMatchObject({ status: 'used', payment: null });
    await client.payoutUntil(payout.id, 'paid');
    expect(await bookedOf(client, payout)).toEqual(USUAL);
    expect(await send(client, id, { type: 'card', card })).toMatchObject({
      status: 422,
      body: { code: 'token_invalid', param: '/destination/card' },
    });
    // The first request again has its first answer.
    expect((await send(client, id, { type: 'card', card }, key)).body).toMatchObject({ id: payout.id });
    expect(await balanceOf(client, id)).toEqual(holding(FUNDS - AMOUNT - FEE));
  });

  test.each([
    ['4000000000000002', 'refused_by_payee'],
    ['4000000000009979', 'payee_account_blocked'],
    ['4000000000000069', 'payee_account_closed'],
  ])('%s fails with %s', async (number, code) => {
    const payout = await sent(client, await funded(), { type: 'card', card: await tokenOf(number) });
    expect((await client.payoutUntil(payout.id, 'failed')).failure).toMatchObject({ code });
  });

  test('a token that is kept pays any number of times, and one that is refused for want of funds stays as it is', async () => {
    const id = await funded();
    const kept = await tokenOf('5555555555554444', true);
    for (let times = 0; times < 2; times++)
      await client.payoutUntil((await sent(client, id, { type: 'card', card: kept })).id, 'paid');
    const once = await tokenOf('4242424242424242');
    const poor = await client.openAccount({ funds: AMOUNT });
    expect(await send(client, poor.id, { type: 'card', card: once })).toMatchObject({
      status: 422,
      body: { code: 'insufficient_funds' },
    });
    expect(await client.read(`/v1/payments/tokens/${once}`)).toMatchObject({ status: 'active' });
  });

  test('a number is never taken', async () => {
    expect(await send(client, await funded(), { type: 'card', card: '4242424242424242' })).toMatchObject({
      status: 400,
      body: { param: '/destination/card' },
    });
  });
});

describe('a payee', () => {
  const save = async (body: object) =>
    succeeded(await client.post<Payee>('/v1/payees', { name: 'Salma Haddad', ...body }));
  const read = (id: string) => client.read<Payee>(`/v1/payees/${id}`);

  test('is paid where its destination is, and the payout keeps which one that was', async () => {
    const payee = await save({ destination: { type: 'iban', iban: IBAN, name: 'Salma Haddad' } });
    expect(payee).toMatchObject({ status: 'active', destination_version: 1, version: 1 });
    const id = await funded();
    const payout = await sent(client, id, { type: 'payee', payee: payee.id });
    expect(payout.destination).toEqual({
      type: 'payee',
      payee: payee.id,
      payee_version: 1,
      destination: payee.destination,
    });
    await client.payoutUntil(payout.id, 'paid');
    expect(await bookedOf(client, payout)).toEqual(USUAL);
    expect(await client.read(`/v1/payouts/${payout.id}/destination`)).toMatchObject({ destination: { iban: IBAN } });
  });

  test('a new name or destination is a new version; the same one, or another external id, is not', async () => {
    const destination = { type: 'cliq', alias: 'SHOP1' };
    const { id } = await save({ destination, external_id: 'one' });
    const change = async (body: object) => succeeded(await client.patch<Payee>(`/v1/payees/${id}`, body));
    expect(await change({ external_id: 'two', metadata: { a: 'b' } })).toMatchObject({
      destination_version: 1,
      version: 2,
    });
    expect(await change({ destination })).toMatchObject({ destination_version: 1, version: 2 });
    expect(await change({ destination: { type: 'cliq', alias: 'SHOP2' } })).toMatchObject({ destination_version: 2 });
    expect(await change({ name: 'Another name' })).toMatchObject({ destination_version: 3 });
    expect(await client.read(`/v1/payees/${id}/destination`)).toMatchObject({ destination: { alias: 'SHOP2' } });
    expect((await client.read<List<Payee>>('/v1/payees?external_id=two')).data).toMatchObject([{ id }]);
    expect(await eventsOf(client, { id })).toEqual([
      'payee.created',
      'payee.updated',
      'payee.updated',
      'payee.updated',
    ]);
  });

  test('a failure that lasts disables it, and no payout is accepted until it is enabled', async () => {
    const { id } = await save({ destination: { type: 'cliq', alias: 'CLOSED' } });
    const account = await funded();
    await client.payoutUntil((await sent(client, account, { type: 'payee', payee: id })).id, 'failed');
    expect(await read(id)).toMatchObject({ status: 'disabled', disabled_reason: 'failed' });
    expect(await send(client, account, { type: 'payee', payee: id })).toMatchObject({
      status: 422,
      body: { code: 'destination_invalid', param: '/destination/payee' },
    });
    succeeded(await client.post(`/v1/payees/${id}/enable`));
    succeeded(await send(client, account, { type: 'payee', payee: id }));
    expect((await eventsOf(client, { id })).slice(0, 3)).toEqual(['payee.created', 'payee.disabled', 'payee.enabled']);
  });

  test('a failure that passes, and one of a destination before, leave it as it is', async () => {
    const down = await save({ destination: { type: 'cliq', alias: 'BANKDOWN' } });
    const account = await funded();
    await client.payoutUntil((await sent(client, account, { type: 'payee', payee: down.id })).id, 'failed');
    expect(await read(down.id)).toMatchObject({ status: 'active' });
    const moved = await save({ destination: { type: 'cliq', alias: 'PENDING' } });
    const payout = await sent(client, account, { type: 'payee', payee: moved.id });
    await client.payoutUntil(payout.id, ({ next_inquiry_at }) => next_inquiry_at !== null);
    succeeded(await client.patch(`/v1/payees/${moved.id}`, { destination: { type: 'cliq', alias: 'SHOP1' } }));
    succeeded(await client.post(`/v1/simulations/payouts/${payout.id}/fail`, { code: 'payee_account_closed' }));
    expect(await read(moved.id)).toMatchObject({ status: 'active', destination_version: 2 });
  });

  test('a one-time token is no payee; another book’s payee is none at all', async () => {
    const token = succeeded(
      await client.post<{ id: string }>('/v1/payments/tokens', {
        card: { number: '4242424242424242', exp_month: 12, exp_year: 2034, cvc: '123' },
      }),
    );
    const body = { name: 'A card', destination: { type: 'card', card: token.id } };
    expect(await client.post('/v1/payees', body)).toMatchObject({
      status: 422,
      body: { code: 'token_invalid', param: '/destination/card' },
    });
    const { client: stranger } = await product.organisation();
    const theirs = succeeded(
      await stranger.post<Payee>('/v1/payees', { name: 'Theirs', destination: { type: 'cliq', alias: 'SHOP1' } }),
    );
    expect(await send(client, await funded(), { type: 'payee', payee: theirs.id })).toMatchObject({
      status: 404,
      body: { code: 'resource_not_found', param: '/destination/payee' },
    });
  });

  test('a card that is kept is paid by its payee', async () => {
    const kept = succeeded(
      await client.post<{ id: string }>('/v1/payments/tokens', {
        card: { number: '4242424242424242', exp_month: 12, exp_year: 2034, cvc: '123' },
        customer_reference: randomUUID(),
      }),
    );
    const { id } = await save({ destination: { type: 'card', card: kept.id } });
    const payout: Payout = await sent(client, await funded(), { type: 'payee', payee: id });
    await client.payoutUntil(payout.id, 'paid');
  });
});

describe('what is sealed', () => {
  const sealedOf = async (table: string, id: string) => {
    const behind = lookInto(product.database);
    const { rows } = await behind.query(`SELECT * FROM ${table} WHERE id = $1`, [id]);
    await behind.end();
    return [rows[0].destination_sealed, rows[0].destination_account_sealed ?? null];
  };

  test('goes with the text of a payout once that is final, and not before', async () => {
    const { resolution } = await resolved({ type: 'cliq', alias: 'PENDING' });
    const payout = await sent(client, await funded(), { type: 'cliq', alias: 'PENDING', resolution });
    await client.payoutUntil(payout.id, ({ next_inquiry_at }) => next_inquiry_at !== null);
    const id = parsePublicId('payout', payout.id)!;
    await eraseDirectly(product, payout.id);
    expect(await sealedOf('payouts', id)).toEqual([expect.any(Buffer), expect.any(Buffer)]);
    succeeded(await client.post(`/v1/simulations/payouts/${payout.id}/complete`));
    await client.payoutUntil(payout.id, 'paid');
    expect(await eraseDirectly(product, payout.id)).toEqual([]);
    expect(await sealedOf('payouts', id)).toEqual([null, null]);
    expect(await client.read(`/v1/payouts/${payout.id}`)).toMatchObject({ destination: { alias_masked: 'P****NG' } });
    // What comes afterwards is booked all the same.
    succeeded(await client.post(`/v1/simulations/payouts/${payout.id}/return`, {}));
    await client.payoutUntil(payout.id, 'returned');
  });

  test('goes with the name of a payee, and its payouts keep theirs', async () => {
    const saved = succeeded(
      await client.post<Payee>('/v1/payees', { name: 'Salma', destination: { type: 'cliq', alias: 'PENDING' } }),
    );
    const payout = await sent(client, await funded(), { type: 'payee', payee: saved.id });
    expect(await eraseDirectly(product, saved.id)).toEqual([]);
    expect(await client.read(`/v1/payees/${saved.id}`)).toMatchObject({ name: null });
    expect(await sealedOf('payees', parsePublicId('payee', saved.id)!)).toEqual([null, null]);
    expect(await send(client, account.id, { type: 'payee', payee: saved.id })).toMatchObject({
      status: 422,
      body: { code: 'destination_invalid', param: '/destination/payee' },
    });
    await client.payoutUntil(payout.id, ({ next_inquiry_at }) => next_inquiry_at !== null);
    succeeded(await client.post(`/v1/simulations/payouts/${payout.id}/complete`));
  });
});

test('the rails of a book say what they carry, for what fee', async () => {
  const { data } = await client.read<List<{ name: string; available: boolean; destinations: object[] }>>('/v1/rails');
  expect(data.map(({ name, available }) => [name, available])).toEqual([
    ['sandbox', true],
    ['book', true],
  ]);
  expect(data[0]!.destinations).toContainEqual({
    type: 'iban',
    required: ['iban', 'name'],
    fees: [expect.objectContaining({ currency: null, fixed: 0, basis_points: 50 })],
  });
  const paused = { scope: 'rail', name: 'sandbox' } as const;
  await pause(product.runtime.pool, paused, { pausedBy: 'operator:ann', now: Date.now() });
  expect((await client.read<List<object>>('/v1/rails')).data).toMatchObject([
    { name: 'sandbox', available: false, unavailable_reason: 'paused' },
    { name: 'book', available: true },
  ]);
  await resume(product.runtime.pool, paused, Date.now());
});

/** An IBAN of Jordan with right check digits (ISO 13616: modulo 97). */
function ibanEndingIn(word: string): string {
  const bban = `CBJO0010${word.padStart(18, '0')}`;
  const digits = `${bban}JO00`.replace(/[A-Z]/g, (letter) => String(letter.charCodeAt(0) - 55));
  return `JO${String(98n - (BigInt(digits) % 97n)).padStart(2, '0')}${bban}`;
}
