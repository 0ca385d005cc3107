/**
 * The product as operators run it: API and workers as processes of their own. They can be killed, frozen, stopped and
 * started again, and made to kill or freeze themselves at a named point (src/process/failpoints.ts).
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Failpoint } from '../../src/process/failpoints.ts';
import type { PoolName } from '../../workers/run.ts';
import { ROOT } from './build.ts';
import { becomesReady, endChild, isRunning } from './child-process.ts';
import { until } from './client.ts';
import { ownPort } from './ports.ts';
import { programOf } from './programs.ts';
import { FAULT_PATIENCE_MS } from './until.ts';

/** A start takes a second or two on an idle machine. */

/**
 * Code loaded beside the product's own. A process whose standard input ends has lost its test, however that died, and
 * kills itself. Its clock is ahead by as many milliseconds as the last line of its standard input states.
 */
const BESIDE = `data:text/javascript,${encodeURIComponent(
  `import { isMainThread } from 'node:worker_threads';
  if (isMainThread) {
    const now = Date.now;
    process.stdin
      .on('end', () => process.kill(process.pid, 'SIGKILL'))
      .on('data', (lines) => {
        const aheadMs = Number(String(lines).trim().split('\\n').at(-1));
        Date.now = () => now() + aheadMs;
      })
      .unref();
  }`,
)}`;

/** No process outlives a test process that ends in order, not even a frozen one. */
const alive = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of alive) child.kill('SIGKILL');
});

export type Role = 'api' | readonly PoolName[];

export interface StartOptions {
  /** Where the process dies or freezes: `rail.submit.after=kill@3`. */
  failpoints?: string;
  /** Pools for this start, in place of the usual ones. */
  pools?: readonly PoolName[];
  /**
   * The folder of the code that the process runs from this start on, for another version. By default, the last start's.
   */
  root?: string;
  /** Added to the environment, from this start on. */
  environment?: Readonly<Record<string, string>>;
}

export interface ProductProcess {
  /** Address of an API, or of a worker's health page. The same after a restart. */
  readonly url: string;
  readonly running: boolean;
  /** The folder of the code that the process runs. */
  readonly root: string;
  /** Output since the last start. */
  readonly output: string;
  /** Output of all starts. */
  readonly everything: string;
  /** Starts the process again, with the failpoints given now and no others. Resolves when it is ready. */
  start(options?: StartOptions): Promise<void>;
  /** kill -9. Resolves when the process has ended. */
  kill(): Promise<void>;
  /** SIGTERM. Resolves when the process has finished its work in hand and exited with 0. */
  terminate(): Promise<void>;
  freeze(): void;
  thaw(): void;
  /** Sets the process's clock ahead by this much from now on, or behind. */
  setClockAhead(aheadMs: number): void;
  /** Resolves when the process has ended, by a failpoint or by a signal. */
  ended(): Promise<void>;
  /** Resolves when the process has come to an armed failpoint. */
  reached(point: Failpoint): Promise<void>;
}

/** Starts a process and waits until it is ready. Beside PATH, the process gets no environment of ours but this. */
export async function startProcess(
  role: Role,
  environment: Record<string, string>,
  options?: StartOptions,
): Promise<ProductProcess> {
  const port = await ownPort();
  const url = `http://127.0.0.1:${port}`;
  const scriptOf = (pools: Role) =>
    pools === 'api' ? ['src/server.ts'] : ['workers/run.ts', '--pools', pools.join(',')];
  let script = scriptOf(role);
  let child: ChildProcess | undefined;
  let output = '';
  let before = '';
  let root = ROOT;
  let further: Readonly<Record<string, string>> = {};

  const runs = () => child !== undefined && isRunning(child);

  async function end(signal: NodeJS.Signals): Promise<number | null> {
    const dying = child;
    if (dying) await endChild(dying, signal);
    return dying?.exitCode ?? null;
  }

  const started: ProductProcess = {
    url,
    get running() {
      return runs();
    },
    get root() {
      return root;
    },
    get output() {
      return output;
    },
    get everything() {
      return before + output;
    },
    async start({ failpoints = '', pools, root: other = root, environment: added = {} } = {}) {
      before += output;
      output = '';
      script = scriptOf(pools ?? role);
      root = other;
      further = { ...further, ...added };
      child = spawn(process.execPath, ['--import', BESIDE, ...programOf(script[0]!, root), ...script.slice(1)], {
        cwd: root,
        env: {
          PATH: process.env.PATH,
          ...environment,
          ...further,
          ...(role === 'api' ? { PORT: String(port) } : { WORKER_PORT: String(port) }),
          COUNTINGHOUSE_FAILPOINTS: failpoints,
        },
        stdio: ['pipe', 'pipe', 'pipe'],
      });
      const mine = child;
      alive.add(mine);
      mine.once('exit', () => alive.delete(mine));
      child.stdin!.on('error', () => undefined);
      for (const stream of [child.stdout!, child.stderr!]) stream.on('data', (chunk) => (output += chunk));
      const ready = await becomesReady(mine, url, FAULT_PATIENCE_MS);
      // A failpoint may stop the process as soon as it is up.
      if (output.includes('failpoint ') || (ready && runs())) return;
      throw new Error(`${script.join(' ')} did not start:\n${output}`);
    },
    async kill() {
      await end('SIGKILL');
    },
    async terminate() {
      const wasRunning = runs();
      const code = await end('SIGTERM');
      if (wasRunning && code === 0) return;
      throw new Error(`${script.join(' ')} ${wasRunning ? 'left' : 'had already ended'} with ${code}:\n${output}`);
    },
    freeze: () => void child?.kill('SIGSTOP'),
    thaw: () => void child?.kill('SIGCONT'),
    setClockAhead: (aheadMs) => void child?.stdin?.write(`${aheadMs}\n`),
    async ended() {
      if (runs()) await once(child!, 'exit');
    },
    async reached(point) {
      await until(() => output.includes(`failpoint ${point}:`), Boolean, { timeoutMs: FAULT_PATIENCE_MS });
    },
  };
  await started.start(options);
  return started;
}
