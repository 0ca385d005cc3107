/** Child processes: whether they run, when they answer, how they end. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { until } from './until.ts';

const PROBE_LIMIT_MS = 2_000;

export function isRunning(child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null;
}

/** Sends the signal unless the process has ended, and resolves when it has. `killAfterMs` limits the wait. */
export async function endChild(
  child: ChildProcess,
  signal: NodeJS.Signals,
  { killAfterMs }: { killAfterMs?: number } = {},
): Promise<void> {
  if (!isRunning(child)) return;
  const ended = once(child, 'exit');
  child.kill(signal);
  const timer = killAfterMs === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), killAfterMs);
  await ended;
  clearTimeout(timer);
}

/** Resolves to whether the process answers that it is ready, within the limit and before it ends. */
export async function becomesReady(child: ChildProcess, url: string, timeoutMs: number): Promise<boolean> {
  let ready = false;
  const look = async () => {
    ready = await isReady(url);
    return ready || !isRunning(child);
  };
  await until(look, Boolean, { timeoutMs }).catch(() => undefined);
  return ready;
}

async function isReady(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(PROBE_LIMIT_MS) })).ok;
  } catch {
    return false;
  }
}
