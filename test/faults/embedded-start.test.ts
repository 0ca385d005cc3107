/** `npm start` as a person runs it: in its own process group, as in a terminal, and with real signals. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { programOf } from '../../scripts/harness/programs.ts';
import { embeddedEnvironment, readCredentials } from '../../src/embedded/environment.ts';
import { openForPassage } from '../../src/embedded/place.ts';
import { isAlive, type ProcessIdentity } from '../../src/embedded/process-identity.ts';
import { rememberedPostgres } from '../../src/embedded/remembered-postgres.ts';
import { VERSION } from '../../src/process/version.ts';
import { eventually } from '../support/eventually.ts';

let folder: string;
let data: string;
let started: ChildProcess[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'countinghouse-start-'));
  openForPassage(folder);
  data = join(folder, 'data');
  started = [];
});

afterEach(async () => {
  for (const child of started) if (child.exitCode === null && child.signalCode === null) await end(child, 'SIGKILL');
  const { postmaster, place } = rememberedPostgres(data) ?? {};
  if (postmaster && isAlive(postmaster)) process.kill(postmaster.pid, 'SIGKILL');
  if (postmaster) await eventually(() => expect(isAlive(postmaster)).toBe(false));
  if (place) rmSync(place, { recursive: true, force: true });
  rmSync(folder, { recursive: true, force: true });
});

interface Started {
  child: ChildProcess;
  out(): string;
  err(): string;
  ended: Promise<number | null>;
}

/** The script's own process, which gives its exit code. npm itself ends by the signal, without an exit code. */
const DIRECTLY = [process.execPath, ...programOf('src/embedded/start.ts')];
const THROUGH_NPM = ['npm', 'start', '--silent'];

