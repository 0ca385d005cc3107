/** Statements of the sandbox's bank, the whole way: money moves, the sandbox states it, and the books and the statement agree. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Client, type List, type SendOptions, succeeded, until } from '../../scripts/harness/client.ts';
import { program } from '../../scripts/reconcile.ts';
import { addDays } from '../../src/calendar/day.ts';
import type { BookId } from '../../src/ledger/book/book.ts';
import { operatorBooks } from '../../src/organisations/organisation-store.ts';
import { startContracted } from '../support/contracted.ts';
import { findingsOf } from '../support/findings.ts';
import { addPersonOf } from '../support/people.ts';
import type { Product } from '../support/product.ts';
import { runHere } from '../support/run-here.ts';

interface BankAccount {
  id: string;
  balance: number;
}

interface Run {
  statements: number;
  known: number;
  lines: number;
  matched: number;
  open: number;
  by_rule: { rule: string; lines: number }[];
  position: { bank: number; unallocated: number; suspense: number }[];
}

let product: Product;
let operator: Client;
let client: Client;
let bookId: BookId;
let folder: string;
/** Of the sandbox: money of a currency moves on one statement, so each test has a currency of its own. */
let currency: string;
const CURRENCIES = ['JOD', 'USD', 'EUR', 'GBP', 'KWD', 'JPY', 'CHF', 'SAR'];

beforeAll(async () => {
  product = await startContracted({ backend: 'postgres', environment: { PAYMENT_RELEASE_ONCE_SETTLED: 'true' } });
  bookId = (await operatorBooks(product.runtime.pool)).test;
  const scopes = ['reconciliations:read', 'reconciliations:write', 'simulations:write'];
  operator = product.client((await addPersonOf(product.runtime.pool, bookId, { name: 'Ada', scopes })).key);
  ({ client } = await product.organisation());
});
beforeEach(() => {
  currency = CURRENCIES.shift()!;
  folder = mkdtempSync(join(tmpdir(), 'stated-'));
});
afterEach(() => rmSync(folder, { recursive: true }));
afterAll(async () => {
  const findings = product && (await findingsOf({ pool: product.runtime.pool, id: bookId }));
  await product?.close();
  expect(findings).toEqual([]);
});

const today = () => new Date().toISOString().slice(0, 10);

async function openBankAccount(opening: object = {}): Promise<BankAccount> {
  return succeeded(
    await operator.post<BankAccount>('/v1/transactions/bank_accounts', {
      ...{ name: 'Current account', currency, holds: 'customer_money', identifiers: [`JO-${currency}`] },
      opening: { on: addDays(today(), -2), amount: 0, ...opening },
    }),
  );
}

const state = (body: object, options: SendOptions = {}) =>
  operator.post('/v1/simulations/bank_statements', body, options);

/** The file, as it was answered. */
async function stated(body: object, options?: SendOptions): Promise<string> {
  const answer = await state(body, options);
  expect([answer.status, answer.headers['content-type']]).toEqual([201, 'application/xml; charset=utf-8']);
  return answer.text;
}

async function reconcile(text: string): Promise<{ code: number; run: Run }> {
  const file = join(folder, 'statement.xml');
  writeFileSync(file, text);
  const { database } = product;
  const environment = {
    DATABASE_URL: database.applicationUrl,
    COUNTINGHOUSE_ENCRYPTION_KEY: database.encryptionKey,
  };
  const { code, out, err } = await runHere(program, [file, '--mode', 'test', '--json'], environment);
  expect(err).toBe('');
  return { code, run: JSON.parse(out) as Run };
}

async function payOut(account: string, alias = 'SHOP1', amount = 10_000): Promise<void> {
  const { id } = await client.pay({ account, amount, currency, destination: { type: 'cliq', alias } });
  await client.payoutUntil(id, (payout) => payout.status === 'paid' || payout.status === 'returned');
  if (alias === 'RETURN') await client.payoutUntil(id, 'returned');
  // The bank states a return before its notice is booked.
  if (alias === 'RETURNHALF')
    await until(
      () => client.read<List<object>>(`/v1/payouts/${id}/returns`),
      ({ data }) => data.length > 0,
    );
}

const entries = (file: string) => file.match(/<Ntry>/g)?.length ?? 0;
const balanceOf = (file: string, code: string) =>
  new RegExp(`<Cd>${code}</Cd></CdOrPrtry></Tp><Amt Ccy="...">([0-9.]+)</Amt><CdtDbtInd>(....)`)
    .exec(file)!
    .slice(1, 3);

