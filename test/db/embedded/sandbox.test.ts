/** The keys that a start keeps in its data folder. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { withCommitter } from '../../../scripts/intake-command.ts';
import { createPool, type Pool } from '../../../src/db/pool.ts';
import { CREDENTIALS_FILE, readCredentials } from '../../../src/embedded/environment.ts';
import { keepSandboxKey } from '../../../src/embedded/sandbox.ts';
import { replaceSecretFile } from '../../../src/embedded/secret-files.ts';
import { hashApiKey } from '../../../src/organisations/api-key.ts';
import { findApiKeysByHash } from '../../../src/organisations/api-key-store.ts';
import { operatorBooks } from '../../../src/organisations/organisation-store.ts';
import { systemClock } from '../../../src/values/clock.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';

let database: TestDatabase;
let pool: Pool;
let directory: string;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool({ url: database.applicationUrl, name: 'test', size: 4, log: pino({ level: 'silent' }) });
  directory = mkdtempSync(join(tmpdir(), 'sandbox-'));
});
afterAll(async () => {
  await pool.end();
  await database.drop();
  rmSync(directory, { recursive: true });
});

const keep = () =>
  withCommitter(pool, (committer) =>
    keepSandboxKey({ pool, clock: systemClock, committer, directory, baseUrl: 'http://127.0.0.1:3000' }),
  );

test('two persons of the operator get keys that reconcile its test book, and open nothing there', async () => {
  await keep();
  const { operator_test_key: first, second_operator_test_key: second } = readCredentials(directory)!;
  const { keys } = await findApiKeysByHash(pool, [first, second].map(hashApiKey));
  const { test: bookId } = await operatorBooks(pool);
  expect(keys).toHaveLength(2);
  expect(new Set(keys.map(({ owner }) => JSON.stringify(owner))).size).toBe(2);
  for (const key of keys) {
    expect(key).toMatchObject({ bookId, owner: { kind: 'person' } });
    expect(key.scopes).toEqual(
      expect.arrayContaining(['reconciliations:write', 'reconciliations:approve', 'exceptions:approve']),
    );
    expect(key.scopes.filter((scope) => /^(\*|(accounts|payouts|payments|cards|webhooks):write)$/.test(scope))).toEqual(
      [],
    );
  }
});

test('the next start keeps every key, and a folder of an earlier release gets those that it lacks', async () => {
  const before = readCredentials(directory)!;
  await keep();
  expect(readCredentials(directory)).toEqual(before);
  const { operator_test_key: _, second_operator_test_key: __, ...earlier } = before;
  replaceSecretFile(join(directory, CREDENTIALS_FILE), earlier);
  await keep();
  const { operator_test_key: first, second_operator_test_key: second, ...kept } = readCredentials(directory)!;
  expect(kept).toEqual(earlier);
  expect([first, second]).toEqual([expect.stringMatching(/^sk_test_/), expect.stringMatching(/^sk_test_/)]);
  expect([first, second]).not.toContain(before.operator_test_key);
});
