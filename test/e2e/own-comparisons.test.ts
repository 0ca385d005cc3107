/** A book compares a file with an account of its own: the operator's rules, and nothing is posted. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Client, type List, type Problem, succeeded } from '../../scripts/harness/client.ts';
import { until } from '../../scripts/harness/until.ts';
import { operatorBooks } from '../../src/organisations/organisation-store.ts';
import type * as items from '../../src/reconciliation/items/api/expected-item-schemas.ts';
import type * as lines from '../../src/reconciliation/lines/api/bank-line-schemas.ts';
import type * as matches from '../../src/reconciliation/matches/api/bank-match-schemas.ts';
import type * as runs from '../../src/reconciliation/runs/api/reconciliation-schemas.ts';
import { type CamtEntry, camt } from '../support/bank-statements.ts';
import { startContracted } from '../support/contracted.ts';
import { findingsOf } from '../support/findings.ts';
import { addPersonOf } from '../support/people.ts';
import { lookInto, type OrganisationKeys, type Product } from '../support/product.ts';

type Shown<Schema extends { _zod: { output: unknown } }> = Schema['_zod']['output'];
type Run = Shown<typeof runs.reconciliation>;
type Line = Shown<typeof lines.bankLine>;
type Item = Shown<typeof items.expectedItem>;
type Match = Shown<typeof matches.bankMatch>;

const RUNS = '/v1/transactions/reconciliations';
const LIMITS = { RATE_LIMIT_WRITES_PER_SECOND: '10000', RATE_LIMIT_READS_PER_SECOND: '10000' };
const DAY_MS = 86_400_000;
const began = Date.now();
const day = (ago: number) => new Date(began - ago * DAY_MS).toISOString().slice(0, 10);

let product: Product;
let behind: ReturnType<typeof lookInto>;
let keys: OrganisationKeys;
let client: Client;
/** The organisation's own bank account in its chart, and what moves it. */
let bank: string;
let sales: string;

beforeAll(async () => {
  product = await startContracted({ backend: 'postgres', environment: LIMITS });
  behind = lookInto(product.database);
});
beforeEach(async () => {
  ({ keys, client } = await product.organisation());
  bank = await ownAccount('bank', 'asset');
  sales = await ownAccount('sales', 'income');
});
afterAll(async () => {
  await behind?.end();
  await product?.close();
});

async function ownAccount(code: string, type: string): Promise<string> {
  const account = { code, name: code, type, currency: 'JOD' };
  return succeeded(await client.post<{ id: string }>('/v1/journal/accounts', account)).id;
}

/** Of the bank account; money in is positive. */
const entry = (amount: number, externalId: string) => ({
  postings: [
    amount > 0
      ? { debit: bank, credit: sales, amount, currency: 'JOD' }
      : { debit: sales, credit: bank, amount: -amount, currency: 'JOD' },
  ],
  external_id: externalId,
});
const book = async (amount: number, externalId: string) =>
  succeeded(await client.post<{ id: string }>('/v1/journal/entries', entry(amount, externalId))).id;

const statement = (entries: readonly CamtEntry[], change: object = {}) =>
  camt([{ on: day(1), opening: 0, entries, ...change }], { id: randomUUID().slice(0, 8) });

interface Sent {
  readonly as?: Client;
  readonly query?: Readonly<Record<string, string>>;
  readonly type?: string;
}

function compare(text: string, { as = client, query = {}, type = 'application/xml' }: Sent = {}) {
  const search = new URLSearchParams({ account: bank, ...query });
  return as.send<Run & Omit<Problem, keyof Run>>('POST', `${RUNS}?${search}`, {
    rawBody: text,
    headers: { 'content-type': type, prefer: 'wait=20' },
  });
}

const all = async <One>(path: string, as = client) => (await as.read<List<One>>(`/v1/transactions/${path}`)).data;
const findings = () => findingsOf({ pool: product.runtime.pool, id: keys.testBookId });

