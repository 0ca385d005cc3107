/** Days of a book: its time zone until the first entry, and balances at the end of a day, posted and by effect. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Account, Client, Entry, Problem } from '../../scripts/harness/client.ts';
import { until } from '../../scripts/harness/client.ts';
import { addDays } from '../../src/calendar/day.ts';
import { parsePublicId } from '../../src/values/ids.ts';
import { startContracted } from '../support/contracted.ts';
import { findingsOf } from '../support/findings.ts';
import { lookInto, type Product } from '../support/product.ts';

interface Journal {
  time_zone: string;
  closed_through: string | null;
  through_sequence: number;
  chain_hash: string;
  last_posted_at: string;
}
interface Balance {
  at: string | null;
  on: string | null;
  axis: string | null;
  sequence: number | null;
  posted: number;
  held: number | null;
}

let product: Product;
let client: Client;
let bookId: string;
let anna: Account;
let bert: Account;

beforeAll(async () => {
  product = await startContracted({ backend: 'postgres' });
});
afterAll(async () => {
  await product?.close();
});
beforeEach(async () => {
  const organisation = await product.organisation();
  client = organisation.client;
  bookId = organisation.keys.testBookId;
});

const journal = () => client.read<Journal>('/v1/journal');
const today = async () => (await journal()).last_posted_at.slice(0, 10);
const balance = ({ id }: { id: string }, query = '') => client.read<Balance>(`/v1/accounts/${id}/balance${query}`);
async function openBoth(): Promise<void> {
  anna = await client.openAccount({ funds: 10_000 });
  bert = await client.openAccount({ funds: 0 });
}
async function move(amount: number, more: object = {}): Promise<Entry> {
  const answer = await client.post<Entry>('/v1/journal/entries', {
    postings: [{ debit: anna.id, credit: bert.id, amount, currency: 'JOD' }],
    ...more,
  });
  expect(answer.status, answer.text).toBe(201);
  return answer.body;
}

test('the time zone is set until the first entry, which fixes it', async () => {
  expect(await journal()).toMatchObject({ time_zone: 'UTC', closed_through: null, through_sequence: 0 });
  const set = await client.patch<Journal>('/v1/journal', { time_zone: 'Asia/Amman' });
  expect(set.status, set.text).toBe(200);
  expect(set.body).toEqual(await journal());
  expect(set.body.time_zone).toBe('Asia/Amman');
  for (const time_zone of ['Mars/Phobos', '+03:00', '']) {
    const { status, body } = await client.patch<Problem>('/v1/journal', { time_zone });
    expect([status, body.errors[0]!.param]).toEqual([400, '/time_zone']);
  }
  await openBoth();
  const fixed = await client.patch<Problem>('/v1/journal', { time_zone: 'UTC' });
  expect(fixed.body).toMatchObject({ status: 409, code: 'state_conflict', current_status: 'fixed' });
  const { data } = await client.read<{ data: Entry[] }>('/v1/journal/entries');
  expect(await journal()).toMatchObject({
    ...{ time_zone: 'Asia/Amman', through_sequence: 1, chain_hash: data[0]!.hash },
  });
});

test('a change and a first entry at once: the days of the entry are those of the time zone that stays', async () => {
  const { id } = await client.openAccount({ funds: 0 });
  const [changed] = await Promise.all([
    client.patch<Problem>('/v1/journal', { time_zone: 'Asia/Amman' }),
    client.post('/v1/simulations/inbound_transfers', { account: id, amount: 5, currency: 'JOD' }),
  ]);
  const { time_zone, through_sequence } = await journal();
  expect([time_zone, through_sequence]).toEqual([changed.status === 200 ? 'Asia/Amman' : 'UTC', 1]);
});

test('balances of a day, by effect and as posted', async () => {
  await openBoth();
  const now = await today();
  const [yesterday, before] = [addDays(now, -1), addDays(now, -2)];
  await move(700, { effective_on: yesterday });
  await move(30, { effective_on: before });
  await move(1);
  const none = { at: null, held: null };
  expect(await balance(bert, `?on=${before}`)).toMatchObject({
    ...{ ...none, on: before, axis: 'effective', sequence: null, posted: 30 },
  });
  expect(await balance(bert, `?on=${yesterday}`)).toMatchObject({ ...none, posted: 730 });
  expect(await balance(bert, `?on=${now}`)).toMatchObject({ ...none, posted: 731 });
  expect(await balance(anna, `?on=${yesterday}`)).toMatchObject({ posted: -730 });
  expect(await balance(bert, `?on=${yesterday}&axis=posted`)).toMatchObject({
    ...{ ...none, axis: 'posted', sequence: 0, posted: 0 },
  });
  expect(await balance(bert, `?on=${now}&axis=posted`)).toMatchObject({ ...none, sequence: 3, posted: 731 });
  expect(await balance(bert)).toMatchObject({ at: null, on: null, axis: null, sequence: 3, posted: 731, held: 0 });
  const ofChart = await client.read<Balance>(`/v1/journal/accounts/${bert.id}/balance?on=${before}`);
  expect(ofChart.posted).toBe(30);
});

test.each([
  ['a day to come', '?on=2999-01-01', 'on'],
  ['29 February of 2027', '?on=2027-02-29', 'on'],
  ['a day and a moment', '?on=2026-01-01&at=2026-01-01T00:00:00Z', 'on'],
  ['an axis without a day', '?axis=posted', 'axis'],
  ['an axis that there is not', '?on=2026-01-01&axis=value', 'axis'],
])('%s is refused at its place', async (_, query, param) => {
  const { id } = await client.openAccount({ funds: 0 });
  const { status, body } = await client.get<Problem>(`/v1/accounts/${id}/balance${query}`);
  expect([status, body.errors[0]!.param], JSON.stringify(body)).toEqual([400, param]);
});

test('by the zone of the book, a late evening in UTC is the next day; a balance of a moment has what was posted at it', async () => {
  expect((await client.patch('/v1/journal', { time_zone: 'Asia/Amman' })).status).toBe(200);
  await openBoth();
  const advance = async (to: string) => {
    expect((await client.post('/v1/simulations/clock/advance', { to })).status).toBe(202);
    await until(
      () => client.read<{ status: string }>('/v1/simulations/clock'),
      ({ status }) => status === 'idle',
    );
  };
  await advance('2135-03-31T20:00:00Z');
  const { posted_at: at } = await move(1);
  await advance('2135-03-31T21:00:00Z');
  await move(2);
  const { effective_at } = await move(4, { effective_on: '2135-03-31' });
  expect(effective_at).toBe('2135-03-30T21:00:00.000Z');
  const found = [];
  for (const query of ['2135-03-30', '2135-03-31', '2135-03-31&axis=posted', '2135-04-01'])
    found.push((await balance(bert, `?on=${query}`)).posted);
  expect(found).toEqual([0, 5, 1, 7]);
  const moments = [-1, 0].map((shift) => new Date(Date.parse(at) + shift).toISOString());
  expect((await Promise.all(moments.map((one) => balance(bert, `?at=${one}`)))).map(({ posted }) => posted)).toEqual([
    0, 1,
  ]);
});

test("a quiet book's yesterday is finished by whoever reads it, once", async () => {
  await openBoth();
  const day = await today();
  const superuser = lookInto(product.database);
  // Two days later, in which nothing has happened.
  await superuser.query('UPDATE books SET clock_offset_ms = 172800000 WHERE id = $1', [bookId]);
  await superuser.end();
  expect(await today()).toBe(day);
  expect(await balance(anna, `?on=${day}`)).toMatchObject({ posted: 10_000 });
  const { last_posted_at: finished, through_sequence } = await journal();
  expect(finished >= addDays(day, 1)).toBe(true);
  expect(through_sequence).toBe(1);
  await balance(anna, `?on=${day}`);
  expect((await journal()).last_posted_at).toBe(finished);
});

test('a clock that arrives finishes the days behind it', async () => {
  await openBoth();
  const day = await today();
  const to = `${addDays(day, 3)}T12:00:00Z`;
  await client.post('/v1/simulations/clock/advance', { to });
  await until(
    () => client.read<{ status: string }>('/v1/simulations/clock'),
    ({ status }) => status === 'idle',
  );
  expect(Date.parse((await journal()).last_posted_at)).toBeGreaterThanOrEqual(Date.parse(to));
});

test('verification holds the log of effective days against the journal', async () => {
  await openBoth();
  const yesterday = addDays(await today(), -1);
  await move(700, { effective_on: yesterday });
  await move(1);
  const superuser = lookInto(product.database);
  const checks = async () =>
    (await findingsOf({ pool: product.runtime.pool, id: bookId })).map(({ check }) => check).sort();
  const change = async (sql: string, ...values: unknown[]) => {
    await superuser.query('ALTER TABLE effective_lines DISABLE TRIGGER USER');
    await superuser.query(sql, values);
    await superuser.query('ALTER TABLE effective_lines ENABLE TRIGGER USER');
  };
  try {
    expect(await checks()).toEqual([]);
    const account = parsePublicId('account', bert.id);
    const own = 'book_id = $1 AND account_id = $2';
    await change(`UPDATE effective_lines SET change = change + 1 WHERE ${own}`, bookId, account);
    expect(await checks()).toEqual(['manual_entry.effective_lines']);
    await change(`UPDATE effective_lines SET change = change - 1 WHERE ${own}`, bookId, account);
    await change(
      `INSERT INTO effective_lines SELECT book_id, account_id, 99, entry_sequence, change, posted_on, effective_on
       FROM effective_lines WHERE ${own}`,
      ...[bookId, account],
    );
    expect(await checks()).toEqual(['effective_line.entry']);
    await change(`DELETE FROM effective_lines WHERE ${own}`, bookId, account);
    expect(await checks()).toEqual(['manual_entry.effective_lines']);
  } finally {
    await superuser.end();
  }
});
