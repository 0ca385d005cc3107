/** Batches of payouts: rows G of the golden scenarios, with fewer items where their number does not matter. */

import { rmSync, writeFileSync } from 'node:fs';
import { type ClientRequest, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  type Client,
  type Event,
  type List,
  type Payout,
  type Problem,
  succeeded,
} from '../../scripts/harness/client.ts';
import { until } from '../../scripts/harness/until.ts';
import { resolveByPerson } from '../../scripts/ops-resolve.ts';
import type * as schemas from '../../src/payouts/batches/api/batch-schemas.ts';
import { sweepUploadErrors } from '../../src/payouts/batches/upload-errors.ts';
import { pause, pausedOf, resume } from '../../src/payouts/pauses/change-pause.ts';
import { newId, publicId } from '../../src/values/ids.ts';
import { startContracted } from '../support/contracted.ts';
import { expectInvariants } from '../support/invariants.ts';
import { addPersonOf } from '../support/people.ts';
import { lookInto, type Product } from '../support/product.ts';

type Batch = (typeof schemas.batch)['_zod']['output'];
type Item = (typeof schemas.batchItem)['_zod']['output'];

/** A batch, or why there is none. */
type Answered = Batch & { errors_total: number; errors: { code: string; param: string }[]; code: string };

const BATCHES = '/v1/payouts/batches';

let product: Product;
let service: Client;
let ada: Client;
let ben: Client;
let cem: Client;
let account: string;
let bookId: string;

beforeAll(async () => {
  product = await startContracted({
    backend: 'postgres',
    environment: {
      RATE_LIMIT_WRITES_PER_SECOND: '10000',
      RATE_LIMIT_READS_PER_SECOND: '10000',
    },
  });
});
afterAll(() => product?.close());

beforeEach(async () => {
  const made = await product.organisation();
  service = made.client;
  bookId = made.keys.testBookId;
  const { pool } = product.runtime;
  ada = product.client((await addPersonOf(pool, bookId, { name: 'Ada' })).key);
  ben = product.client((await addPersonOf(pool, bookId, { name: 'Ben' })).key);
  cem = product.client((await addPersonOf(pool, bookId, { name: 'Cem' })).key);
  account = (await service.openAccount({ funds: 100_000_000 })).id;
});

const item = (change: object = {}) => ({
  amount: 1_000,
  currency: 'JOD',
  destination: { type: 'cliq', alias: 'SHOP1' },
  ...change,
});
const items = (count: number, change: (row: number) => object = () => ({})) =>
  Array.from({ length: count }, (_, at) => item({ external_id: `row-${at + 1}`, ...change(at + 1) }));

const upload = (body: object, options: object = {}) => service.post<Answered>(BATCHES, body, options);
const uploadCsv = (text: string, { query = '', idempotencyKey }: { query?: string; idempotencyKey?: string } = {}) =>
  service.send<Answered>('POST', `${BATCHES}${query}`, {
    rawBody: text,
    headers: { 'content-type': 'text/csv' },
    ...(idempotencyKey !== undefined && { idempotencyKey }),
  });
const csv = (rows: readonly string[]) => ['amount,currency,type,alias,external_id,iban,name', ...rows].join('\n');
const csvRows = (count: number) => Array.from({ length: count }, (_, at) => `1000,JOD,cliq,SHOP1,row-${at + 1},,`);

const batchUntil = (id: string, isWanted: (batch: Batch) => boolean) =>
  until(() => service.read<Batch>(`${BATCHES}/${id}`), isWanted);
const ended = (id: string) =>
  batchUntil(id, ({ status }) => ['completed', 'partially_completed', 'failed', 'canceled'].includes(status));
const heldOf = async () => (await service.read<{ held: number }>(`/v1/accounts/${account}/balance`)).held;
const stepsOf = async (id: string) => {
  const { data } = await service.read<List<Event>>(`/v1/events?object=${id}&limit=100`);
  return data.reverse().map(({ type }) => type);
};
async function look(query: { text: string; values: unknown[] }): Promise<object[]> {
  const pool = lookInto(product.database);
  try {
    return (await pool.query(query)).rows;
  } finally {
    await pool.end();
  }
}

/** The book, unless it is said what. */
async function paused(what?: { readonly rail: string }): Promise<() => Promise<void>> {
  const { pool } = product.runtime;
  const of = what ? await pausedOf(pool, 'rail', what.rail) : await pausedOf(pool, 'book', publicId('book', bookId));
  expect(await pause(pool, of, { pausedBy: 'operator:test', now: Date.now() })).toBe(true);
  // What it read before may be a second old.
  await product.runtime.pauses.readAgain();
  return async () => {
    await resume(pool, of, Date.now());
  };
}

