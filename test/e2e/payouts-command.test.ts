/** `npm run payouts -- upload`, and accounts that batches keep open. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Client, List, Problem } from '../../scripts/harness/client.ts';
import { program } from '../../scripts/payouts.ts';
import { startContracted } from '../support/contracted.ts';
import type { Product } from '../support/product.ts';
import { runHere } from '../support/run-here.ts';

const BATCHES = '/v1/payouts/batches';
const HEADER = 'amount,currency,type,alias';
let product: Product;
let service: Client;
let key: string;
let account: string;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'payouts-'));
  product = await startContracted({ backend: 'postgres', pools: [] });
});
afterAll(async () => {
  await product?.close();
  rmSync(folder, { recursive: true });
});
beforeEach(async () => {
  const made = await product.organisation();
  service = made.client;
  key = made.keys.testKey;
  account = (await service.openAccount({ funds: 100_000 })).id;
});

function file(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}
const run = (path: string, ...words: string[]) =>
  runHere(program, ['upload', path, '--url', product.baseUrl, ...words], { COUNTINGHOUSE_API_KEY: key });
/** Standard error is a terminal meanwhile. */
async function onATerminal<Ran>(work: () => Promise<Ran>): Promise<Ran> {
  const before = process.stderr.isTTY;
  process.stderr.isTTY = true;
  return work().finally(() => (process.stderr.isTTY = before));
}
const batches = async () => (await service.read<List<{ id: string }>>(BATCHES)).data;

test('a dry run keeps nothing', async () => {
  const path = file('dry.csv', `${HEADER}\n1000,JOD,cliq,SHOP1\n2000,JOD,cliq,SHOP2`);
  const dry = await run(path, '--account', account, '--dry-run', '--json');
  expect([dry.code, JSON.parse(dry.out)]).toMatchObject([0, { dry_run: true, items: 2 }]);
  expect(await batches()).toEqual([]);
});

test('an upload says what was accepted, and shows a bar on a terminal', async () => {
  const path = file('made.csv', `${HEADER}\n1000,JOD,cliq,SHOP1\n3000,JOD,cliq,SHOP2`);
  const words = ['--account', account, '--idempotency-key', 'k1', '--json'];
  const made = await run(path, ...words);
  expect([made.code, JSON.parse(made.out)]).toMatchObject([0, { status: 'processing', items: 2 }]);
  expect(made.err).toContain('Idempotency-Key: k1');
  expect(made.err).not.toContain('%');
  const onTerminal = await onATerminal(() => run(path, ...words));
  expect(onTerminal.out).toBe(made.out);
  expect(onTerminal.err).toContain(`100% | upload of ${path}`);
  const again = await run(path, '--account', account, '--idempotency-key', 'k2');
  expect(again).toMatchObject({ code: 2, err: expect.stringContaining('409') });
  expect(await batches()).toHaveLength(1);
});

test('refused items are findings with their places', async () => {
  const path = file('bad.csv', `${HEADER}\n1.5,JOD,cliq,SHOP1\n1000,JOD,cliq,SHOP1\n1000,XXX,cliq,SHOP2`);
  const found = await run(path, '--account', account, '--idempotency-key', 'k3', '--json');
  expect(found.code).toBe(1);
  expect(JSON.parse(found.out)).toMatchObject({ errors_total: 2 });
  expect(found.err).toContain('/rows/1/amount');
  expect(found.err).toContain('/rows/3/currency');
  expect(await batches()).toEqual([]);
});

test('what is no upload is refused, and nobody who answers is an error of the system', async () => {
  const path = file('one.csv', `${HEADER}\n1000,JOD,cliq,SHOP1`);
  expect((await run(join(folder, 'none.csv'))).code).toBe(2);
  expect((await run(file('x.json', '{"items":[]}'), '--account', account)).code).toBe(2);
  expect((await runHere(program, ['upload', path, '--url', product.baseUrl], {})).code).toBe(2);
  const nobody = ['upload', path, '--url', 'http://127.0.0.1:1'];
  expect((await runHere(program, nobody, { COUNTINGHOUSE_API_KEY: key })).code).toBe(3);
});

test('a draft and a batch that waits for approval keep their account open, and only theirs', async () => {
  const items = [{ amount: 1_000, currency: 'JOD', destination: { type: 'cliq', alias: 'SHOP1' } }];
  const poor = (await service.openAccount({ funds: 0 })).id;
  const draft = (await service.post<{ id: string }>(BATCHES, { account: poor, items, submit: false })).body;
  const waiting = (
    await service.post<{ id: string }>(BATCHES, { account: poor, items, approval: 'required', allow_duplicate: true })
  ).body;
  const close = () => service.post<Problem & { blocked_by: object[] }>(`/v1/accounts/${poor}/close`);
  expect(await close()).toMatchObject({
    status: 409,
    body: {
      code: 'account_not_empty',
      blocked_by: [{ type: 'payout_batches_open', payout_batches: [draft.id, waiting.id] }],
    },
  });
  const other = (await service.openAccount({ funds: 0 })).id;
  expect((await service.post(`/v1/accounts/${other}/close`)).status).toBe(200);
  for (const { id } of [draft, waiting]) expect((await service.post(`${BATCHES}/${id}/cancel`)).status).toBe(200);
  expect((await close()).status).toBe(200);
});
