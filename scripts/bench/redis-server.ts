/**
 * A redis-server for the length of a bench: loopback, a free port, nothing kept on disk, since jobs are not the truth.
 */
import { spawn, spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { Redis } from 'ioredis';
import { freePort } from '../../src/embedded/postmaster.ts';

export interface ThrowawayRedis {
  readonly url: string;
  readonly version: string;
  stop(): Promise<void>;
}

export async function startRedis(): Promise<ThrowawayRedis> {
  const { status, stdout } = spawnSync('redis-server', ['--version'], { encoding: 'utf8' });
  if (status !== 0) {
    throw new Error(
      'There is no redis-server on PATH. Install it (Debian: apt-get install redis-server), or measure with --queue postgres.',
    );
  }
  const port = await freePort();
  const server = spawn(
    'redis-server',
    ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', tmpdir()],
    { stdio: 'ignore' },
  );
  const ended = new Promise<void>((resolve) => server.once('exit', () => resolve()));
  const stop = async () => {
    server.kill('SIGKILL');
    await ended;
  };
  process.once('exit', () => server.kill('SIGKILL'));
  const url = `redis://127.0.0.1:${port}`;
  const probe = new Redis(url, { retryStrategy: () => 20, maxRetriesPerRequest: 250 });
  probe.on('error', () => undefined);
  try {
    await probe.ping();
  } catch (error) {
    await stop();
    throw new Error('redis-server did not start', { cause: error });
  } finally {
    probe.disconnect();
  }
  return { url, version: /v=([\d.]+)/.exec(stdout)?.[1] ?? 'unknown', stop };
}
