/** `npm run reconcile`: its exit codes, what it prints, and a file that is taken again after a kill. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { programOf } from '../../../scripts/harness/programs.ts';
import { program } from '../../../scripts/reconcile.ts';
import { operatorBooks } from '../../../src/organisations/organisation-store.ts';
import { camt, IBAN, makeBankAccount, type OperatorsBank } from '../../support/bank-statements.ts';
import { openBook } from '../../support/book.ts';
import { eachBank } from '../../support/each-bank.ts';
import { LATEST_FORMS } from '../../support/forms.ts';
import { expectItems, matchesOf } from '../../support/matched-bank.ts';
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

function fileOf(text: string): string {
  const file = join(folder, 'statement.xml');
  writeFileSync(file, text);
  return file;
}

const environment = () => ({
  DATABASE_URL: database.applicationUrl,
  COUNTINGHOUSE_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
});
const run = (text: string, ...words: string[]) => runHere(program, [fileOf(text), ...words], environment());
const printed = (out: string) => JSON.parse(out.trim()) as Record<string, unknown>;

/** In a process of its own. */
async function killedBehind(commit: number, ...words: readonly string[]): Promise<void> {
  const env = { ...process.env, ...environment(), COUNTINGHOUSE_FAILPOINTS: `ledger.commit.after=kill@${commit}` };
  const child = spawn(process.execPath, [...programOf('scripts/reconcile.ts'), ...words], {
    env,
    stdio: 'ignore',
  });
  expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
}

const FIRST = { opening: 0, entries: [{ amount: -25_000, endToEndId: 'E1' }] };
const GAP = { number: '3', opening: 7, entries: [{ amount: 1 }] };

/** The payout that FIRST shows. */
const explain = () => expectItems(bank.taker, [{ amount: -25_000n, endToEndId: 'E1' }]);