test('a batch becomes payouts, which are paid, and says what has become of each item', async () => {
  const accepted = await upload({ items: items(30), external_id: 'salaries' });
  expect(accepted.status).toBe(202);
  expect(accepted.body).toMatchObject({
    status: 'processing',
    items: 30,
    totals: [{ currency: 'JOD', amount: 30_000, fee: 150 }],
    counts: { waiting: 30, paid: 0 },
    external_id: 'salaries',
  });
  const batch = await ended(accepted.body.id);
  expect(batch).toMatchObject({
    status: 'completed',
    counts: { waiting: 0, paid: 30, failed: 0 },
    allowed_actions: [],
  });
  expect(await stepsOf(batch.id)).toEqual([
    'payout_batch.created',
    'payout_batch.processing',
    'payout_batch.completed',
  ]);
  const { data } = await service.read<List<Item>>(`${BATCHES}/${batch.id}/items?limit=2`);
  expect(data).toMatchObject([
    { sequence: 30, status: 'paid', external_id: 'row-30', amount: 1_000, fee: 5 },
    { sequence: 29, status: 'paid' },
  ]);
  const payout = await service.payout(data[0]!.payout!);
  expect(payout).toMatchObject({ batch: batch.id, end_to_end_id: data[0]!.end_to_end_id, external_id: 'row-30' });
  expect(await stepsOf(payout.id)).toEqual(['payout.created', 'payout.processing', 'payout.paid']);
  expect(await service.read(`/v1/accounts/${account}/balance`)).toMatchObject({
    posted: 100_000_000 - 30_150,
    held: 0,
  });
});

// A tenth of the row's items: four commands of 250 and the rest of the row's forty differ in nothing. `npm run bench -- bulk` has 10,000.
test('G1: a CSV by a service waits for a person, and is held whole, released by command and paid', async () => {
  const changed = succeeded(
    await ada.patch<{ version: number }>('/v1/payouts/approval_policy', {
      above: [{ currency: 'JOD', amount: 500_000 }],
    }),
  );
  succeeded(await ben.post('/v1/payouts/approval_policy/approve', { version: changed.version }));
  const { status, body: waiting } = await uploadCsv(csv(csvRows(1_000)));
  expect(status).toBe(202);
  expect(waiting).toMatchObject({ status: 'requires_approval', approval_reasons: ['amount'], holds: [] });
  expect(await heldOf()).toBe(0);
  const approved = await ada.post<Batch>(`${BATCHES}/${waiting.id}/approve`, { version: waiting.version });
  expect(approved.body).toMatchObject({ status: 'processing', holds: [expect.any(String)] });
  const batch = await ended(waiting.id);
  expect(batch).toMatchObject({ status: 'completed', counts: { paid: 1_000 } });
  expect(await stepsOf(batch.id)).toEqual([
    'payout_batch.created',
    'payout_batch.requires_approval',
    'payout_batch.approved',
    'payout_batch.processing',
    'payout_batch.completed',
  ]);
  const steps = await look({
    text: `SELECT kind, amount::text FROM hold_steps WHERE hold_id IN
      (SELECT id FROM holds WHERE resource = 'payout_batch' AND resource_id IN (SELECT id FROM payout_batches WHERE book_id = $1)) ORDER BY ordinal`,
    values: [bookId],
  });
  expect(steps).toEqual([
    { kind: 'created', amount: '1005000' },
    ...Array.from({ length: 4 }, () => ({ kind: 'released', amount: '251250' })),
  ]);
});

test('G2: all faults are told with their rows and columns, and the key is unused', async () => {
  const rows = csvRows(100);
  rows[16] = '1.5,JOD,cliq,SHOP1,row-17,,';
  rows[39] = '1000,XXX,cliq,SHOP1,row-40,,';
  rows[94] = '1000,JOD,iban,,row-95,JO70CBJO0000000000001234567890,Ada';
  const key = 'g2-key';
  const refused = await uploadCsv(csv(rows), { idempotencyKey: key });
  expect(refused.status).toBe(400);
  expect(refused.body).toMatchObject({ code: 'amount_not_integer', param: '/rows/17/amount' });
  expect(refused.body.errors_total).toBe(3);
  expect(refused.body.errors[2]).toMatchObject({ param: '/rows/95/iban' });
  expect(refused.body.errors[1]).toMatchObject({ code: 'currency_unsupported', param: '/rows/40/currency' });
  expect((await service.get(`/v1/idempotency_keys/${key}`)).status).toBe(404);
  expect((await service.read<List<Batch>>(BATCHES)).data).toEqual([]);
});

