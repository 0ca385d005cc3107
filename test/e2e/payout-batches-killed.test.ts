/** kill -9 around batches of payouts, rows G6 and G7 of the golden scenarios, and two processes that make the payouts of one batch. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { Client, type List } from '../../scripts/harness/client.ts';
import { type ProductProcess, type Role, startProcess } from '../../scripts/harness/processes.ts';
import { until } from '../../scripts/harness/until.ts';
import type { Pool } from '../../src/db/pool.ts';
import type { BookId } from '../../src/ledger/book/book.ts';
import type * as schemas from '../../src/payouts/batches/api/batch-schemas.ts';
import { BatchPayer } from '../../src/payouts/batches/pay-batches.ts';
import { sweepUploads } from '../../src/payouts/batches/sweep-uploads.ts';
import { RecentSingles } from '../../src/payouts/payout/recent-singles.ts';
import { parsePublicId } from '../../src/values/ids.ts';
import { startContracted } from '../support/contracted.ts';
import { expectInvariants } from '../support/invariants.ts';
import { ALL_POOLS, lookInto, makeRowsDue, type Product, testEnvironment } from '../support/product.ts';

type Batch = (typeof schemas.batch)['_zod']['output'];

const BATCHES = '/v1/payouts/batches';
const FUNDS = 100_000_000;
/** Of 250 payouts at most. */
const THREE_COMMANDS = 600;
const LIMITS = { RATE_LIMIT_WRITES_PER_SECOND: '10000', RATE_LIMIT_READS_PER_SECOND: '10000' };

let product: Product;
let behind: ReturnType<typeof lookInto>;
let service: Client;
let key: string;
let account: string;
let bookId: string;
const processes: ProductProcess[] = [];
const clients: Client[] = [];

beforeAll(async () => {
  product = await startContracted({ backend: 'postgres', pools: [], environment: LIMITS });
  behind = lookInto(product.database);
});
afterAll(async () => {
  await behind?.end();
  await product?.close();
});

beforeEach(async () => {
  const made = await product.organisation();
  service = made.client;
  key = made.keys.testKey;
  bookId = made.keys.testBookId;
  account = (await service.openAccount({ funds: FUNDS })).id;
});
afterEach(async () => {
  for (const one of processes.splice(0)) {
    one.thaw();
    await one.kill();
  }
  await Promise.all(clients.splice(0).map((client) => client.close()));
});

async function start(role: Role, failpoints = ''): Promise<ProductProcess> {
  const environment = testEnvironment(product.database, undefined, { ...LIMITS, LOG_LEVEL: 'warn' });
  const started = await startProcess(role, environment, { failpoints });
  processes.push(started);
  return started;
}

const csv = (count: number) =>
  [
    'amount,currency,type,alias,external_id',
    ...Array.from({ length: count }, (_, at) => `1000,JOD,cliq,SHOP1,row-${at + 1}`),
  ].join('\n');
const upload = (client: Client, rows: number, { query = '', ...options }: { query?: string; idempotencyKey: string }) =>
  client.send<Batch>('POST', `${BATCHES}${query}`, {
    rawBody: csv(rows),
    headers: { 'content-type': 'text/csv' },
    ...options,
  });
const batchOf = (id: string) => service.read<Batch>(`${BATCHES}/${id}`);

/** Of the book: rows that are kept, rows of which there are two, and uploads that no request has ended. */
async function kept() {
  const { rows } = await behind.query<{ items: number; twice: number; uploads: number }>({
    text: `SELECT count(*)::int AS items,
        (count(*) - count(DISTINCT (batch_id, row_number)))::int AS twice,
        (SELECT count(*)::int FROM payout_uploads WHERE book_id = $1) AS uploads
      FROM payout_batch_items WHERE book_id = $1`,
    values: [bookId],
  });
  return rows[0]!;
}

/** Payouts of the book, how many rows of its batches they come from, and how many of them the rail has. */
async function payouts() {
  const { rows } = await behind.query<{ payouts: number; rows: number; carried: number }>({
    text: `SELECT count(p.id)::int AS payouts, count(DISTINCT i.row_number)::int AS rows, count(DISTINCT r.end_to_end_id)::int AS carried
      FROM payouts p JOIN payout_batch_items i ON i.book_id = p.book_id AND i.payout_id = p.id AND i.end_to_end_id = p.end_to_end_id
      LEFT JOIN sandbox_rail.instructions r ON r.originator = p.book_id::text AND r.end_to_end_id = p.end_to_end_id
      WHERE p.book_id = $1`,
    values: [bookId],
  });
  return rows[0]!;
}

/** Until the batch is so, and meanwhile time passes. */
const moved = (id: string, isSo: (batch: Batch) => boolean) =>
  until(async () => {
    await makeRowsDue(behind);
    return batchOf(id);
  }, isSo);

/** What the account has paid and what it holds come to the whole of the batch, whatever was made and paid of it. */
async function expectWhole(total: number): Promise<void> {
  const { posted, held } = await service.read<{ posted: number; held: number }>(`/v1/accounts/${account}/balance`);
  expect(FUNDS - posted + held).toBe(total);
}

