/** A real redis-server on a free port that can be killed, frozen and started again. It ends with this process. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { ownPort } from './ports.ts';

/** Twenty seconds, at 20 ms each. */
const START_PROBES = 1_000;

export interface TestRedis {
  readonly url: string;
  readonly version: string;
  /** Of the running server. */
  readonly pid: number | undefined;
  /** The folder of the append-only file. */
  readonly directory: string;
  /** Ends Redis at once, as kill -9 does. Its data is lost, unless it keeps an append-only file. */
  kill(): Promise<void>;
  /** Starts Redis again on the same port: empty, or with its append-only file. */
  start(options?: { appendOnly?: boolean }): Promise<void>;
  /** SIGSTOP: connections stay open and nothing answers. */
  freeze(): void;
  thaw(): void;
  /** Opens a plain connection, for reads and FLUSHALL. */
  client(): Redis;
  remove(): Promise<void>;
}

/** The version of the redis-server on PATH; undefined without one. */
export function redisVersion(): string | undefined {
  const { status, stdout } = spawnSync('redis-server', ['--version'], { encoding: 'utf8' });
  return status === 0 ? (/v=([\d.]+)/.exec(stdout)?.[1] ?? 'unknown') : undefined;
}

export async function startRedis(): Promise<TestRedis> {
  const version = redisVersion();
  if (!version) {
    throw new Error(
      'There is no redis-server on PATH. Install it (Debian: apt-get install redis-server), or use the queue on Postgres.',
    );
  }
  const port = await ownPort();
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
    const probe = new Redis(url, { retryStrategy: () => 20, maxRetriesPerRequest: START_PROBES });
    probe.on('error', () => undefined);
    try {
      await probe.ping();
    } catch (error) {
      await kill();
      throw new Error('redis-server did not start', { cause: error });
    } finally {
      probe.disconnect();
    }
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
    version,
    get pid() {
      return server?.pid;
    },
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
