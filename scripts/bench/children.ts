/**
 * The product's processes and the benches' helpers, each a Node process of its own. Generator, receiver, API and
 * workers share the machine's cores as they would elsewhere.
 */
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FORM, ROOT } from '../harness/build.ts';
import { becomesReady, endChild, isRunning } from '../harness/child-process.ts';
import { ownPort } from '../harness/ports.ts';
import { say } from '../harness/progress.ts';
import type { Closing } from './closing.ts';
import { cpuSeconds } from './cpu-time.ts';
import type { Stage } from './stage.ts';

const START_TIMEOUT_MS = 30_000;
/** Includes draining, where a webhook attempt takes 15 s. A process that still runs then is killed. */
const STOP_TIMEOUT_MS = 40_000;
const LOG_TAIL_LINES = 15;

export interface ProductProcess {
  readonly url: string;
  /** Contains standard output and standard error. */
  readonly logFile: string;
  /** Resident memory in megabytes. */
  residentMb(): number;
  /** Processor time used so far. */
  cpuSeconds(): number;
  /** Stops the process wherever it is, until it is resumed. */
  pause(): void;
  resume(): void;
  stop(): Promise<void>;
}

/** Starts one API process as `npm run api` does, on a port of its own. */
export async function startApiProcess(stage: Stage): Promise<ProductProcess> {
  const port = await ownPort();
  return startProduct(stage, {
    name: 'API',
    nodeOptions: stage.build.nodeOptions.api,
    script: [`src/server${FORM}`],
    port,
    environment: { PORT: String(port) },
  });
}

/** Starts one worker process as `npm run worker` does, with these pools. */
export async function startWorkerProcess(stage: Stage, pools: readonly string[]): Promise<ProductProcess> {
  const port = await ownPort();
  return startProduct(stage, {
    name: 'worker',
    nodeOptions: stage.build.nodeOptions.worker,
    script: [`workers/run${FORM}`, '--pools', pools.join(',')],
    port,
    environment: { WORKER_PORT: String(port) },
  });
}

interface Part {
  name: string;
  nodeOptions: readonly string[];
  script: string[];
  port: number;
  environment: NodeJS.ProcessEnv;
}

async function startProduct(stage: Stage, part: Part): Promise<ProductProcess> {
  // Log lines of the default level go to a file, as under systemd or in a container.
  const directory = mkdtempSync(join(tmpdir(), 'countinghouse-bench-'));
  const logFile = join(directory, 'output.log');
  const log = openSync(logFile, 'a', 0o600);
  const child = spawn(
    process.execPath,
    [...process.execArgv, ...part.nodeOptions, ...profiling(stage, part.name), ...part.script],
    {
      cwd: stage.build.root,
      env: { ...stage.environment, ...part.environment },
      stdio: ['ignore', log, log],
    },
  );
  closeSync(log);
  let stopping = false;
  child.once('exit', (code, signal) => {
    if (!stopping) say(`the ${part.name} ended by itself (${signal ?? code}):\n${tail(logFile)}`);
  });
  const stop = async () => {
    stopping = true;
    await stopChild(child);
  };
  stage.closing.add(part.name, async () => {
    await stop();
    rmSync(directory, { recursive: true, force: true });
  });
  const url = `http://127.0.0.1:${part.port}`;
  if (!(await becomesReady(child, url, START_TIMEOUT_MS))) {
    throw new Error(`The ${part.name} did not start:\n${tail(logFile)}`);
  }
  return {
    url,
    logFile,
    residentMb: () => residentMb(child.pid!),
    cpuSeconds: () => cpuSeconds(child.pid!),
    pause: () => child.kill('SIGSTOP'),
    resume: () => child.kill('SIGCONT'),
    async stop() {
      if (!isRunning(child)) throw new Error(`The ${part.name} ended by itself`);
      await stop();
    },
  };
}

/** Profiles are written when the process ends, one file a thread. The largest file is of the thread that worked. */
function profiling({ profile }: Stage, name: string): string[] {
  return profile ? ['--cpu-prof', '--cpu-prof-dir', join(profile, name.toLowerCase())] : [];
}

function tail(file: string): string {
  return readFileSync(file, 'utf8').trimEnd().split('\n').slice(-LOG_TAIL_LINES).join('\n');
}

/** Resident memory from /proc; NaN where there is no /proc. */
function residentMb(pid: number): number {
  try {
    const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return Number(kilobytes) / 1024;
  } catch {
    return Number.NaN;
  }
}

function stopChild(child: ChildProcess): Promise<void> {
  return endChild(child, 'SIGTERM', { killAfterMs: STOP_TIMEOUT_MS });
}

export interface Helper {
  /** Sends a message and resolves with the next one from the helper. */
  ask<Answer>(message: unknown): Promise<Answer>;
  cpuSeconds(): number;
  stop(): Promise<void>;
}

/**
 * Starts a script of this folder in a process of its own that answers messages. Its environment is PATH and NODE_ENV
 * alone.
 */
export function startHelper(closing: Closing, name: string): Helper {
  const script = fileURLToPath(new URL(`./${name}${FORM}`, import.meta.url));
  const child = fork(script, {
    cwd: ROOT,
    env: { PATH: process.env.PATH, NODE_ENV: 'production' },
    serialization: 'advanced',
  });
  const stop = () => stopChild(child);
  closing.add(name, stop);
  const askNow = (message: unknown) =>
    new Promise((resolve, reject) => {
      const onExit = () => reject(new Error(`The ${name} process ended`));
      child.once('exit', onExit);
      child.once('message', (answer) => {
        child.off('exit', onExit);
        resolve(answer);
      });
      child.send(message as never);
    });
  let last: Promise<unknown> = Promise.resolve();
  return {
    // One question after the other: answers carry no mark of what they answer.
    ask(message) {
      const answer = last.then(() => askNow(message));
      last = answer.catch(() => undefined);
      return answer as Promise<never>;
    },
    cpuSeconds: () => cpuSeconds(child.pid!),
    stop,
  };
}
