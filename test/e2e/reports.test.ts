/** Reports over the wire: asked for, written, downloaded whole and in part, refused, and as many as a book may have. */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Client, Event, List, Problem } from '../../scripts/harness/client.ts';
import { until } from '../../scripts/harness/client.ts';
import { program as reporting } from '../../scripts/report.ts';
import { addDays } from '../../src/calendar/day.ts';
import { operatorBooks } from '../../src/organisations/organisation-store.ts';
import { publicId } from '../../src/values/ids.ts';
import { oneDay, today } from '../support/one-day.ts';
import { type Product, startProduct } from '../support/product.ts';
import { runHere } from '../support/run-here.ts';

interface Report {
  id: string;
  status: string;
  interim: boolean;
  through_sequence: number;
  chain_hash: string | null;
  parameters: Record<string, unknown>;
  progress: { done: number; total: number | null };
  result: {
    rows: number;
    totals: { currency: string; debits: number; credits: number }[];
    bytes: number;
    sha256: string;
    digest: string;
    expires_at: string;
  } | null;
  failure: { code: string } | null;
}

let product: Product;
let client: Client;
let live: Client;
let bookId: string;

beforeAll(async () => {
  product = await startProduct({ backend: 'postgres', clock: oneDay });
});
afterAll(async () => {
  await product?.close();
});
beforeEach(async () => {
  const organisation = await product.organisation();
  ({ client, live } = organisation);
  bookId = organisation.keys.testBookId;
});

const trial = (change: object = {}) => ({ type: 'trial_balance', as_of: today, format: 'csv', ...change });

async function ask(body: object, by: Client = client): Promise<Report> {
  const answer = await by.post<Report>('/v1/reports', body);
  expect(answer.status, answer.text).toBe(202);
  return answer.body;
}

const written = ({ id }: Report, by: Client = client) =>
  until(
    () => by.read<Report>(`/v1/reports/${id}`),
    ({ status }) => status === 'succeeded' || status === 'failed',
  );

test('a report is accepted, written and downloaded; the command writes the same bytes', async () => {
  await client.openAccount({ funds: 5_124, currency: 'KWD' });
  const accepted = await ask(trial());
  expect(accepted).toMatchObject({ status: 'pending', interim: true, result: null, failure: null });
  const report = await written(accepted);
  expect(report).toMatchObject({ status: 'succeeded', through_sequence: accepted.through_sequence });
  expect(report.result!.totals).toMatchObject([{ currency: 'KWD', debits: 5_124, credits: 5_124 }]);
  expect(report.progress).toEqual({ done: report.result!.rows, total: report.result!.rows });
  const file = await client.get(`/v1/reports/${report.id}/content`);
  expect(file).toMatchObject({ status: 200, headers: { 'content-type': 'text/csv; charset=utf-8' } });
  expect(file.headers.etag).toBe(`"${report.result!.sha256}"`);
  expect(createHash('sha256').update(file.bytes).digest('hex')).toBe(report.result!.sha256);
  expect(file.bytes.length).toBe(report.result!.bytes);
  const words = ['trial-balance', '--book', publicId('book', bookId), '--as-of', today];
  const command = await runHere(reporting, [...words, '--through-sequence', `${report.through_sequence}`], {
    DATABASE_URL: product.database.applicationUrl,
  });
  expect([command.code, command.out]).toEqual([0, file.text]);
});

test('equal parameters and entries give equal bytes, also when more was posted since; events tell both', async () => {
  await client.openAccount();
  const first = await written(await ask(trial({ format: 'json' })));
  await client.openAccount();
  const again = await written(await ask(trial({ format: 'json', through_sequence: first.through_sequence })));
  expect(again.id).not.toBe(first.id);
  expect(again.chain_hash).toBe(first.chain_hash);
  expect({ ...again.result, expires_at: null }).toEqual({ ...first.result, expires_at: null });
  const files = await Promise.all([first, again].map(({ id }) => client.get(`/v1/reports/${id}/content`)));
  expect(files[0]!.bytes.equals(files[1]!.bytes)).toBe(true);
  expect(JSON.parse(files[0]!.text)).toMatchObject({
    type: 'trial_balance',
    as_of: today,
    chain_hash: first.chain_hash,
  });
  const { data } = await client.read<List<Event>>('/v1/events?type=report.succeeded');
  expect(data.map((event) => event.data.object.id).sort()).toEqual([first.id, again.id].sort());
});

test('a repeated request has the first answer, and one report', async () => {
  const send = () => client.post<Report>('/v1/reports', trial(), { idempotencyKey: 'once' });
  const [first, again] = [await send(), await send()];
  expect([again.status, again.text, again.headers['idempotent-replayed']]).toEqual([202, first.text, 'true']);
  expect((await client.read<List<Report>>('/v1/reports')).data).toHaveLength(1);
  const other = await client.post<Problem>('/v1/reports', trial({ format: 'json' }), { idempotencyKey: 'once' });
  expect(other).toMatchObject({ status: 422, body: { code: 'idempotency_key_reused' } });
});

