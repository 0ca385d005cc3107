/** `npm run bank`: a payout goes end to end through API, workers and a bank of its own process, and the bank pays nothing twice. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { validateXML } from 'xmllint-wasm';
import { ReferenceBank } from '../../scripts/bank/reference-bank.ts';
import { type Client, type List, type Payout, succeeded, until } from '../../scripts/harness/client.ts';
import { programOf } from '../../scripts/harness/programs.ts';
import { hasSharedData, schemaOf } from '../support/bank-files.ts';
import { contractOf } from '../support/contracted.ts';
import { expectInvariants } from '../support/invariants.ts';
import { bookedOf, exceptionsAbout } from '../support/payout-rows.ts';
import { lookInto, type Product, startProduct } from '../support/product.ts';

const FEE = 35;

let root: string;
let product: Product;
let client: Client;
let bank: ChildProcess;
let said = '';

const words = (...given: string[]) => [...programOf('scripts/bank/bank.ts'), '--folder', root, ...given];
const run = (...given: string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, words(...given), { encoding: 'utf8' });
  return { status, stdout, stderr };
};
const list = (folder: string) => readdirSync(join(root, folder)).sort();
const read = (folder: string, name: string) => readFileSync(join(root, folder, name), 'utf8');

function startBank(): void {
  bank = spawn(process.execPath, words('run'));
  bank.stdout!.on('data', (text) => (said += text));
  bank.stderr!.on('data', (text) => (said += text));
}
async function endBank(signal: NodeJS.Signals): Promise<number | null> {
  const ended = once(bank, 'exit');
  bank.kill(signal);
  const [code] = await ended;
  return code as number | null;
}

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'bank-script-'));
  const { status, stdout } = run('init', '--mode', 'test');
  expect([status, stdout]).toEqual([0, `RAILS_FILE=${join(root, 'rails.json')}\n`]);
  product = await startProduct({ backend: 'postgres', environment: { RAILS_FILE: join(root, 'rails.json') } });
  await contractOf(product);
  ({ client } = await product.organisation());
  startBank();
});
afterAll(async () => {
  if (bank?.exitCode === null) await endBank('SIGKILL');
  if (product) await expectInvariants(product);
  await product?.close();
  rmSync(root, { recursive: true, force: true });
});

async function pay(name: string, amount = 10_000): Promise<Payout> {
  const account = await client.openAccount({ currency: 'EUR', funds: 50_000 });
  const destination = { type: 'iban', iban: 'DE89370400440532013000', name };
  return succeeded(
    await client.post<Payout>('/v1/payouts', { account: account.id, amount, currency: 'EUR', destination }),
  );
}

test('what it takes is paid, rejected or sent back by the last word of the payee’s name', async () => {
  const [usual, closed, returned] = await Promise.all([pay('Jana Müller'), pay('Jana Closed'), pay('Jana Returned')]);
  const paid = await client.payoutUntil(usual.id, 'paid');
  expect(await bookedOf(client, paid)).toEqual([
    ['reserved', 10_000],
    ['paid', 10_000, FEE],
  ]);
  expect((await client.payoutUntil(closed.id, 'failed')).failure).toMatchObject({
    ...{ code: 'payee_account_closed', rail_code: 'AC04' },
  });
  expect(await client.payoutUntil(returned.id, 'returned')).toMatchObject({ amount_returned: 10_000 });
  expect(said).toMatch(/^took reference_bank-\S+\.xml: \d payments$/m);
});

test('killed and run again it knows what it has taken, and pays nothing twice', async () => {
  await endBank('SIGKILL');
  const payout = await pay('Jana Müller');
  await until(
    async () => list('outbox'),
    ({ length }) => length > 0,
  );
  const [name] = list('outbox');
  copyFileSync(join(root, 'outbox', name!), join(root, name!));
  startBank();
  await client.payoutUntil(payout.id, 'paid');

  // A person sends the file again by hand, and once more with another MsgId.
  await endBank('SIGKILL');
  const again = readFileSync(join(root, name!), 'utf8');
  writeFileSync(join(root, 'outbox', 'again.xml'), again);
  writeFileSync(join(root, 'outbox', 'other.xml'), again.replace(/<MsgId>[^<]+/, '<MsgId>ANOTHER'));
  const { stdout } = run('run', '--once');
  expect(stdout).toContain('took again.xml: 1 payments, rejected with DU01');
  const booked = run('list')
    .stdout.split('\n')
    .filter((line) => line.startsWith(payout.end_to_end_id));
  expect(booked.map((line) => line.split('\t')[3])).toEqual(['paid', 'DU01', 'DU04']);
  const behind = lookInto(product.database);
  await until(
    async () => (await behind.query('SELECT kind FROM bank_notices WHERE acknowledged_at IS NULL')).rows,
    ({ length }) => length === 0 && list('inbox').length === 0,
  );
  const { rows } = await behind.query('SELECT code FROM bank_notices WHERE end_to_end_id = $1 ORDER BY code', [
    payout.end_to_end_id,
  ]);
  await behind.end();
  expect(rows.map(({ code }) => code)).toEqual(['DU01', 'DU04', null]);
  // A payout that has ended was not paid by the second file: nobody has to look.
  expect(await exceptionsAbout(client, payout)).toEqual([]);
  expect(await client.payout(payout.id)).toMatchObject({ status: 'paid' });
});

test('a person has it send a part back', async () => {
  startBank();
  const payout = await pay('Jana Müller');
  await client.payoutUntil(payout.id, 'paid');
  expect(run('return', payout.end_to_end_id, '--amount', '92.50')).toMatchObject({ status: 0 });
  await client.payoutUntil(payout.id, ({ amount_returned }) => amount_returned === 9_250);
  expect(await exceptionsAbout(client, payout)).toEqual(['return_short']);
  expect(run('return', 'NOBODY')).toMatchObject({ status: 1, stderr: expect.stringContaining('has no payment') });
});

test('a round that is cut off anywhere ends with the same reports', async () => {
  await endBank('SIGTERM');
  const payout = await pay('Jana Returned');
  await until(
    async () => list('outbox'),
    ({ length }) => length > 0,
  );
  const places = { outbox: join(root, 'outbox'), inbox: join(root, 'inbox'), records: join(root, 'records') };
  // The record of the reports is lost, and a line is cut.
  const before = read('records', 'records.jsonl');
  const first = await new ReferenceBank(places).work();
  await client.payoutUntil(payout.id, 'returned');
  const taken = list('records/taken').at(-1)!;
  const lines = read('records', 'records.jsonl').split('\n');
  const ofFile = lines.find((line) => line.includes(taken))!;
  writeFileSync(join(root, 'records', 'records.jsonl'), `${before}\n${ofFile}\n{"record":"report","rep`);
  const again = await new ReferenceBank(places).work();
  expect(again).toEqual({ taken: [], written: first.written });
  await until(
    async () => list('inbox'),
    ({ length }) => length === 0,
  );
  expect(await client.payout(payout.id)).toMatchObject({ status: 'returned', amount_returned: 10_000 });
});

test('what the bank has carried out is what payouts were paid for, once each', async () => {
  const bankOf = new ReferenceBank({
    ...{ outbox: join(root, 'outbox'), inbox: join(root, 'inbox'), records: join(root, 'records') },
  });
  await bankOf.open();
  const carried = [...bankOf.records.files.values()]
    .filter(({ rejected }) => rejected === null)
    .flatMap(({ order }) => order!.payments.filter(({ rejected }) => rejected === null));
  const { data } = await client.read<List<Payout>>('/v1/payouts?limit=100');
  const ended = data.filter(({ status }) => status === 'paid' || status === 'returned');
  expect(ended.length).toBeGreaterThan(4);
  const textOf = (id: string, amount: number) => `${id} ${amount}`;
  expect(carried.map(({ endToEndId, amount }) => textOf(endToEndId, Math.round(Number(amount) * 100))).sort()).toEqual(
    ended.map(({ end_to_end_id, amount }) => textOf(end_to_end_id, amount)).sort(),
  );
});

test.skipIf(!hasSharedData)('its files, and those of the rail, are valid', async () => {
  const valid = async (xml: string, schema: string) => {
    const { errors } = await validateXML({ xml: [{ fileName: 'a.xml', contents: xml }], schema: [schemaOf(schema)] });
    expect(errors).toEqual([]);
  };
  for (const name of list('work/done'))
    await valid(read('work/done', name), name.includes('pain002') ? 'pain.002.001.11' : 'camt.054.001.08');
  for (const name of list('work/sent')) await valid(read('work/sent', name), 'pain.001.001.09.epc-sct');
});