function start(environment: NodeJS.ProcessEnv = {}, [program, ...args] = DIRECTLY): Started {
  const child = spawn(program!, args, {
    detached: true, // its own process group, which a terminal's Ctrl-C reaches as a whole
    env: { PATH: process.env.PATH, HOME: process.env.HOME, PORT: '0', COUNTINGHOUSE_DATA: data, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  started.push(child);
  let [out, err] = ['', ''];
  child.stdout!.on('data', (chunk) => (out += chunk));
  child.stderr!.on('data', (chunk) => (err += chunk));
  const ended = once(child, 'close').then(([code]) => code as number | null);
  return { child, out: () => out, err: () => err, ended };
}

async function running(environment: NodeJS.ProcessEnv = {}, command = DIRECTLY): Promise<Started> {
  const product = start(environment, command);
  const early = product.ended.then((code) =>
    Promise.reject(new Error(`ended with ${code}\n${product.out()}${product.err()}`)),
  );
  await Promise.race([early, eventually(() => expect(product.out()).toMatch(/Ctrl-C stops everything/))]);
  early.catch(() => undefined);
  return product;
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  process.kill(-child.pid!, signal);
  if (child.exitCode === null && child.signalCode === null) await once(child, 'close');
}

const instance = () =>
  JSON.parse(readFileSync(join(data, 'instance.json'), 'utf8')) as ProcessIdentity & { baseUrl?: string };
const postmaster = () => rememberedPostgres(data)!.postmaster!;

async function api(path: string): Promise<{ status: number; body: never }> {
  const { base_url, test_key } = readCredentials(data)!;
  const response = await fetch(`${base_url}${path}`, { headers: { Authorization: `Bearer ${test_key}` } });
  return { status: response.status, body: (await response.json()) as never };
}

const HAS_CURL = spawnSync('curl', ['--version']).status === 0;

/** Runs the printed commands unchanged. Only Node is required: without curl it prints a warning instead. */
async function tryPrintedCommands(greeting: string): Promise<void> {
  if (!HAS_CURL) return console.warn('curl is not on PATH: the printed commands are not tried');
  const commands = greeting
    .split('\n\n')
    .flatMap((part) => part.split(/\n(?= {2}curl)/))
    .filter((part) => part.includes('curl '));
  const curl = (command: string) => JSON.parse(spawnSync('sh', ['-c', command], { encoding: 'utf8' }).stdout);
  const [payout, list, lines, account, funding] = commands as [string, string, string, string, string];
  expect(curl(payout)).toMatchObject({ object: 'payout', amount: 5124 });
  await eventually(() => expect(curl(list).data).toMatchObject([{ status: 'paid' }]));
  expect(curl(payout)).toMatchObject({ status: 'pending' });
  expect(curl(list).data).toHaveLength(1);
  expect(curl(lines).data.length).toBeGreaterThan(1);
  expect(curl(account)).toMatchObject({ object: 'account', currency: 'JOD' });
  expect(curl(funding)).toMatchObject({ amount: 1_000_000 });
}

async function expectRoleAndForms(): Promise<void> {
  const client = new pg.Client(embeddedEnvironment(data).DATABASE_URL);
  await client.connect();
  try {
    await expect(client.query('UPDATE entries SET step = step')).rejects.toMatchObject({ code: '42501' });
    // Nobody runs an earlier release on a database that was made just now.
    const { rows } = await client.query('SELECT contracted_to FROM installation');
    expect(rows).toEqual([{ contracted_to: VERSION }]);
  } finally {
    await client.end();
  }
}

describe('npm start', () => {
  test('prints commands that work, refuses to run twice, serves the scripts, and ends on Ctrl-C with its Postgres', async () => {
    const product = await running({}, THROUGH_NPM);
    const { base_url, test_key } = readCredentials(data)!;
    expect(statSync(join(data, 'credentials.json')).mode & 0o777).toBe(0o600);
    expect(test_key).toMatch(/^sk_test_/);
    expect(product.out()).toContain(base_url);
    expect(product.out()).toContain(test_key);
    expect(product.err()).toBe('');

    await tryPrintedCommands(product.out());

    const second = start();
    expect(await second.ended).toBe(1);
    expect(second.err()).toContain(`already running (pid ${instance().pid}) at ${base_url}`);

    const keys = spawnSync('npm', ['run', '--silent', 'keys', '--', 'list', '--json'], {
      encoding: 'utf8',
      env: { ...process.env, COUNTINGHOUSE_DATA: data, DATABASE_URL: '' },
    });
    // One line a key: a service's, two persons', and two of the operator's.
    const listed = keys.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(listed).toHaveLength(5);
    expect(listed.filter(({ organisation }) => organisation === 'Sandbox')).toMatchObject(
      Array.from({ length: 3 }, () => ({ mode: 'test', scopes: expect.arrayContaining(['*']), standing: 'good' })),
    );

    const postgres = postmaster();
    process.kill(-product.child.pid!, 'SIGINT');
    await product.ended;
    expect(product.err()).toBe('\nStopping: finishing what is in hand. Ctrl-C again stops at once.\n');
    expect(isAlive(postgres)).toBe(false);
    expect(existsSync(join(data, 'instance.json'))).toBe(false);
    expect(readFileSync(join(data, 'postgres.log'), 'utf8')).toMatch(/database system is shut down\s*$/);
  });

  test('killed with -9 it starts again with its data and key, even while its Postgres still runs', async () => {
    const first = await running();
    const [credentials, orphan] = [readCredentials(data)!, postmaster()];
    const before = await api('/v1/accounts');
    process.kill(instance().pid, 'SIGKILL');
    await first.ended;
    expect(isAlive(orphan)).toBe(true);

    await running();
    expect(isAlive(orphan)).toBe(false);
    expect(readCredentials(data)!.test_key).toBe(credentials.test_key);
    expect(await api('/v1/accounts')).toEqual(before);

    // The same, with Postgres killed too.
    const { pid } = instance();
    process.kill(pid, 'SIGKILL');
    process.kill(postmaster().pid, 'SIGKILL');
    await eventually(() => expect(isAlive(postmaster())).toBe(false));
    await running();
    expect(await api('/v1/accounts')).toEqual(before);
  });

  test('the application role cannot change the journal, and when its Postgres is killed, it starts Postgres again and continues', async () => {
    const product = await running();
    await expectRoleAndForms();
    const killed = postmaster();
    process.kill(killed.pid, 'SIGKILL');
    await eventually(async () => {
      expect(postmaster().pid).not.toBe(killed.pid);
      expect((await api('/v1/accounts')).status).toBe(200);
    });
    process.kill(-product.child.pid!, 'SIGTERM');
    expect(await product.ended).toBe(0);
    expect(isAlive(postmaster())).toBe(false);
  });

  test('a taken port is reported before anything starts', async () => {
    const squatter = createServer().listen(0, '127.0.0.1');
    await once(squatter, 'listening');
    const { port } = squatter.address() as { port: number };
    const product = start({ PORT: String(port) });
    expect(await product.ended).toBe(1);
    squatter.close();
    expect(product.err()).toMatch(new RegExp(`^Port ${port} is taken.*PORT=0`));
    expect(existsSync(join(data, 'postgres.json'))).toBe(false);
    expect(existsSync(join(data, 'instance.json'))).toBe(false);
  });

  test('an invalid configuration names the variable, and leaves nothing running', async () => {
    const product = start({ LOG_LEVEL: 'loud' });
    expect(await product.ended).toBe(1);
    expect(product.err()).toMatch(/LOG_LEVEL/);
    expect(isAlive(postmaster())).toBe(false);
  });

  test('stopped during its start, it leaves nothing running', async () => {
    const product = start();
    await eventually(() => expect(existsSync(join(data, 'instance.json'))).toBe(true));
    process.kill(-product.child.pid!, 'SIGINT');
    expect(await product.ended).toBe(0);
    const { postmaster: server } = rememberedPostgres(data) ?? {};
    expect(server ? isAlive(server) : false).toBe(false);
    expect(existsSync(join(data, 'instance.json'))).toBe(false);
  });

  test.skipIf(process.getuid?.() !== 0)(
    'as root, with its data in a folder closed to the account of Postgres',
    async () => {
      chmodSync(folder, 0o700);
      const product = await running();
      const { place } = rememberedPostgres(data)!;
      expect(place.startsWith(folder)).toBe(false);
      expect(readFileSync(join(place, 'belongs-to'), 'utf8')).toBe(`${data}\n`);
      expect((await api('/v1/accounts')).status).toBe(200);
      expect(statSync(folder).mode & 0o777).toBe(0o700);
      process.kill(-product.child.pid!, 'SIGINT');
      expect(await product.ended).toBe(0);
    },
  );

  test.skipIf(process.getuid?.() !== 0)('as root, on a machine without a postgres account', async () => {
    await running({ COUNTINGHOUSE_POSTGRES_USER: 'nobody' });
    expect(statSync(rememberedPostgres(data)!.place).uid).toBe(
      Number(spawnSync('id', ['-u', 'nobody'], { encoding: 'utf8' }).stdout),
    );
    expect((await api('/v1/accounts')).status).toBe(200);
  });
});
