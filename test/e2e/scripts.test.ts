/** The scripts of package.json, each in a process of its own. What their commands do is tested within the test's process. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});

afterAll(() => database?.drop());

test.each([
  ['keys', ['list'], 'There are no keys. Make one: npm run keys -- create --organisation NAME --mode test\n'],
  ['ops', ['stuck', 'list'], 'Nothing is stuck.\n'],
  ['verify', [], '2 books, 0 entries, 0 lines, 0 events: nothing wrong.\n'],
])('npm run %s', async (script, words, output) => {
  const { stdout } = await promisify(execFile)('npm', ['run', '--silent', script, '--', ...words], {
    cwd: ROOT,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, DATABASE_URL: database.applicationUrl },
  });
  expect(stdout).toBe(output);
});