test('all faults of an upload are read as CSV, for a day', async () => {
  const rows = csvRows(1_000).map((row, at) => (at % 2 === 0 ? row : '1.5,XXX,cliq,SHOP1,row,,'));
  const { body } = await uploadCsv(csv(rows), {});
  expect(body.errors).toHaveLength(100);
  const told = body as Answered & { errors_csv: string };
  const { status, text, headers } = await service.get(told.errors_csv);
  expect([status, headers['content-type']]).toEqual([200, 'text/csv; charset=utf-8']);
  const [header, ...lines] = text.trimEnd().split('\r\n');
  expect(header).toBe('param,code,detail');
  expect(lines).toHaveLength(body.errors_total);
  expect(lines[0]).toMatch(/^\/rows\/2\/amount,amount_not_integer,/);
  expect(lines.at(-1)).toMatch(/^\/rows\/1000\/currency,currency_unsupported,/);
  const { errors_csv, ...dry } = (await uploadCsv(csv(rows), { query: '?dry_run=true' })).body as typeof told;
  expect([errors_csv, dry.errors_total]).toEqual([undefined, body.errors_total]);
  const late = { now: () => Date.now() + 25 * 60 * 60_000 };
  await sweepUploadErrors({ pool: product.runtime.pool, clock: late }).round();
  expect((await service.get(told.errors_csv)).status).toBe(404);
});

test('G2: faults of JSON are told by their pointers', async () => {
  const body = {
    items: [
      item(),
      item({ amount: 1.5 }),
      item({ destination: { type: 'iban', iban: 'JO70CBJO0000000000001234567890', name: 'A' } }),
    ],
  };
  const { status, body: problem } = await upload(body);
  expect(status).toBe(400);
  expect(problem.errors.map(({ param }) => param)).toEqual(['/items/1/amount', '/items/2/destination/iban']);
  expect(problem.errors_total).toBe(2);
});

test('G2: a wallet without a name, or with two, is a fault of its item, beside the others', async () => {
  const both = { type: 'wallet', wallet_id: 'W', phone: '+962791234567' };
  const { body } = await upload({
    items: [
      item(),
      item({ destination: both }),
      item({ destination: { type: 'wallet' } }),
      item({ destination: both, amount: 1.5 }),
    ],
  });
  expect(body).toMatchObject({ errors_total: 4, errors_csv: expect.any(String) });
  expect(body.errors.map(({ param, code }) => [param, code])).toEqual([
    ['/items/1/destination/phone', 'parameter_invalid'],
    ['/items/2/destination/wallet_id', 'parameter_missing'],
    ['/items/3/amount', 'amount_not_integer'],
    ['/items/3/destination/phone', 'parameter_invalid'],
  ]);
  const rows = ['1000,JOD,wallet,W,+962791234567', '1000,JOD,wallet,,', '1.5,JOD,wallet,W,'];
  const ofCsv = await uploadCsv(['amount,currency,type,wallet_id,phone', ...rows].join('\n'));
  expect(ofCsv.body.errors_total).toBe(3);
  expect(ofCsv.body.errors.map(({ param }) => param)).toEqual(['/rows/1/phone', '/rows/2/wallet_id', '/rows/3/amount']);
});

test('accounts that items leave and go to are judged whatever else is wrong, each item at its place', async () => {
  const [frozen, dinars] = [await service.openAccount(), await service.openAccount({ currency: 'KWD' })];
  succeeded(await service.post(`/v1/accounts/${frozen.id}/freeze`));
  const nobody = `${account.slice(0, -4)}0000`;
  const payee = publicId('payee', newId());
  const to = (id: string) => item({ destination: { type: 'account', account: id } });
  const told = async (given: object[]) => {
    const { body } = await upload({ account, items: given });
    expect(body.errors_total).toBe(body.errors.length);
    expect(body).toMatchObject({ errors_csv: expect.any(String) });
    return body.errors.map(({ param, code }) => [param, code]);
  };
  const unknownPayee = item({ destination: { type: 'payee', payee } });
  expect(await told([unknownPayee, to(nobody), to(dinars.id), to(account)])).toEqual([
    ['/items/0/destination/payee', 'resource_not_found'],
    ['/items/1/destination/account', 'resource_not_found'],
    ['/items/2/destination/account', 'currency_mismatch'],
    ['/items/3/destination/account', 'destination_invalid'],
  ]);
  const from = [nobody, frozen.id, dinars.id, account, frozen.id, nobody];
  expect(await told([...from.map((id) => item({ account: id })), to(nobody)])).toEqual([
    ['/items/0/account', 'resource_not_found'],
    ['/items/5/account', 'resource_not_found'],
    ['/items/1/account', 'account_frozen'],
    ['/items/4/account', 'account_frozen'],
    ['/items/2/currency', 'currency_mismatch'],
    ['/items/6/destination/account', 'resource_not_found'],
  ]);
  expect((await service.read<List<Batch>>(BATCHES)).data).toEqual([]);
});

