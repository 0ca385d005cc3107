/** Credits that a partner tells of by notices (docs/partners.md): rows I of the scenarios over the http rail and its reference gateway. */
import { request } from 'undici';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CREDITS_PATH, type CreditNotice } from '../../scripts/gateway/credits.ts';
import { type Client, type List, succeeded, until } from '../../scripts/harness/client.ts';
import { operatorBooks } from '../../src/organisations/organisation-store.ts';
import { toJson } from '../../src/values/json.ts';
import { contractOf } from '../support/contracted.ts';
import { type GatewayProduct, startWithGateway } from '../support/gateway.ts';
import { expectInvariants } from '../support/invariants.ts';
import { addPersonOf } from '../support/people.ts';

const AMOUNT = 50_000n;

let started: GatewayProduct;
let client: Client;
let operator: Client;

beforeAll(async () => {
  started = await startWithGateway({ environment: { RAIL_HTTP_MODE: 'test' } });
  const { product } = started;
  await contractOf(product);
  ({ client } = await product.organisation());
  const { test: bookId } = await operatorBooks(product.runtime.pool);
  const scopes = ['exceptions:read'];
  operator = product.client((await addPersonOf(product.runtime.pool, bookId, { name: 'Olga', scopes })).key);
});
afterAll(async () => {
  if (started) await expectInvariants(started.product);
  await started?.close();
});

async function opened(currency = 'JOD'): Promise<{ id: string; reference: string }> {
  const { id } = await client.openAccount({ currency, funds: 0 });
  const { reference } = await client.read<{ reference: string }>(`/v1/accounts/${id}/receive_details`);
  return { id, reference };
}

const told = (credit: Partial<CreditNotice>) =>
  started.gateway.credits.arrive({ amount: AMOUNT, currency: 'JOD', ...credit });
const postedOf = async (account: string) =>
  (await client.read<{ posted: number }>(`/v1/accounts/${account}/balance`)).posted;
const arrivedOn = (account: string, amount = AMOUNT) =>
  until(
    () => postedOf(account),
    (posted) => posted === Number(amount),
  );

interface Case {
  readonly detail: string;
  readonly waiting: { readonly account: string | null; readonly amount: number; readonly currency: string };
}
/** The operator's case of a credit, once it is there. */
async function caseOf({ bank_reference: reference, amount, currency }: CreditNotice, why: RegExp): Promise<void> {
  const [found] = await until(
    async () => {
      const { data } = await operator.read<List<Case>>('/v1/exceptions?kind=inbound_unallocated&limit=100');
      return data.filter(({ detail }) => detail.includes(reference ?? 'credit of 77 JOD'));
    },
    (cases) => cases.length > 0,
  );
  expect(found).toMatchObject({ waiting: { account: null, amount: Number(amount), currency } });
  expect(found!.detail).toMatch(why);
}

test('I1: a credit with the account’s reference, with blanks and in lower case, is booked on it, and what came is forgotten', async () => {
  const account = await opened();
  const remittance = ['Invoice 7,', account.reference.toLowerCase().replace(/(.{4})/g, '$1 ')];
  const credit = told({ remittance, payer_name_masked: 'S*** H***', payer_account_ending: '0302' });
  await arrivedOn(account.id);
  const path = `/v1/inbound_transfers?account=${account.id}`;
  const { data } = await client.read<List<{ amount: number }>>(path);
  expect(data).toMatchObject([{ amount: Number(AMOUNT), bank_reference: credit.bank_reference }]);
  expect(toJson(data)).toContain('S*** H***');
  const { rows } = await started.product.runtime.pool.query<{ bytes: number }>(
    'SELECT max(octet_length(body)) AS bytes FROM partner_notices WHERE acknowledged_at IS NOT NULL',
  );
  expect(rows).toEqual([{ bytes: 0 }]);
});