test('an answer may wait until the file is there', async () => {
  const answer = await client.post<Report>('/v1/reports', trial(), { headers: { prefer: 'wait=20' } });
  expect([answer.status, answer.body.status]).toEqual([202, 'succeeded']);
});

test('a range of bytes is answered with a part, and what is no range with the whole', async () => {
  await client.openAccount();
  const { id, result } = await written(await ask(trial()));
  const get = (headers: Record<string, string>) => client.get(`/v1/reports/${id}/content`, { headers });
  const whole = await get({});
  const part = await get({ range: 'bytes=10-29' });
  expect(part).toMatchObject({ status: 206, headers: { 'content-range': `bytes 10-29/${result!.bytes}` } });
  expect(part.text).toBe(whole.text.slice(10, 30));
  expect(await get({ range: 'bytes=0-4', 'if-range': `"${result!.sha256}"` })).toMatchObject({ status: 206 });
  expect(await get({ range: 'Bytes=0-4', 'if-range': ` "${result!.sha256}" ` })).toMatchObject({ status: 206 });
  const unheard: Record<string, string>[] = [
    { range: 'bytes=0-4', 'if-range': '"another"' },
    { range: 'bytes=0-1,4-5' },
    { range: `bytes=${result!.bytes}-` },
  ];
  for (const headers of unheard) expect(await get(headers)).toMatchObject({ status: 200, text: whole.text });
});

test('a past day is finished with the report: what is posted afterwards is of a later moment', async () => {
  const report = await written(await ask(trial({ as_of: addDays(today, -1) })));
  expect(report).toMatchObject({ interim: false, result: { rows: 0, totals: [] } });
  const { last_posted_at: moved } = await client.read<{ last_posted_at: string }>('/v1/journal');
  expect(moved.slice(0, 10)).toBe(today);
});

test.each([
  ['a day to come', { as_of: '2999-01-01' }, 'parameter_invalid', '/as_of'],
  ['no day', { as_of: undefined }, 'parameter_missing', '/as_of'],
  ['days of a report as of one', { from: '2026-01-01' }, 'parameter_invalid', '/from'],
  ['one day of a report over days', { type: 'income_statement' }, 'parameter_invalid', '/as_of'],
  ['no first day', { type: 'income_statement', as_of: undefined, to: '2026-01-01' }, 'parameter_missing', '/from'],
  [
    'from after to',
    { type: 'income_statement', as_of: undefined, from: '2026-01-02', to: '2026-01-01' },
    'parameter_invalid',
    '/to',
  ],
  ['an axis that it has not', { type: 'open_items', axis: 'effective' }, 'parameter_invalid', '/axis'],
  ['a form that it has not', { format: 'camt053' }, 'parameter_invalid', '/format'],
  ["a report of the operator's", { type: 'bank_reconciliation' }, 'parameter_invalid', '/type'],
  ['a currency of all', { type: 'unmatched', currency: 'JOD' }, 'parameter_invalid', '/currency'],
  [
    'no account of a statement',
    { type: 'statement', as_of: undefined, from: '2026-01-01', to: '2026-01-31' },
    'parameter_missing',
    '/account',
  ],
  ['an entry to come', { through_sequence: 999 }, 'parameter_invalid', '/through_sequence'],
  ['a currency that is none', { currency: 'XXX' }, 'currency_unsupported', '/currency'],
  ['no report', { type: 'nothing' }, 'parameter_invalid', '/type'],
  ['a byte order mark of JSON', { format: 'json', bom: true }, 'parameter_invalid', '/bom'],
])('%s is refused at its place', async (_, change, code, param) => {
  const { status, body } = await client.post<Problem>('/v1/reports', trial(change));
  expect([status, body.code, body.param]).toEqual([400, code, param]);
});

test('reading and asking have scopes of their own, and another book sees nothing', async () => {
  const { id } = await written(await ask(trial()));
  const keyed = (scopes: string[]) => product.clientWith({ bookId, mode: 'test', scopes });
  const [reader, writer] = [await keyed(['reports:read']), await keyed(['reports:write'])];
  expect((await reader.post<Problem>('/v1/reports', trial())).body.code).toBe('permission_denied');
  expect((await reader.get(`/v1/reports/${id}/content`)).status).toBe(200);
  expect((await writer.get<Problem>(`/v1/reports/${id}/content`)).body.code).toBe('permission_denied');
  expect((await writer.post('/v1/reports', trial())).status).toBe(202);
  expect((await live.get<Problem>(`/v1/reports/${id}/content`)).body.code).toBe('resource_not_found');
});

