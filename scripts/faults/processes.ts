/**
 * The product as operators run it: API and workers as processes of their own, that can be killed, frozen, stopped and
 * started again, and that can be made to do it to themselves at a named point (src/failpoints.ts).
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { isPortFree } from '../../src/embedded/postmaster.ts';
import type { Failpoint } from '../../src/failpoints.ts';
import type { PoolName } from '../../workers/run.ts';
import { until } from './client.ts';
import { ROOT } from './last-release.ts';

/** A second or two on a machine that has nothing else to do. */
const START_LIMIT_MS = 120_000;
const PROBE_LIMIT_MS = 2_000;

/**
 * Beside the product's own code. A process whose standard input ends has lost the test that started it, however that died;
 * and its clock is ahead by as many milliseconds as the last line of its standard input says.
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

/** And none outlives a test process that ends in order, not even a frozen one. */
const alive = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of alive) child.kill('SIGKILL');
});

export type Role = 'api' | readonly PoolName[];

export interface StartOptions {
  /** Where the process dies or freezes: `rail.submit.after=kill@3`. */
  failpoints?: string;
  /** Other pools than before, for this start. */
  pools?: readonly PoolName[];
  /** The folder of the code that it runs from this start on: another release's. This code without it. */
  root?: string;
}

export interface ProductProcess {
  /** An API's address; a worker's page of health. The same after a restart. */
  readonly url: string;
  readonly running: boolean;
  /** The folder of the code that it runs. */
  readonly root: string;
  /** What it wrote since its last start. */
  readonly output: string;
  /** What it wrote in all its lives. */
  readonly everything: string;
  /** Starts it again, with the failpoints given now and no other. Resolves when it is ready. */
  start(options?: StartOptions): Promise<void>;
  /** kill -9. Resolves when it is gone. */
  kill(): Promise<void>;
  /** SIGTERM. Resolves when it has finished what it had in hand and left with 0. */
  terminate(): Promise<void>;
  freeze(): void;
  thaw(): void;
  /** Its clock jumps: from now on it is ahead by this much, or behind. */
  setClockAhead(aheadMs: number): void;
  /** Resolves when it has died, by its own hand or another's. */
  ended(): Promise<void>;
  /** Resolves when it has come to a point that was armed. */
  reached(point: Failpoint): Promise<void>;
}

/** Started and ready. The environment is all that it gets of ours, beside PATH. */
export async function startProcess(
  role: Role,
  environment: Record<string, string>,
  options?: StartOptions,
): Promise<ProductProcess> {
  const port = await quietPort();
  const url = `http://127.0.0.1:${port}`;
  const scriptOf = (pools: Role) =>
    pools === 'api' ? ['src/server.ts'] : ['workers/run.ts', '--pools', pools.join(',')];
  let script = scriptOf(role);
  let child: ChildProcess | undefined;
  let output = '';
  let before = '';
  let root = ROOT;

  const isRunning = () => child !== undefined && child.exitCode === null && child.signalCode === null;

  async function end(signal: NodeJS.Signals): Promise<number | null> {
    const dying = child;
    if (!dying || !isRunning()) return dying?.exitCode ?? null;
    const gone = once(dying, 'exit');
    dying.kill(signal);
    await gone;
    return dying.exitCode;
  }

  const started: ProductProcess = {
    url,
    get running() {
      return isRunning();
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
    async start({ failpoints = '', pools, root: other = root } = {}) {
      before += output;
      output = '';
      script = scriptOf(pools ?? role);
      root = other;
      child = spawn(process.execPath, ['--import', 'tsx', '--import', BESIDE, ...script], {
        cwd: root,
        env: {
          PATH: process.env.PATH,
          ...environment,
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
      const ready = await until(async () => (await isReady(url)) || !isRunning(), Boolean, {
        timeoutMs: START_LIMIT_MS,
      }).catch(() => false);
      // A failpoint may well stop it as soon as it is there.
      if (output.includes('failpoint ') || (ready && isRunning())) return;
      throw new Error(`${script.join(' ')} did not start:\n${output}`);
    },
    async kill() {
      await end('SIGKILL');
    },
    async terminate() {
      const wasRunning = isRunning();
      const code = await end('SIGTERM');
      if (wasRunning && code === 0) return;
      throw new Error(`${script.join(' ')} ${wasRunning ? 'left' : 'had already ended'} with ${code}:\n${output}`);
    },
    freeze: () => void child?.kill('SIGSTOP'),
    thaw: () => void child?.kill('SIGCONT'),
    setClockAhead: (aheadMs) => void child?.stdin?.write(`${aheadMs}\n`),
    async ended() {
      if (isRunning()) await once(child!, 'exit');
    },
    async reached(point) {
      await until(() => output.includes(`failpoint ${point}:`), Boolean, { timeoutMs: START_LIMIT_MS });
    },
  };
  await started.start(options);
  return started;
}

async function isReady(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(PROBE_LIMIT_MS) })).ok;
  } catch {
    return false;
  }
}

/** Below the ports that systems give to outgoing connections: while a process is down, nobody else gets its port. */
async function quietPort(): Promise<number> {
  for (;;) {
    const port = randomInt(15_000, 30_000);
    if (await isPortFree(port)) return port;
  }
}
