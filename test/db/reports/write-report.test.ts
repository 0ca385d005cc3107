/** Reports as workers write them: killed between pages, two at once, contradicted, dropped, and their keys sealed anew. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openAccounts } from '../../../scripts/bench/book.ts';
import { dayOf } from '../../../src/calendar/day.ts';
import { createPool, type Pool } from '../../../src/db/pool.ts';
import { SecretBoxError } from '../../../src/db/secret-box.ts';
import { RESOURCES } from '../../../src/groups.ts';
import { lineTextsOf } from '../../../src/ledger/resources/line-text-store.ts';
import { createLogger } from '../../../src/process/log.ts';
import { FIGURE_TYPES, type FigureName } from '../../../src/reports/figures/kinds.ts';
import { placeAt } from '../../../src/reports/figures/place.ts';
import { headOf } from '../../../src/reports/figures/report-head.ts';
import { type Format, writeFigures } from '../../../src/reports/figures/write-figures.ts';
import { PIECE_BYTES, ReportDamaged } from '../../../src/reports/report/piece-seal.ts';
import { openContent, rangeOf } from '../../../src/reports/report/read-content.ts';
import type { Report } from '../../../src/reports/report/report.ts';
import { FileLost, ReportFile } from '../../../src/reports/report/report-file.ts';
import { reports } from '../../../src/reports/report/report-table.ts';
import { type ReportParameters, requestReport } from '../../../src/reports/report/request-report.ts';
import { sweepReportFiles } from '../../../src/reports/report/sweep-files.ts';
import { ReportWriting } from '../../../src/reports/report/write-report.ts';
import { newId, type Uuid } from '../../../src/values/ids.ts';
import { openBook, type TestBook } from '../../support/book.ts';
import { LATEST_FORMS } from '../../support/forms.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';
import { TEST_SECRET_BOX } from '../../support/secret-box.ts';

const ACCOUNTS = 1_200;
const READS = { lineTexts: lineTextsOf(RESOURCES), operatorReports: [] };
const DAY_MS = 86_400_000;
let database: TestDatabase;
let superuser: Pool;
let book: TestBook;
let timeZone: string;
let shift = 0;
const clock = { now: () => Date.now() + shift };

beforeAll(async () => {
  database = await createTestDatabase();
  superuser = createPool({ url: database.superuserUrl, name: 'test', size: 1, log: createLogger('silent', 'test') });
  book = await openBook({ database: database.applicationUrl, forms: LATEST_FORMS, clock });
  ({ time_zone: timeZone } = await book.row<{ time_zone: string }>('SELECT time_zone FROM books WHERE id = $1'));
  const accounts = await openAccounts(book.pool, book.id, { count: ACCOUNTS });
  await Promise.all(accounts.map((id, at) => book.fund(id, BigInt(at + 1), 'JOD')));
});
afterAll(async () => {
  await book?.close();
  await superuser?.end();
  await database?.drop();
});
beforeEach(() => {
  shift = 0;
});

const today = () => dayOf(clock.now(), timeZone);

async function ask(change: Partial<ReportParameters> = {}): Promise<Uuid> {
  const parameters: ReportParameters = {
    ...{ type: 'customer_balances', from: today(), to: today(), axis: 'effective', currency: null, format: 'csv' },
    ...{ accountId: null, detail: null, bom: false, throughSequence: undefined, ...change },
  };
  const asked = { bookId: book.id, requestId: newId(), actor: 'test', idempotencyKey: null };
  const { command } = await requestReport.prepare({ pool: book.pool } as Parameters<typeof requestReport.prepare>[0], {
    ...asked,
    fingerprint: Buffer.alloc(32),
    parameters,
  });
  const answer = await book.submit(command);
  if (answer.refused) throw new Error(answer.refused);
  return answer.resourceId!;
}

const find = async (id: Uuid): Promise<Report> => (await reports.find(book.pool, book.id, id))!;

function writingWith(runtime: { pool?: Pool } = {}) {
  const stuck: unknown[] = [];
  const writing = new ReportWriting({
    ...{ pool: book.pool, committer: book.committer, clock, secretBox: TEST_SECRET_BOX },
    ...READS,
    ...runtime,
    rowFailed: async (_, __, error) => {
      stuck.push(error);
      return true;
    },
  });
  return { writing, stuck };
}

async function bytesOf(reportId: Uuid, range = { first: 0, last: Number.MAX_SAFE_INTEGER }): Promise<Buffer> {
  const { fileBytes } = await find(reportId);
  const last = Math.min(range.last, Number(fileBytes) - 1);
  const content = await openContent(
    { pool: book.pool, secretBox: TEST_SECRET_BOX },
    { bookId: book.id, reportId },
    { ...range, last },
  );
  const pieces: Buffer[] = [];
  for await (const piece of content!) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** As the command writes it. */