async function expectPaidOnce(id: string, items: number): Promise<void> {
  expect(await batchOf(id)).toMatchObject({ status: 'completed', counts: { paid: items, waiting: 0 } });
  expect(await payouts()).toEqual({ payouts: items, rows: items, carried: items });
  expect(await service.read(`/v1/accounts/${account}/balance`)).toMatchObject({
    posted: FUNDS - items * 1_005,
    held: 0,
  });
  await expectInvariants(product);
}

test('G6: an API that is killed between pages leaves no batch; its pages are swept, and the key makes one', async () => {
  const api = await start('api', 'payout_batch.page.kept=kill@60');
  const client = new Client(api.url, key);
  clients.push(client);
  await expect(upload(client, 10_000, { query: '?submit=false', idempotencyKey: 'g6' })).rejects.toThrow();
  await api.ended();
  expect(api.output).toContain('failpoint payout_batch.page.kept: SIGKILL');
  expect((await service.get('/v1/idempotency_keys/g6')).status).toBe(404);
  expect((await service.read<List<Batch>>(BATCHES)).data).toEqual([]);
  // Pages end with what has come over the network, at 100 rows or some more.
  const left = await kept();
  expect(left).toMatchObject({ twice: 0, uploads: 1 });
  expect(left.items).toBeGreaterThanOrEqual(6_000);
  expect(left.items).toBeLessThan(10_000);

  const { pool, clock } = product.runtime;
  const sweep = sweepUploads({ pool, clock, isClosing: () => false });
  expect(await sweep.round()).toBe(0);
  const again = await upload(service, 10_000, { query: '?submit=false', idempotencyKey: 'g6' });
  expect(again).toMatchObject({ status: 202, body: { status: 'draft', items: 10_000 } });
  expect(await kept()).toEqual({ items: 10_000 + left.items, twice: 0, uploads: 1 });
  await behind.query({
    text: `UPDATE payout_uploads SET begun_at = begun_at - interval '2 hours' WHERE book_id = $1`,
    values: [bookId],
  });
  expect(await sweep.round()).toBe(1);
  expect(await kept()).toEqual({ items: 10_000, twice: 0, uploads: 0 });
  expect((await service.read<List<Batch>>(BATCHES)).data.map(({ id }) => id)).toEqual([again.body.id]);
  const replayed = await upload(service, 10_000, { query: '?submit=false', idempotencyKey: 'g6' });
  expect(replayed.text).toBe(again.text);
  await expectInvariants(product);
});

// Three commands, killed at the second or third, in place of forty killed at the seventeenth: each begins as the one before it ended.
test.each(['payout_batch.items.read=kill@3', 'payout_batch.payouts.made=kill@2'])(
  'G7: a worker killed at %s: another goes on, and each item is paid once',
  async (failpoints) => {
    const worker = await start(ALL_POOLS, failpoints);
    const { body } = await upload(service, THREE_COMMANDS, { idempotencyKey: 'g7' });
    await until(
      async () => {
        if (worker.running) await makeRowsDue(behind);
        return worker.running;
      },
      (isRunning) => !isRunning,
    );
    expect(worker.output).toContain(`failpoint ${failpoints.split('=')[0]}: SIGKILL`);
    expect((await payouts()).payouts).toBe(500);
    await expectWhole(THREE_COMMANDS * 1_005);
    await start(ALL_POOLS);
    await moved(body.id, ({ status }) => status !== 'processing');
    await expectPaidOnce(body.id, THREE_COMMANDS);
  },
);

test('two processes at one batch: items that the other one made payouts of, between the row of the batch and theirs, stop nothing', async () => {
  const { runtime } = product;
  const { body } = await upload(service, 300, { idempotencyKey: 'between' });
  const id = parsePublicId('payoutBatch', body.id)!;
  const payer = (change: object) => new BatchPayer({ ...runtime, singles: new RecentSingles(), ...change });
  let others = 0;
  const query = async (...asked: Parameters<Pool['query']>) => {
    const isOfItems = JSON.stringify(asked[0]).includes('FROM payout_batch_items');
    if (isOfItems && ++others === 1) await payer({}).pay(bookId as BookId, [id]);
    return runtime.pool.query(...asked);
  };
  await payer({ pool: Object.assign(Object.create(runtime.pool), { query }) }).pay(bookId as BookId, [id]);
  expect(others).toBe(1);
  expect((await payouts()).payouts).toBe(300);
  const { rows } = await behind.query({ text: 'SELECT stuck_error FROM payout_batches WHERE id = $1', values: [id] });
  expect(rows).toEqual([{ stuck_error: null }]);
  await start(ALL_POOLS);
  await moved(body.id, ({ status }) => status !== 'processing');
  await expectPaidOnce(body.id, 300);
});

test('two processes at one batch: one that was stopped before its command makes nothing twice', async () => {
  const stopped = await start(['ledger'], 'payout_batch.items.read=stop@2');
  const { body } = await upload(service, THREE_COMMANDS, { idempotencyKey: 'race' });
  await stopped.reached('payout_batch.items.read');
  expect((await payouts()).payouts).toBe(250);
  await start(ALL_POOLS);
  await moved(body.id, ({ counts }) => counts.waiting < 300);
  stopped.thaw();
  await moved(body.id, ({ status }) => status !== 'processing');
  await stopped.terminate();
  await expectPaidOnce(body.id, THREE_COMMANDS);
});
