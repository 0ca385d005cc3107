/** The product as an integrator has it: `npm start` in a folder of its own, a test key, and an account with money. */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { readCredentials } from '../../src/embedded/environment.ts';
import { ROOT } from '../harness/build.ts';
import { endChild, isRunning } from '../harness/child-process.ts';
import { FAULT_PATIENCE_MS, until } from '../harness/until.ts';

/** The whole amount of all runs, and more: 100,000.000 JOD. */
const FUNDING_MINOR = 100_000_000;
/** Its Postgres ends with it. */
const STOP_LIMIT_MS = 30_000;

export interface Sandbox {
  /** For the environment of programs. */
  readonly access: { readonly API_URL: string; readonly API_KEY: string; readonly ACCOUNT: string };
  close(): Promise<void>;
}

export async function startSandbox(directory: string): Promise<Sandbox> {
  mkdirSync(directory, { recursive: true });
  const child = spawn(process.execPath, ['--import', 'tsx', 'src/embedded/start.ts'], {
    cwd: ROOT,
    env: { PATH: process.env.PATH, COUNTINGHOUSE_DATA: directory, PORT: '0', LOG_LEVEL: 'error' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  const close = () => endChild(child, 'SIGTERM', { killAfterMs: STOP_LIMIT_MS });
  try {
    // The greeting is the last that a start does.
    await until(() => output.includes('Ctrl-C stops everything') || !isRunning(child), Boolean, {
      timeoutMs: FAULT_PATIENCE_MS,
    });
    const credentials = isRunning(child) ? readCredentials(directory) : undefined;
    if (!credentials) throw new Error(`The product did not start:\n${output}`);
    const { base_url: API_URL, test_key: API_KEY } = credentials;
    return { access: { API_URL, API_KEY, ACCOUNT: await openAccount(API_URL, API_KEY) }, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function openAccount(baseUrl: string, key: string): Promise<string> {
  const post = async (path: string, body: object): Promise<{ id: string }> => {
    const answer = await fetch(`${baseUrl}${path}`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${key}`,
        'Content-Type': 'application/json',
        'Idempotency-Key': randomUUID(),
      },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`POST ${path} answered ${answer.status}: ${await answer.text()}`);
    return (await answer.json()) as { id: string };
  };
  const { id } = await post('/v1/accounts', { currency: 'JOD', name: 'Generated clients' });
  await post('/v1/simulations/inbound_transfers', { account: id, amount: FUNDING_MINOR, currency: 'JOD' });
  return id;
}