test('G3: an account that lacks one refuses the batch; a draft stays a draft', async () => {
  const poor = (await service.openAccount({ funds: 10_049 })).id;
  const body = { items: items(10), account: poor };
  const refused = await upload(body);
  expect(refused.status).toBe(422);
  expect(refused.body).toMatchObject({
    code: 'insufficient_funds',
    account: poor,
    available: 10_049,
    required: 10_050,
  });
  expect((await service.read<List<Batch>>(BATCHES)).data).toEqual([]);
  const draft = succeeded(await upload({ ...body, submit: false }));
  expect(draft).toMatchObject({ status: 'draft', allowed_actions: ['submit', 'cancel'] });
  const again = await service.post<Problem>(`${BATCHES}/${draft.id}/submit`);
  expect(again.body).toMatchObject({ code: 'insufficient_funds', account: poor, available: 10_049, required: 10_050 });
  expect((await service.read<Batch>(`${BATCHES}/${draft.id}`)).status).toBe('draft');
});

test('G4, G5: the same bytes again are refused, unless allowed; under the same key they are the first batch', async () => {
  const text = csv(csvRows(5));
  const first = await uploadCsv(text, { idempotencyKey: 'g5' });
  const replayed = await uploadCsv(text, { idempotencyKey: 'g5' });
  expect(replayed.text).toBe(first.text);
  expect(replayed.headers['idempotent-replayed']).toBe('true');
  const twice = await uploadCsv(text);
  expect(twice.status).toBe(409);
  expect(twice.body).toMatchObject({ code: 'state_conflict', resource: first.body.id });
  const allowed = await uploadCsv(text, { query: '?allow_duplicate=true' });
  expect(allowed.status).toBe(202);
  expect(await ended(first.body.id)).toMatchObject({ status: 'completed' });
  expect(await ended(allowed.body.id)).toMatchObject({ status: 'completed' });
  const ids = async (id: string) =>
    (await service.read<List<Item>>(`${BATCHES}/${id}/items`)).data.map(({ end_to_end_id }) => end_to_end_id);
  const both = [...(await ids(first.body.id)), ...(await ids(allowed.body.id))];
  expect(new Set(both).size).toBe(10);
  const other = await uploadCsv(csv(csvRows(6)), { idempotencyKey: 'g5' });
  expect(other.body).toMatchObject({ code: 'idempotency_key_reused', resource: first.body.id });
});

test('G9: who uploaded or submitted a batch does not approve it', async () => {
  const draft = succeeded(await upload({ items: items(3), submit: false, approval: 'required' }));
  const submitted = succeeded(await ada.post<Batch>(`${BATCHES}/${draft.id}/submit`));
  expect(submitted.status).toBe('requires_approval');
  const own = await ada.post<Problem>(`${BATCHES}/${draft.id}/approve`, { version: submitted.version });
  expect(own.body).toMatchObject({ code: 'self_approval_forbidden' });
  expect(await heldOf()).toBe(0);
  await product.stopPools();
  const approved = await ben.post<Batch>(`${BATCHES}/${draft.id}/approve`, { version: submitted.version });
  expect(approved.body).toMatchObject({ status: 'processing', approvals: [{ person: expect.any(String) }] });
  expect(await heldOf()).toBe(3_015);
  await product.startPools();
  expect(await stepsOf(draft.id)).toContain('payout_batch.approved');
  expect(await ended(draft.id)).toMatchObject({ status: 'completed' });
});

test('a batch is rejected with a reason, and the same content may come again', async () => {
  const body = { items: items(3), approval: 'required' };
  const waiting = succeeded(await upload(body));
  const rejected = await ada.post<Batch>(`${BATCHES}/${waiting.id}/reject`, {
    version: waiting.version,
    reason: 'Of last month.',
  });
  expect(rejected.body).toMatchObject({
    status: 'rejected',
    reason: 'Of last month.',
    counts: { canceled: 3, waiting: 0 },
  });
  expect(await stepsOf(waiting.id)).toEqual([
    'payout_batch.created',
    'payout_batch.requires_approval',
    'payout_batch.rejected',
  ]);
  const again = succeeded(await upload(body));
  succeeded(await service.post(`${BATCHES}/${again.id}/cancel`));
  expect((await stepsOf(again.id)).at(-1)).toBe('payout_batch.canceled');
});

