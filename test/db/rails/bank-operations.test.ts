/** What operators see of rails that pay by files, and what they do about a missing file: commands, checks and gauges. */
import { writeFileSync } from 'node:fs';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { program } from '../../../scripts/ops.ts';
import { bankGauges } from '../../../src/rails/iso20022/bank-gauges.ts';
import { TestBank, toIban } from '../../support/bank.ts';
import { openBook, type TestBook } from '../../support/book.ts';
import { findingsOf } from '../../support/findings.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';
import { runHere } from '../../support/run-here.ts';

let database: TestDatabase;
let superuser: pg.Client;
let bank: TestBank;

beforeAll(async () => {
  database = await createTestDatabase();
  superuser = new pg.Client({ connectionString: database.superuserUrl });
  await superuser.connect();
});
afterAll(async () => {
  await superuser?.end();
  await database?.drop();
});
beforeEach(() => {
  bank = new TestBank(database);
});
afterEach(async () => {
  await superuser.query(
    'TRUNCATE bank_rails, bank_notices, bank_findings, bank_instructions, bank_files, bank_inbox_files CASCADE',
  );
  await bank.close();
});

/** `npm run ops -- rails …` with a RAILS_FILE that names the test's folders. */
async function rails(...words: string[]) {
  const { settings, databaseUrl, encryptionKey } = bank.of;
  const file = bank.path('done', '../rails.json');
  const adapter = {
    ...{ type: 'iso20022', profile: 'iso', debtor: settings.debtor },
    folders: { outbox: settings.folders.outbox, inbox: settings.folders.inbox, work: bank.path('done', '..') },
  };
  const { name, mode } = settings;
  const schedule = { time_zone: 'Europe/Vienna', calendar: { name: 'target2' } };
  const content = { rails: [{ name, mode, currencies: [{ currency: 'EUR' }], ...schedule, adapter }] };
  writeFileSync(file, JSON.stringify(content));
  return runHere(program, ['rails', ...words], {
    ...{ DATABASE_URL: databaseUrl, COUNTINGHOUSE_ENCRYPTION_KEY: encryptionKey, RAILS_FILE: file },
  });
}

async function rowsOfFiles() {
  const { rows } = await superuser.query<{ name: string; status: string; sha256: string }>(
    `SELECT name, status, encode(sha256, 'hex') AS sha256 FROM bank_files WHERE rail = $1 ORDER BY id`,
    [bank.of.settings.name],
  );
  return rows;
}

describe('a file that is missing', () => {
  let lost: string;
  let content: string;
  beforeEach(async () => {
    await bank.rail.submit(toIban(10_000n));
    await bank.workElsewhere('bank.file.staged=kill').ended;
    const [staged] = bank.list('staging');
    content = bank.read('staging', staged!);
    bank.remove('staging', staged!);
    await bank.rail.work();
    lost = (await rowsOfFiles())[0]!.name;
    const { out } = await rails('list', '--json');
    expect(JSON.parse(out)).toMatchObject({ paused: 'file_missing', file: lost, waiting: 0 });
  });

  test('and that the bank has, is kept as sent and not sent again', async () => {
    const { name } = bank.of.settings;
    expect(await rails('missing', name, '--bank', 'has')).toMatchObject({
      ...{ code: 0, err: '', out: `${lost}: kept as sent. The pause has ended.\n` },
    });
    await bank.rail.submit(toIban(1n));
    await bank.rail.work();
    expect(await rowsOfFiles()).toMatchObject([{ name: lost, status: 'published' }, { status: 'published' }]);
    expect(bank.list('outbox')).not.toContain(lost);
    expect(bank.list('outbox')).toHaveLength(1);
    expect(bank.list('staging')).toEqual([]);
    expect(bank.read('sent', lost)).toBe(content);
    expect(await rails('check', name)).toMatchObject({ code: 0 });
  });

  test('and that the bank has not, is sent once more with the same bytes', async () => {
    const { name } = bank.of.settings;
    expect(await rails('missing', name, '--bank', 'has-not')).toMatchObject({ code: 0, err: '' });
    await bank.rail.work();
    expect(await rowsOfFiles()).toMatchObject([{ name: lost, status: 'published' }]);
    expect(bank.list('outbox')).toEqual([lost]);
    expect(bank.read('outbox', lost)).toBe(content);
    const again = await rails('missing', name, '--bank', 'has-not');
    expect([again.code, again.err]).toEqual([1, expect.stringContaining('No missing file pauses')]);
  });

  test('and that somebody has put back, is not sent again', async () => {
    bank.write('sent', lost, content);
    const { name } = bank.of.settings;
    const refused = await rails('missing', name, '--bank', 'has-not');
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('by now')]);
    await bank.rail.work();
    expect(await rails('missing', name, '--bank', 'has')).toMatchObject({ code: 0 });
    expect(await rowsOfFiles()).toMatchObject([{ name: lost, status: 'published' }]);
    expect(bank.list('outbox')).toEqual([]);
  });

  test('an answer of the bank is asked for', async () => {
    expect(await rails('missing', bank.of.settings.name)).toMatchObject({ code: 1 });
    const { err } = await rails('missing', 'another', '--bank', 'has');
    expect(err).toContain('RAILS_FILE has no rail another');
  });
});

