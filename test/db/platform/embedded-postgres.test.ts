/** The embedded Postgres server: what tests, benches and `npm start` rely on. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openForPassage } from '../../../src/embedded/place.ts';
import { type PostgresServer, type StopMode, startPostgres } from '../../../src/embedded/postgres-server.ts';
import { isAlive, processMark } from '../../../src/embedded/process-identity.ts';
import { eventually } from '../../support/eventually.ts';

let directory: string;
let server: PostgresServer;

const start = () => startPostgres({ directory, durable: false });

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'countinghouse-embedded-'));
  openForPassage(directory);
  server = await start();
  await query('CREATE TABLE kept (n integer PRIMARY KEY)');
});

afterAll(async () => {
  await server?.stop('immediate');
  rmSync(directory, { recursive: true, force: true });
});

async function query(sql: string, url = server.ownerUrl) {
  const client = new pg.Client(url);
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

const rows = async () => (await query('SELECT n FROM kept ORDER BY n')).map(({ n }) => n);

test.each<StopMode>(['fast', 'immediate', 'kill'])(
  'committed rows survive a stop: %s; the port stays',
  async (mode) => {
    const { port, pid } = server;
    const before = await rows();
    await query(`INSERT INTO kept VALUES (${before.length})`);
    await server.stop(mode);
    expect(server.pid).toBeUndefined();
    await server.start();
    expect(server.port).toBe(port);
    expect(server.pid).not.toBe(pid);
    expect(await rows()).toEqual([...before, before.length]);
  },
);

test('it listens on the loopback address only, and without socket files', async () => {
  const [settings] = await query(
    `SELECT current_setting('listen_addresses') AS addresses, current_setting('unix_socket_directories') AS sockets, current_setting('server_version_num')::int / 10000 AS version`,
    server.superuserUrl,
  );
  expect(settings).toEqual({ addresses: '127.0.0.1', sockets: '', version: 18 });
});

test.each(['postgres', 'countinghouse_owner', 'countinghouse_app'])(
  'it accepts %s only with its password',
  async (role) => {
    for (const password of ['', 'password', 'postgres', role]) {
      const url = server.ownerUrl.replace(/\/\/[^@]+@/, `//${role}:${password || '%20'}@`);
      await expect(query('SELECT 1', url)).rejects.toMatchObject({ code: '28P01' });
    }
  },
);

test('its secret files are readable by their owner only, and no process shows the secrets', () => {
  const files = ['secrets.json', 'postgres.json', 'postgres.log'].map(
    (name) => statSync(join(directory, name)).mode & 0o777,
  );
  expect(files).toEqual([0o600, 0o600, 0o600]);
  const secrets = Object.values(
    JSON.parse(readFileSync(join(directory, 'secrets.json'), 'utf8')) as Record<string, string>,
  );
  const seen = `${spawnSync('ps', ['-eo', 'args'], { encoding: 'utf8' }).stdout}${readFileSync(join(directory, 'postgres.log'), 'utf8')}`;
  expect(secrets.filter((secret) => seen.includes(secret))).toEqual([]);
});

test('killed from outside, it reports that and can be started again', async () => {
  const ended = vi.fn();
  server.onUnexpectedExit(ended);
  process.kill(server.pid!, 'SIGKILL');
  await eventually(() => expect(ended).toHaveBeenCalledWith('ended with SIGKILL'));
  await server.start();
  expect(await rows()).not.toEqual([]);
});

test('a server that outlived its parent is stopped and started again, with its data', async () => {
  await server.stop();
  // A parent process that starts the server and is killed. Postgres keeps running.
  const script = `const { startPostgres } = await import('./src/embedded/postgres-server.ts');
    const server = await startPostgres({ directory: process.argv[1], durable: false });
    console.log(server.pid);
    setInterval(() => {}, 1000);`;
  const parent = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script, directory], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(parent.stdout, 'data');
  const orphan = { pid: Number(line), mark: processMark(Number(line))! };
  parent.kill('SIGKILL');
  await once(parent, 'exit');
  expect(isAlive(orphan)).toBe(true);
  server = await start();
  expect(isAlive(orphan)).toBe(false);
  expect(await rows()).not.toEqual([]);
});

test('a leftover postmaster.pid with the pid of another living process does not prevent the start', async () => {
  await server.stop();
  const { uid, gid } = statSync(server.cluster);
  const stranger = spawn('sleep', ['60'], { cwd: '/', ...(process.getuid?.() === 0 && { uid, gid }) });
  await once(stranger, 'spawn');
  writeFileSync(
    join(server.cluster, 'postmaster.pid'),
    `${stranger.pid}\n${server.cluster}\n1700000000\n${server.port}\n\n127.0.0.1\n\nready\n`,
  );
  server = await start();
  expect(await rows()).not.toEqual([]);
  expect(stranger.exitCode).toBeNull();
  stranger.kill();
});

test('when its port is taken, it picks another and keeps that one', async () => {
  const { port } = server;
  await server.stop();
  const squatter = createServer().listen(port, '127.0.0.1');
  await once(squatter, 'listening');
  server = await start();
  squatter.close();
  expect(server.port).not.toBe(port);
  const moved = server.port;
  await server.stop();
  server = await start();
  expect(server.port).toBe(moved);
});

test('settings can be overridden', async () => {
  await server.stop();
  server = await startPostgres({
    directory,
    durable: false,
    settings: { shared_buffers: '32MB', max_connections: 50 },
  });
  expect(await query('SHOW shared_buffers')).toEqual([{ shared_buffers: '32MB' }]);
});

test('a data folder that was moved opens at its new place', async () => {
  await server.stop();
  const moved = `${directory}-moved`;
  renameSync(directory, moved);
  directory = moved;
  server = await start();
  expect(server.cluster.startsWith(moved)).toBe(true);
  expect(await rows()).not.toEqual([]);
});

test('a data folder without its cluster is refused, and no new cluster is made', async () => {
  const other = mkdtempSync(join(tmpdir(), 'countinghouse-embedded-'));
  try {
    mkdirSync(join(other, 'postgres'));
    writeFileSync(
      join(other, 'postgres.json'),
      JSON.stringify({ place: 'postgres', port: 1, postmaster: { pid: 1, mark: 'x' } }),
    );
    await expect(startPostgres({ directory: other })).rejects.toThrow(/where the data of .* are, is gone/);
  } finally {
    rmSync(other, { recursive: true });
  }
});