test('G10: items beyond what is under way are canceled, and what is under way is paid', async () => {
  const resumed = await paused();
  const made = succeeded(await upload({ items: items(10_000) }));
  await batchUntil(made.id, ({ counts }) => counts.pending === 500);
  expect(await heldOf()).toBe(10_050_000);
  const canceled = await service.post<Batch>(`${BATCHES}/${made.id}/cancel`);
  expect(canceled.body).toMatchObject({
    status: 'processing',
    counts: { pending: 500, canceled: 9_500 },
    allowed_actions: [],
  });
  expect(await heldOf()).toBe(10_050_000 - 9_547_500);
  expect((await service.post(`${BATCHES}/${made.id}/cancel`)).status).toBe(409);
  await resumed();
  expect(await ended(made.id)).toMatchObject({ status: 'partially_completed', counts: { paid: 500, canceled: 9_500 } });
  const { data } = await service.read<List<Event>>(`/v1/events?object=${made.id}`);
  const [last] = data;
  expect(last).toMatchObject({
    type: 'payout_batch.partially_completed',
    data: { object: { counts: { paid: 500, canceled: 9_500 } } },
  });
  expect(await heldOf()).toBe(0);
});

test('G8: an account that is frozen in between pays nothing more', async () => {
  const target = (await service.openAccount({ funds: 0 })).id;
  // Transfers within the book go on while the other rail is paused.
  const within = { destination: { type: 'account', account: target } };
  const resumed = await paused({ rail: 'sandbox' });
  const made = succeeded(await upload({ items: items(600, (row) => (row <= 100 ? within : {})) }));
  await batchUntil(made.id, ({ counts }) => counts.paid === 100 && counts.pending === 500);
  succeeded(await service.post(`/v1/accounts/${account}/freeze`));
  await resumed();
  const batch = await ended(made.id);
  expect(batch).toMatchObject({ status: 'partially_completed', counts: { paid: 100, failed: 500 } });
  const { data } = await service.read<List<Item>>(`${BATCHES}/${batch.id}/items?limit=1`);
  expect(data[0]).toMatchObject({ status: 'failed', failure_code: 'source_account_frozen' });
  expect((await stepsOf(made.id)).at(-1)).toBe('payout_batch.partially_completed');
  expect(await heldOf()).toBe(0);
});

test('G11: a scheduled batch without funds fails at its time, and makes no payout', async () => {
  const now = Date.parse((await service.read<{ now: string }>('/v1/simulations/clock')).now);
  const at = new Date(now + 3_600_000).toISOString();
  const poor = (await service.openAccount({ funds: 10_049 })).id;
  const made = succeeded(await upload({ items: items(10), account: poor, scheduled_for: at }));
  expect(made).toMatchObject({ status: 'scheduled', scheduled_for: at });
  succeeded(await service.post('/v1/simulations/clock/advance', { by: 'PT2H' }));
  expect(await ended(made.id)).toMatchObject({ status: 'failed' });
  expect((await service.read<List<Payout>>('/v1/payouts')).data).toEqual([]);
  expect(await stepsOf(made.id)).toEqual(['payout_batch.created', 'payout_batch.scheduled', 'payout_batch.failed']);
});

test('G12: a text that looks like a formula is kept, and escaped in results alone', async () => {
  const made = succeeded(
    await upload({
      items: [
        item({ external_id: '=2+3', description: '=2+3' }),
        item({
          ...{ external_id: '@home', amount: 2_000 },
          destination: { type: 'iban', iban: 'JO94CBJO0010000000000131000302', name: '@home Ltd' },
        }),
      ],
    }),
  );
  await ended(made.id);
  const { text, headers } = await service.get<string>(`${BATCHES}/${made.id}/results.csv`);
  expect(headers['content-type']).toBe('text/csv; charset=utf-8');
  const [header, first, second] = text.split('\r\n');
  expect(header).toBe(
    'row,status,payout,amount,fee,currency,account,external_id,name,description,end_to_end_id,failure_code,rail_reference',
  );
  expect(first).toContain(',1000,5,JOD,');
  expect(first).toMatch(/,'=2\+3,[^,]*,'=2\+3,/);
  expect(second).toContain(',2000,10,JOD,');
  expect(second).toContain(",'@home,'@*** L***,,");
  const { data } = await service.read<List<Item>>(`${BATCHES}/${made.id}/items`);
  expect(data.map(({ external_id }) => external_id)).toEqual(['@home', '=2+3']);
  expect(await service.payout(data[1]!.payout!)).toMatchObject({ description: '=2+3' });
});

