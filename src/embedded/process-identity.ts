/**
 * Which process is meant by a pid: the kernel reuses numbers, so a pid alone may name a stranger.
 * A *mark* is a moment of its start that no later process of that number shares.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';

export interface ProcessIdentity {
  pid: number;
  mark: string;
}

/** The mark of a living process; undefined when there is none, or only what its parent has not yet collected. */
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

/** proc(5): field 3 is the state, field 22 the start in clock ticks since boot. The name before them may hold anything. */
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

/** Whether a living process works in a directory: a postmaster never leaves its data directory. */
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

/** Looks again every few milliseconds until the condition holds. False when the time is over. */
export async function waitUntil(condition: () => boolean | Promise<boolean>, timeoutMs: number): Promise<boolean> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    if (await condition()) return true;
    if (performance.now() >= deadline) return false;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
