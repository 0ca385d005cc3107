/** Fingerprints of requests, and the key that makes them. */
import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPool, type Pool } from '../../../src/db/pool.ts';
import { createSecretBox } from '../../../src/db/secret-box.ts';
import { createFingerprints, isKeyed } from '../../../src/idempotency/fingerprints.ts';
import { createLogger } from '../../../src/process/log.ts';
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

/** The fingerprints of one process. */
async function aProcess(encryptionKey = database.encryptionKey) {
  const secretBox = createSecretBox(encryptionKey);
  const fingerprints = createFingerprints({ pool, secretBox });
  await fingerprints.readKey();
  return fingerprints;
}

const digestOf = (request: string) => createHash('sha256').update(request).digest();

test('processes that start at once agree on one key, and it is stored sealed', async () => {
  const processes = await Promise.all(Array.from({ length: 8 }, () => aProcess()));
  const stored = processes.map((one) => one.toStore(digestOf('a request')).toString('hex'));
  expect(new Set(stored).size).toBe(1);
  const { rows } = await pool.query<{ name: string; sealed: Buffer }>('SELECT name, sealed FROM installation_secrets');
  expect(rows).toHaveLength(1);
  expect(rows[0]!.sealed[0]).toBe(2);
});

test('a fingerprint is keyed; a plain digest that still stands matches too', async () => {
  const fingerprints = await aProcess();
  const [digest, other] = [digestOf('a request'), digestOf('another request')];
  const stored = fingerprints.toStore(digest);
  expect(stored).toHaveLength(33);
  expect(stored.includes(digest)).toBe(false);
  expect([isKeyed(digest), isKeyed(stored)]).toEqual([false, true]);
  for (const form of [digest, stored]) {
    expect(fingerprints.match(form, digest)).toBe(true);
    expect(fingerprints.match(form, other)).toBe(false);
  }
  expect(fingerprints.match(Buffer.alloc(0), digest)).toBe(false);
});

test('a process with another encryption key does not start, and names the key it needs', async () => {
  await aProcess();
  await expect(aProcess(randomBytes(32).toString('base64'))).rejects.toThrow(
    /No encryption key with id [0-9a-f]{8} is configured/,
  );
});
