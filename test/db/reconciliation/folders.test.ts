/** `npm run reconcile -- DIR`: what becomes of each file of a folder, whichever process reads it or dies. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { programOf } from '../../../scripts/harness/programs.ts';
import { program } from '../../../scripts/reconcile.ts';
import { operatorBooks } from '../../../src/organisations/organisation-store.ts';
import { claimFolder, leaveFolder } from '../../../src/reconciliation/runs/folder-claim-store.ts';
import { systemClock } from '../../../src/values/clock.ts';
import { newId } from '../../../src/values/ids.ts';
import { camt, type OperatorsBank } from '../../support/bank-statements.ts';
import { eachBank } from '../../support/each-bank.ts';
import { expectItems } from '../../support/matched-bank.ts';
import type { TestDatabase } from '../../support/postgres.ts';
import { runHere } from '../../support/run-here.ts';

let database: TestDatabase;
let bank: OperatorsBank;
let folder: string;
eachBank((opened) => {
  ({ bank, database } = opened);
  folder = mkdtempSync(join(tmpdir(), 'statements-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const environment = () => ({
  DATABASE_URL: database.applicationUrl,
  COUNTINGHOUSE_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
});
const put = (name: string, text: string) => writeFileSync(join(folder, name), text);
const run = (...words: string[]) => runHere(program, [folder, '--mode', 'test', ...words], environment());
const rested = (...words: string[]) => run('--rests', '0', ...words);
const filesOf = ({ out }: { out: string }) =>
  (JSON.parse(out) as { files: { file: string; is: string; reason?: string }[] }).files;
const ls = (name: string) => readdirSync(join(folder, name)).sort();

const explain = () =>
  expectItems(bank.taker, [
    { amount: -100n, endToEndId: 'E1' },
    { amount: -200n, endToEndId: 'E2' },
  ]);
const FIRST = camt([{ number: '1', on: '2026-11-03', opening: 0, entries: [{ amount: -100, endToEndId: 'E1' }] }]);
const SECOND = camt([{ number: '2', on: '2026-11-04', opening: -100, entries: [{ amount: -200, endToEndId: 'E2' }] }]);

test('each file is taken once, in any order of their names, and what is no file of a bank is put aside', async () => {
  await bank.account();
  await explain();
  put('a-later.xml', SECOND);
  put('b-earlier.xml', FIRST);
  put('c-again.xml', FIRST);
  put('d-foreign.pdf', '%PDF-1.7');
  put('e-cut.xml', FIRST.slice(0, 400));
  put('.hidden', 'x');
  mkdirSync(join(folder, 'archive'));
  symlinkSync(join(folder, 'b-earlier.xml'), join(folder, 'f-link.xml'));
  const first = await rested('--json');
  expect(first.code).toBe(2);
  expect(filesOf(first).map(({ file, is }) => `${file} ${is}`)).toEqual([
    'a-later.xml taken',
    'b-earlier.xml taken',
    'c-again.xml taken',
    'd-foreign.pdf quarantined',
    'e-cut.xml quarantined',
    'f-link.xml quarantined',
  ]);
  expect(await bank.balances()).toEqual({ bank: -300n, rail_clearing: -300n });
  expect(ls('done')).toEqual(['a-later.xml', 'b-earlier.xml', 'c-again.xml']);
  const quarantined = ls('quarantine');
  expect(quarantined.filter((name) => !name.endsWith('.reason'))).toEqual(['d-foreign.pdf', 'e-cut.xml', 'f-link.xml']);
  const reason = quarantined.find((name) => name.startsWith('f-link') && name.endsWith('.reason'))!;
  expect(readFileSync(join(folder, 'quarantine', reason), 'utf8')).toBe('It is a link or a device, and no file.\n');
  expect((await bank.exceptions()).filter(({ kind }) => kind === 'file_quarantined')).toHaveLength(3);
  const again = await rested('--json');
  expect([again.code, filesOf(again)]).toEqual([0, []]);
});

test('1 where a statement is held, and the file that was missing releases it in the next run', async () => {
  await bank.account();
  await explain();
  put('2.xml', SECOND);
  expect((await rested()).code).toBe(1);
  expect((await bank.statements()).map(({ status }) => status)).toEqual(['held']);
  put('1.xml', FIRST);
  expect((await rested()).code).toBe(0);
  expect(await bank.balances()).toEqual({ bank: -300n, rail_clearing: -300n });
});

test('a file that was just written is left for the next run', async () => {
  await bank.account();
  put('1.xml', FIRST.slice(0, 400));
  const { code, out } = await run('--rests', '3600');
  expect([code, out]).toEqual([0, '1.xml: left. It may still grow: the next run takes it.\n']);
  expect(readdirSync(folder).sort()).toEqual(['1.xml', 'done', 'quarantine']);
});

test('3 while another process reads the folder, and not once its claim has ended', async () => {
  await bank.account();
  await explain();
  put('1.xml', FIRST);
  const claim = { bookId: (await operatorBooks(bank.pool)).live, folder, by: newId() };
  const now = systemClock.now();
  expect(await claimFolder(bank.pool, claim, { now, until: now + 3_600_000 })).toBe(true);
  const { code, err } = await rested();
  expect([code, err]).toEqual([3, expect.stringContaining('another process reads the folder')]);
  expect(await bank.statements()).toEqual([]);
  await leaveFolder(bank.pool, claim, systemClock.now());
  expect((await rested()).code).toBe(0);
});

test('killed between a file and its move, and run again once the claim has ended: each line once', async () => {
  await bank.account();
  await explain();
  put('1.xml', FIRST);
  put('2.xml', SECOND);
  const env = { ...process.env, ...environment(), COUNTINGHOUSE_FAILPOINTS: 'reconciliation.file.taken=kill' };
  const words = [...programOf('scripts/reconcile.ts'), folder, '--mode', 'test', '--rests', '0'];
  expect(await once(spawn(process.execPath, words, { env, stdio: 'ignore' }), 'exit')).toEqual([null, 'SIGKILL']);
  expect(readdirSync(folder).filter((name) => name.endsWith('.xml'))).toEqual(['1.xml', '2.xml']);
  expect((await rested()).code).toBe(3);
  // A minute later.
  await bank.pool.query("UPDATE bank_folders SET claimed_until = claimed_until - interval '1 minute'");
  expect((await rested()).code).toBe(0);
  expect(ls('done')).toEqual(['1.xml', '2.xml']);
  expect(await bank.lines()).toHaveLength(2);
  expect(await bank.balances()).toEqual({ bank: -300n, rail_clearing: -300n });
});

test('2 for a dry run of a folder, and for half of what a CSV needs', async () => {
  expect((await rested('--dry-run')).code).toBe(2);
  expect((await rested('--profile', 'csvp_00000000000000000000000000')).code).toBe(2);
});