test('0 and one JSON object; again the same', async () => {
  await bank.account();
  await explain();
  const first = await run(camt([FIRST]), '--json');
  expect(first.code).toBe(0);
  expect(printed(first.out)).toMatchObject({
    object: 'reconciliation',
    livemode: false,
    status: 'completed',
    statements: 1,
    lines: 1,
    source: { name: 'statement.xml', format: 'camt.053', sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
    ...{ matched: 1, open: 0, by_rule: [{ rule: 'end_to_end_id', lines: 1, amount: 25_000 }] },
    position: [{ bank: -25_000, suspense: 0, unallocated: 0 }],
  });
  const again = await run(camt([FIRST]), '--json');
  expect([again.code, again.out]).toEqual([0, first.out]);
});

test('1 where something is left to people, which it names', async () => {
  await bank.account();
  const { code, out } = await run(camt([FIRST, GAP]));
  expect(code).toBe(1);
  expect(out).toContain('2 statements, 0 known before, 1 lines posted.');
  expect(out).toContain('1 held.');
  expect(out).toMatch(/statement_gap, line \d+: /);
  expect((await run(camt([FIRST, GAP]))).code).toBe(1);
});

test('2 for a file that is no statement or not whole: it names the line, and nothing is kept', async () => {
  await bank.account();
  for (const text of ['Dear bank', camt([FIRST]).slice(0, 600)]) {
    const { code, err } = await run(text);
    expect([code, err]).toEqual([2, expect.stringContaining('Nothing was booked.')]);
  }
  expect((await run(camt([FIRST]).slice(0, 600))).err).toMatch(/Line \d+: /);
  expect(await bank.statements()).toEqual([]);
});

test('2 where both modes have a bank account of the file, until the mode is named', async () => {
  await bank.account();
  const bookId = (await operatorBooks(bank.pool)).live;
  const live = await openBook({ database: bank.pool, bookId, forms: LATEST_FORMS });
  await makeBankAccount({ bookId, pool: bank.pool, committer: live.committer });
  await live.close();
  const { code, err } = await run(camt([FIRST]));
  expect([code, err]).toEqual([2, expect.stringContaining('--mode test, or --mode live')]);
  await explain();
  expect((await run(camt([FIRST]), '--mode', 'test')).code).toBe(0);
  expect(await bank.balances()).toEqual({ bank: -25_000n, rail_clearing: -25_000n });
});

test('3 without a database', async () => {
  const { code } = await runHere(program, [fileOf(camt([FIRST]))], {
    ...environment(),
    DATABASE_URL: 'postgres://localhost:1/none',
  });
  expect(code).toBe(3);
});

test('a dry run judges each statement behind those before it, and writes nothing', async () => {
  await bank.account();
  const second = { number: '2', on: '2026-11-04', opening: -25_000, entries: [{ amount: 5 }] };
  const { code, out } = await run(camt([FIRST, second, GAP]), '--dry-run', '--json');
  expect(code).toBe(1);
  expect(printed(out)).toMatchObject({
    dry_run: true,
    ok: false,
    object: 'reconciliation',
    id: null,
    ...{ statements: 3, lines: 2, known: 0, findings: [{ code: 'statement_gap', bank_statement: null }] },
    verdicts: [
      { account: IBAN, verdict: 'posts' },
      { verdict: 'posts' },
      { verdict: 'held', findings: [{ code: 'statement_gap' }] },
    ],
  });
  expect(await bank.statements()).toEqual([]);
  expect(await bank.balances()).toEqual({});
});

test('1 where no rule explains a line, and a dry run says so before', async () => {
  await bank.account();
  await explain();
  const text = camt([{ opening: 0, entries: [...FIRST.entries, { amount: 700 }] }]);
  const dry = await run(text, '--dry-run', '--json');
  expect([dry.code, printed(dry.out)]).toMatchObject([
    1,
    {
      by_rule: [{ rule: 'end_to_end_id', lines: 1, amount: 25_000 }],
      matched: 1,
      open: 1,
      left: [{ kind: 'inbound_unallocated', lines: 1 }],
    },
  ]);
  const said = await run(text, '--dry-run');
  expect(said.out).toContain('1 lines would match by end_to_end_id.');
  expect(await bank.balances()).toEqual({});
  const { code, out } = await run(text);
  expect([code, out]).toEqual([1, expect.stringContaining('1 lines are not explained; 0 have proposals.')]);
  expect(out).toContain('1 lines matched by end_to_end_id: ');
});

test.each([2, 4, 7])('killed behind commit %i of matching and run again: each match once', async (commit) => {
  await bank.account();
  const ids = Array.from({ length: 300 }, (_, index) => `END-TO-END-${index}`);
  await expectItems(
    bank.taker,
    ids.map((endToEndId) => ({ amount: -10n, endToEndId })),
  );
  const file = fileOf(camt([{ opening: 0, entries: ids.map((endToEndId) => ({ amount: -10, endToEndId })) }]));
  await killedBehind(commit, file);
  expect((await runHere(program, [file], environment())).code).toBe(0);
  expect(await matchesOf(bank)).toHaveLength(300);
  expect(await bank.balances()).toEqual({ bank: -3_000n, rail_clearing: -3_000n });
});

test.each([1, 4])('killed behind commit %i and run again: each line once', async (commit) => {
  await bank.account();
  const entries = Array.from({ length: 700 }, (_, index) => ({ amount: 10, reference: `S${index}` }));
  const file = fileOf(camt([{ opening: 0, entries }]));
  await killedBehind(commit, file);
  // Nothing explains the lines: they wait for people.
  expect((await runHere(program, [file], environment())).code).toBe(1);
  expect(await bank.lines()).toHaveLength(700);
  expect(await bank.balances()).toEqual({ bank: 7_000n, unallocated: 7_000n });
  expect((await bank.statements()).map(({ status }) => status)).toEqual(['posted']);
});

const UNKNOWN = 'JO71CBJO0000000000001234567890';
const other = (number: string, entries: { amount: number; reference?: string }[], opening = 0) => ({
  ...{ account: UNKNOWN, number, opening, entries },
});

const verdicts = ({ out }: { out: string }) =>
  (printed(out).verdicts as { verdict: string }[]).map(({ verdict }) => verdict);

test('a held statement of an unknown account is taken up by the same file once the account is made', async () => {
  await bank.account();
  const text = camt([FIRST, other('1', [{ amount: 500 }]), other('2', [{ amount: 70 }], 500)]);
  const held = await run(text, '--mode', 'test');
  expect(held.code).toBe(1);
  expect(held.out).toContain('taken up by itself');
  const before = await bank.digest();
  expect((await run(text)).code).toBe(1);
  expect(await bank.digest()).toBe(before);
  expect(verdicts(await run(text, '--mode', 'test', '--dry-run', '--json'))).toEqual(['known', 'held', 'held']);
  await bank.account({ identifiers: [UNKNOWN] });
  // A dry run sees that they would be taken up.
  expect(verdicts(await run(text, '--dry-run', '--json'))).toEqual(['known', 'posts', 'posts']);
  // Its lines are posted, and nothing explains them yet.
  const taken = await run(text);
  expect(taken.out).toContain('3 statements, 0 known before, 3 lines posted.');
  expect(taken.out).not.toContain('bank_account_unknown');
  expect(taken.code).toBe(1);
  expect((await bank.statements()).map(({ status, findings }) => [status, findings])).toEqual(
    Array.from({ length: 3 }, () => ['posted', []]),
  );
  expect(await bank.lines()).toHaveLength(3);
  expect(await bank.balances()).toEqual({ bank: -24_430n, suspense: 25_000n, unallocated: 570n });
  const after = await bank.digest();
  const again = await run(text);
  expect([again.code, again.out, await bank.digest()]).toEqual([1, taken.out, after]);
});

test.each([2, 5])('killed behind commit %i of the take-up and given again: each line once', async (commit) => {
  const entries = Array.from({ length: 700 }, (_, index) => ({ amount: 10, reference: `S${index}` }));
  const file = fileOf(camt([other('1', entries)]));
  const words = [file, '--mode', 'test'] as const;
  expect((await runHere(program, words, environment())).code).toBe(1);
  await bank.account({ identifiers: [UNKNOWN] });
  await killedBehind(commit, ...words);
  // Nothing explains its lines.
  expect((await runHere(program, words, environment())).code).toBe(1);
  expect(await bank.lines()).toHaveLength(700);
  expect(await bank.balances()).toEqual({ bank: 7_000n, unallocated: 7_000n });
  const rows = await bank.book.rows('SELECT lines, findings FROM reconciliations WHERE book_id = $1');
  expect(rows).toEqual([{ lines: 700, findings: [] }]);
});
