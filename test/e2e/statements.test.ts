/** Statements of an account over the API: JSON and CSV, finished days and the day that lasts, kinds and texts of lines, bad input. */
import { createHash } from 'node:crypto';
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Account, type Client, type Problem, until } from '../../scripts/harness/client.ts';
import { addDays } from '../../src/calendar/day.ts';
import { startContracted } from '../support/contracted.ts';
import { lookInto, type Product } from '../support/product.ts';

interface Line {
  sequence: number;
  direction: string;
  amount: number;
  balance_after: number;
  kind: string;
  external_id: string | null;
  end_to_end_id: string | null;
  counterparty: string | null;
  description: string | null;
  posted_at: string;
  effective_on: string;
  occurred_on: string | null;
}
interface Statement {
  interim: boolean;
  through_line: number;
  opening: number;
  closing: number;
  credits: { count: number; sum: number };
  debits: { count: number; sum: number };
  lines: Line[];
  digest: string;
}

let product: Product;
let client: Client;
let bookId: string;
let account: Account;

beforeAll(async () => {
  product = await startContracted({ backend: 'postgres', environment: { PAYOUT_FEE_CLIQ_BASIS_POINTS: '100' } });
});
afterAll(async () => {
  await product?.close();
});
beforeEach(async () => {
  const organisation = await product.organisation();
  client = organisation.client;
  bookId = organisation.keys.testBookId;
  account = await client.openAccount({ funds: 100_000 });
});

const today = async () => (await client.read<{ now: string }>('/v1/simulations/clock')).now.slice(0, 10);
const statement = (query: string) => client.read<Statement>(`/v1/accounts/${account.id}/statements?${query}`);
const csv = (query: string) => client.get(`/v1/accounts/${account.id}/statements?${query}&format=csv`);
async function pay(): Promise<void> {
  const payout = await client.pay({
    account: account.id,
    amount: 5_000,
    body: { description: '=HYPERLINK("x")', external_id: 'inv-7' },
  });
  await client.payoutUntil(payout.id, 'paid');
}
/** Nothing happens for some days. */
async function daysPass(days: number): Promise<void> {
  const superuser = lookInto(product.database);
  await superuser.query('UPDATE books SET clock_offset_ms = clock_offset_ms + $2::bigint WHERE id = $1', [
    bookId,
    days * 86_400_000,
  ]);
  await superuser.end();
}

test('lines say what they are, and what the resource says of them', async () => {
  await pay();
  const { data } = await client.read<{ data: Line[] }>(`/v1/accounts/${account.id}/entries`);
  const said = { external_id: 'inv-7', counterparty: 'S**P1', description: '=HYPERLINK("x")' };
  expect(data).toEqual([
    expect.objectContaining({ ...said, kind: 'payout_fee', amount: 50, end_to_end_id: expect.any(String) }),
    expect.objectContaining({ ...said, kind: 'payout', amount: 5_000, end_to_end_id: expect.any(String) }),
    expect.objectContaining({ kind: 'inbound_transfer', external_id: null, counterparty: null, end_to_end_id: null }),
  ]);
  const lines = async (query: string) =>
    (await client.read<{ data: Line[] }>(`/v1/accounts/${account.id}/entries?${query}`)).data.map(({ kind }) => kind);
  expect(await lines('kind=payout_fee')).toEqual(['payout_fee']);
  expect(await lines('kind=payout')).toEqual(['payout']);
  expect(await lines('kind=refund')).toEqual([]);
  const now = await today();
  expect(await lines(`posted_on[gte]=${now}&limit=2`)).toEqual(['payout_fee', 'payout']);
  expect(await lines(`posted_on[lte]=${addDays(now, -1)}`)).toEqual([]);
  expect(await lines(`effective_on[gte]=${now}&effective_on[lte]=${now}`)).toHaveLength(3);
  expect(await lines(`effective_on[lte]=${addDays(now, -1)}`)).toEqual([]);
});

test('a payout to another account has no counterparty', async () => {
  const other = await client.openAccount({ funds: 0 });
  const payout = await client.pay({
    ...{ account: account.id, amount: 5_000, destination: { type: 'account', account: other.id } },
  });
  await client.payoutUntil(payout.id, 'paid');
  const { data } = await client.read<{ data: Line[] }>(`/v1/accounts/${other.id}/entries`);
  expect(data).toMatchObject([{ kind: 'payout', amount: 5_000, counterparty: null }]);
});

