/**
 * Processor time, which a busy neighbour does not change as much as it changes the clock on the wall: what one payout
 * costs each process. From /proc, so on Linux alone; elsewhere NaN.
 */
import { readdirSync, readFileSync } from 'node:fs';

/** A tick is a hundredth of a second on every Linux that matters. */
const TICK_SECONDS = 0.01;

/** Seconds that a process has used, in all its threads. */
export function cpuSeconds(pid: number): number {
  const stat = readStat(pid);
  return stat ? stat.used * TICK_SECONDS : Number.NaN;
}

/** Seconds that a process and its children have used, those that have ended included: a Postgres server whole. */
export function familyCpuSeconds(pid: number): number {
  const parent = readStat(pid);
  if (!parent) return Number.NaN;
  let ticks = parent.used + parent.usedByEndedChildren;
  for (const name of readdirSync('/proc')) {
    const child = /^\d+$/.test(name) ? readStat(Number(name)) : undefined;
    if (child?.parent === pid) ticks += child.used;
  }
  return ticks * TICK_SECONDS;
}

function readStat(pid: number): { parent: number; used: number; usedByEndedChildren: number } | undefined {
  try {
    // The name of the program stands in parentheses and may hold anything; fields are counted behind it (proc(5)).
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ')
      .map(Number);
    return { parent: fields[1]!, used: fields[11]! + fields[12]!, usedByEndedChildren: fields[13]! + fields[14]! };
  } catch {
    return undefined;
  }
}
