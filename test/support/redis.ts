/**
 * A real Redis for a test file: a redis-server of its own on a free port, gone with the process. Tests that need one ask
 * `redisAvailable` and skip where there is none; with REQUIRE_REDIS=true (in CI) its absence is a failure.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { describe } from 'vitest';

export interface TestRedis {
  readonly url: string;
  /** Ends it at once, as kill -9 does. What it held is lost: it keeps nothing on disk. */
  kill(): Promise<void>;
  /** Again on the same port, empty. */
  start(): Promise<void>;
  /** SIGSTOP: connections stay open and nothing answers. */
  freeze(): void;
  thaw(): void;
  /** A plain connection for looking and FLUSHALL. */
  client(): Redis;
  remove(): Promise<void>;
}

let available: boolean | undefined;

/** Whether redis-server is on PATH. Throws when it is not and REQUIRE_REDIS=true says it must be. */
export function redisAvailable(): boolean {
  available ??= spawnSync('redis-server', ['--version']).status === 0;
  if (!available && process.env.REQUIRE_REDIS === 'true') {
    throw new Error('REQUIRE_REDIS=true, and there is no redis-server on PATH (Debian: apt-get install redis-server)');
  }
  return available;
}

/** `describe`, or a skipped one that says why. */
export function describeWithRedis(name: string, tests: () => void): void {
  if (redisAvailable()) describe(name, tests);
  else describe.skip(`${name} (skipped: no redis-server on PATH)`, tests);
}

export async function startRedis(): Promise<TestRedis> {
  const port = await freePort();
  const directory = mkdtempSync(join(tmpdir(), 'countinghouse-redis-'));
  const url = `redis://127.0.0.1:${port}`;
  const clients = new Set<Redis>();
  let server: ChildProcess | undefined;

  async function start(): Promise<void> {
    server = spawn(
      'redis-server',
      ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', directory],
      { stdio: 'ignore' },
    );
    const probe = new Redis(url, { retryStrategy: () => 20, maxRetriesPerRequest: null });
    probe.on('error', () => undefined);
    await probe.ping();
    probe.disconnect();
  }

  async function kill(): Promise<void> {
    const dying = server;
    if (!dying || dying.exitCode !== null || dying.signalCode !== null) return;
    const gone = new Promise((resolve) => dying.once('exit', resolve));
    dying.kill('SIGKILL');
    await gone;
  }

  process.once('exit', () => server?.kill('SIGKILL'));
  await start();
  return {
    url,
    start,
    kill,
    freeze: () => server?.kill('SIGSTOP'),
    thaw: () => server?.kill('SIGCONT'),
    client() {
      const client = new Redis(url);
      client.on('error', () => undefined);
      clients.add(client);
      return client;
    },
    async remove() {
      for (const client of clients) client.disconnect();
      await kill();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('No free port');
  return address.port;
}
