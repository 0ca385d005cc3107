/** Clearing files: what a book makes of their lines, what is left to people, and a file taken twice, killed, and taken again. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { program } from '../../../scripts/clearing.ts';
import { type ClearingFields, clearingCsv } from '../../../scripts/harness/clearing-file.ts';
import type { Client, List } from '../../../scripts/harness/client.ts';
import { programOf } from '../../../scripts/harness/programs.ts';
import { openFile } from '../../../src/intake/sealed-file.ts';
import type { Committer } from '../../../src/ledger/commit/committer.ts';
import { bookClearingFile } from '../../../src/transactions/clearing-files/book-file.ts';
import { listClearingParts } from '../../../src/transactions/clearing-files/clearing-file-store.ts';
import { publicId, type Uuid } from '../../../src/values/ids.ts';
import { type Card, makeCard } from '../../support/cards.ts';
import { ClearingFiles } from '../../support/clearing-files.ts';
import { startContracted } from '../../support/contracted.ts';
import { findingsOf, findingsSince } from '../../support/findings.ts';
import { lookInto, type Product } from '../../support/product.ts';
import {
  MERCHANT,
  messagesOf,
  nextReference,
  purchase,
  readTransaction,
  type Transaction,
  tell,
} from '../../support/purchases.ts';
import { runHere } from '../../support/run-here.ts';
import { TEST_SECRET_BOX } from '../../support/secret-box.ts';

interface Exception {
  readonly id: string;
  readonly kind: string;
  readonly status: string;
  readonly detail: string;
  readonly resource: string;
  readonly resource_id: string;
  readonly evidence: readonly { type: string; sha256: string }[];
  readonly journal_entries: readonly string[];
}

const environmentOf = ({ applicationUrl, encryptionKey }: Product['database']) => ({
  DATABASE_URL: applicationUrl,
  COUNTINGHOUSE_ENCRYPTION_KEY: encryptionKey,
});

let product: Product;
let client: Client;
let bookId: Uuid;
let book: string;
let account: string;
let card: Card;
const files = new ClearingFiles();

beforeAll(async () => {
  product = await startContracted({ backend: 'postgres' });
});
beforeEach(async () => {
  const made = await product.organisation();
  ({ client } = made);
  bookId = made.keys.testBookId;
  book = publicId('book', bookId);
  account = (await client.openAccount({ currency: 'USD', funds: 1_000_000 })).id;
  card = await makeCard(client, { account });
  return async () => expect(await findingsOf({ pool: product.runtime.pool, id: bookId })).toEqual([]);
});
afterAll(async () => {
  files.remove();
  await product?.close();
});

const lineOf = (fields: ClearingFields): ClearingFields => {
  const reference = nextReference();
  return {
    ...{ message_reference: reference, network_reference: `net-${reference}`, program: book, card: card.id },
    ...{ amount: 1_000, ...fields },
  };
};
const clearingOf = (of: Transaction, fields: ClearingFields = {}) =>
  lineOf({ network_reference: of.network_reference, amount: of.amounts.authorized, ...fields });
const take = (lines: readonly ClearingFields[]) => files.takeLines(product.runtime, lines);
const counts = async (lines: readonly ClearingFields[]) =>
  (await take(lines)).map(({ intake }) => [intake.booked, intake.known, intake.exceptions]);
const exceptions = async () => (await client.read<List<Exception>>('/v1/exceptions?limit=100')).data;
const posted = async () =>
  (await client.read<{ balance: { posted: number } }>(`/v1/accounts/${account}`)).balance.posted;
const buy = (amount = 1_000) => purchase(client, { card: card.id, amount });

const run = (file: string, ...words: string[]) =>
  runHere(program, [...(file ? [file, '--processor', 'sandbox_processor'] : []), '--mode', 'test', ...words], {
    ...environmentOf(product.database),
  });
const clear = (lines: readonly ClearingFields[], ...words: string[]) => run(files.write(clearingCsv(lines)), ...words);
const again = (exception: string, ...words: string[]) => run('', '--again', exception, '--by', 'olga', ...words);
const rowsOf = async (table: string) =>
  (await product.runtime.pool.query<{ count: bigint }>(`SELECT count(*) AS count FROM ${table}`)).rows[0]!.count;

describe('lines', () => {
  test('of a card by our id, by the processor’s reference, and by the purchase alone', async () => {
    const { rows } = await product.runtime.pool.query<{ reference: string }>(
      'SELECT card_reference AS reference FROM cards WHERE book_id = $1',
      [bookId],
    );
    const bought = [await buy(), await buy(), await buy()];
    const cards = [card.id, rows[0]!.reference, ''];
    expect(await counts(bought.map((of, at) => clearingOf(of, { card: cards[at]! })))).toEqual([[3, 0, 0]]);
    for (const { id } of bought)
      expect(await readTransaction(client, id)).toMatchObject({
        status: 'settled',
        amounts: { cleared: 1_000, held: 0 },
      });
    expect(await posted()).toBe(997_000);
  });

  test('keep what they say of interchange and business day, and name no city', async () => {
    await take([lineOf({ network_reference: 'N1', interchange: -17, business_date: '2026-03-31', kind: 'cash' })]);
    const { data } = await client.read<List<Transaction>>('/v1/transactions');
    expect(data[0]).toMatchObject({
      network_reference: 'N1',
      flags: ['forced'],
      kind: 'cash',
      merchant: { id: 'M1', city: '' },
    });
    expect((await messagesOf(client, data[0]!.id))[0]).toMatchObject({
      type: 'clearing',
      interchange: -17,
      business_date: '2026-03-31',
    });
  });

  test('a card number in the name of a merchant is masked, in the file’s own rows too', async () => {
    await take([lineOf({ merchant_name: 'Pay 4242424242424242' })]);
    const { data } = await client.read<List<Transaction>>('/v1/transactions');
    expect(data[0]!.merchant.name).not.toContain('4242424242424242');
    const { rows } = await product.runtime.pool.query(
      `SELECT FROM clearing_lines WHERE merchant_name LIKE '%4242424242424242%'`,
    );
    expect(rows).toEqual([]);
  });

  test('of one purchase and of several cards stand in one file, in any order', async () => {
    const other = await makeCard(client, { account });
    const ticket = await buy(9_000);
    const reversed = lineOf({ amount: 700, card: other.id });
    const lines = [
      clearingOf(ticket, { amount: 4_000, sequence: '2/2' }),
      {
        ...lineOf({
          type: 'clearing_reversal',
          amount: 700,
          card: other.id,
          reverses: String(reversed.message_reference),
        }),
        network_reference: reversed.network_reference!,
      },
      clearingOf(ticket, { amount: 5_000, sequence: '1/2' }),
      reversed,
      clearingOf(ticket, { type: 'refund', amount: 500 }),
    ];
    expect(await counts(lines)).toEqual([[5, 0, 0]]);
    expect(await readTransaction(client, ticket.id)).toMatchObject({
      status: 'settled',
      amounts: { cleared: 9_000, refunded: 500, held: 0 },
    });
    expect(await posted()).toBe(1_000_000 - 9_000 + 500);
  });

  test('a forced post names the one open purchase that it may be of, not one that the file closes before', async () => {
    const [closed, open] = [await buy(), await buy()];
    const forced = lineOf({});
    await take([clearingOf(closed), forced]);
    const { data } = await client.read<List<Transaction>>('/v1/transactions');
    const found = data.find(({ network_reference }) => network_reference === forced.network_reference);
    expect(found).toMatchObject({ flags: ['forced'], resembles: open.id });
  });

  test('of several programs: each book gets its own, and lines of no book go to the operator', async () => {
    const { client: other, keys } = await product.organisation();
    const theirs = await other.openAccount({ currency: 'USD', funds: 5_000 });
    const theirCard = await makeCard(other, { account: theirs.id });
    const operator = (
      await product.runtime.pool.query<{ count: bigint }>(
        `SELECT count(*) AS count FROM exceptions WHERE kind = 'clearing_unknown_card'`,
      )
    ).rows[0]!.count;
    const { code, out } = await clear(
      [
        lineOf({}),
        lineOf({ program: publicId('book', keys.testBookId), card: theirCard.id }),
        lineOf({ program: publicId('book', keys.liveBookId) }),
        lineOf({ program: 'nobody' }),
      ],
      '--json',
    );
    expect(code).toBe(1);
    const { parts } = JSON.parse(out) as { parts: { book: string; booked: number; exceptions: number }[] };
    expect(parts.find(({ book: of }) => of === book)).toMatchObject({ booked: 1, exceptions: 0 });
    expect(parts.find(({ book: of }) => of === publicId('book', keys.testBookId))).toMatchObject({
      booked: 1,
      exceptions: 0,
    });
    expect(parts).toHaveLength(3);
    const after = (
      await product.runtime.pool.query<{ count: bigint }>(
        `SELECT count(*) AS count FROM exceptions WHERE kind = 'clearing_unknown_card'`,
      )
    ).rows[0]!.count;
    expect(after - operator).toBe(2n);
    expect(await posted()).toBe(999_000);
  });
});

describe('what is left to people holds its line, and nothing of it is posted', () => {
  test('an unknown card, a card of another book, and a line without a card whose purchase is unknown', async () => {
    const { client: other } = await product.organisation();
    const theirs = await makeCard(other, { account: (await other.openAccount({ currency: 'USD' })).id });
    expect(
      await counts([lineOf({ card: 'nobody' }), lineOf({ card: theirs.id }), lineOf({ card: '' }), lineOf({})]),
    ).toEqual([[1, 0, 3]]);
    const found = await exceptions();
    expect(found.map(({ kind, status }) => [kind, status])).toEqual(Array(3).fill(['clearing_unknown_card', 'open']));
    expect(await posted()).toBe(999_000);
  });

  test('another currency than the account’s', async () => {
    const of = await buy();
    const line = clearingOf(of, { currency: 'JOD' });
    expect(await counts([line])).toEqual([[0, 0, 1]]);
    const [exception] = await exceptions();
    expect(exception).toMatchObject({ kind: 'clearing_currency_mismatch', resource: 'clearing_line' });
    expect(exception!.detail).toContain(`${line.message_reference}, 1000 JOD`);
    expect(await readTransaction(client, of.id)).toMatchObject({ version: 1, status: 'pending' });
  });

  test('a network reference of another card', async () => {
    const other = await makeCard(client, { account });
    const of = await buy();
    expect(await counts([clearingOf(of, { card: other.id })])).toEqual([[0, 0, 1]]);
    const [exception] = await exceptions();
    expect(exception).toMatchObject({ kind: 'message_contradicts' });
    expect(exception!.detail).toContain(of.id);
    expect(await readTransaction(client, of.id)).toMatchObject({ version: 1 });
  });

  test('a reversal of nothing waits for what it takes back, and is no exception until its purchase expires', async () => {
    const reversal = lineOf({ type: 'clearing_reversal', reverses: 'never-came' });
    expect(await counts([reversal])).toEqual([[1, 0, 0]]);
    expect(await exceptions()).toEqual([]);
    expect(await posted()).toBe(1_000_000);
    expect(await counts([{ ...reversal, message_reference: 'never-came', type: 'clearing', reverses: '' }])).toEqual([
      [1, 0, 0],
    ]);
    expect(await posted()).toBe(1_000_000);
  });
});

describe('a reference that is known (G91)', () => {
  const line = (of: Transaction, fields: ClearingFields = {}) =>
    clearingOf(of, { message_reference: 'M-7', ...fields });

  test('with the same content is taken as posted, with other content contradicts', async () => {
    const of = await buy();
    await tell(client, of.id, 'clear', { message_reference: 'M-7', amount: 1_000, currency: 'USD' });
    const { version } = await readTransaction(client, of.id);
    expect(await counts([line(of)])).toEqual([[0, 1, 0]]);
    expect(await exceptions()).toEqual([]);
    for (const inFull of [{ final: 'true' }, { kind: 'purchase' }])
      expect(await counts([line(of, inFull)])).toEqual([[0, 1, 0]]);
    const others = [
      line(of, { final: 'false' }),
      line(of, { kind: 'cash' }),
      line(of, { amount: 1_001 }),
      line(of, { type: 'refund' }),
      line(of, { sequence: '1/2' }),
      line(of, { currency: 'JOD' }),
      line(of, { network_reference: 'another' }),
    ];
    for (const other of others) expect(await counts([other])).toEqual([[0, 0, 1]]);
    const found = await exceptions();
    expect(found.map(({ kind }) => kind)).toEqual(others.map(() => 'message_contradicts'));
    for (const { detail } of found) expect(detail).toContain(of.id);
    expect(await readTransaction(client, of.id)).toMatchObject({ version });
  });

  test('a line may leave out what the API has named', async () => {
    const of = await buy();
    const named = { message_reference: 'M-7', amount: 1_000, currency: 'USD', kind: 'purchase', final: true };
    await tell(client, of.id, 'clear', named);
    expect(await counts([line(of)])).toEqual([[0, 1, 0]]);
  });

  test('of a reversal over the API that names neither direction nor amount', async () => {
    const of = await buy();
    await tell(client, of.id, 'clear', { message_reference: 'M-6', amount: 1_000, currency: 'USD' });
    await tell(client, of.id, 'reverse', { message_reference: 'M-7', reverses: 'M-6' });
    const reversal = { type: 'clearing_reversal', reverses: 'M-6' };
    expect(await counts([line(of, reversal)])).toEqual([[0, 1, 0]]);
    expect(await counts([line(of, { ...reversal, amount: 999 })])).toEqual([[0, 0, 1]]);
  });

  test('of a file is known to another file and to the API', async () => {
    const of = await buy();
    expect(await counts([line(of)])).toEqual([[1, 0, 0]]);
    expect(await counts([line(of), lineOf({})])).toEqual([[1, 1, 0]]);
    const body = { message_reference: 'M-7', amount: 1_000, currency: 'USD' };
    expect(await client.post(`/v1/transactions/${of.id}/clear`, body)).toMatchObject({
      status: 422,
      body: { code: 'idempotency_key_reused', resource: of.id },
    });
    expect(await client.read('/v1/transactions/messages/M-7')).toMatchObject({
      transaction: of.id,
      event: { amount: 1_000 },
    });
    expect(await posted()).toBe(998_000);
  });
});

describe('the command', () => {
  test('an unknown card among lines (G90): 1, the same file again: 1 and the same exception, once it is known: posted once', async () => {
    const lines = [lineOf({}), lineOf({ card: 'CR-later' }), lineOf({})];
    const file = files.write(clearingCsv(lines));
    const first = await run(file);
    expect([first.code, first.out]).toEqual([1, `${book}: 3 lines, 2 booked, 0 known before, 1 exceptions\n`]);
    const second = await run(file);
    expect([second.code, second.out]).toEqual([1, `This file had come before: nothing is booked twice.\n${first.out}`]);
    expect(await posted()).toBe(998_000);
    const [{ id, kind, status, detail }] = (await exceptions()) as [Exception];
    expect([await exceptions().then(({ length }) => length), kind, status]).toEqual([
      1,
      'clearing_unknown_card',
      'open',
    ]);
    expect(detail).toContain(`${lines[1]!.message_reference}, 1000 USD`);

    const early = await again(id);
    expect([early.code, early.out]).toEqual([1, expect.stringContaining('is an exception still.')]);
    await product.runtime.pool.query(`UPDATE cards SET card_reference = 'CR-later' WHERE book_id = $1`, [bookId]);
    const taken = await again(id, '--json');
    expect(taken.code).toBe(0);
    expect(JSON.parse(taken.out)).toMatchObject({
      ok: true,
      booked: 1_000,
      message_reference: lines[1]!.message_reference,
    });
    expect(await posted()).toBe(997_000);
    const [resolved] = (await exceptions()) as [Exception];
    const { rows } = await product.runtime.pool.query<{ sha256: Buffer }>(
      'SELECT f.sha256 FROM clearing_files f JOIN clearing_file_parts p ON p.book_id = f.book_id AND p.file_id = f.id WHERE p.of_book = $1',
      [bookId],
    );
    expect(resolved).toMatchObject({
      status: 'approved',
      evidence: [{ type: 'file', sha256: rows[0]!.sha256.toString('hex') }],
    });
    expect(resolved.journal_entries).toHaveLength(1);
    const twice = await again(id);
    expect([twice.code, twice.out]).toEqual([
      0,
      expect.stringContaining('had been taken, and nothing is booked twice.'),
    ]);
    expect((await run(file)).code).toBe(0);
    expect(await posted()).toBe(997_000);
  });

  test('what a person has explained is left to who approves it', async () => {
    await take([lineOf({ card: 'CR-never' })]);
    const [{ id }] = (await exceptions()) as [Exception];
    await product.runtime.pool.query(`UPDATE exceptions SET stage = 'explained' WHERE book_id = $1`, [bookId]);
    const { code, out } = await again(id);
    expect([code, out]).toEqual([1, expect.stringContaining('is explained by a person and waits for approval')]);
    await product.runtime.pool.query(`UPDATE exceptions SET stage = 'open' WHERE book_id = $1`, [bookId]);
  });

  test.each([
    [
      'an exception that is none',
      ['--again', 'exc_01k5c2r3v8e9m0x6y7z4a1b2cd'],
      'There is no line of a clearing file with an exception',
    ],
    ['neither file nor exception', [], 'Give a file with --processor, or an exception with --again.'],
    [
      'a processor that nobody has configured',
      ['FILE', '--processor', 'sandbox_procesor'],
      'There is no processor sandbox_procesor.',
    ],
    ['a file that is not there', ['no-such-file.csv', '--processor', 'sandbox_processor'], 'The file cannot be read'],
    ['a device', ['/dev/zero', '--processor', 'sandbox_processor'], 'It is read twice, so it has to be a file'],
    ['both', ['FILE', '--again', 'exc_01k5c2r3v8e9m0x6y7z4a1b2cd'], 'Give a file or --again, and not both.'],
  ])('%s: 2', async (_, words, said) => {
    const file = files.write(clearingCsv([lineOf({})]));
    const named = words.map((word) => (word === 'FILE' ? file : word));
    const { code, err } = await runHere(program, ['--mode', 'test', ...named], {
      ...environmentOf(product.database),
    });
    expect([code, err]).toEqual([2, expect.stringContaining(said)]);
    expect(err).toContain('Nothing was booked.');
  });

  test('a file that is not whole: 2, and nothing of it is kept', async () => {
    const text = clearingCsv([lineOf({}), lineOf({})]);
    const before = [await rowsOf('intake_files'), await rowsOf('clearing_lines')];
    for (const [wrong, said] of [
      [text.replace('TOTAL,2', 'TOTAL,1'), 'Line 4: The TOTAL of USD'],
      [text.slice(0, text.length / 2), 'Line 2: It has'],
      [clearingCsv([lineOf({}), lineOf({ sequence: '4/3' })]), 'Line 3: The sequence is 4/3'],
      [clearingCsv([lineOf({ program: 'nobody' })]), 'No program of the file is a book in test mode.'],
    ] as const) {
      const { code, err } = await run(files.write(wrong));
      expect([code, err]).toEqual([2, expect.stringContaining(said)]);
    }
    expect([await rowsOf('intake_files'), await rowsOf('clearing_lines')]).toEqual(before);
    expect(await posted()).toBe(1_000_000);
    expect((await run(files.write(text))).code).toBe(0);
  });

  test('the same file of another processor, and one without lines', async () => {
    const file = files.write(clearingCsv([lineOf({})]));
    expect((await run(file)).code).toBe(0);
    const { code, err } = await runHere(program, [file, '--processor', 'other', '--mode', 'test'], {
      ...environmentOf(product.database),
      PROCESSOR_HTTP_NAME: 'other',
    });
    expect([code, err]).toEqual([2, 'The same file has come as one of sandbox_processor. Nothing was booked.\n']);
    const empty = await run(files.write(`${clearingCsv([])}TOTAL,0,,,,,0,USD${','.repeat(11)}\n`));
    expect([empty.code, empty.out]).toEqual([0, 'The file has no lines: nothing is booked.\n']);
  });

  test('a card of another processor is unknown to it', async () => {
    const { code } = await runHere(
      program,
      [files.write(clearingCsv([lineOf({})])), '--processor', 'other', '--mode', 'test'],
      {
        ...environmentOf(product.database),
        PROCESSOR_HTTP_NAME: 'other',
      },
    );
    expect([code, (await exceptions()).map(({ kind }) => kind)]).toEqual([1, ['clearing_unknown_card']]);
  });

  test('no database: 3', async () => {
    const { code } = await run(
      files.write(clearingCsv([lineOf({})])),
      '--database-url',
      'postgres://nobody:none@127.0.0.1:9/none',
    );
    expect(code).toBe(3);
  });

  test('the bytes of the file are kept sealed, and come back as they came', async () => {
    const text = clearingCsv(Array.from({ length: 3_000 }, () => lineOf({ card: 'nobody' })));
    const { bookId: operator, sha256 } = await files.keep(product.runtime, files.write(text));
    const { pool } = product.runtime;
    const { rows } = await pool.query<{ bytes: Buffer }>(
      'SELECT bytes FROM intake_file_parts WHERE book_id = $1 AND sha256 = $2 ORDER BY place',
      [operator, Buffer.from(sha256, 'hex')],
    );
    expect(rows.length).toBeGreaterThan(1);
    expect(Buffer.concat(rows.map(({ bytes }) => bytes)).includes('Corner Shop')).toBe(false);
    const pieces = await openFile(pool, TEST_SECRET_BOX, { bookId: operator, sha256 });
    let read = '';
    for await (const piece of pieces!) read += piece.toString();
    expect(read === text).toBe(true);
  });

  test('a line that calls its card by its number: 2, and the number is not said', async () => {
    const number = '4242424242424242';
    const { code, err } = await run(files.write(clearingCsv([lineOf({ card: number })])));
    expect([code, err]).toEqual([2, expect.stringContaining('Line 2: The card is a card number')]);
    expect(err).not.toContain(number);
  });
});

describe('verify', () => {
  const findings = () => findingsOf({ pool: product.runtime.pool, id: bookId });
  /** The owner changes what the application may not, and puts it back. */
  async function tampered(change: string, back: string, found = findings): Promise<unknown[]> {
    const owner = lookInto(product.database);
    try {
      await owner.query(change, [bookId]);
      return (await found()).map(({ check, expected, actual }) => [check, expected, actual]);
    } finally {
      await owner.query(back, [bookId]);
      await owner.end();
    }
  }

  test('lines that were booked, known before, or are exceptions pass, also on several pages', async () => {
    const bought = await buy();
    const known = clearingOf(bought);
    await take([known]);
    const lines = Array.from({ length: 600 }, (_, at) =>
      lineOf({ amount: 10, ...(at % 3 === 0 && { card: 'nobody' }) }),
    );
    await take([known, ...lines]);
    expect(await findings()).toEqual([]);
  });

  test('a line with another amount, and one that is not there, are found', async () => {
    const line = lineOf({ amount: 1_234 });
    await take([line, lineOf({ card: 'nobody' })]);
    const where = 'part_id IN (SELECT id FROM clearing_intakes WHERE book_id = $1) AND place = 1';
    expect(
      await tampered(
        `UPDATE clearing_lines SET amount = 1235 WHERE ${where}`,
        `UPDATE clearing_lines SET amount = 1234 WHERE ${where}`,
      ),
    ).toEqual([['clearing_intake.booked', 'clearing 1235 USD', 'clearing']]);
    expect(
      await tampered(
        `UPDATE clearing_lines SET message_reference = message_reference || 'x' WHERE ${where}`,
        `UPDATE clearing_lines SET message_reference = rtrim(message_reference, 'x') WHERE ${where}`,
      ),
    ).toEqual([['clearing_intake.booked', 'clearing 1234 USD', 'no message']]);
    expect(
      await tampered(
        `UPDATE clearing_lines SET place = 99 WHERE ${where}`,
        `UPDATE clearing_lines SET place = 1 WHERE ${where.replace('place = 1', 'place = 99')}`,
      ),
    ).toEqual([['clearing_intake.lines', 'a line', 'no line']]);
  });

  test('since a moment: of files that were taken further since then, every line', async () => {
    const of = { pool: product.runtime.pool, id: bookId };
    await take([lineOf({ amount: 1_234 })]);
    const change = (to: string) =>
      `UPDATE clearing_lines SET amount = ${to} WHERE part_id IN (SELECT id FROM clearing_intakes WHERE book_id = $1)`;
    const { rows } = await of.pool.query<{ moment: number }>(
      'SELECT max(updated_at) AS moment FROM clearing_intakes WHERE book_id = $1',
      [bookId],
    );
    const taken = rows[0]!.moment;
    const since = (moment: number) => tampered(change('1235'), change('1234'), () => findingsSince(of, moment));
    expect(await since(taken)).toEqual([['clearing_intake.booked', 'clearing 1235 USD', 'clearing']]);
    expect(await since(taken + 1)).toEqual([]);
    expect(await findingsSince(of, taken)).toEqual([]);
  });

  test('an exception that went leaves a line that was taken and not booked', async () => {
    await take([lineOf({ card: 'nobody' })]);
    const set = (resource: string) => `UPDATE exceptions SET resource = '${resource}' WHERE book_id = $1`;
    const found = await tampered(set('account'), set('clearing_line'));
    expect(found).toContainEqual(['clearing_intake.booked', 'clearing 1000 USD', 'no message']);
  });
});

