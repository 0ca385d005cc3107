/** Destinations looked up where the routes of RAILS_FILE lead: the rail that will carry the payout is the one that is asked. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type Client, type Payout, succeeded } from '../../scripts/harness/client.ts';
import { publicId } from '../../src/values/ids.ts';
import { TEST_IBAN } from '../support/bank-files.ts';
import { contractOf } from '../support/contracted.ts';
import { type GatewayProduct, RAIL_NAME, startWithGateway } from '../support/gateway.ts';

const TERMS = {
  mode: 'test',
  time_zone: 'Asia/Amman',
  cut_off: '16:00',
  calendar: { name: 'fri_sat' },
  days_to_arrive: 1,
};
const IBAN = 'JO94CBJO0010000000000131000302';
/** Beyond it, an alias is paid by the gateway. */
const SMALL_MAX = 9_999;

const railsIn = (folders: Readonly<Record<'outbox' | 'inbox' | 'work', string>>) => ({
  rails: [
    { ...TERMS, name: 'sandbox', adapter: { type: 'sandbox' }, currencies: [{ currency: 'JOD' }] },
    { ...TERMS, name: RAIL_NAME, adapter: { type: 'http' }, currencies: [{ currency: 'JOD' }] },
    {
      ...{ ...TERMS, name: 'house_bank', currencies: [{ currency: 'EUR' }] },
      adapter: {
        ...{ type: 'iso20022', profile: 'iso', paid_by: 'entry', folders },
        debtor: { name: 'Countinghouse GmbH', iban: TEST_IBAN, bic: 'BKAUATWW' },
      },
    },
  ],
  routes: [
    { destination: 'cliq', currencies: ['JOD'], maximum: SMALL_MAX, rail: 'sandbox' },
    { destination: 'cliq', currencies: ['JOD'], minimum: SMALL_MAX + 1, rail: RAIL_NAME },
    { destination: 'iban', currencies: ['EUR'], rail: 'house_bank' },
    { destination: 'iban', currencies: ['JOD'], rail: RAIL_NAME },
  ],
});

interface Resolved {
  name_masked: string | null;
  verification: { result: string } | null;
  resolution: string | null;
}

let folder: string;
let started: GatewayProduct;
let client: Client;
let bookId: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'resolved-by-route-'));
  const folders = { outbox: join(folder, 'outbox'), inbox: join(folder, 'inbox'), work: join(folder, 'work') };
  for (const path of Object.values(folders)) mkdirSync(path);
  const path = join(folder, 'rails.json');
  writeFileSync(path, JSON.stringify(railsIn(folders)));
  started = await startWithGateway({ environment: { RAIL_HTTP_MODE: 'test', RAILS_FILE: path } });
  await contractOf(started.product);
  const organisation = await started.product.organisation();
  ({ client } = organisation);
  bookId = organisation.keys.testBookId;
});
afterEach(() => {
  started.gateway.faultOf = () => undefined;
});
afterAll(async () => {
  await started?.close();
  rmSync(folder, { recursive: true });
});

const resolve = (destination: object) => client.post<Resolved>('/v1/payouts/resolve', { destination });
const resolved = async (destination: object) => succeeded(await resolve(destination));
const sentTo = async (amount: number, destination: object) => {
  const { id: account } = await client.openAccount({ funds: 100_000 });
  return client.post<Payout>('/v1/payouts', { account, amount, currency: 'JOD', destination });
};

test.each`
  amount           | rail
  ${SMALL_MAX}     | ${'sandbox'}
  ${SMALL_MAX + 1} | ${RAIL_NAME}
`('an alias is held to the account that $rail has found, where $amount goes', async ({ amount, rail }) => {
  const alias = { type: 'cliq', alias: 'SHOP1' };
  const { resolution } = await resolved(alias);
  const payout = succeeded(await sentTo(amount, { ...alias, resolution }));
  expect(payout.rail).toBe(rail);
  await client.payoutUntil(payout.id, 'paid');
  const isOfGateway = started.gateway.payouts.find(publicId('book', bookId), payout.end_to_end_id) !== undefined;
  expect(isOfGateway).toBe(rail === RAIL_NAME);
});

test('E6: at either rail nothing is paid where the alias has moved', async () => {
  const alias = { type: 'cliq', alias: 'REPOINTED' };
  for (const amount of [SMALL_MAX, SMALL_MAX + 1]) {
    const { resolution } = await resolved(alias);
    const payout = succeeded(await sentTo(amount, { ...alias, resolution }));
    expect((await client.payoutUntil(payout.id, 'failed')).failure).toMatchObject({ code: 'payee_changed' });
  }
});

test('a rail that was not heard pins nothing: a payout by it asks for another resolution, one by the other rail is paid', async () => {
  started.gateway.faultOf = (call) => (call === 'payout_resolve' ? 'unheard' : undefined);
  const alias = { type: 'cliq', alias: 'SHOP1' };
  const { resolution } = await resolved(alias);
  const refused = await sentTo(SMALL_MAX + 1, { ...alias, resolution });
  expect(refused.body).toMatchObject({ code: 'destination_invalid', param: '/destination/resolution' });
  await client.payoutUntil(succeeded(await sentTo(SMALL_MAX, { ...alias, resolution })).id, 'paid');
});

test('E9: a name is verified by the rail that can, though a bank comes before it', async () => {
  const close = await resolved({ type: 'iban', iban: IBAN, name: 'CLOSE' });
  expect(close).toMatchObject({ verification: { result: 'close_match' } });
  // Its bank alone is heard.
  started.gateway.faultOf = (call) => (call === 'payout_resolve' ? 'unheard' : undefined);
  const unheard = await resolved({ type: 'iban', iban: IBAN, name: 'CLOSE' });
  expect(unheard).toMatchObject({ verification: { result: 'unavailable' } });
});

test('no route leads to a wallet: nobody is asked', async () => {
  const { status, body } = await resolve({ type: 'wallet', phone: '+962790000001' });
  expect(status).toBe(422);
  expect(body).toMatchObject({ code: 'rail_unavailable', param: '/destination/type' });
});