test('I2: the same notice again, and the same credit under another id, is booked once', async () => {
  const account = await opened();
  const credit = told({ remittance: [account.reference] });
  await arrivedOn(account.id);
  const { payoutNotices } = started.gateway;
  const message = payoutNotices.sent.at(-1)!;
  const url = started.gateway.payoutNoticesUrl!;
  const again = payoutNotices.signed(message);
  const answer = await request(url, { method: 'POST', headers: { ...again.headers }, body: again.body });
  expect(answer.statusCode).toBe(204);
  const other = payoutNotices.signed({ ...message, body: message.body.replace(String(AMOUNT), '1') });
  const refused = await request(url, { method: 'POST', headers: { ...other.headers }, body: other.body });
  expect(refused.statusCode).toBe(409);
  told({ ...credit });
  // What comes behind it is booked: so it was read as well.
  const next = await opened();
  told({ remittance: [next.reference] });
  await arrivedOn(next.id);
  expect(await postedOf(account.id)).toBe(Number(AMOUNT));
});

test('I3: any other is a case of the operator’s, and nothing is booked', async () => {
  const [account, closed, dollars] = await Promise.all([opened(), opened(), opened('USD')]);
  succeeded(await client.post(`/v1/accounts/${closed.id}/close`, {}));
  const named = { remittance: [account.reference] };
  const cases: [CreditNotice, RegExp][] = [
    [told({ remittance: ['Thank you'] }), /names no reference/],
    [told({ remittance: [] }), /names no reference/],
    [told({ remittance: ['RF18 5390 0754 7034'] }), /names no reference/],
    [told({ remittance: [account.reference, closed.reference] }), /several accounts/],
    [told({ remittance: [dollars.reference] }), /another currency/],
    [told({ remittance: [closed.reference] }), /is closed/],
    [told({ ...named, amount: 77n, bank_reference: null }), /no reference of the bank/],
  ];
  for (const [credit, why] of cases) await caseOf(credit, why);
  // The reference of another credit names neither, and takes nothing back.
  const first = told(named);
  await arrivedOn(account.id);
  await caseOf(told({ ...named, bank_reference: first.bank_reference, amount: AMOUNT + 1n }), /another credit/);
  expect([await postedOf(account.id), await postedOf(dollars.id)]).toEqual([Number(AMOUNT), 0]);
});

test('what cannot be read is shown to the operator, and holds nothing up', async () => {
  const account = await opened();
  const { payoutNotices } = started.gateway;
  const unread = [
    { kind: 'credit', amount: 0, currency: 'JOD', bank_account: 'A', remittance: [account.reference] },
    { kind: 'credit', amount: 1.5, currency: 'JOD', bank_account: 'A', remittance: [account.reference] },
    { kind: 'credit', amount: 1, currency: 'QQQ', bank_account: 'A', remittance: [account.reference] },
    { kind: 'credit', amount: 1, currency: 'JOD', remittance: [account.reference] },
    { kind: 'credit', amount: 1, currency: 'JOD', bank_account: 'A', remittance: account.reference },
    { kind: 'credit', amount: 1, currency: 'JOD', bank_account: 'A', booked_on: '2026-02-30' },
  ];
  for (const notice of unread) payoutNotices.send(notice);
  told({ remittance: [account.reference] });
  await arrivedOn(account.id);
  const { pool } = started.product.runtime;
  await until(
    async () => (await pool.query(`SELECT FROM foreign_notices WHERE originator = ''`)).rowCount,
    (count) => count === unread.length,
  );
});

test('a person plays a payer at the gateway', async () => {
  const account = await opened();
  const play = (body: string) => request(`${started.gateway.url}${CREDITS_PATH}`, { method: 'POST', body });
  const played = await play(toJson({ amount: AMOUNT, currency: 'JOD', remittance: account.reference }));
  expect([played.statusCode, await played.body.json()]).toMatchObject([202, { kind: 'credit' }]);
  expect((await play('{"amount": "50"}')).statusCode).toBe(400);
  await arrivedOn(account.id);
});
