/** Days of the operator's book: closed once every bank has stated them, and packed with what the banks state. */
import { createHash } from 'node:crypto';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { program as closeCommand } from '../../scripts/close.ts';
import type { Client, Problem } from '../../scripts/harness/client.ts';
import { program as verifyCommand } from '../../scripts/verify.ts';
import { addDays } from '../../src/calendar/day.ts';
import { operatorBooks } from '../../src/organisations/organisation-store.ts';
import { type Manifest, PACK_FILES } from '../../src/packs/pack.ts';
import { signingKeyFrom } from '../../src/proofs/signing-key.ts';
import { publicId } from '../../src/values/ids.ts';
import { type CamtStatement, camt, makeBankAccount, type Taker, takeBankFile } from '../support/bank-statements.ts';
import { newSigningSeed } from '../support/checkpoints.ts';
import { contractOf } from '../support/contracted.ts';
import { oneDay, today } from '../support/one-day.ts';
import { addPersonOf } from '../support/people.ts';
import { type Product, startProduct } from '../support/product.ts';
import { runHere } from '../support/run-here.ts';

/** Days before today. */
const day = (before: number) => addDays(today, -before);
const seed = newSigningSeed();

let product: Product;
let taker: Taker;
let key: string;
let client: Client;
let folder: string;
let first: string;

beforeAll(async () => {
  product = await startProduct({ backend: 'postgres', clock: oneDay });
  await contractOf(product);
  const { pool, committer } = product.runtime;
  const bookId = (await operatorBooks(pool)).test;
  taker = { bookId, pool, committer };
  ({ key } = await addPersonOf(pool, bookId, { name: 'Ada' }));
  client = product.client(key);
  folder = mkdtempSync(join(tmpdir(), 'operators-close-'));
  first = await makeBankAccount(taker, { openingOn: day(20), openingAmount: 100_000n });
  // From a day on that is closed later.
  await makeBankAccount(taker, { name: 'Later', identifiers: ['JO71LATER'], openingOn: day(2), openingAmount: 7n });
});
afterAll(async () => {
  await product?.close();
  if (folder) rmSync(folder, { recursive: true });
});

const take = (statement: CamtStatement) => takeBankFile(taker, camt([statement], { id: `M${statement.number}` }));

function close(through: string, ...more: string[]) {
  const words = ['--book', publicId('book', taker.bookId), '--through', through, '--url', product.baseUrl, '--json'];
  return runHere(closeCommand, [...words, ...more], {
    COUNTINGHOUSE_API_KEY: key,
    DATABASE_URL: product.database.applicationUrl,
    SIGNER_DATABASE_URL: product.database.signerUrl,
    CHECKPOINT_SIGNING_KEY: seed,
  });
}

const verify = async (pack: string) => {
  const { code, out } = await runHere(verifyCommand, ['--pack', pack, '--public-key', signingKeyFrom(seed).keyId], {});
  return { code, out };
};
const banksIn = (pack: string) => readFileSync(join(pack, PACK_FILES.banks), 'utf8').trim().split('\r\n').slice(1);

test('days that a bank has not stated stay open, and the refusal names the account', async () => {
  const asked = { through: day(5) };
  const refused = await client.post<Problem>('/v1/journal/periods/close', asked);
  expect([refused.status, refused.body]).toMatchObject([
    409,
    {
      code: 'state_conflict',
      param: '/through',
      detail: expect.stringContaining('none is posted'),
      blocked_by: [{ type: 'bank_statements_missing', bank_accounts: [publicId('bankAccount', first)] }],
    },
  ]);
  await take({ number: '1', on: day(6), opening: 100_000, entries: [{ amount: -25_000 }] });
  const short = await close(day(5));
  expect([short.code, short.err]).toEqual([2, expect.stringContaining(`the last one ends on ${day(6)}`)]);
  // Held, it states nothing.
  await take({ number: '2', on: day(4), opening: 75_000, closing: 1, entries: [{ amount: 1 }] });
  expect((await close(day(5))).code).toBe(2);
});

test('stated, they are closed, and the pack has what each bank states of the last day', async () => {
  // One line belongs behind the day, and the next statement has one that came late.
  const entries = [
    { amount: 500, on: day(5) },
    { amount: 20, on: day(4) },
  ];
  await take({ number: '3', on: day(4), opening: 75_000, entries });
  await take({ number: '4', on: day(3), opening: 75_520, entries: [{ amount: -3, on: day(5) }, { amount: 9_000 }] });
  const pack = join(folder, 'first');
  const closed = await close(day(5), '--pack', pack);
  expect([closed.code, closed.err]).toEqual([0, '']);
  const [row, ...others] = banksIn(pack);
  expect(others).toEqual([]);
  expect(row).toMatch(new RegExp(`^${publicId('bankAccount', first)},acct_.*,JOD,bst_.*,${day(3)},75497,75497,0$`));
  const verified = await verify(pack);
  expect(verified.code).toBe(0);
  expect(verified.out).toContain(`${publicId('bankAccount', first)} closes with 75497, and so do the books.`);
});

test('what is posted since changes no byte of it', async () => {
  await take({ number: '5', on: day(1), opening: 84_517, entries: [{ amount: -17 }] });
  const again = join(folder, 'again');
  expect((await close(day(5), '--pack', again)).code).toBe(0);
  for (const file of [PACK_FILES.banks, 'manifest.json'])
    expect(readFileSync(join(again, file), 'utf8')).toBe(readFileSync(join(folder, 'first', file), 'utf8'));
});

test('an account that is opened later blocks later days alone', async () => {
  const later = await close(day(2));
  expect([later.code, later.err]).toEqual([2, expect.stringContaining('none is posted')]);
  expect((await close(day(3))).code).toBe(0);
});

const planted: string[] = [];
afterEach(() => {
  for (const copy of planted.splice(0)) rmSync(copy, { recursive: true });
});

/** A copy with other rows of banks, and a manifest that names them. */
function withRows(change: (row: string) => string): string {
  const copy = mkdtempSync(join(folder, 'planted-'));
  planted.push(copy);
  cpSync(join(folder, 'first'), copy, { recursive: true });
  const path = join(copy, PACK_FILES.banks);
  const bytes = Buffer.from(readFileSync(path, 'utf8').replace(/^ba_.*\r\n/m, change));
  writeFileSync(path, bytes);
  const manifest = JSON.parse(readFileSync(join(copy, 'manifest.json'), 'utf8')) as Manifest;
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const files = manifest.files.map((one) =>
    one.name === PACK_FILES.banks ? { ...one, bytes: bytes.length, sha256 } : one,
  );
  writeFileSync(join(copy, 'manifest.json'), JSON.stringify({ ...manifest, files }));
  return copy;
}

test.each([
  ['the books by one', (row: string) => row.replace(',75497,75497,0', ',75498,75498,0'), 'the entries come to 75497'],
  [
    'the bank by one',
    (row: string) => row.replace(',75497,75497,0', ',75498,75497,1'),
    'closes with 75498, and the books with 75497',
  ],
  ['a difference that is hidden', (row: string) => row.replace(',75497,75497,0', ',75498,75497,0'), 'is 1'],
  ['a row that is left out', () => '', 'is a bank account, and has no row'],
])('verification finds %s', async (_, change, said) => {
  const found = await verify(withRows(change));
  expect(found.code).toBe(1);
  expect(found.out).toContain(said);
});
