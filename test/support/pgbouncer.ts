/**
 * A PgBouncer in transaction mode in front of a test database, ended with the process. Tests that need PgBouncer are
 * skipped where it is not installed; with REQUIRE_PGBOUNCER=true (in CI) its absence is a failure.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { describe } from 'vitest';
import { until } from '../../scripts/harness/client.ts';
import { ownPort } from '../../scripts/harness/ports.ts';
import { postgresAccount } from '../../src/embedded/run-as.ts';
import type { TestDatabase } from './postgres.ts';

export interface TestPgBouncer {
  /** The application's URL through PgBouncer. */
  readonly url: string;
  /** Runs SHOW on the admin console. */
  show(what: string): Promise<Record<string, string>[]>;
  /** Closes the connections to Postgres, each of which keeps the name of its last client. */
  reconnect(): Promise<void>;
  remove(): Promise<void>;
}

/** Debian installs pgbouncer in a folder that is only on root's PATH. */
const PATH = `${process.env.PATH}:/usr/sbin`;
let available: boolean | undefined;

function pgBouncerAvailable(): boolean {
  available ??= spawnSync('pgbouncer', ['--version'], { env: { PATH } }).status === 0;
  if (!available && process.env.REQUIRE_PGBOUNCER === 'true') {
    throw new Error('REQUIRE_PGBOUNCER=true, and there is no pgbouncer on PATH (Debian: apt-get install pgbouncer)');
  }
  return available;
}

/** `describe`, or a skipped one with the reason in its name. */
export function describeWithPgBouncer(name: string, tests: () => void): void {
  if (pgBouncerAvailable()) describe(name, tests);
  else describe.skip(`${name} (skipped: no pgbouncer on PATH)`, tests);
}

/** Few connections to Postgres, so that transactions of the product share them. */
const SERVER_CONNECTIONS = 4;

export async function startPgBouncer(database: Pick<TestDatabase, 'applicationUrl'>): Promise<TestPgBouncer> {
  const direct = new URL(database.applicationUrl);
  const directory = mkdtempSync(join(tmpdir(), 'countinghouse-pgbouncer-'));
  const port = await ownPort();
  const login = `"${decodeURIComponent(direct.username)}" "${decodeURIComponent(direct.password)}"\n`;
  writeFileSync(join(directory, 'users.txt'), login);
  writeFileSync(
    join(directory, 'pgbouncer.ini'),
    [
      '[databases]',
      `* = host=${direct.hostname} port=${direct.port}`,
      '[pgbouncer]',
      'listen_addr = 127.0.0.1',
      `listen_port = ${port}`,
      'unix_socket_dir =',
      'auth_type = scram-sha-256',
      `auth_file = ${join(directory, 'users.txt')}`,
      `admin_users = ${decodeURIComponent(direct.username)}`,
      'pool_mode = transaction',
      `default_pool_size = ${SERVER_CONNECTIONS}`,
      'max_client_conn = 200',
    ].join('\n'),
  );
  // pgbouncer refuses to run as root.
  const account = postgresAccount();
  chmodSync(directory, 0o755);
  const server: ChildProcess = spawn('pgbouncer', [join(directory, 'pgbouncer.ini')], {
    env: { PATH },
    stdio: 'ignore',
    ...(account && { uid: account.uid, gid: account.gid }),
  });
  process.once('exit', () => server.kill('SIGKILL'));

  const through = new URL(direct);
  through.host = `127.0.0.1:${port}`;
  const console = new URL(through);
  console.pathname = '/pgbouncer';
  const ask = async (url: URL, statement: string) => {
    const client = new pg.Client({ connectionString: url.href });
    client.on('error', () => undefined);
    await client.connect();
    try {
      return (await client.query(statement)).rows;
    } finally {
      await client.end();
    }
  };
  await until(
    () => ask(through, 'SELECT 1').catch(() => undefined),
    (rows) => rows !== undefined,
  );
  return {
    url: through.href,
    show: (what) => ask(console, `SHOW ${what}`),
    async reconnect() {
      await ask(console, 'RECONNECT');
      await ask(console, 'WAIT_CLOSE');
    },
    async remove() {
      const gone = new Promise((resolve) => server.once('exit', resolve));
      server.kill('SIGKILL');
      await gone;
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