describe('resumed', () => {
  /** Stops behind so many commands, as if the process had ended there. */
  const stoppingAfter = (commands: number): Pick<Committer, 'submit'> => {
    let submitted = 0;
    return {
      submit(...args) {
        submitted += 1;
        if (submitted > commands) return Promise.reject(new Error('Stopped.'));
        return product.runtime.committer.submit(...args);
      },
    };
  };

  test.each([0, 1, 2, 4])('behind %i commands: each line once', async (commands) => {
    const lines = Array.from({ length: 250 }, (_, at) =>
      lineOf({ amount: 10, ...(at % 50 === 7 && { card: 'nobody' }) }),
    );
    const stored = await files.keep(product.runtime, files.write(clearingCsv(lines)));
    const stopped = bookClearingFile({ pool: product.runtime.pool, committer: stoppingAfter(commands) }, stored);
    await stopped.then(
      () => expect(commands).toBeGreaterThan(3),
      (error: Error) => expect(error.message).toContain('Stopped.'),
    );
    const [part] = await bookClearingFile(product.runtime, stored);
    expect(part!.intake).toMatchObject({ taken: 250, booked: 245, known: 0, exceptions: 5 });
    expect(await posted()).toBe(1_000_000 - 2_450);
    expect(await exceptions()).toHaveLength(5);
    expect(await listClearingParts(product.runtime.pool, stored)).toHaveLength(1);
  });

  test('killed behind its first commit, and run again', async () => {
    const file = files.write(clearingCsv(Array.from({ length: 250 }, () => lineOf({ amount: 10 }))));
    const start = (environment: NodeJS.ProcessEnv = {}) => {
      const words = [...programOf('scripts/clearing.ts'), file, '--processor', 'sandbox_processor', '--mode', 'test'];
      const env = { ...process.env, ...environmentOf(product.database), ...environment };
      return once(spawn(process.execPath, words, { env, stdio: 'ignore' }), 'exit');
    };
    expect(await start({ COUNTINGHOUSE_FAILPOINTS: 'ledger.commit.after=kill@1' })).toEqual([null, 'SIGKILL']);
    const between = await posted();
    expect(between).toBeLessThan(1_000_000);
    expect(between).toBeGreaterThan(1_000_000 - 2_500);
    expect(await start()).toEqual([0, null]);
    expect(await posted()).toBe(1_000_000 - 2_500);
  });

  test('while the API tells the same messages: each is posted once', async () => {
    const bought = await Promise.all(Array.from({ length: 20 }, () => buy(10)));
    const lines = bought.map((of) => clearingOf(of));
    const told = bought.map((of, at) =>
      client.post(`/v1/transactions/${of.id}/clear`, {
        message_reference: lines[at]!.message_reference,
        amount: 10,
        currency: 'USD',
      }),
    );
    const [[part], answers] = await Promise.all([take(lines), Promise.all(told)]);
    expect(part!.intake.booked + part!.intake.known).toBe(20);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(part!.intake.known);
    expect(await posted()).toBe(1_000_000 - 200);
    expect(await exceptions()).toEqual([]);
  });

  test('while its cards change: what was read is read anew', async () => {
    const lines = Array.from({ length: 5 }, () => lineOf({ amount: 10 }));
    await take([lineOf({ amount: 10 })]);
    const controls = { card: card.id, limits: [{ window: 'day', amount: 5_000, for: { mccs: [MERCHANT.mcc] } }] };
    const { body } = await client.post<{ id: string }>('/v1/cards/controls', controls);
    await client.post(`/v1/cards/controls/${body.id}/activate`, {});
    expect(await counts(lines)).toEqual([[5, 0, 0]]);
    expect(await posted()).toBe(1_000_000 - 60);
  });
});