test('a statement of the day that lasts is interim; of finished days it is final, and the same to the byte', async () => {
  await pay();
  const day = await today();
  const lasting = await statement(`from=${addDays(day, -3)}&to=${day}`);
  expect(lasting).toMatchObject({
    ...{ interim: true, through_line: 3, opening: 0, closing: 94_950 },
    ...{ credits: { count: 1, sum: 100_000 }, debits: { count: 2, sum: 5_050 } },
  });
  expect(lasting.lines.map(({ sequence, balance_after }) => [sequence, balance_after])).toEqual([
    [1, 100_000],
    [2, 95_000],
    [3, 94_950],
  ]);
  await daysPass(2);
  const query = `from=${day}&to=${day}`;
  const first = await client.get<Statement>(`/v1/accounts/${account.id}/statements?${query}`);
  expect(first.body).toMatchObject({ interim: false, opening: 0, closing: 94_950 });
  expect((await client.read<{ last_posted_at: string }>('/v1/journal')).last_posted_at >= addDays(day, 1)).toBe(true);
  await client.openAccount({ funds: 1 });
  await pay();
  const again = await client.get(`/v1/accounts/${account.id}/statements?${query}`);
  expect(again.bytes.equals(first.bytes)).toBe(true);
  const next = await statement(`from=${addDays(day, 1)}&to=${await today()}`);
  expect(next).toMatchObject({ interim: true, opening: 94_950, closing: 89_900, through_line: 5 });
  const ofChart = await client.read<Statement>(`/v1/journal/accounts/${account.id}/statements?${query}`);
  expect(ofChart.digest).toBe(first.body.digest);
});

test('an entry that takes effect before is in the statement of the day on which it is posted, with its day beside', async () => {
  const other = await client.openAccount({ funds: 0 });
  const day = await today();
  const posted = await client.post('/v1/journal/entries', {
    postings: [{ debit: account.id, credit: other.id, amount: 300, currency: 'JOD' }],
    effective_on: addDays(day, -5),
    description: 'مكتب عمّان',
    external_id: 'gl-1',
  });
  expect(posted.status, posted.text).toBe(201);
  const before = await statement(`from=${addDays(day, -5)}&to=${addDays(day, -1)}`);
  expect(before).toMatchObject({ interim: false, opening: 0, closing: 0, lines: [], through_line: 0 });
  const { lines } = await statement(`from=${day}&to=${day}`);
  expect(lines.at(-1)).toMatchObject({
    ...{ kind: 'entry', effective_on: addDays(day, -5), occurred_on: null },
    ...{ external_id: 'gl-1', description: 'مكتب عمّان', counterparty: null },
  });
});

test('CSV has signed amounts with the digits of the currency, texts that are no formulas, and a digest that anybody computes', async () => {
  await pay();
  const day = await today();
  const { headers, text } = await csv(`from=${day}&to=${day}`);
  expect(headers['content-type']).toBe('text/csv; charset=utf-8');
  expect(headers['content-disposition']).toBe(`attachment; filename="${account.id}-${day}-${day}.csv"`);
  const rows = parse<Record<string, string>>(text, { columns: true });
  expect(rows.map((row) => [row.kind, row.amount, row.amount_minor, row.balance_after, row.description])).toEqual([
    ['inbound_transfer', '100.000', '100000', '100.000', ''],
    ['payout', '-5.000', '-5000', '95.000', `'=HYPERLINK("x")`],
    ['payout_fee', '-0.050', '-50', '94.950', `'=HYPERLINK("x")`],
  ]);
  const texts = ['external_id', 'end_to_end_id', 'counterparty', 'description'];
  const table = [Object.keys(rows[0]!), ...rows.map((row) => Object.values(row))];
  const kept = table.map((cells) => cells.slice(0, -texts.length).join(','));
  const head = `${account.id},${day},${day},0,94950`;
  const digest = createHash('sha256')
    .update([head, ...kept, ''].join('\r\n'))
    .digest('hex');
  const json = await statement(`from=${day}&to=${day}`);
  expect(json.digest).toBe(digest);
  expect(headers).toMatchObject({
    ...{ 'statement-lines': '3', 'statement-opening': '0', 'statement-closing': '94950', 'statement-digest': digest },
  });
  const marked = await csv(`from=${day}&to=${day}&bom=true`);
  expect(marked.text).toBe(`\uFEFF${text}`);
});

test('the digest stays when a text is changed; the file does not', async () => {
  await pay();
  const day = await today();
  const before = await csv(`from=${day}&to=${day}`);
  const { data } = await client.read<{ data: { id: string }[] }>('/v1/payouts');
  await client.patch(`/v1/payouts/${data[0]!.id}`, { description: 'Rent', external_id: 'inv-8' });
  const after = await csv(`from=${day}&to=${day}`);
  expect(after.headers['statement-digest']).toBe(before.headers['statement-digest']);
  expect(after.text).not.toBe(before.text);
});

