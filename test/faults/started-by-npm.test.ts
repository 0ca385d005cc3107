/**
 * The product as the README starts it, ended by the id that the caller has: npm's. A supervisor, a container's process 1
 * and a shell's `kill $!` send SIGTERM to that one alone. It must reach the product, which drains and is gone.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { FAULT_PATIENCE_MS, until } from '../../scripts/harness/until.ts';
import { readCredentials } from '../../src/embedded/environment.ts';
import { openForPassage } from '../../src/embedded/place.ts';
import { isAlive } from '../../src/embedded/process-identity.ts';
import { rememberedPostgres } from '../../src/embedded/remembered-postgres.ts';
import { eventually } from '../support/eventually.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { testEnvironment } from '../support/product.ts';

let database: TestDatabase;
let folder: string;
let started: ChildProcess | undefined;

beforeEach(async () => {
  database = await createTestDatabase();
  folder = mkdtempSync(join(tmpdir(), 'countinghouse-npm-'));
  openForPassage(folder);
});

afterEach(async () => {
  if (started) endGroup(started);
  const { postmaster, place } = rememberedPostgres(folder) ?? {};
  if (postmaster && isAlive(postmaster)) process.kill(postmaster.pid, 'SIGQUIT');
  if (postmaster) await eventually(() => expect(isAlive(postmaster)).toBe(false));
  if (place) rmSync(place, { recursive: true, force: true });
  rmSync(folder, { recursive: true, force: true });
  await database.drop();
});

/** What a failed test leaves: the product is of npm's process group. */
function endGroup({ pid }: ChildProcess): void {
  try {
    process.kill(-pid!, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Starts it in a process group of its own and waits for its line. `gone` resolves when nothing of it holds its output. */
async function running(words: readonly string[], environment: Record<string, string>, line: RegExp) {
  const npm = spawn('npm', words, {
    detached: true,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  started = npm;
  let output = '';
  for (const stream of [npm.stdout, npm.stderr]) stream.on('data', (chunk) => (output += chunk));
  const gone = once(npm, 'close');
  await until(
    () => output,
    (text) => line.test(text),
    { timeoutMs: FAULT_PATIENCE_MS },
  );
  return { npm, gone, output: () => output };
}

const own = (further: Record<string, string>) =>
  testEnvironment(database, undefined, { LOG_LEVEL: 'info', DRAIN_TIMEOUT_MS: '20000', ...further });

test.each`
  words                                           | port             | line                  | said
  ${['run', 'api']}                               | ${'PORT'}        | ${/"API listens"/}    | ${'"stopping"'}
  ${['run', 'worker', '--', '--pools', 'ledger']} | ${'WORKER_PORT'} | ${/"worker started"/} | ${'"worker stopped"'}
`('npm $words, ended by the id of its npm, drains and is gone', async ({ words, port, line, said }) => {
  const product = await running(words, own({ [port]: '0' }), line);
  product.npm.kill('SIGTERM');
  await product.gone;
  expect(product.output()).toContain(said);
});

test('npm start, ended by the id of its npm, stops its Postgres and is gone', async () => {
  const product = await running(['start'], { PORT: '0', COUNTINGHOUSE_DATA: folder }, /Ctrl-C stops everything/);
  const { base_url } = readCredentials(folder)!;
  expect((await fetch(`${base_url}/readyz`)).status).toBe(200);
  product.npm.kill('SIGTERM');
  await product.gone;
  expect(product.output()).toContain('Stopping: finishing what is in hand');
  await expect(fetch(`${base_url}/readyz`)).rejects.toThrow();
  expect(isAlive(rememberedPostgres(folder)!.postmaster!)).toBe(false);
});