async function counts() {
  const { rows } = await behind.query<{ entries: number; lines: number; items: number; exceptions: number }>({
    text: `SELECT (SELECT count(*)::int FROM entries WHERE book_id = $1) AS entries,
      (SELECT count(*)::int FROM bank_lines WHERE book_id = $1) AS lines,
      (SELECT count(*)::int FROM expected_items WHERE book_id = $1) AS items,
      (SELECT count(*)::int FROM exceptions WHERE book_id = $1) AS exceptions`,
    values: [keys.testBookId],
  });
  return rows[0]!;
}

test('a file is matched with the lines of the account by what both name, and nothing is posted', async () => {
  await book(10_000, 'INV-10001');
  const named = await book(7_000, 'INV-10002');
  await book(-2_500, 'PAY-30001');
  await book(-400, 'PAY-30002');
  const text = statement([
    { amount: 10_000, endToEndId: 'INV-10001' },
    { amount: 7_000, text: 'Invoice INV-10 002, thanks' },
    // The other side: money out names money out alone.
    { amount: 2_500, endToEndId: 'PAY-30001' },
    { amount: -2_500, endToEndId: 'PAY-30001', reference: 'S-1' },
    { amount: 400 },
  ]);
  const before = await counts();
  const dry = await compare(text, { query: { dry_run: 'true' } });
  expect([dry.status, dry.body]).toMatchObject([
    200,
    { account: bank, dry_run: true, ok: false, lines: 5, matched: 3, open: 2, verdicts: [{ verdict: 'compared' }] },
  ]);
  expect(await counts()).toEqual(before);

  const { status, body: run } = await compare(text);
  expect([status, run]).toMatchObject([
    202,
    {
      ...{ status: 'completed', account: bank, bank_account: null, statements: 1, lines: 5, matched: 3, open: 2 },
      ...{ known: 0, findings: [], position: [], rules_version: null, digest: expect.stringMatching(/^[0-9a-f]{64}$/) },
      by_rule: [
        { rule: 'end_to_end_id', lines: 2, amount: 12_500 },
        { rule: 'reference_in_text', lines: 1, amount: 7_000 },
      ],
    },
  ]);
  expect(await counts()).toEqual({ ...before, lines: 5, items: 4 });
  const again = await compare(text, { query: { name: 'again' } });
  expect(again.body).toMatchObject({ id: run.id, digest: run.digest, matched: 3 });
  expect(await counts()).toEqual({ ...before, lines: 5, items: 4 });

  const shown = await all<Item>('expected_items');
  expect(shown.map(({ direction, amount, status: one }) => [direction, amount, one]).sort()).toEqual([
    ['in', 10_000, 'matched'],
    ['in', 7_000, 'matched'],
    ['out', 2_500, 'matched'],
    ['out', 400, 'open'],
  ]);
  expect(shown.find(({ amount }) => amount === 7_000)).toMatchObject({
    ...{ account: bank, party: null, book: expect.stringMatching(/^book_/), resource: 'entry', resource_id: named },
    ...{ references: ['INV-10002'], journal_entries: [named] },
  });
  const open = await all<Line>(`bank_lines?account=${bank}&status=open`);
  expect(open.map(({ amount }) => amount).sort()).toEqual([2_500, 400]);
  expect(open[0]).toMatchObject({ account: bank, bank_account: null, journal_entries: [], exception: null });
  for (const match of await all<Match>('matches'))
    expect(match).toMatchObject({ account: bank, status: 'confirmed', journal_entries: [], difference: null });
  expect(await all('bank_statements')).toMatchObject([
    { status: 'received', compared_account: bank, bank_account: null, lines: 5, lines_posted: 0 },
  ]);
  expect(await findings()).toEqual([]);

  // What is booked later is compared again, by JSON. The bank names it by its amount alone, which is not enough.
  await book(2_500, 'PAY-30001');
  const json = await client.post<Run>(RUNS, { account: bank }, { headers: { prefer: 'wait=20' } });
  expect(json.body).toMatchObject({ status: 'completed', source: null, account: bank, matched: 1, open: 1, lines: 0 });
  expect(await findings()).toEqual([]);
});