test('camt.053 is of days that are over, PDF of any; both name themselves', async () => {
  await pay();
  const day = await today();
  const path = `/v1/accounts/${account.id}/statements?from=${day}&to=${day}`;
  const early = await client.get(`${path}&format=camt053`);
  expect([early.status, early.body.errors[0]!.param]).toEqual([400, 'to']);
  const interim = await client.get(`${path}&format=pdf`);
  expect([interim.status, interim.headers['content-type']]).toEqual([200, 'application/pdf']);
  await daysPass(1);
  const camt = await client.get(`${path}&format=camt053`);
  expect([camt.status, camt.headers['content-type']]).toEqual([200, 'application/xml; charset=utf-8']);
  expect(camt.text).toContain('<TtlCdtNtries><NbOfNtries>1</NbOfNtries><Sum>100.000</Sum></TtlCdtNtries>');
  expect(camt.text).toContain('<Cdtr><Pty><Nm>S**P1</Nm></Pty></Cdtr>');
  const pdf = await client.get(`${path}&format=pdf`);
  expect(pdf.bytes.subarray(0, 5).toString()).toBe('%PDF-');
  expect(pdf.headers['content-disposition']).toBe(`attachment; filename="${account.id}-${day}-${day}.pdf"`);
  for (const format of ['pdf', 'camt053', 'csv'])
    expect((await client.get(`${path}&format=${format}`)).bytes).toEqual(
      (await client.get(`${path}&format=${format}`)).bytes,
    );
});

test.each([
  ['one day', 'from=2026-02-01', ['to']],
  ['a form of no days', 'format=csv', ['from', 'to']],
  [
    'a page of days',
    'from=2026-02-01&to=2026-02-01&limit=1&starting_after=stmt_01k5c2r3v8e9m0x6y7z4a1b2cd',
    ['starting_after'],
  ],
  ['29 February of 2027', 'from=2027-02-29&to=2027-03-01', ['from']],
  ['days out of order', 'from=2026-02-02&to=2026-02-01', ['to']],
  ['a day to come', 'from=2026-02-02&to=2999-01-01', ['to']],
  ['a format that there is not', 'from=2026-02-02&to=2026-02-02&format=xls', ['format']],
  ['a mark in a PDF', 'from=2026-02-02&to=2026-02-02&format=pdf&bom=true', ['bom']],
  ['a mark in what is no CSV', 'from=2026-02-02&to=2026-02-02&bom=true', ['bom']],
])('%s: 400 at its place', async (_, query, params) => {
  const { status, body } = await client.get<Problem>(`/v1/accounts/${account.id}/statements?${query}`);
  expect([status, body.errors.map(({ param }) => param)], JSON.stringify(body)).toEqual([400, params]);
});

test('days before the first entry have a statement of nothing; an account of another book has none', async () => {
  expect(await statement('from=0001-01-01&to=1999-12-31')).toMatchObject({
    ...{ interim: false, opening: 0, closing: 0, through_line: 0, lines: [], credits: { count: 0, sum: 0 } },
  });
  const { client: stranger } = await product.organisation();
  const { status } = await stranger.get(`/v1/accounts/${account.id}/statements?from=2026-01-01&to=2026-01-01`);
  expect(status).toBe(404);
});

test('a schedule makes a statement of each day on the way of the clock, and its content has the number', async () => {
  await client.patch(`/v1/accounts/${account.id}`, { statement_schedule: 'daily' });
  const first = await today();
  await pay();
  const path = `/v1/accounts/${account.id}/statements`;
  await client.post('/v1/simulations/clock/advance', { by: 'P3D' });
  await until(
    () => client.read<{ status: string }>('/v1/simulations/clock'),
    ({ status }) => status === 'idle',
  );
  const { data } = await client.read<{ data: Kept[] }>(path);
  expect(data.map(({ number, from, to }) => [number, from, to])).toEqual(
    [3, 2, 1].map((number) => [number, addDays(first, number - 1), addDays(first, number - 1)]),
  );
  const kept = data[2]!;
  expect(kept).toMatchObject({ opening: 0, debits: { count: 2 }, credits: { count: 1, sum: 100_000 } });
  expect(data.map(({ opening }) => opening)).toEqual([kept.closing, kept.closing, 0]);
  // Made at the end of its day, and told by then.
  expect(Date.parse(kept.created_at) % 86_400_000).toBe(0);
  const ofDays = await statement(`from=${kept.from}&to=${kept.to}`);
  expect([ofDays.digest, ofDays.closing]).toEqual([kept.digest, kept.closing]);
  const content = (format: string) => client.get(`${path}/${kept.id}/content?format=${format}`);
  const read = [await content('csv'), await content('csv')];
  expect(read[0]!.text).toBe(read[1]!.text);
  expect(read[0]!.headers['statement-digest']).toBe(kept.digest);
  expect((await content('camt053')).text).toContain('<ElctrncSeqNb>1</ElctrncSeqNb>');
  expect((await content('pdf')).bytes.subarray(0, 5).toString()).toBe('%PDF-');
  const events = await client.read<{ data: { data: { object: Kept } }[] }>('/v1/events?type=statement.ready');
  expect(events.data.map(({ data: { object } }) => object.number)).toEqual([3, 2, 1]);
  expect(events.data.at(-1)!.data.object).toEqual(kept);
});

interface Kept {
  id: string;
  number: number;
  from: string;
  to: string;
  opening: number;
  closing: number;
  credits: { count: number; sum: number };
  debits: { count: number; sum: number };
  digest: string;
  created_at: string;
}