test('rails check names files that are missing, changed and unknown', async () => {
  for (const amount of [1n, 2n, 3n]) {
    await bank.rail.submit(toIban(amount));
    await bank.rail.work();
  }
  const [kept, gone, changed] = bank.list('sent');
  bank.remove('sent', gone!);
  bank.write('sent', changed!, bank.read('sent', kept!));
  bank.write('sent', 'other.xml', '<a/>');
  const { code, out } = await rails('check', bank.of.settings.name);
  expect(code).toBe(1);
  expect(out.trim().split('\n').sort()).toEqual(
    [`${changed}: changed`, `${gone}: missing`, 'other.xml: unknown'].sort(),
  );
});

describe('verify', () => {
  let book: TestBook;
  beforeAll(async () => {
    book = await openBook({ database: database.applicationUrl });
  });
  afterAll(() => book?.close());

  /** Of the operator's book. */
  async function found(): Promise<string[]> {
    const { rows } = await superuser.query<{ book_id: string }>('SELECT book_id FROM bank_instructions LIMIT 1');
    const findings = await findingsOf({ pool: bank.pool, id: rows[0]!.book_id as TestBook['id'] });
    return findings.map(({ check }) => check);
  }
  async function submitted() {
    const payout = await book.accept({ accountId: await book.account({ amount: 50_000n }), amount: 1_000n });
    const { endToEndId, amount, currency } = payout;
    await superuser.query('UPDATE payouts SET rail = $1 WHERE id = $2', [bank.of.settings.name, payout.id]);
    await bank.rail.submit(toIban(amount, { originator: book.id, endToEndId, currency }));
    await bank.rail.work();
    return payout;
  }

  test('finds nothing where each payment is its payout’s', async () => {
    await submitted();
    expect(await found()).toEqual([]);
  });

  test.each([
    ['bank_instruction.payout', 'UPDATE bank_instructions SET originator = gen_random_uuid()'],
    ['bank_instruction.terms', 'UPDATE bank_instructions SET amount = amount + 1'],
    ['bank_instruction.terms', "UPDATE bank_instructions SET rail = 'another'"],
    ['bank_file.payments', 'UPDATE bank_files SET payments = payments + 1'],
  ])('finds %s after %s', async (check, statement) => {
    await submitted();
    await superuser.query(statement);
    expect(await found()).toEqual([check]);
  });
});

test('gauges show what waits, what is open and what is paused', async () => {
  const read = async (name: string, now: number) =>
    bankGauges.find((gauge) => gauge.name === name)!.read(bank.pool, now);
  const { name } = bank.of.settings;
  const other = new TestBank(database);
  for (const one of [bank, bank, other]) await one.rail.submit(toIban(1n));
  await superuser.query("UPDATE bank_instructions SET submitted_at = '2026-01-01T00:00:00Z' WHERE rail = $1", [name]);
  const waiting = await read('countinghouse_bank_waiting_oldest_seconds', Date.parse('2026-01-01T00:02:00Z'));
  expect(waiting).toEqual(
    expect.arrayContaining([
      { label: name, value: 120 },
      { label: other.of.settings.name, value: 0 },
    ]),
  );
  expect(waiting).toHaveLength(2);
  await bank.workElsewhere('bank.file.staged=kill').ended;
  expect(await read('countinghouse_bank_file_open_seconds', Date.now() + 60_000)).toEqual([
    { label: name, value: expect.closeTo(60, -2) },
  ]);
  bank.remove('staging', bank.list('staging')[0]!);
  expect(await read('countinghouse_bank_rails_paused', 0)).toEqual([{ label: [name, 'none'], value: 0 }]);
  await bank.rail.work();
  expect(await read('countinghouse_bank_rails_paused', 0)).toEqual([{ label: [name, 'file_missing'], value: 1 }]);
  await other.close();
});
