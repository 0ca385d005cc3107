/** `npm run report` and `npm run export`: what they write, and what they refuse. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { program as exporting } from '../../../scripts/export.ts';
import { programOf } from '../../../scripts/harness/programs.ts';
import { program as reporting } from '../../../scripts/report.ts';
import { addDays } from '../../../src/calendar/day.ts';
import { newId, publicId } from '../../../src/values/ids.ts';
import { openBook } from '../../support/book.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';
import { type RandomJournal, randomJournal } from '../../support/random-journal.ts';
import { runHere } from '../../support/run-here.ts';

let database: TestDatabase;
let journal: RandomJournal;
let folder: string;
let book: string;

beforeAll(async () => {
  database = await createTestDatabase();
  journal = await randomJournal(database.applicationUrl, { entries: 30 });
  book = publicId('book', journal.book.id);
  folder = mkdtempSync(join(tmpdir(), 'reports-'));
});
afterAll(async () => {
  await journal?.book.close();
  await database?.drop();
  if (folder) rmSync(folder, { recursive: true });
});

const report = (...words: string[]) => runHere(reporting, words, { DATABASE_URL: database.applicationUrl });
const exported = (...words: string[]) => runHere(exporting, words, { DATABASE_URL: database.applicationUrl });

test('a trial balance as CSV, to standard output and to a file, and what stands beside it', async () => {
  const { last } = journal;
  const out = await report('trial-balance', '--book', book, '--as-of', last);
  expect(out).toMatchObject({ code: 0, err: '' });
  expect(out.out).toMatch(/^currency,code,name,type,account,debit,debit_minor,credit,credit_minor\r\n/);
  const file = join(folder, 'trial-balance.csv');
  const beside = await report('trial-balance', '--book', book, '--as-of', last, '--output', file, '--json');
  expect(beside.code).toBe(0);
  expect(readFileSync(file, 'utf8')).toBe(out.out);
  expect(JSON.parse(beside.out)).toMatchObject({ ok: true, book, rows: out.out.split('\r\n').length - 2 });
  expect(existsSync(`${file}.part`)).toBe(false);
});

test('JSON says of what it is, and nothing of when it was made', async () => {
  const { last, head, timeZone } = journal;
  const words = ['account-activity', '--book', book, '--from', addDays(last, -3), '--to', last, '--format', 'json'];
  const first = await report(...words);
  expect(JSON.parse(first.out)).toMatchObject({
    ...{ type: 'account_activity', book, time_zone: timeZone, from: addDays(last, -3), to: last, axis: 'effective' },
    through_sequence: Number(head),
  });
  expect((await report(...words)).out).toBe(first.out);
});

test('all live books, a file each; books of tests are left out', async () => {
  const live = await openBook({
    database: journal.book.pool,
    mode: 'live',
    clock: { now: () => Date.parse('2026-10-28T12:00:00Z') },
  });
  await live.account({ currency: 'JOD', amount: 5_124n });
  const into = join(folder, 'all');
  const words = ['trial-balance', '--all-live', '--as-of', '2026-10-28', '--output', into];
  const ran = await report(...words, '--json');
  expect(ran).toMatchObject({ code: 0, err: '' });
  const shown = ran.out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { book: string; file: string; rows: number });
  const own = shown.find(({ book: of }) => of === publicId('book', live.id))!;
  expect(own.rows).toBe(2);
  expect(readFileSync(own.file, 'utf8')).toContain('5.124');
  expect(shown.map(({ book: of }) => of)).not.toContain(book);
  expect(shown.map(({ file }) => file).toSorted()).toEqual(
    readdirSync(into)
      .map((name) => join(into, name))
      .toSorted(),
  );
  await live.close();
  for (const [more, message] of [
    [['--book', book], /Expects --book book_…, or --all-live/],
    [['--through-sequence', '1'], /are of one book/],
  ] as const)
    expect(await report(...words, ...more)).toMatchObject({ code: 2, err: expect.stringMatching(message) });
  expect((await report('trial-balance', '--all-live', '--as-of', '2026-10-28')).code).toBe(2);
});

test('the general ledger of an account by day, and what refuses it', async () => {
  const { first, last } = journal;
  const words = ['--book', book, '--from', first, '--to', last];
  const all = await report('general-ledger', ...words, '--detail', 'day');
  expect(all).toMatchObject({ code: 0, err: '' });
  const account = /acct_\w+/.exec(all.out)![0];
  const one = await report('general-ledger', ...words, '--detail', 'day', '--account', account);
  const [header, ...rows] = all.out.split('\r\n');
  expect(one.out.split('\r\n')).toEqual([header, ...rows.filter((row) => row.includes(account)), '']);
  expect(await report('general-ledger', ...words, '--axis', 'effective')).toMatchObject({ code: 0, err: '' });
  for (const [type, more, message] of [
    ['general-ledger', ['--account', publicId('account', newId())], /There is no account acct_/],
    ['fee-tax', ['--axis', 'effective'], /--axis posted alone/],
    ['account-activity', ['--account', account], /--account is for a report of one account/],
    ['account-activity', ['--detail', 'day'], /--detail is for general-ledger/],
  ] as const)
    expect(await report(type, ...words, ...more), type).toMatchObject({ code: 2, err: expect.stringMatching(message) });
});

test('a reader that has enough ends a command without a word', async () => {
  const { first, last } = journal;
  const words = ['--book', book, '--format', 'hledger', '--from', first, '--to', last];
  const child = spawn(process.execPath, [...programOf('scripts/export.ts'), ...words], {
    env: { PATH: process.env.PATH, DATABASE_URL: database.applicationUrl },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  // Closed before the first byte: whatever is written finds nobody.
  child.stdout.destroy();
  let said = '';
  child.stderr.on('data', (text: Buffer) => {
    said += text;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  expect([code, said]).toEqual([0, '']);
});

test('CSV begins with a byte order mark where it is asked for', async () => {
  const { out } = await report('customer-balances', '--book', book, '--as-of', journal.last, '--bom');
  expect(out.startsWith('\ufeffcurrency,account,')).toBe(true);
});

describe('bad input is refused with its place, and nothing is written', () => {
  test.each([
    [
      'no such book',
      () => ['trial-balance', '--book', publicId('book', newId()), '--as-of', journal.last],
      /There is no book/,
    ],
    ['no book', () => ['trial-balance', '--book', 'acct_1', '--as-of', journal.last], /the id of a book/],
    ['29 February of another year', () => ['trial-balance', '--book', book, '--as-of', '2026-02-29'], /no day/],
    [
      'the future',
      () => ['trial-balance', '--book', book, '--as-of', '2999-01-01'],
      /--as-of is 2999-01-01, and today/,
    ],
    ['no day', () => ['trial-balance', '--book', book], /Expects --as-of/],
    [
      'days of a report of one',
      () => ['trial-balance', '--book', book, '--as-of', journal.last, '--from', journal.last],
      /--as-of/,
    ],
    [
      'one day of a report of several',
      () => ['account-activity', '--book', book, '--as-of', journal.last],
      /Expects --from DAY/,
    ],
    [
      'from after to',
      () => ['account-activity', '--book', book, '--from', '2026-11-02', '--to', '2026-11-01'],
      /behind --to/,
    ],
    [
      'an entry that is not there',
      () => ['trial-balance', '--book', book, '--as-of', journal.last, '--through-sequence', '999'],
      /last entry of the book/,
    ],
    [
      'a currency that is none',
      () => ['trial-balance', '--book', book, '--as-of', journal.last, '--currency', 'XXX'],
      /no currency/,
    ],
    [
      'an axis that it has not',
      () => ['open-items', '--book', book, '--as-of', journal.last, '--axis', 'effective'],
      /--axis posted alone/,
    ],
    [
      '--json without a file',
      () => ['trial-balance', '--book', book, '--as-of', journal.last, '--json'],
      /--output FILE/,
    ],
    [
      'a folder that is not there',
      () => ['trial-balance', '--book', book, '--as-of', journal.last, '--output', '/no/such/folder/x'],
      /cannot be written/,
    ],
  ])('%s', async (_, words, said) => {
    const { code, err } = await report(...words());
    expect([code, err]).toEqual([2, expect.stringMatching(said)]);
  });

  test('of an export: from after to, a format that is none', async () => {
    const days = ['--from', '2026-11-02', '--to', '2026-11-01'];
    expect(await exported('--book', book, '--format', 'hledger', ...days)).toMatchObject({ code: 2 });
    expect(await exported('--book', book, '--format', 'gnucash', ...days)).toMatchObject({ code: 2 });
  });
});

test('days before the first entry, and a currency without entries, have no rows', async () => {
  const before = await report('trial-balance', '--book', book, '--as-of', addDays(journal.first, -30));
  expect(before).toMatchObject({ code: 0, out: expect.stringMatching(/^currency[^\n]*\n$/) });
  const none = await report('trial-balance', '--book', book, '--as-of', journal.last, '--currency', 'KWD');
  expect(none).toMatchObject({ code: 0, out: expect.stringMatching(/^currency[^\n]*\n$/) });
});

test('an export to a file, which says what it has', async () => {
  const file = join(folder, 'books.journal');
  const words = [
    '--book',
    book,
    '--format',
    'ledger',
    '--from',
    journal.first,
    '--to',
    journal.last,
    '--detail',
    'day',
  ];
  const { code, out } = await exported(...words, '--output', file, '--json');
  expect([code, JSON.parse(out)]).toMatchObject([0, { ok: true, file, entries: Number(journal.head) }]);
  expect(readFileSync(file, 'utf8')).toContain('* Entries of the day');
});

test('without a database it could not run', async () => {
  const { code, err } = await runHere(reporting, ['trial-balance', '--book', book, '--as-of', journal.last], {
    DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
  });
  expect([code, err]).toEqual([3, expect.stringContaining('Could not report')]);
});