test('G13: row 10,001 ends the upload', async () => {
  const { status, body } = await uploadCsv(csv(csvRows(100_000)));
  expect(status).toBe(400);
  expect(body).toMatchObject({ code: 'parameter_invalid', param: '/rows/10001', limit: 10_000 });
  const kept = await look({
    text: 'SELECT count(*)::int AS rows FROM payout_batch_items WHERE book_id = $1',
    values: [bookId],
  });
  expect(kept).toEqual([{ rows: 0 }]);
});

test('G14: a payout of unknown outcome keeps its batch open', async () => {
  // Its rail confirms another amount: unknown until a person says what became of it.
  const alias = (row: number) => (row === 3 ? 'WRONGAMOUNT' : 'SHOP1');
  const made = succeeded(
    await upload({ items: items(5, (row) => ({ destination: { type: 'cliq', alias: alias(row) } })) }),
  );
  const open = await batchUntil(made.id, ({ counts }) => counts.paid === 4 && counts.unknown === 1);
  expect(open).toMatchObject({ status: 'processing', counts: { unknown: 1, processing: 0 } });
  expect((await stepsOf(made.id)).at(-1)).toBe('payout_batch.processing');
  const { data } = await service.read<List<Payout>>('/v1/payouts?status=processing');
  const evidence = join(tmpdir(), `${made.id}.txt`);
  writeFileSync(evidence, 'The rail paid the amount.');
  const environment = { COUNTINGHOUSE_ENCRYPTION_KEY: product.database.encryptionKey };
  const asked = { as: 'paid', evidence, by: 'ada' };
  const resolved = resolveByPerson(product.runtime.pool, data[0]!.id, asked, environment);
  expect(await resolved.finally(() => rmSync(evidence))).toMatchObject({ status: 'paid' });
  expect(await ended(made.id)).toMatchObject({ status: 'completed', counts: { unknown: 0, paid: 5 } });
});

test('one upload a book, and four a process; of one that is cut off nothing is kept', async () => {
  const { hostname: host, port } = new URL(product.baseUrl);
  /** An upload that begins and sends no more, again where it was refused. Returns what cuts it off. */
  const hold = (token: string) => {
    let isCut = false;
    let sending: ClientRequest;
    const open = () => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'text/csv', 'idempotency-key': 'cut' };
      sending = request({ method: 'POST', host, port, path: BATCHES, headers });
      sending.on('error', () => undefined);
      sending.on('response', (answer) => {
        answer.resume();
        if (!isCut) open();
      });
      sending.write('amount,currency,type,alias\n1000,JOD,cliq,SHOP1\n10');
    };
    open();
    return () => {
      isCut = true;
      sending.destroy();
    };
  };
  const refusalOf = async (client: Client) => {
    const { status, body, headers } = await client.send<Answered & { limit: number }>('POST', BATCHES, {
      rawBody: csv(csvRows(1)),
      headers: { 'content-type': 'text/csv' },
    });
    return status === 429 ? { code: body.code, limit: body.limit, after: headers['retry-after'] } : undefined;
  };
  const others = await Promise.all(Array.from({ length: 4 }, () => product.organisation()));
  const [first, ...rest] = others.map(({ keys }) => keys.testKey);
  const cuts = [hold(first!)];
  expect(
    await until(
      () => refusalOf(others[0]!.client),
      (refusal) => refusal !== undefined,
    ),
  ).toEqual({ code: 'rate_limited', limit: 1, after: '1' });
  cuts.push(...rest.map(hold));
  expect(
    await until(
      () => refusalOf(service),
      (refusal) => refusal !== undefined,
    ),
  ).toEqual({ code: 'rate_limited', limit: 4, after: '1' });
  for (const cut of cuts) cut();
  await until(
    () => refusalOf(service),
    (refusal) => refusal === undefined,
  );
  for (const { client } of others) {
    expect((await client.read<List<Batch>>(BATCHES)).data).toEqual([]);
    expect((await client.get('/v1/idempotency_keys/cut')).status).toBe(404);
  }
});