async function asCommand(report: Report) {
  const { from, to, axis, throughSequence: sequence, chainHash } = report;
  const [name, format] = [report.type as FigureName, report.format as Format];
  const type = FIGURE_TYPES[name];
  const of = { id: book.id, timeZone };
  const asked = { axis, from, to, sequence };
  const place = await placeAt(book.pool, of, { day: to, axis, sequence });
  const head = headOf({ name, of: type.of, book: of, asked, chainHash });
  const pieces: Buffer[] = [];
  const rows = type.kind.rows({ db: book.pool, book: of, asked, place });
  const written = await writeFigures(type.kind, rows, { format, bom: false, head }, (piece) => void pieces.push(piece));
  return { ...written, content: Buffer.concat(pieces) };
}

async function expectWhole(id: Uuid): Promise<void> {
  const report = await find(id);
  const { content, ...written } = await asCommand(report);
  expect(report).toMatchObject({
    ...{ status: 'succeeded', sha256: written.sha256, digest: written.digest, fileBytes: BigInt(written.bytes) },
    ...{ rowsDone: BigInt(written.rows), dueAt: null, failure: null },
  });
  expect((await bytesOf(id)).equals(content)).toBe(true);
}

test.each(['csv', 'json'] as const)('a report as %s has the bytes and the digest of the command', async (format) => {
  for (const type of ['customer_balances', 'trial_balance', 'account_activity'] as const) {
    const id = await ask({ type, format });
    const { writing, stuck } = writingWith();
    await writing.write(book.id, [id]);
    expect(stuck).toEqual([]);
    await expectWhole(id);
  }
});

