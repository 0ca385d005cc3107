/** Fingerprints of requests, before and after the contract, and the key that makes them. */
import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPool, type Pool } from '../../../src/db/pool.ts';
import { createSecretBox } from '../../../src/db/secret-box.ts';
import { createFingerprints, isKeyed } from '../../../src/idempotency/fingerprints.ts';
import { createLogger } from '../../../src/log.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';

let database: TestDatabase;
let pool: Pool;

beforeAll(async () => {
  database = await createTestDatabase();
  const log = createLogger('silent', 'test');
  pool = createPool({ url: database.applicationUrl, name: 'test', size: 8, log });
});

afterAll(async () => {
  await pool.end();
  await database.drop();
});

/** The fingerprints of one process; `contracted` is the state of the switch that the process has read. */
async function processThat({ contracted }: { contracted: boolean }, encryptionKey = database.encryptionKey) {
  const secretBox = createSecretBox(encryptionKey, [], { contracted: true });
  const fingerprints = createFingerprints({ pool, secretBox, forms: { contracted } });
  await fingerprints.readKey();
  return fingerprints;
}

const digestOf = (request: string) => createHash('sha256').update(request).digest();

test('processes that start at once agree on one key, and it is stored sealed', async () => {
  const processes = await Promise.all(Array.from({ length: 8 }, () => processThat({ contracted: true })));
  const stored = processes.map((one) => one.toStore(digestOf('a request')).toString('hex'));
  expect(new Set(stored).size).toBe(1);
  const { rows } = await pool.query<{ name: string; sealed: Buffer }>('SELECT name, sealed FROM installation_secrets');
  expect(rows).toHaveLength(1);
  expect(rows[0]!.sealed[0]).toBe(2);
});

test('every process reads both forms, whichever it writes', async () => {
  const [earlier, later] = [await processThat({ contracted: false }), await processThat({ contracted: true })];
  const [digest, other] = [digestOf('a request'), digestOf('another request')];
  expect(earlier.toStore(digest)).toEqual(digest);
  expect(later.toStore(digest)).toHaveLength(33);
  expect(later.toStore(digest).includes(digest)).toBe(false);
  expect([isKeyed(earlier.toStore(digest)), isKeyed(later.toStore(digest))]).toEqual([false, true]);
  for (const writer of [earlier, later]) {
    for (const reader of [earlier, later]) {
      expect(reader.match(writer.toStore(digest), digest)).toBe(true);
      expect(reader.match(writer.toStore(digest), other)).toBe(false);
    }
  }
  expect(later.match(Buffer.alloc(0), digest)).toBe(false);
});

test('a process with another encryption key does not start, and names the key it needs', async () => {
  await processThat({ contracted: true });
  await expect(processThat({ contracted: true }, randomBytes(32).toString('base64'))).rejects.toThrow(
    /No encryption key with id [0-9a-f]{8} is configured/,
  );
});