test('a one-time token is used by one item, and the metadata of a CSV stand in its query', async () => {
  const card = { number: '4242424242424242', exp_month: 12, exp_year: 2034, cvc: '123' };
  const { id } = succeeded(await service.post<{ id: string }>('/v1/payments/tokens', { card }));
  const destination = { type: 'card', card: id };
  const refused = await upload({ account, items: [item({ destination }), item({ destination })] });
  expect(refused.body).toMatchObject({ code: 'token_invalid', param: '/items/1/destination/card', errors_total: 1 });
  const text = `amount,currency,type,card\n1000,JOD,card,${id}\n`;
  const query = `?account=${account}&metadata[run]=11&metadata[by]=ada`;
  const made = succeeded(await uploadCsv(text, { query }));
  expect(made.metadata).toEqual({ run: '11', by: 'ada' });
  expect((await ended(made.id)).status).toBe('completed');
  const again = await upload({ account, items: [item({ destination })] });
  expect(again.body).toMatchObject({ code: 'token_invalid', param: '/items/0/destination/card' });
});

test('faults beside the items are told with theirs', async () => {
  const refused = await upload({ account: 'x', colour: 'red', items: [item({ amount: 1.5 }), null, item()] });
  expect(refused.body).toMatchObject({ code: 'amount_not_integer', param: '/items/0/amount', errors_total: 4 });
  expect(refused.body.errors.map(({ param }) => param)).toEqual(['/items/0/amount', '/items/1', '/account', '/colour']);
  const other = await service.openAccount({ funds: 0, currency: 'EUR' });
  const mixed = await upload({ account: other.id, items: [item()] });
  expect(mixed.body).toMatchObject({ code: 'currency_mismatch', param: '/items/0/currency' });
});

test('a dry run says what an upload would do, and keeps nothing', async () => {
  const dry = await service.post<Batch>(`${BATCHES}?dry_run=true`, { items: items(10) }, { idempotencyKey: null });
  expect(dry.status).toBe(200);
  expect(dry.body).toMatchObject({
    dry_run: true,
    status: 'processing',
    resulting_balances: [{ account, available: 100_000_000 - 10_050 }],
  });
  expect((await service.read<List<Batch>>(BATCHES)).data).toEqual([]);
  expect(await heldOf()).toBe(0);
});

test('a CSV with a byte order mark, CR LF, quotes, commas and lines within, and empty lines', async () => {
  const rows = ['"cliq",100,JOD,SHOP1,"a, ""b"""', 'cliq,300,JOD,SHOP1,"x\r\ny"', '', 'cliq,500,JOD,SHOP1,', '', ''];
  const accepted = await uploadCsv(['\uFEFFtype,amount,currency,alias,remittance', ...rows].join('\r\n'));
  // 0.5, 1.5 and 2.5, each half to even.
  expect(accepted.body).toMatchObject({ items: 3, totals: [{ currency: 'JOD', amount: 900, fee: 4 }] });
  expect(await ended(accepted.body.id)).toMatchObject({ status: 'completed', counts: { paid: 3 } });
});

test('items that name the account and items that name none are held as one', async () => {
  const own = (await service.openAccount({ currency: 'KWD', funds: 2_010 })).id;
  const both = [item({ currency: 'KWD', account: own }), item({ currency: 'KWD' })];
  const short = await upload({ items: [...both, item({ currency: 'KWD', amount: 1 })], account: own });
  expect(short.body).toMatchObject({ code: 'insufficient_funds', account: own, available: 2_010, required: 2_011 });
  const accepted = await upload({ items: both, account: own });
  expect(await ended(accepted.body.id)).toMatchObject({ status: 'completed' });
});

test('uploaded by one person and submitted by another, a third approves; the total counts above its amount alone', async () => {
  const proposed = succeeded(
    await ada.patch<{ version: number }>('/v1/payouts/approval_policy', {
      above: [{ currency: 'JOD', amount: 2_000 }],
    }),
  );
  succeeded(await ben.post('/v1/payouts/approval_policy/approve', { version: proposed.version }));
  expect((await upload({ items: items(2) })).body).toMatchObject({ status: 'processing' });
  const more = [...items(2), item({ amount: 1 })];
  const draft = succeeded(await ada.post<Batch>(BATCHES, { items: more, submit: false }));
  const { version } = succeeded(await ben.post<Batch>(`${BATCHES}/${draft.id}/submit`));
  for (const by of [ada, ben])
    expect((await by.post<Problem>(`${BATCHES}/${draft.id}/approve`, { version })).body.code).toBe(
      'self_approval_forbidden',
    );
  succeeded(await cem.post(`${BATCHES}/${draft.id}/approve`, { version }));
  expect(await ended(draft.id)).toMatchObject({ status: 'completed', counts: { paid: 3 } });
});

