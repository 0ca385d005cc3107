/** Files that are kept: their bytes stand nowhere in the clear, and come back as they came or not at all. */
import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { program } from '../../../scripts/ops.ts';
import { createPool, type Pool } from '../../../src/db/pool.ts';
import { createSecretBox, SecretBoxError } from '../../../src/db/secret-box.ts';
import { inTransaction } from '../../../src/db/transaction.ts';
import { DECLARED_TABLES } from '../../../src/groups.ts';
import { BadInput } from '../../../src/intake/bad-input.ts';
import { FileDamaged, keepFile, openFile } from '../../../src/intake/sealed-file.ts';
import type { BookId } from '../../../src/ledger/book/book.ts';
import { rekey } from '../../../src/operations/rekey.ts';
import { operatorBooks } from '../../../src/organisations/organisation-store.ts';
import { createLogger } from '../../../src/process/log.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';
import { lookInto } from '../../support/product.ts';
import { runHere } from '../../support/run-here.ts';

let database: TestDatabase;
let pool: Pool;
let bookId: BookId;
const key = randomBytes(32).toString('base64');
const box = createSecretBox(key);

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool({ url: database.applicationUrl, name: 'test', size: 4, log: createLogger('silent', 'test') });
  bookId = (await operatorBooks(pool)).test;
});
afterAll(async () => {
  await pool?.end();
  await database?.drop();
});

const sha256Of = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

/** Resolves to the file's SHA-256. */
async function keep(pieces: readonly Buffer[], sha256 = sha256Of(Buffer.concat(pieces))): Promise<string> {
  await inTransaction(pool, async (trx) => {
    const keeper = await keepFile(trx, box, { bookId, sha256, kind: 'test', name: 'a file', now: Date.now() });
    for (const piece of pieces) await keeper!.push(piece);
    keeper!.end();
  });
  return sha256;
}

async function read(sha256: string, secretBox = box): Promise<string> {
  const pieces = await openFile(pool, secretBox, { bookId, sha256 });
  const all: Buffer[] = [];
  for await (const piece of pieces!) all.push(piece);
  return Buffer.concat(all).toString();
}

/** The owner changes what the application may not. */
async function tamper(sql: string, sha256: string): Promise<void> {
  const owner = lookInto(database);
  await owner.query(sql, [bookId, Buffer.from(sha256, 'hex')]);
  await owner.end();
}

let files = 0;
const threePieces = () => {
  files += 1;
  return ['first', 'second', 'third'].map((word) => Buffer.from(`SECRET-${files}-${word}\n`.repeat(100)));
};

test('what is kept comes back, and stands in no row', async () => {
  const pieces = threePieces();
  const sha256 = await keep(pieces);
  expect(await read(sha256)).toBe(Buffer.concat(pieces).toString());
  const { rows } = await pool.query<{ text: string }>(
    `SELECT encode(bytes, 'escape') AS text FROM intake_file_parts WHERE book_id = $1 AND sha256 = $2`,
    [bookId, Buffer.from(sha256, 'hex')],
  );
  expect(rows).toHaveLength(3);
  for (const { text } of rows) expect(text).not.toContain('SECRET');
});

test('the same bytes are kept once, and a file that is none is unknown', async () => {
  const pieces = threePieces();
  const sha256 = await keep(pieces);
  const again = inTransaction(pool, (trx) =>
    keepFile(trx, box, { bookId, sha256, kind: 'test', name: 'again', now: Date.now() }),
  );
  expect(await again).toBeUndefined();
  expect(await openFile(pool, box, { bookId, sha256: sha256Of(Buffer.from('another')) })).toBeUndefined();
});

test('pieces that are not the file leave nothing', async () => {
  const other = sha256Of(Buffer.from('what was checked before'));
  await expect(keep(threePieces(), other)).rejects.toThrow(BadInput);
  expect(await openFile(pool, box, { bookId, sha256: other })).toBeUndefined();
});

const PIECE = 'book_id = $1 AND sha256 = $2 AND place =';
test.each`
  what                   | sql
  ${'a changed byte'}    | ${`UPDATE intake_file_parts SET bytes = set_byte(bytes, 20, 255 - get_byte(bytes, 20)) WHERE ${PIECE} 2`}
  ${'a shortened piece'} | ${`UPDATE intake_file_parts SET bytes = substr(bytes, 1, 10) WHERE ${PIECE} 2`}
  ${'a missing end'}     | ${`DELETE FROM intake_file_parts WHERE ${PIECE} 3`}
  ${'a missing middle'}  | ${`DELETE FROM intake_file_parts WHERE ${PIECE} 2`}
  ${'pieces out of order'} | ${`UPDATE intake_file_parts p SET bytes = o.bytes FROM intake_file_parts o
     WHERE p.book_id = $1 AND p.sha256 = $2 AND o.book_id = $1 AND o.sha256 = $2 AND p.place <> 3 AND o.place = 3 - p.place`}
`('$what is found when it is read', async ({ sql }) => {
  const sha256 = await keep(threePieces());
  await tamper(sql, sha256);
  await expect(read(sha256)).rejects.toThrow(FileDamaged);
});

test('a rotation of the encryption key seals the keys of files anew, and leaves the pieces', async () => {
  const pieces = threePieces();
  const sha256 = await keep(pieces);
  const partsOf = async () =>
    (
      await pool.query('SELECT place, bytes FROM intake_file_parts WHERE sha256 = $1 ORDER BY place', [
        Buffer.from(sha256, 'hex'),
      ])
    ).rows;
  const before = await partsOf();
  const nextKey = randomBytes(32).toString('base64');
  const tables = DECLARED_TABLES;
  const { counts } = await rekey({ pool, tables, encryptionKey: nextKey, oldEncryptionKeys: [key] });
  expect(counts.intake_files).toMatchObject({ remaining: 0 });
  expect(counts.intake_files!.changed).toBeGreaterThan(0);
  expect(await partsOf()).toEqual(before);
  expect(await read(sha256, createSecretBox(nextKey))).toBe(Buffer.concat(pieces).toString());
  await expect(read(sha256)).rejects.toThrow(SecretBoxError);
  const ran = await runHere(program, ['file', sha256, '--mode', 'test'], {
    DATABASE_URL: database.applicationUrl,
    COUNTINGHOUSE_ENCRYPTION_KEY: nextKey,
  });
  expect([ran.code, ran.err]).toEqual([0, '']);
  expect(ran.out).toBe(Buffer.concat(pieces).toString());
});