test('what moved is stated, all of it is explained, and again nothing is new', async () => {
  const { id: bankAccount } = await openBankAccount();
  const { id: account } = await client.openAccount({ currency, funds: 1_000_000 });
  await payOut(account);
  await payOut(account, 'SHOP2', 25_000);
  await payOut(account, 'RETURN', 7_000);
  await payOut(account, 'RETURNHALF', 8_000);
  const { id: payment } = succeeded(
    await client.post<{ id: string }>('/v1/payments', {
      ...{ account, amount: 20_000, currency },
      source: { type: 'card', number: '4242424242424242', exp_month: 12, exp_year: 2034, cvc: '123' },
    }),
  );
  await client.post(`/v1/payments/${payment}/refunds`, { amount: 5_000 });
  succeeded(await client.post('/v1/simulations/acquirer_settlements', {}));
  await until(
    () => client.read<List<object>>('/v1/payments/settlements'),
    ({ data }) => data.length > 0,
  );

  const first = await stated({ bank_account: bankAccount });
  // Funds, four payouts, two returns, and what the acquirer paid.
  expect(entries(first)).toBe(8);
  const { code, run } = await reconcile(first);
  expect([code, run.lines, run.matched, run.open]).toEqual([0, 8, 8, 0]);
  expect(run.by_rule.map(({ rule, lines }) => [rule, lines])).toEqual([
    ['bank_reference', 1],
    ['end_to_end_id', 6],
    ['reference_in_text', 1],
  ]);
  const { balance } = await operator.read<BankAccount>(`/v1/transactions/bank_accounts/${bankAccount}`);
  expect(run.position).toMatchObject([{ bank: balance, unallocated: 0, suspense: 0 }]);
  expect(balance).toBe(1_000_000 - 10_000 - 25_000 - 4_000 + 15_000 - 240);
  const open = await operator.read<List<object>>('/v1/transactions/expected_items?status=open,partly_matched');
  expect(open.data).toEqual([]);

  expect(await reconcile(first)).toEqual({ code: 0, run });
  const statements = await operator.read<List<{ id: string; sha256: string }>>('/v1/transactions/bank_statements');
  const { id: statement, sha256 } = statements.data[0]!;
  const kept = await operator.get(`/v1/transactions/bank_statements/${statement}/content`);
  expect([kept.status, kept.text, kept.headers.etag]).toEqual([200, first, `"${sha256}"`]);
  const strangers = await client.get(`/v1/transactions/bank_statements/${statement}/content`);
  expect(strangers).toMatchObject({ status: 404, body: { code: 'resource_not_found' } });
  const second = await stated({ bank_account: bankAccount });
  expect(entries(second)).toBe(0);
  expect(balanceOf(second, 'OPBD')).toEqual(balanceOf(first, 'CLBD'));
  expect((await reconcile(second)).code).toBe(0);
});

test('noise: each kind is what it says, and what is late comes next', async () => {
  const { id: bankAccount } = await openBankAccount();
  const { id: account } = await client.openAccount({ currency, funds: 500_000 });
  for (const alias of ['A1', 'A2', 'A3', 'A4']) await payOut(account, alias, 11_000);
  const noise = ['fee', 'merged', 'late', 'cut_reference', 'reversed'];
  const first = await stated({ bank_account: bankAccount, noise });
  // The funds, one cut, one for two, a charge, a mistake and its reversal. The last payout is late.
  expect(entries(first)).toBe(6);
  const { code, run } = await reconcile(first);
  expect([code, run.lines, run.matched, run.open]).toEqual([1, 6, 4, 2]);
  expect(run.by_rule.map(({ rule, lines }) => [rule, lines])).toEqual([
    ['bank_reference', 1],
    ['reference_cut', 1],
    ['reversal', 2],
  ]);
  expect((await reconcile(first)).run).toEqual(run);

  const second = await stated({ bank_account: bankAccount });
  expect(entries(second)).toBe(1);
  expect(balanceOf(second, 'OPBD')).toEqual(balanceOf(first, 'CLBD'));
  const after = await reconcile(second);
  expect([after.code, after.run.matched, after.run.open]).toEqual([1, 1, 2]);
});

