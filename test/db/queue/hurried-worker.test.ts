/** A worker on Postgres that cannot ask for jobs leaves the process to others. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { PATIENCE_MS } from '../../../scripts/harness/until.ts';
import { createPool } from '../../../src/db/pool.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';
import { silent } from './queue-contract.ts';

let database: TestDatabase;

beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(() => database?.drop());

/** In a process of its own: with the fault, no timer and no signal handler of it would run. */
async function timersFire(): Promise<void> {
  const child = spawn(
    process.execPath,
    ['--import', 'tsx', join(import.meta.dirname, '../../support/hurried-worker.ts'), database.applicationUrl],
    { stdio: ['ignore', 'ignore', 'inherit'], timeout: PATIENCE_MS / 2, killSignal: 'SIGKILL' },
  );
  expect(await once(child, 'exit')).toEqual([0, null]);
}

test('after its pool has ended', timersFire);

test('without the tables of the queues', async () => {
  const superuser = createPool({ url: database.superuserUrl, name: 'test', size: 1, log: silent });
  await superuser.query('DROP SCHEMA bullmq CASCADE');
  await superuser.end();
  await timersFire();
});