describe('a writer that ends between two pages', () => {
  /** A pool whose process dies: from the n-th statement on that reads accounts, nothing is answered. */
  function dyingAfter(reads: number): { pool: Pool; died: Promise<void> } {
    let die = () => {};
    const died = new Promise<void>((resolve) => {
      die = resolve;
    });
    let left = reads;
    const pool = new Proxy(book.pool, {
      get(target, name) {
        if (name !== 'query') return Reflect.get(target, name, target);
        return (query: { name?: string; text?: string }, ...more: unknown[]) => {
          if (/FROM accounts/.test(query.text ?? '') && --left < 0) {
            die();
            return new Promise(() => {});
          }
          return (target.query as (...given: unknown[]) => unknown).call(target, query, ...more);
        };
      },
    });
    return { pool, died };
  }

  test('is followed by another one once its lease is over, which goes on behind the last page that was kept', async () => {
    const id = await ask({ type: 'account_activity', format: 'json' });
    const { pool, died } = dyingAfter(2);
    // Every page is kept: between two of them, more time has passed than a writer waits.
    let pages = 0;
    const dying = new ReportWriting({
      ...{ pool, committer: book.committer, secretBox: TEST_SECRET_BOX, rowFailed: async () => true },
      ...READS,
      clock: { now: () => Date.now() + 4_000 * pages++ },
    });
    void dying.write(book.id, [id]);
    await died;
    expect(await find(id)).toMatchObject({ status: 'running' });
    expect((await find(id)).rowsDone).toBeGreaterThan(400n);
    const before = await book.row<{ pieces: number }>(
      'SELECT pieces FROM report_files WHERE book_id = $1 AND report_id = $2',
      id,
    );
    expect(before.pieces).toBe(0);

    const early = writingWith();
    await early.writing.write(book.id, [id]);
    expect(await find(id), 'the first one may still be alive').toMatchObject({ status: 'running' });
    shift = 10 * 60_000;
    const reads: string[] = [];
    const counting = new Proxy(book.pool, {
      get(target, name) {
        if (name !== 'query') return Reflect.get(target, name, target);
        return (query: { text?: string }, ...more: unknown[]) => {
          if (/FROM accounts/.test(query.text ?? '')) reads.push(query.text!);
          return (target.query as (...given: unknown[]) => unknown).call(target, query, ...more);
        };
      },
    });
    const { writing, stuck } = writingWith({ pool: counting });
    await writing.write(book.id, [id]);
    expect(stuck).toEqual([]);
    expect(reads.length).toBeGreaterThan(0);
    await expectWhole(id);
  });

  test('and wakes up again writes nothing more', async () => {
    const id = await ask();
    const file = new ReportFile(
      { pool: book.pool, secretBox: TEST_SECRET_BOX, clock },
      { bookId: book.id, reportId: id },
    );
    expect(await file.take()).toBeNull();
    shift = 60_000;
    const { writing } = writingWith();
    await writing.write(book.id, [id]);
    const writer = { rows: 1, totals: [], digest: '' };
    await expect(file.keep({ next: 'x', writer })).rejects.toThrow(FileLost);
    await expect(file.close(clock.now())).rejects.toThrow(FileLost);
    await expectWhole(id);
  });

  test('after the last piece and before the last command is followed by one that only says so', async () => {
    const id = await ask({ format: 'json' });
    const failing = new ReportWriting({
      ...{ pool: book.pool, clock, secretBox: TEST_SECRET_BOX, rowFailed: async () => true },
      ...READS,
      committer: {
        submit: (bookId, command) =>
          command.name === 'report.succeed'
            ? Promise.reject(new Error('killed'))
            : book.committer.submit(bookId, command),
      },
    });
    await failing.write(book.id, [id]);
    expect(await find(id)).toMatchObject({ status: 'running' });
    shift = 60_000;
    const { writing, stuck } = writingWith();
    await writing.write(book.id, [id]);
    expect(stuck).toEqual([]);
    await expectWhole(id);
  });

  test('because it is told to, gives the report to the next at once', async () => {
    const id = await ask({ type: 'account_activity' });
    const first = writingWith();
    const under = first.writing.write(book.id, [id]);
    first.writing.close();
    await under;
    await first.writing.write(book.id, [id]);
    const { writing } = writingWith();
    await writing.write(book.id, [id]);
    await expectWhole(id);
  });
});

test('figures that contradict the journal fail the report, and no file is kept', async () => {
  const id = await ask({ type: 'account_activity' });
  await superuser.query('ALTER TABLE postings DISABLE TRIGGER USER');
  const change = (by: number) =>
    superuser.query(
      'UPDATE postings SET credit_balance_after = credit_balance_after + $2 WHERE book_id = $1 AND entry_sequence = 1',
      [book.id, by],
    );
  await change(1);
  const { writing, stuck } = writingWith();
  await writing.write(book.id, [id]).finally(() => change(-1));
  expect(stuck).toEqual([]);
  expect(await find(id)).toMatchObject({ status: 'failed', failure: 'figures_contradicted', dueAt: null });
  expect(await book.rows('SELECT FROM report_files WHERE book_id = $1 AND report_id = $2', id)).toEqual([]);
});