test('a customer account grows by credits, and a payout is found by its end-to-end id', async () => {
  const { id: customer } = await client.openAccount({ funds: 100_000 });
  const payout = succeeded(
    await client.post<{ id: string; end_to_end_id: string }>('/v1/payouts', {
      ...{ account: customer, amount: 25_000, currency: 'JOD', destination: { type: 'cliq', alias: 'SHOP1' } },
    }),
  );
  await until(
    () => client.read<{ status: string }>(`/v1/payouts/${payout.id}`),
    ({ status }) => status === 'paid',
  );
  const text = statement([
    { amount: -25_000, endToEndId: payout.end_to_end_id },
    { amount: 100_000, endToEndId: payout.end_to_end_id },
  ]);
  const { body } = await compare(text, { query: { account: customer } });
  expect(body).toMatchObject({
    ...{ status: 'completed', lines: 2, matched: 1, open: 1 },
    by_rule: [{ rule: 'end_to_end_id', amount: 25_000 }],
  });
  const [match] = await all<Match>('matches');
  const shown = await client.read<Item>(`/v1/transactions/expected_items/${match!.items[0]!.item}`);
  expect(shown).toMatchObject({ direction: 'out', account: customer, resource: 'payout', resource_id: payout.id });
  expect(await findings()).toEqual([]);
});

test('statements are known again, restated ones bring what is new, and what does not fit is rejected', async () => {
  await book(5, 'ONE-5');
  const first = await compare(statement([{ amount: 5, endToEndId: 'ONE-5' }], { number: '7' }));
  expect(first.body).toMatchObject({ matched: 1, lines: 1 });
  const bundle = camt(
    [
      { on: day(1), number: '7', opening: 0, entries: [{ amount: 5, endToEndId: 'ONE-5' }] },
      { on: day(1), number: '8', opening: 5, closing: 9, entries: [{ amount: 1 }] },
      { on: day(1), number: '9', opening: 5, currency: 'USD', entries: [{ amount: 1 }] },
    ],
    { id: 'BUNDLE' },
  );
  expect((await compare(bundle)).body).toMatchObject({
    ...{ statements: 3, known: 1, lines: 0, matched: 0, open: 0, findings_total: 2 },
    findings: [{ code: 'statement_totals' }, { code: 'currency_differs', expected: 'JOD', actual: 'USD' }],
  });
  const restated = statement([{ amount: 5, endToEndId: 'ONE-5' }, { amount: 2 }], { number: '7' });
  expect((await compare(restated)).body).toMatchObject({ known: 0, lines: 1, matched: 0, open: 1 });
  // The same file beside another account is another comparison: sales grow by what the bank account grows by.
  const other = await compare(restated, { query: { account: sales } });
  expect(other.body).toMatchObject({ known: 0, lines: 2, matched: 1, open: 1, account: sales });
  expect(await findings()).toEqual([]);
});

test('two persons match by hand without an entry, and undo it', async () => {
  await book(-1_000, 'RENT-77');
  await compare(statement([{ amount: -1_010 }]));
  const scopes = ['reconciliations:read', 'reconciliations:write', 'reconciliations:approve'];
  const person = async (name: string) =>
    product.client((await addPersonOf(product.runtime.pool, keys.testBookId, { name, scopes })).key);
  const [ada, ben] = [await person('Ada'), await person('Ben')];
  const [[line], [item]] = [await all<Line>('bank_lines'), await all<Item>('expected_items')];
  const before = await counts();
  const body = { lines: [line!.id], items: [item!.id], difference_to: 'bank_charges', reason: 'The bank took a fee' };
  const proposed = succeeded(await ada.post<Match>('/v1/transactions/matches', body));
  expect(proposed).toMatchObject({ account: bank, difference: { amount: -10, to: 'bank_charges' } });
  const path = `/v1/transactions/matches/${proposed.id}`;
  const approved = succeeded(await ben.post<Match>(`${path}/approve`, { version: proposed.version }));
  expect(approved).toMatchObject({ status: 'confirmed', journal_entries: [] });
  expect(await findings()).toEqual([]);
  const undone = succeeded(await ada.post<Match>(`${path}/undo`, { reason: 'It is another rent' }));
  expect(undone).toMatchObject({ status: 'undone', journal_entries: [] });
  expect(await client.read(`/v1/transactions/bank_lines/${line!.id}`)).toMatchObject({
    status: 'open',
    exception: null,
  });
  expect(await counts()).toEqual(before);
  expect(await findings()).toEqual([]);
});

