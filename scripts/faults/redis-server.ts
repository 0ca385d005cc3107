/** A real Redis that can be killed, frozen and started again: a redis-server of our own on a free port, gone with the process. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { freePort } from '../../src/embedded/postmaster.ts';

export interface TestRedis {
  readonly url: string;
  /** Where its append-only file lies. */
  readonly directory: string;
  /** Ends it at once, as kill -9 does. What it held is lost, unless it keeps an append-only file. */
  kill(): Promise<void>;
  /** Again on the same port: empty, or with what its append-only file holds. */
  start(options?: { appendOnly?: boolean }): Promise<void>;
  /** SIGSTOP: connections stay open and nothing answers. */
  freeze(): void;
  thaw(): void;
  /** A plain connection for looking and FLUSHALL. */
  client(): Redis;
  remove(): Promise<void>;
}

/** Whether redis-server is on PATH. */
export function isRedisInstalled(): boolean {
  return spawnSync('redis-server', ['--version']).status === 0;
}

export async function startRedis(): Promise<TestRedis> {
  const port = await freePort();
  const directory = mkdtempSync(join(tmpdir(), 'countinghouse-redis-'));
  const url = `redis://127.0.0.1:${port}`;
  const clients = new Set<Redis>();
  let server: ChildProcess | undefined;

  async function start({ appendOnly = false } = {}): Promise<void> {
    server = spawn(
      'redis-server',
      [
        ...['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', directory],
        ...['--appendonly', appendOnly ? 'yes' : 'no'],
      ],
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
    directory,
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