test('what the rail takes back after it has stood on a statement comes back on a later one', async () => {
  const { id: bankAccount } = await openBankAccount();
  const { id: account } = await client.openAccount({ currency, funds: 100_000 });
  const { id } = await client.pay({
    account,
    amount: 9_000,
    currency,
    destination: { type: 'cliq', alias: 'PENDING' },
  });
  // Only once the rail has it can it be told what becomes of it.
  await client.payoutUntil(id, ({ next_inquiry_at: asked }) => asked !== null);
  expect(entries(await stated({ bank_account: bankAccount }))).toBe(1);
  succeeded(await client.post(`/v1/simulations/payouts/${id}/complete`, {}));
  const paid = await stated({ bank_account: bankAccount });
  expect([entries(paid), balanceOf(paid, 'CLBD')[1]]).toEqual([1, 'CRDT']);
  succeeded(await client.post(`/v1/simulations/payouts/${id}/fail`, {}));
  await client.payoutUntil(id, (payout) => payout.status !== 'processing' && payout.status !== 'paid');
  const back = await stated({ bank_account: bankAccount });
  expect(entries(back)).toBe(1);
  expect(balanceOf(back, 'OPBD')).toEqual(balanceOf(paid, 'CLBD'));
  expect(back).toContain('<CdtDbtInd>CRDT</CdtDbtInd><Sts>');
});

test('the same key gets the same file, and another request under it is refused', async () => {
  const { id: bankAccount } = await openBankAccount();
  const { id: account } = await client.openAccount({ currency, funds: 100_000 });
  await payOut(account);
  const idempotencyKey = randomUUID();
  const first = await stated({ bank_account: bankAccount }, { idempotencyKey });
  expect(entries(first)).toBe(2);
  expect(await stated({ bank_account: bankAccount }, { idempotencyKey })).toBe(first);
  expect(await state({ bank_account: bankAccount, noise: ['fee'] }, { idempotencyKey })).toMatchObject({
    status: 422,
    body: { code: 'idempotency_key_reused' },
  });
  const together = await Promise.all(
    Array.from({ length: 3 }, () => stated({ bank_account: bankAccount, noise: ['fee'] })),
  );
  expect(new Set(together.map((file) => balanceOf(file, 'CLBD').join(' '))).size).toBe(3);
});

test('refused transfers never move at the bank; days are within what can be stated', async () => {
  const { id: bankAccount } = await openBankAccount();
  const { id: account } = await client.openAccount({ currency, funds: 0 });
  succeeded(await client.post(`/v1/accounts/${account}/close`, {}));
  const refused = await client.post('/v1/simulations/inbound_transfers', { account, amount: 5, currency });
  expect(refused).toMatchObject({ status: 422, body: { code: 'account_closed' } });
  expect(entries(await stated({ bank_account: bankAccount, on: addDays(today(), -1) }))).toBe(0);
  const code = async (body: object) => {
    const answer = await state(body);
    return [answer.status, answer.body.code, answer.body.param];
  };
  const day = (on: string) => code({ bank_account: bankAccount, on });
  expect(await day(addDays(today(), 2))).toEqual([400, 'parameter_invalid', '/on']);
  expect(await day(addDays(today(), -9))).toEqual([400, 'parameter_invalid', '/on']);
  expect(await day(addDays(today(), -2))).toEqual([409, 'state_conflict', '/on']);
  expect(await code({ bank_account: 'ba_01k5c2r3v8e9m0x6y7z4a1b2cd' })).toEqual([
    404,
    'resource_not_found',
    '/bank_account',
  ]);
  expect(await client.post('/v1/simulations/bank_statements', { bank_account: bankAccount })).toMatchObject({
    status: 404,
  });
});

test('what moved before the opening is in it, unless it is outstanding', async () => {
  const { id: account } = await client.openAccount({ currency, funds: 100_000 });
  await payOut(account);
  await payOut(account, 'SHOP2', 20_000);
  const { data } = await client.read<List<{ id: string; amount: number }>>(`/v1/payouts?account=${account}`);
  const outstanding = data.filter(({ amount }) => amount === 20_000).map(({ id }) => id);
  await product.runtime.pool.query(
    "UPDATE sandbox_rail.instructions SET received_at = received_at - interval '9 days' WHERE currency = $1",
    [currency],
  );
  const { id: bankAccount } = await openBankAccount({ outstanding });
  // An id is known by what the mirror expects under it.
  await until(
    () => operator.read<List<{ currency: string }>>('/v1/transactions/expected_items?resource=payout'),
    ({ data: items }) => items.filter((item) => item.currency === currency).length === 2,
  );
  const file = await stated({ bank_account: bankAccount });
  expect(file.match(/<Amt Ccy="...">[0-9.]+<\/Amt><CdtDbtInd>DBIT<\/CdtDbtInd><Sts>/g)).toHaveLength(1);
});
