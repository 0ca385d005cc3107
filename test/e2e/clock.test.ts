/**
 * The own time of a test book, end to end: holds expire on the way, in order, and a book that was moved 400 days on is like
 * any other.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Client, Event, List, Payout } from '../../scripts/harness/client.ts';
import { until } from '../../scripts/harness/client.ts';
import { pathOf, type Receiver, startReceiver } from '../../scripts/harness/receiver.ts';
import { parsePublicId } from '../../src/values/ids.ts';
import { ledgerPool } from '../../workers/ledger.ts';
import { expectInvariants } from '../support/invariants.ts';
import { type Product, startProduct } from '../support/product.ts';

interface Clock {
  now: string;
  target: string | null;
  status: 'idle' | 'advancing';
}
interface Hold {
  id: string;
  status: string;
  remaining: number;
  released: number;
  allowed_actions: string[];
  created_at: string;
  expires_at: string | null;
}

const DAY_MS = 86_400_000;

describe('the clock of a test book', () => {
  let product: Product;
  let receiver: Receiver;
  let client: Client;
  let live: Client;
  let account: string;

  beforeAll(async () => {
    product = await startProduct({ backend: 'postgres' });
    receiver = await startReceiver();
  });
  afterAll(async () => {
    await product?.close();
    await receiver?.close();
  });
  beforeEach(async () => {
    ({ client, live } = await product.organisation());
    account = (await client.openAccount()).id;
  });

  const readClock = () => client.read<Clock>('/v1/simulations/clock');
  const clockIsThere = () => until(readClock, ({ status }) => status === 'idle');
  const asDays = (count: number) => new Date(Date.now() + count * DAY_MS).toISOString();
  async function advance(body: object): Promise<Clock> {
    const { status } = await client.send('POST', '/v1/simulations/clock/advance', { body });
    expect(status).toBe(202);
    return clockIsThere();
  }
  async function hold(body: object): Promise<Hold> {
    const answer = await client.send<Hold>('POST', `/v1/accounts/${account}/holds`, { body });
    expect(answer.status).toBe(201);
    return answer.body;
  }
  const readHold = ({ id }: Hold) => client.read<Hold>(`/v1/accounts/${account}/holds/${id}`);
  const balance = async (at = '') =>
    client.read<{ posted: number; held: number; available: number }>(`/v1/accounts/${account}/balance${at}`);

  test('holds expire on the way, each at its own moment and in order, and what comes later stays', async () => {
    const days = [5, 1, 3, 1, 40];
    const placed = await Promise.all(days.map((count) => hold({ amount: 1_000, expires_at: asDays(count) })));
    const forever = await hold({ amount: 7 });
    expect((await balance()).held).toBe(5_007);
    const before = Date.now();
    const { now, target } = await advance({ by: 'P10D' });
    expect(target).toBeNull();
    expect(Date.parse(now)).toBeGreaterThanOrEqual(before + 10 * DAY_MS);
    expect(Date.parse(now)).toBeLessThan(Date.now() + 10 * DAY_MS + 60_000);
    const after = await Promise.all([...placed, forever].map(readHold));
    expect(after.map(({ status }) => status)).toEqual(['expired', 'expired', 'expired', 'expired', 'open', 'open']);
    expect(await balance()).toMatchObject({ held: 1_007, available: 998_993 });
    const { data } = await client.read<List<Event>>('/v1/events?type=hold.expired&limit=100');
    const told = data.reverse().map((event) => [event.created_at, (event.data.object as unknown as Hold).expires_at]);
    expect(told.map(([at]) => at)).toEqual(told.map(([, due]) => due));
    expect(told).toEqual([...told].sort(([a], [b]) => (a! < b! ? -1 : 1)));
  });

  test('a clock never runs backwards, moves once for one key, and is of test books alone', async () => {
    const body = { to: asDays(2) };
    const first = await client.send<Clock>('POST', '/v1/simulations/clock/advance', { body, idempotencyKey: 'there' });
    expect(first.status).toBe(202);
    expect(first.body).toMatchObject({ status: 'advancing', target: body.to });
    await clockIsThere();
    const again = await client.send<Clock>('POST', '/v1/simulations/clock/advance', { body, idempotencyKey: 'there' });
    expect(again.body).toEqual(first.body);
    const back = await client.send('POST', '/v1/simulations/clock/advance', { body });
    expect(back.body).toMatchObject({ status: 400, code: 'parameter_invalid' });
    const forbidden = await live.send('POST', '/v1/simulations/clock/advance', { body: { by: 'P1D' } });
    expect(forbidden.body).toMatchObject({ code: 'test_mode_only' });
    for (const wrong of [
      {},
      { by: 'P1D', to: asDays(9) },
      { by: 'P' },
      { by: 'PT' },
      { by: '1 day' },
      { by: 'P-1D' },
      { by: 'P9999Y' },
    ])
      expect((await client.send('POST', '/v1/simulations/clock/advance', { body: wrong })).status).toBe(400);
  });

  test('writes are refused on the way and leave no trace under their key; reads go on', async () => {
    await product.stopPools();
    await client.send('POST', '/v1/simulations/clock/advance', { body: { by: 'P1D' } });
    const write = { body: { amount: 5 }, idempotencyKey: 'later' };
    const refused = await client.send('POST', `/v1/accounts/${account}/holds`, write);
    expect(refused.body).toMatchObject({ status: 409, code: 'state_conflict', current_status: 'advancing' });
    expect(refused.headers['retry-after']).toBe('1');
    expect(await readClock()).toMatchObject({ status: 'advancing' });
    expect((await balance()).held).toBe(0);
    await product.startPools();
    await clockIsThere();
    expect((await client.send('POST', `/v1/accounts/${account}/holds`, write)).status).toBe(201);
  });

  test('of two jobs for one way, one takes it and the other leaves at once', async () => {
    for (let count = 1; count <= 40; count++) await hold({ amount: 1, expires_at: asDays(count) });
    await product.stopPools();
    await client.send('POST', '/v1/simulations/clock/advance', { body: { by: 'P50D' } });
    const { rows } = await product.runtime.pool.query('SELECT id FROM books WHERE clock_target IS NOT NULL');
    const job = { bookId: rows[0].id, ids: [rows[0].id] };
    const pool = ledgerPool(product.runtime);
    const first = pool.answer('clock.advance', job);
    await pool.answer('clock.advance', job);
    expect(await readClock()).toMatchObject({ status: 'advancing' });
    await first;
    await product.startPools();
    await clockIsThere();
  });

  test('a simulation that is refused on the way tells the rail nothing, and happens later under its key', async () => {
    const funded = await client.openAccount({ funds: 10_000 });
    const destination = { type: 'cliq', alias: 'PENDING' };
    const { id } = await client.pay({ account: funded.id, amount: 1_000, destination });
    await client.payoutUntil(id, ({ next_inquiry_at }) => next_inquiry_at !== null);
    await product.stopPools();
    await client.send('POST', '/v1/simulations/clock/advance', { body: { by: 'P1D' } });
    const complete = () =>
      client.send<Payout>('POST', `/v1/simulations/payouts/${id}/complete`, {
        body: {},
        idempotencyKey: `later-${id}`,
      });
    expect((await complete()).body).toMatchObject({ code: 'state_conflict', current_status: 'advancing' });
    const { pool, rails } = product.runtime;
    const { rows } = await pool.query('SELECT book_id, end_to_end_id FROM payouts WHERE id = $1', [
      parsePublicId('payout', id),
    ]);
    expect(await rails.sandbox.inquire(rows[0].book_id, rows[0].end_to_end_id)).toMatchObject({ status: 'pending' });
    await product.startPools();
    await clockIsThere();
    expect((await complete()).body).toMatchObject({ status: 'paid' });
  });

  test('a hold that is over expires when it is used, whether or not anybody has been there', async () => {
    await product.stopPools();
    const soon = new Date(Date.now() + 1_500).toISOString();
    const placed = await hold({ amount: 10, expires_at: soon });
    const release = () =>
      client.send(`POST`, `/v1/accounts/${account}/holds/${placed.id}/release`, { body: { amount: 1 } });
    await until(readClock, ({ now }) => now >= soon);
    expect((await release()).body).toMatchObject({ code: 'state_conflict', current_status: 'expired' });
    expect(await readHold(placed)).toMatchObject({ status: 'expired', remaining: 0, released: 0 });
    await product.startPools();
  });

  test('in a book that is ahead, what falls due expires without a further advance', async () => {
    const { now } = await advance({ by: 'P400D' });
    const placed = await hold({ amount: 10, expires_at: new Date(Date.parse(now) + 3_000).toISOString() });
    await until(
      () => readHold(placed),
      ({ status }) => status === 'expired',
    );
  });

  test('a hold is released in parts, is never more than available, and a payout keeps its own', async () => {
    const placed = await hold({ amount: 900_000, description: 'For Anna', metadata: { order: '7' } });
    const path = `/v1/accounts/${account}/holds/${placed.id}`;
    const short = await client.send('POST', `/v1/accounts/${account}/holds`, { body: { amount: 100_001 } });
    expect(short.body).toMatchObject({ code: 'insufficient_funds', available: 100_000, required: 100_001 });
    const part = await client.send<Hold>('POST', `${path}/release`, { body: { amount: 300_000 } });
    expect(part.body).toMatchObject({ status: 'open', remaining: 600_000, released: 300_000 });
    const more = await client.send('POST', `${path}/release`, { body: { amount: 600_001 } });
    expect(more.body).toMatchObject({ code: 'amount_above_maximum', limit: 600_000 });
    const rest = await client.send<Hold>('POST', `${path}/release`);
    expect(rest.body).toMatchObject({ status: 'released', remaining: 0, allowed_actions: [] });
    expect((await client.send('POST', `${path}/release`)).body).toMatchObject({ current_status: 'released' });
    const { data } = await client.read<{ data: { type: string }[] }>(`${path}/timeline`);
    expect(data.map(({ type }) => type)).toEqual(['hold.created', 'hold.released', 'hold.released']);
    const { data: events } = await client.read<List<Event>>(`/v1/events?object=${placed.id}`);
    expect(events.map(({ type }) => type)).toEqual(['hold.released', 'hold.released', 'hold.created']);
    const past = await client.send('POST', `/v1/accounts/${account}/holds`, {
      body: { amount: 1, expires_at: '2026-01-01T00:00:00Z' },
    });
    expect(past.body).toMatchObject({ code: 'parameter_invalid', param: '/expires_at' });
    const payout = await client.pay({ account });
    const own = `/v1/accounts/${account}/holds/${(payout as Payout & { hold: string }).hold}`;
    expect(await client.read(own)).toMatchObject({ origin: { resource: 'payout', id: payout.id } });
    expect((await client.send('POST', `${own}/release`)).body).toMatchObject({ status: 409, code: 'state_conflict' });
  });

  test('a book moved 400 days on pays, fails, returns and lists like any other', async () => {
    const endpoint = await receiver.subscribe(client);
    const early = await client.pay({ account });
    const paid = ({ id }: Payout, wanted = 'paid') =>
      until(
        () => client.payout(id),
        ({ status }) => status === wanted,
      );
    await paid(early);
    const { now } = await advance({ by: 'P400D' });
    const late = [];
    for (const alias of ['anna', 'CLOSED', 'RETURN', 'bert', 'TIMEOUT'])
      late.push(await client.pay({ account, destination: { type: 'cliq', alias } }));
    const [anna, closed, returned, bert, timeout] = late as [Payout, Payout, Payout, Payout, Payout];
    await Promise.all([paid(anna), paid(closed, 'failed'), paid(returned, 'returned'), paid(bert), paid(timeout)]);

    for (const { created_at: at } of late) expect(at >= now).toBe(true);
    const listed = async (filter: string) => {
      const ids: string[] = [];
      for (let cursor = ''; ; ) {
        const page = await client.read<List<Payout> & { next_cursor: string | null }>(
          `/v1/payouts?limit=2${filter}${cursor}`,
        );
        ids.push(...page.data.map(({ id }) => id));
        if (!page.has_more) return ids;
        cursor = `&starting_after=${page.next_cursor}`;
      }
    };
    const newest = [...late].reverse().map(({ id }) => id);
    expect(await listed(`&created_at[gte]=${now}`)).toEqual(newest);
    expect(await listed(`&created_at[lt]=${now}`)).toEqual([early.id]);
    expect(await listed('')).toEqual([...newest, early.id]);
    expect(await listed(`&created_at[gte]=${now}&status=failed`)).toEqual([closed.id]);
    expect((await client.read<List<Event>>(`/v1/events?created_at[lt]=${now}&type=payout.paid`)).data).toHaveLength(1);

    expect((await balance(`?at=${early.created_at}`)).posted).toBe(1_000_000);
    const clock = await readClock();
    expect((await balance(`?at=${clock.now}`)).posted).toBe((await balance()).posted);
    const beyond = new Date(Date.parse(clock.now) + DAY_MS).toISOString();
    const future = await client.send('GET', `/v1/accounts/${account}/balance?at=${beyond}`);
    expect(future.body).toMatchObject({ code: 'parameter_invalid', param: 'at' });

    await receiver.event(pathOf(endpoint), 'payout.returned', returned.id);
    await expectInvariants({ database: product.database, receiver, endpoints: [endpoint] });
  });
});
