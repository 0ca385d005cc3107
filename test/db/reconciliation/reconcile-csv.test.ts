/** `npm run reconcile` with CSV: a saved profile, the account that the file does not state, and a profile that is proposed. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { program } from '../../../scripts/reconcile.ts';
import { saveProfile } from '../../../src/reconciliation/profiles/save-profile.ts';
import { newId, publicId } from '../../../src/values/ids.ts';
import type { OperatorsBank } from '../../support/bank-statements.ts';
import { eachBank } from '../../support/each-bank.ts';
import type { TestDatabase } from '../../support/postgres.ts';
import { runHere } from '../../support/run-here.ts';

let database: TestDatabase;
let bank: OperatorsBank;
let folder: string;
eachBank((opened) => {
  ({ bank, database } = opened);
  folder = mkdtempSync(join(tmpdir(), 'csv-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function fileOf(text: string | Buffer): string {
  const file = join(folder, 'export.csv');
  writeFileSync(file, text);
  return file;
}
const environment = () => ({
  DATABASE_URL: database.applicationUrl,
  COUNTINGHOUSE_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
});
const run = (text: string | Buffer, ...words: string[]) =>
  runHere(program, [fileOf(text), ...words, '--json'], environment());
const proposes = (text: string | Buffer, ...words: string[]) =>
  runHere(program, ['profile', fileOf(text), ...words], environment());
const printed = (out: string) => JSON.parse(out.trim()) as Record<string, unknown>;

const COLUMNS = { booked_on: 'Tag', amount: 'Betrag', balance: 'Saldo', text: ['Text'] };

async function profile(decimal: ',' | '.' = ','): Promise<string> {
  const form = { delimiter: ';', encoding: 'windows-1252', skip: 1, dateFormat: 'DD.MM.YYYY', group: null } as const;
  const saved = await bank.book.submit(
    saveProfile({ ...form, name: 'Portal', columns: COLUMNS, decimal, requestId: newId(), actor: 'test' }),
  );
  return publicId('csvProfile', saved.resourceId!);
}

/** Amounts in thousandths with a comma. */
const csv = (...rows: readonly string[]) =>
  Buffer.from(['Konto 7', 'Tag;Text;Betrag;Saldo', ...rows, ''].join('\n'), 'latin1');
const FIRST = csv('03.11.2026;Über;-25,000;-25,000', '04.11.2026;Miete;5,000;-20,000');

test('a CSV is taken by its profile, once, and foots by its balances', async () => {
  const account = publicId('bankAccount', await bank.account());
  const words = ['--profile', await profile(), '--bank-account', account];
  const dry = await run(FIRST, ...words, '--dry-run');
  expect([dry.code, printed(dry.out)]).toMatchObject([
    1,
    { dry_run: true, lines: 2, verdicts: [{ verdict: 'posts' }] },
  ]);
  const first = await run(FIRST, ...words);
  // Nothing explains its lines.
  expect([first.code, printed(first.out)]).toMatchObject([
    1,
    { lines: 2, findings: [], source: { format: 'CSV', profile: words[1] }, position: [{ bank: -20_000 }] },
  ]);
  const again = await run(FIRST, ...words);
  expect([again.code, again.out]).toEqual([1, first.out]);
  const later = await run(csv('05.11.2026;Lücke;1,000;-18,000'), ...words);
  expect([later.code, printed(later.out)]).toMatchObject([1, { lines: 0, findings: [{ code: 'statement_gap' }] }]);
  const next = await run(csv('05.11.2026;Zins;2,000;-18,000'), ...words);
  expect(printed(next.out)).toMatchObject({ lines: 1, position: [{ bank: -18_000 }] });
  expect(await bank.balances()).toMatchObject({ bank: -18_000n });
});

test('the same bytes by another profile are another run', async () => {
  const account = publicId('bankAccount', await bank.account());
  const [first, second] = [await profile(), await profile()];
  const ids = [];
  for (const id of [first, second])
    ids.push(printed((await run(FIRST, '--profile', id, '--bank-account', account)).out));
  expect(ids[0]!.id).not.toBe(ids[1]!.id);
  expect(ids[1]).toMatchObject({ known: 1, lines: 0 });
  expect(await bank.lines()).toHaveLength(2);
});

test('2 without an account, by a profile that does not fit, and for a row that is wrong: it names the line', async () => {
  const account = publicId('bankAccount', await bank.account());
  const id = await profile();
  const unknown = publicId('csvProfile', newId());
  for (const [bytes, words, said] of [
    [FIRST, ['--profile', id], '--bank-account ba_'],
    [FIRST, ['--profile', unknown, '--bank-account', account], 'There is no profile'],
    [FIRST, ['--profile', id, '--bank-account', publicId('bankAccount', newId())], 'There is no bank account'],
    [FIRST, ['--profile', await profile('.'), '--bank-account', account], 'Line 3: -25,000 is no amount'],
    [csv('30.02.2026;X;1,000;1,000'), ['--profile', id, '--bank-account', account], 'Line 3: 2026-02-30 is no day'],
    [csv('03.11.2026;X;1a;1,000'), ['--profile', id, '--bank-account', account], 'Line 3: 1a is no amount'],
  ] as const) {
    const { code, err } = await run(bytes, ...words);
    expect([code, err]).toEqual([2, expect.stringContaining(said)]);
  }
  expect(await bank.statements()).toEqual([]);
});

test('profile proposes one, asks with exit 2 where two fit, and takes the answer', async () => {
  const text = 'Date;Amount\n03/04/2026;1,234\n13/04/2026;2,000\n';
  const asked = await proposes(text, '--currency', 'JOD', '--json');
  expect([asked.code, printed(asked.out)]).toEqual([
    2,
    {
      ok: false,
      error: expect.any(String),
      choices: [
        {
          option: '--decimal',
          choices: [
            { value: '.', reads: '1,234 is 1234.000 JOD' },
            { value: ',', reads: '1,234 is 1.234 JOD' },
          ],
        },
      ],
    },
  ]);
  const said = await proposes(text, '--currency', 'JOD');
  expect(said.err).toContain("--decimal ','  1,234 is 1.234 JOD");
  const answered = await proposes(text, '--currency', 'JOD', '--decimal', ',');
  expect([answered.code, JSON.parse(answered.out)]).toMatchObject([
    0,
    { decimal: ',', date_format: 'DD/MM/YYYY', columns: { booked_on: 'Date', amount: 'Amount' } },
  ]);
  const none = await proposes('Dear bank', '--currency', 'JOD');
  expect([none.code, none.err]).toEqual([2, expect.stringContaining('No line of it is a header')]);
});