describe('a file', () => {
  test('is sealed in pieces that open at no other place, and under no other key', async () => {
    const id = await ask({ format: 'json' });
    await writingWith().writing.write(book.id, [id]);
    const [piece] = await book.rows<{ sealed: Buffer }>(
      'SELECT bytes AS sealed FROM report_pieces WHERE book_id = $1 AND report_id = $2 ORDER BY place',
      id,
    );
    expect(piece!.sealed.includes('acct_')).toBe(false);
    await superuser.query(
      'UPDATE report_pieces SET bytes = set_byte(bytes, 40, (get_byte(bytes, 40) + 1) % 256) WHERE book_id = $1 AND report_id = $2',
      [book.id, id],
    );
    await expect(bytesOf(id)).rejects.toThrow(ReportDamaged);
    await superuser.query(
      'UPDATE report_files SET key_sealed = (SELECT key_sealed FROM report_files o WHERE o.report_id <> $2 LIMIT 1) WHERE book_id = $1 AND report_id = $2',
      [book.id, id],
    );
    await expect(bytesOf(id)).rejects.toThrow(SecretBoxError);
  });

  test('longer than a piece is read from any byte to any other', async () => {
    const id = await ask();
    const place = { bookId: book.id, reportId: id };
    const file = new ReportFile({ pool: book.pool, secretBox: TEST_SECRET_BOX, clock }, place);
    await file.take();
    const text = Array.from({ length: 260_000 }, (_, at) => String(at).padStart(9)).join('\n');
    const writer = { rows: 1, totals: [], digest: '' };
    await file.add(text.slice(0, 1_500_000), { next: 'a', writer });
    await file.add(text.slice(1_500_000), { next: 'b', writer });
    const ended = await file.end(writer);
    expect(ended.bytes).toBe(text.length);
    await file.close(clock.now() + DAY_MS);
    const read = async (first: number, last: number) => {
      const content = await openContent({ pool: book.pool, secretBox: TEST_SECRET_BOX }, place, { first, last });
      const pieces: Buffer[] = [];
      for await (const one of content!) pieces.push(one);
      return Buffer.concat(pieces).toString();
    };
    for (const [first, last] of [
      [0, text.length - 1],
      [0, 0],
      [PIECE_BYTES - 1, PIECE_BYTES],
      [PIECE_BYTES, 2 * PIECE_BYTES - 1],
      [text.length - 1, text.length - 1],
    ] as const)
      expect((await read(first, last)) === text.slice(first, last + 1), `${first}-${last}`).toBe(true);
  });

  test('is dropped once its time is over, with its pieces, and the report stays', async () => {
    const id = await ask();
    await writingWith().writing.write(book.id, [id]);
    const [sweep] = sweepReportFiles({ pool: book.pool, clock, isClosing: () => false } as never);
    shift = 6 * DAY_MS;
    await sweep!.round();
    expect((await bytesOf(id)).length).toBeGreaterThan(0);
    shift = 8 * DAY_MS;
    await sweep!.round();
    expect(await book.rows('SELECT FROM report_pieces WHERE book_id = $1 AND report_id = $2', id)).toEqual([]);
    expect(await find(id)).toMatchObject({ status: 'succeeded' });
    const place = { bookId: book.id, reportId: id };
    const read = openContent({ pool: book.pool, secretBox: TEST_SECRET_BOX }, place, { first: 0, last: 1 });
    expect(await read).toBeUndefined();
  });
});

test.each`
  asked               | bytes   | range
  ${undefined}        | ${1000} | ${undefined}
  ${'bytes=0-99'}     | ${1000} | ${{ first: 0, last: 99 }}
  ${'bytes=900-'}     | ${1000} | ${{ first: 900, last: 999 }}
  ${'bytes=900-5000'} | ${1000} | ${{ first: 900, last: 999 }}
  ${'bytes=-100'}     | ${1000} | ${{ first: 900, last: 999 }}
  ${'bytes=-5000'}    | ${1000} | ${{ first: 0, last: 999 }}
  ${'bytes=1000-'}    | ${1000} | ${undefined}
  ${'bytes=-0'}       | ${1000} | ${undefined}
  ${'Bytes=0-99'}     | ${1000} | ${{ first: 0, last: 99 }}
  ${'bytes=0-99 '}    | ${1000} | ${{ first: 0, last: 99 }}
  ${'bytes=0-99 , ,'} | ${1000} | ${{ first: 0, last: 99 }}
  ${'bytes=0x1-99'}   | ${1000} | ${undefined}
  ${'bytes=9-1'}      | ${1000} | ${undefined}
  ${'bytes=0-1,5-6'}  | ${1000} | ${undefined}
  ${'lines=0-1'}      | ${1000} | ${undefined}
  ${'bytes=-'}        | ${1000} | ${undefined}
`('of $bytes bytes, "$asked" asks for $range', ({ asked, bytes, range }) => {
  expect(rangeOf(asked, bytes)).toEqual(range);
});