test('a book has ten reports under way; further ones are refused until one has ended', async () => {
  await product.stopPools();
  const asked: Report[] = [];
  for (let at = 0; at < 10; at++) asked.push(await ask(trial()));
  const refused = await client.post<Problem>('/v1/reports', trial());
  expect(refused).toMatchObject({ status: 422, body: { code: 'limit_exceeded', limit: 10 } });
  const early = await client.get<Problem>(`/v1/reports/${asked[0]!.id}/content`);
  expect(early).toMatchObject({ status: 404, body: { code: 'resource_not_found' } });
  await product.startPools();
  for (const one of asked) expect((await written(one)).status).toBe('succeeded');
  expect((await client.post('/v1/reports', trial())).status).toBe(202);
});

describe('a statement', () => {
  let account: string;
  let yesterday: string;

  beforeEach(async () => {
    account = (await client.openAccount({ funds: 5_124, currency: 'KWD' })).id;
    yesterday = addDays(today, -1);
  });

  const statement = (change: object = {}) => ({ type: 'statement', account, from: yesterday, to: today, ...change });
  const content = ({ id }: Report) => client.get(`/v1/reports/${id}/content`);
  const asAnswered = (format: string, to = today) =>
    client.get(`/v1/accounts/${account}/statements?from=${yesterday}&to=${to}&format=${format}`);

  test.each(['csv', 'json', 'pdf'])("has the bytes of the account's own answer: %s", async (format) => {
    const report = await written(await ask(statement({ format })));
    expect(report).toMatchObject({ status: 'succeeded', interim: true, result: { rows: 1 } });
    expect(report.result!.totals).toMatchObject([{ currency: 'KWD', debits: 0, credits: 5_124 }]);
    const [file, answered] = [await content(report), await asAnswered(format)];
    expect(file.bytes.equals(answered.bytes)).toBe(true);
    if (format === 'csv') expect(answered.headers['statement-digest']).toBe(report.result!.digest);
    expect(file.headers['content-type']).toBe(answered.headers['content-type']);
  });

  test('as camt.053 is of days that are over', async () => {
    const early = await client.post<Problem>('/v1/reports', statement({ format: 'camt053' }));
    expect(early).toMatchObject({ status: 400, body: { code: 'parameter_invalid', param: '/to' } });
    const report = await written(await ask(statement({ format: 'camt053', to: yesterday })));
    const file = await content(report);
    expect(file.headers['content-disposition']).toContain('.xml');
    expect(file.bytes.equals((await asAnswered('camt053', yesterday)).bytes)).toBe(true);
  });

  test('may have more lines than an answer, up to an entry', async () => {
    const other = (await client.openAccount({ funds: 0, currency: 'KWD' })).id;
    const postings = Array.from({ length: 100 }, () => ({ debit: account, credit: other, amount: 1, currency: 'KWD' }));
    for (let at = 0; at < 21; at++) await client.post('/v1/journal/entries', { postings });
    expect((await asAnswered('pdf')).status).toBe(400);
    const report = await written(await ask(statement({ format: 'pdf' })));
    expect(report).toMatchObject({ status: 'succeeded', result: { rows: 2_101 } });
    expect((await content(report)).bytes.subarray(0, 5).toString()).toBe('%PDF-');
    const before = await written(
      await ask(statement({ format: 'csv', through_sequence: report.through_sequence - 1 })),
    );
    expect(before.result!.rows).toBe(2_001);
  });
});

test("the operator's reports are written for the operator's books", async () => {
  const operators = await product.clientWith({
    ...{ bookId: (await operatorBooks(product.runtime.pool)).test, mode: 'test', scopes: ['*'] },
  });
  for (const type of ['bank_reconciliation', 'suspense_ageing', 'unmatched', 'safeguarding'])
    for (const format of ['csv', 'json', 'pdf']) {
      const report = await written(await ask({ type, format, as_of: today }, operators), operators);
      expect(report, type).toMatchObject({ status: 'succeeded', interim: true });
      const file = await operators.get(`/v1/reports/${report.id}/content`);
      if (format === 'json') expect(JSON.parse(file.text)).toMatchObject({ type, as_of: today });
    }
  const rates = await ask({ type: 'match_rates', from: addDays(today, -30), to: today, format: 'csv' }, operators);
  expect((await written(rates, operators)).status).toBe('succeeded');
  const past = { type: 'bank_reconciliation', format: 'csv', as_of: addDays(today, -1) };
  const refused = await operators.post<Problem>('/v1/reports', past);
  expect(refused).toMatchObject({ status: 400, body: { code: 'parameter_invalid', param: '/as_of' } });
});

test('types say what each takes', async () => {
  const { types } = await client.read<{ types: Record<string, unknown>[] }>('/v1/reports/types');
  const of = (name: string) => types.find(({ type }) => type === name);
  expect(of('statement')).toMatchObject({
    ...{ days: 'from_to', takes: ['account'], needs_account: true, operator_only: false },
    formats: ['csv', 'json', 'pdf', 'camt053'],
  });
  expect(of('general_ledger')).toMatchObject({ axes: ['posted', 'effective'], formats: ['csv', 'json'] });
  expect(of('safeguarding')).toMatchObject({ days: 'as_of', operator_only: true, formats: ['csv', 'json', 'pdf'] });
});