test('a key is of one upload: other bytes, line ends or another query under it are refused', async () => {
  const text = csv(csvRows(1));
  const first = await uploadCsv(text, { idempotencyKey: 'once' });
  expect(first.status).toBe(202);
  for (const [bytes, query] of [
    [csv(csvRows(2)), ''],
    [text, '?submit=false'],
    [text.replace('\n', '\r\n'), ''],
  ] as const)
    expect((await uploadCsv(bytes, { query, idempotencyKey: 'once' })).body).toMatchObject({
      ...{ status: 422, code: 'idempotency_key_reused' },
    });
  expect((await uploadCsv(text, { idempotencyKey: 'once' })).body.id).toBe(first.body.id);
});

test('to the paying account, in another currency, of another book: each at its item', async () => {
  const kwd = (await service.openAccount({ currency: 'KWD', funds: 0 })).id;
  const other = (await (await product.organisation()).client.openAccount({ funds: 0 })).id;
  const to = (target: string) => item({ destination: { type: 'account', account: target } });
  const refused = await upload({ account, items: [item(), to(account), to(kwd), to(other)] });
  expect(refused.body.errors.map(({ code, param }) => [code, param])).toEqual([
    ['destination_invalid', '/items/1/destination/account'],
    ['currency_mismatch', '/items/2/destination/account'],
    ['resource_not_found', '/items/3/destination/account'],
  ]);
});

test.each([
  ['', 400, 'parameter_missing', '/rows/0/amount'],
  ['amount,currency', 400, 'parameter_missing', '/rows/0/type'],
  ['amount,currency,type,amount', 400, 'parameter_invalid', '/rows/0/4'],
  ['amount,currency,type,colour', 400, 'parameter_unknown', '/rows/0/4'],
  ['amount,currency,type\n', 400, 'parameter_invalid', '/items'],
  ['amount,currency,type\n1000,JOD', 400, 'parameter_invalid', '/rows/1'],
  ['amount,currency,type\n"1000,JOD', 400, 'parameter_invalid', ''],
])('CSV %j is refused at its place', async (text, status, code, param) => {
  const refused = await uploadCsv(text === '' ? '\n' : text);
  expect(refused.status).toBe(status);
  expect(refused.body).toMatchObject({ code, param });
});

test.each([
  ['0', 422, 'amount_below_minimum', 1],
  ['-5', 422, 'amount_below_minimum', 1],
  ['9007199254740992', 422, 'amount_above_maximum', 9_007_199_254_740_991],
  ['"1,000"', 400, 'amount_not_integer'],
  ["1'000", 400, 'amount_not_integer'],
  [' 1000', 400, 'amount_not_integer'],
  ['+1000', 400, 'amount_not_integer'],
  ['007', 400, 'amount_not_integer'],
  ['0x10', 400, 'amount_not_integer'],
  ['１０００', 400, 'amount_not_integer'],
  ['100.0000000000000000001', 400, 'amount_not_integer'],
])(
  'an amount of %s in a CSV is refused in its row, and what is no number before it',
  async (amount, status, code, limit?: number) => {
    const head = 'amount,currency,type,alias\n1,JOD,cliq,SHOP1\n';
    const refused = await uploadCsv(`${head}${amount},JOD,cliq,SHOP1\n`);
    expect([refused.status, refused.body]).toMatchObject([
      status,
      { code, param: '/rows/2/amount', ...(limit !== undefined && { limit }) },
    ]);
    const both = await uploadCsv(`${head}${amount},JOD,cliq,SHOP1\n1.5,JOD,cliq,SHOP1\n`);
    expect(both.body).toMatchObject({ status: 400, code: 'amount_not_integer', errors_total: 2 });
  },
);

test.each([
  ['{"items":[', 400, 'malformed_json'],
  ['{"items":[{}{}]}', 400, 'malformed_json'],
  ['{"items":[],"items":[]}', 400, 'malformed_json'],
  ['{"items":[{"amount":1,"amount":2}]}', 400, 'malformed_json'],
  ['[]', 400, 'parameter_invalid'],
  ['{}', 400, 'parameter_missing'],
  ['{"items":[]}', 400, 'parameter_invalid'],
  ['{"items":[1]}', 400, 'parameter_invalid'],
  ['{"items":{}}', 400, 'parameter_invalid'],
])('JSON %s is refused', async (rawBody, status, code) => {
  const refused = await service.send('POST', BATCHES, { rawBody });
  expect(refused.status).toBe(status);
  expect(refused.body).toMatchObject({ code });
});

test('behind all of it nothing is lost, and nothing has happened twice', () => expectInvariants(product));
