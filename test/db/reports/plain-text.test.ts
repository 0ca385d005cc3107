/**
 * Exports of plain text, read by the programs that they are for, in their strict modes. Each agrees with every balance, and each finds an error of
 * one minor unit. Where a program is not installed its tests are skipped: apt-get install hledger ledger beancount.
 */
import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addDays } from '../../../src/calendar/day.ts';
import { PLAIN_FORMATS, type PlainFormat } from '../../../src/reports/plain/plain-text.ts';
import { type PlainExport, writePlain } from '../../../src/reports/plain/write-plain.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';
import { linesOf, type RandomJournal, randomJournal } from '../../support/random-journal.ts';

let database: TestDatabase;
let journal: RandomJournal;
let folder: string;

beforeAll(async () => {
  database = await createTestDatabase();
  journal = await randomJournal(database.applicationUrl);
  folder = mkdtempSync(join(tmpdir(), 'plain-'));
});
afterAll(async () => {
  await journal?.book.close();
  await database?.drop();
  if (folder) rmSync(folder, { recursive: true });
});

/** Of each format, its program in its strict mode. */
const PROGRAMS: Readonly<Record<PlainFormat, (file: string) => readonly [string, ...string[]]>> = {
  hledger: (file) => ['hledger', '-f', file, 'check', '-s'],
  ledger: (file) => ['ledger', '-f', file, '--strict', '--pedantic', 'bal'],
  beancount: (file) => ['bean-check', file],
};

const isInstalled = (format: PlainFormat) => {
  const [program] = PROGRAMS[format]('');
  const there = spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;
  if (!there) console.warn(`${program} is not installed: its tests are skipped (apt-get install ${format}).`);
  return there;
};

async function exported(format: PlainFormat, change: Partial<PlainExport> = {}) {
  const { book, timeZone, first, last, head } = journal;
  const parts: string[] = [];
  const asked: PlainExport = { format, from: first, to: last, detail: 'entry', sequence: head, ...change };
  const written = await writePlain(book.pool, { id: book.id, timeZone }, asked, (text) => void parts.push(text));
  return { ...written, text: parts.join('') };
}

/** What the program says of it; null where it takes it. */
async function faultIn(format: PlainFormat, text: string): Promise<string | null> {
  const file = join(folder, `books.${format}`);
  writeFileSync(file, text);
  const [program, ...words] = PROGRAMS[format](file);
  try {
    const { stderr } = await promisify(execFile)(program, words, { env: { ...process.env, LANG: 'C.UTF-8' } });
    // Ledger says what it does not know, and exits with 0.
    return /warning|error/i.test(stderr) ? stderr : null;
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    return `${stdout}${stderr}`;
  }
}

const LEG = /^ +((?:Assets|Liabilities|Income|Expenses|Equity):\S+) {2}(-?[\d.]*[1-9][\d.]*) ([A-Z]{3})$/gm;

/** One minor unit more on a leg of the text, and where `balanced` one less on the leg beside it. */
function planted(text: string, { balanced }: { balanced: boolean }): string {
  const at = text.indexOf('transfer received');
  let left = balanced ? 2 : 1;
  const changed = text.slice(at).replace(LEG, (leg, account: string, amount: string, currency: string) => {
    if (left === 0) return leg;
    const decimals = amount.split('.')[1]?.length ?? 0;
    const minor = BigInt(amount.replace('.', '')) + (left-- === 2 || !balanced ? 1n : -1n);
    const digits = (minor < 0n ? -minor : minor).toString().padStart(decimals + 1, '0');
    const plain = decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
    return `    ${account}  ${minor < 0n ? '-' : ''}${plain} ${currency}`;
  });
  return text.slice(0, at) + changed;
}

describe.each(PLAIN_FORMATS)('%s', (format) => {
  const has = isInstalled(format);

  test.skipIf(!has).each(['entry', 'day'] as const)('takes the whole journal by %s', async (detail) => {
    const { text, entries, assertions } = await exported(format, { detail });
    expect(entries).toBe(Number(journal.head));
    expect(assertions).toBeGreaterThan(50);
    expect(await faultIn(format, text)).toBeNull();
  });

  test.skipIf(!has)('takes some days, which begin with what stood before', async () => {
    for (const detail of ['entry', 'day'] as const) {
      const { text } = await exported(format, {
        from: addDays(journal.first, 3),
        to: addDays(journal.first, 6),
        detail,
      });
      expect(text).toContain('Opening balances');
      expect(await faultIn(format, text)).toBeNull();
    }
  });

  test.skipIf(!has)('finds one minor unit on one leg, and on two that balance each other', async () => {
    const { text } = await exported(format);
    for (const balanced of [false, true]) {
      const wrong = planted(text, { balanced });
      expect(wrong).not.toBe(text);
      expect(await faultIn(format, wrong)).toMatch(/balance/i);
    }
  });

  test.skipIf(!has)('finds an entry that is missing', async () => {
    const { text } = await exported(format);
    const transactions = text.split('\n\n');
    const at = transactions.findLastIndex((one) => /transfer received/.test(one));
    expect(await faultIn(format, transactions.toSpliced(at, 1).join('\n\n'))).toMatch(/balance/i);
  });

  test('a description is one line of text, whatever stands in it', async () => {
    const { text, entries } = await exported(format);
    const dated = text
      .split('\n')
      .filter((line) => /^\d{4}-\d{2}-\d{2} \* /.test(line) && !/Balances|Opening/.test(line));
    expect(dated).toHaveLength(entries);
    expect(text).toContain('2026-01-01 * planted Assets');
    expect(text).not.toMatch(/^ +Assets:Pool:EUR {2}1\.00 EUR$/m);
  });
});

test('each entry stands on the day on which it takes effect, in the order of the journal', async () => {
  const { text } = await exported('hledger');
  const days = [...text.matchAll(/^(\d{4}-\d{2}-\d{2}) \* \((je_\w+)\)/gm)].map(([, day]) => day!);
  expect(days).toEqual(days.toSorted());
  const lines = await linesOf(journal);
  const effective = new Map(lines.map(({ sequence, effectiveOn }) => [sequence, effectiveOn]));
  expect(days.length).toBe(effective.size);
  const counted = (found: Iterable<string>) => {
    const count = new Map<string, number>();
    for (const day of found) count.set(day, (count.get(day) ?? 0) + 1);
    return count;
  };
  expect(counted(days)).toEqual(counted(effective.values()));
});

test('the same place of the journal is the same text, also when more was posted since', async () => {
  const first = await exported('hledger');
  await journal.book.account({ currency: 'EUR', amount: 700n });
  expect(await exported('hledger')).toEqual(first);
});
