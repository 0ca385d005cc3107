/**
 * Starts, watches and stops one Postgres server process over one data directory. The server runs in its own session, so
 * that Ctrl-C in the terminal reaches only this process, which decides when the server ends.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { closeSync, constants, openSync, readFileSync, realpathSync, renameSync, statSync, writeSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { PostgresBinaries } from './binaries.ts';
import { EmbeddedPostgresError } from './embedded-postgres-error.ts';
import { isAlive, type ProcessIdentity, processMark, waitUntil, worksIn } from './process-identity.ts';
import type { Account } from './run-as.ts';

/**
 * How Postgres is stopped. fast: ends connections, writes a checkpoint. immediate: leaves recovery to the next start,
 * as after a power cut. kill: SIGKILL, which the server's own child processes notice only later.
 */
export type StopMode = 'fast' | 'immediate' | 'kill';
const SIGNALS: Record<StopMode, NodeJS.Signals> = { fast: 'SIGINT', immediate: 'SIGQUIT', kill: 'SIGKILL' };

export interface PostmasterOptions {
  binaries: PostgresBinaries;
  cluster: string;
  account: Account | undefined;
  port: number;
  /**
   * The file of the server's output. This process opens it, so the server's account need not be able to write there.
   */
  logFile: string;
  settings: Record<string, string>;
}

/** Long enough for crash recovery, which replays everything since the last checkpoint. */
const START_TIMEOUT_MS = 120_000;
const STOP_TIMEOUT_MS = 30_000;
const LOG_LIMIT_BYTES = 10_000_000;

/**
 * Below the ports that systems give to outgoing connections (Linux from 32768, others from 49152), above those of well-known servers.
 * Tests have the next ones.
 */
const QUIET_PORTS = { from: 15_000, below: 20_000 };
let lastPort: number | undefined;

/**
 * A free port that no outgoing connection gets: a server that is down for a while finds it free again. A process is not given the
 * same one twice, until it has had all of them. Throws EmbeddedPostgresError where none is free.
 */
export async function quietPort(): Promise<number> {
  const { from, below } = QUIET_PORTS;
  for (let tried = 0; tried < below - from; tried++) {
    const next = lastPort === undefined ? randomInt(from, below) : lastPort + 1;
    const port = next < below ? next : from;
    lastPort = port;
    if (await isPortFree(port)) return port;
  }
  throw new EmbeddedPostgresError(`No port from ${from} to ${below - 1} is free.`, 'End what listens there.');
}

export function isPortFree(port: number, host = '127.0.0.1'): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, host, () => server.close(() => resolve(true)));
  });
}

/** The server ended instead of starting. `output` is what it wrote. */
export class PostmasterFailed extends EmbeddedPostgresError {
  constructor(
    readonly output: string,
    logFile: string,
  ) {
    super(`Postgres did not start:\n${output.trim().split('\n').slice(-8).join('\n')}`, `Its log is ${logFile}.`);
  }
}

/**
 * Resolves when the server accepts connections. Throws PostmasterFailed when it ends first, or is not ready in time.
 */
export async function startPostmaster(options: PostmasterOptions): Promise<ChildProcess> {
  const { binaries, cluster, account, port, logFile, settings } = options;
  rotate(logFile);
  const log = openSync(logFile, 'a', 0o600);
  const logStart = statSync(logFile).size;
  const output = () => readFileSync(logFile).subarray(logStart).toString('utf8');
  const all = { ...settings, port: String(port), listen_addresses: '127.0.0.1', unix_socket_directories: '' };
  const child = spawn(
    binaries.postgres,
    ['-D', cluster, ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    {
      cwd: '/',
      detached: true,
      stdio: ['ignore', log, log],
      env: postgresEnvironment(),
      ...(account && { uid: account.uid, gid: account.gid }),
    },
  );
  closeSync(log);
  child.unref();
  let failure: Error | undefined;
  child.once('error', (error) => {
    failure = error;
  });
  const ended = () => failure !== undefined || child.exitCode !== null || child.signalCode !== null;
  const isReady = () => {
    const file = readPostmasterFile(cluster);
    return file?.pid === child.pid && file?.state === 'ready'; // a killed server leaves its file, with `ready` in it
  };
  const ready = await waitUntil(() => ended() || isReady(), START_TIMEOUT_MS);
  if (ready && !ended()) return child;
  if (!ended()) child.kill('SIGQUIT');
  throw new PostmasterFailed(failure?.message ?? output(), logFile);
}

/** Postgres reads many variables of its environment. None of this process's are meant for it. */
export function postgresEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' };
}

/** postmaster.pid as the server writes it: pid on line 1, start time on line 3, port on line 4, state on line 8. */
function readPostmasterFile(cluster: string): { pid: number; state: string } | undefined {
  try {
    const lines = readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n');
    return { pid: Number(lines[0]), state: (lines[7] ?? '').trim() };
  } catch {
    return undefined;
  }
}

/** The server that runs over this data directory now, started by any process. */
export function livingPostmaster(cluster: string): ProcessIdentity | undefined {
  const file = readPostmasterFile(cluster);
  const mark = file && processMark(file.pid);
  if (!file || mark === undefined) return undefined;
  if (worksIn(file.pid, realpathSync(cluster))) return { pid: file.pid, mark };
  disown(cluster);
  return undefined;
}

/**
 * A killed server leaves its file, and another process may have its pid by now. Postgres would take that process for a
 * server and refuse to start. The file stays, because Postgres reads in its other lines whether processes of the dead
 * server still write. Only the pid is replaced, by one that no system gives.
 */
function disown(cluster: string): void {
  const path = join(cluster, 'postmaster.pid');
  const text = readFileSync(path, 'utf8').replace(/^\d+/, '99999999');
  // The directory belongs to the other account. As root, never write through a link that the account may have made.
  const descriptor = openSync(path, constants.O_WRONLY | constants.O_TRUNC | constants.O_NOFOLLOW);
  writeSync(descriptor, text);
  closeSync(descriptor);
}

/**
 * Resolves when the process has ended. A stop that takes too long becomes an immediate one, which loses nothing
 * committed. Throws EmbeddedPostgresError if the process still runs after that.
 */
export async function stopPostmaster(postmaster: ProcessIdentity, mode: StopMode): Promise<void> {
  const gone = () => !isAlive(postmaster);
  signal(postmaster, SIGNALS[mode]);
  if (await waitUntil(gone, STOP_TIMEOUT_MS)) return;
  signal(postmaster, SIGNALS.immediate);
  if (await waitUntil(gone, STOP_TIMEOUT_MS)) return;
  throw new EmbeddedPostgresError(
    `Postgres (pid ${postmaster.pid}) does not stop.`,
    'End that process, then start again.',
  );
}

function signal(postmaster: ProcessIdentity, name: NodeJS.Signals): void {
  if (!isAlive(postmaster)) return;
  try {
    process.kill(postmaster.pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function rotate(logFile: string): void {
  const size = statSync(logFile, { throwIfNoEntry: false })?.size ?? 0;
  if (size > LOG_LIMIT_BYTES) renameSync(logFile, `${logFile}.1`);
}
