/**
 * Identifies a process. The kernel reuses pids, so a pid alone may name another process. A *mark* is the start time of
 * a process: no later process with the same pid has the same mark.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';

export interface ProcessIdentity {
  pid: number;
  mark: string;
}

/** The mark of a running process; undefined without one, and for a zombie that its parent has not collected yet. */
export function processMark(pid: number): string | undefined {
  if (!Number.isInteger(pid) || pid <= 0) return undefined;
  return process.platform === 'linux' ? linuxMark(pid) : psMark(pid);
}

export function thisProcess(): ProcessIdentity {
  return { pid: process.pid, mark: processMark(process.pid) ?? 'unknown' };
}

export function isAlive({ pid, mark }: ProcessIdentity): boolean {
  return processMark(pid) === mark;
}

/**
 * proc(5): field 3 is the state, field 22 the start in clock ticks since boot. The name before them may contain any
 * character.
 */
function linuxMark(pid: number): string | undefined {
  const text = readOrUndefined(`/proc/${pid}/stat`);
  if (text === undefined) return undefined;
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state, startTicks] = [fields[0], fields[19]];
  if (state === 'Z' || state === 'X' || startTicks === undefined) return undefined;
  return `${readOrUndefined('/proc/sys/kernel/random/boot_id')?.trim() ?? 'boot'}:${startTicks}`;
}

function psMark(pid: number): string | undefined {
  const { status, stdout } = spawnSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], { encoding: 'utf8' });
  const text = (stdout ?? '').trim();
  if (status !== 0 || text === '' || text.startsWith('Z')) return undefined;
  return text.replace(/^\S+\s+/, '');
}

/** Whether a running process works in a directory. A postmaster never leaves its data directory. */
export function worksIn(pid: number, directory: string): boolean {
  if (processMark(pid) === undefined) return false;
  if (process.platform === 'linux') {
    try {
      return readlinkSync(`/proc/${pid}/cwd`) === directory;
    } catch {
      return false;
    }
  }
  const { stdout } = spawnSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
  return (stdout ?? '').includes(directory);
}

function readOrUndefined(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

/** Checks every 10 ms until the condition is met. False after `timeoutMs`. */
export async function waitUntil(condition: () => boolean | Promise<boolean>, timeoutMs: number): Promise<boolean> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    if (await condition()) return true;
    if (performance.now() >= deadline) return false;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