test('an account of many lines is taken in pages, and each line is one item', async () => {
  for (let batch = 0; batch < 5; batch += 1) {
    const entries = Array.from({ length: 100 }, (_, at) => entry(1 + at, `MANY-${batch}-${1_000 + at}`));
    succeeded(await client.post<object>('/v1/journal/entries/batches', { entries }));
  }
  const text = statement([
    { amount: 100, endToEndId: 'MANY-0-1099' },
    { amount: 1, endToEndId: 'MANY-4-1000' },
  ]);
  expect((await compare(text)).body).toMatchObject({ matched: 2, open: 0 });
  expect((await counts()).items).toBe(500);
  expect(await findings()).toEqual([]);
});

test('what is refused: another book, no account, no scope, a bank account, and an account in the books of the operator', async () => {
  const text = statement([{ amount: 5 }]);
  const { client: stranger } = await product.organisation();
  const before = await counts();
  expect((await compare(text, { as: stranger })).body).toMatchObject({ code: 'resource_not_found', param: 'account' });
  const json = await stranger.post<Problem>(RUNS, { account: bank });
  expect([json.status, json.body]).toMatchObject([404, { code: 'resource_not_found', param: '/account' }]);
  const nobody = await client.send<Problem>('POST', RUNS, {
    ...{ rawBody: text, headers: { 'content-type': 'application/xml' } },
  });
  expect(nobody.body).toMatchObject({ code: 'permission_denied' });
  expect(nobody.body.detail).toContain('account=');
  const both = await compare(text, { query: { bank_account: 'ba_01kec2v7qwf15vsgqhawh0d2r1' } });
  expect(both.body.code).toBe('permission_denied');
  const reader = await product.clientWith({ bookId: keys.testBookId, mode: 'test', scopes: ['reconciliations:read'] });
  expect((await compare(text, { as: reader })).body).toMatchObject({
    ...{ status: 403, code: 'permission_denied', required_scope: 'reconciliations:write' },
  });
  const operatorBook = (await operatorBooks(product.runtime.pool)).test;
  const operator = await addPersonOf(product.runtime.pool, operatorBook, {
    name: 'Olga',
    scopes: ['reconciliations:write'],
  });
  const operators = await compare(text, { as: product.client(operator.key) });
  expect(operators.body).toMatchObject({ status: 400, code: 'parameter_invalid', param: 'account' });
  const half = await compare(text.slice(0, 700));
  expect(half.body).toMatchObject({ status: 422, code: 'file_invalid' });
  expect(await counts()).toEqual(before);

  const { body: run } = await compare(text);
  const [line] = await all<Line>('bank_lines');
  for (const path of [`reconciliations/${run.id}`, `bank_lines/${line!.id}`])
    expect((await stranger.get(`/v1/transactions/${path}`)).status).toBe(404);
  expect(await all('bank_lines', stranger)).toEqual([]);
});

test('a CSV is read by a saved profile of the book', async () => {
  await book(1_250, 'ORDER-88');
  const csv = `Date;Details;Amount\n${day(3).split('-').reverse().join('/')};Order ORDER-88;1,250\n${day(1).split('-').reverse().join('/')};Charges;-0,500\n`;
  const asked = await client.send<{ code: string; candidates: ({ profile: string | null } & object)[] }>(
    'POST',
    `${RUNS}?account=${bank}`,
    { rawBody: csv, headers: { 'content-type': 'text/csv' } },
  );
  expect(asked.body.code).toBe('profile_needed');
  const { profile: _, ...form } = asked.body.candidates[0]!;
  const saved = succeeded(await client.post<{ id: string }>('/v1/transactions/profiles', { name: 'Portal', ...form }));
  const { body } = await compare(csv, { type: 'text/csv', query: { profile: saved.id } });
  expect(body).toMatchObject({
    ...{ status: 'completed', lines: 2, matched: 1, open: 1, source: { profile: saved.id } },
    by_rule: [{ rule: 'reference_in_text', amount: 1_250 }],
  });
  expect(await findings()).toEqual([]);
});
