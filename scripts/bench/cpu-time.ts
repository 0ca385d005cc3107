/**
 * Processor time: what one payout costs each process. A busy neighbour changes it less than elapsed time. Read from
 * /proc, so on Linux alone; elsewhere NaN.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

/** A tick is a hundredth of a second on every Linux that matters. */
const TICK_SECONDS = 0.01;

/** Seconds that a process has used, in all its threads. */
export function cpuSeconds(pid: number): number {
  const stat = readStat(pid);
  return stat ? stat.used * TICK_SECONDS : Number.NaN;
}

/** Seconds that a process and all its descendants have used, ended ones included: a whole Postgres server. */
export function familyCpuSeconds(pid: number): number {
  const parent = readStat(pid);
  if (!parent) return Number.NaN;
  const children = new Map<number, number[]>();
  const used = new Map<number, number>();
  for (const name of readdirSync('/proc')) {
    const stat = /^\d+$/.test(name) ? readStat(Number(name)) : undefined;
    if (!stat) continue;
    const siblings = children.get(stat.parent);
    if (siblings) siblings.push(Number(name));
    else children.set(stat.parent, [Number(name)]);
    used.set(Number(name), stat.used + stat.usedByEndedChildren);
  }
  const sum = (id: number): number =>
    (children.get(id) ?? []).reduce((ticks, child) => ticks + sum(child), used.get(id) ?? 0);
  return sum(pid) * TICK_SECONDS;
}

/**
 * Starts a watch. The function returned gives the fraction of the machine that other processes than this one and its
 * children have used.
 */
export function watchOthers(): () => number {
  const began = { at: performance.now(), machine: machineBusySeconds(), own: familyCpuSeconds(process.pid) };
  return () => {
    const busy = machineBusySeconds() - began.machine - (familyCpuSeconds(process.pid) - began.own);
    return Math.max(0, busy / (((performance.now() - began.at) / 1000) * availableParallelism()));
  };
}

/** Busy seconds of all cores together: user, nice, system, interrupts and the hypervisor's (proc(5)). */
function machineBusySeconds(): number {
  try {
    const [, user, nice, system, , , irq, softirq, steal] = readFileSync('/proc/stat', 'utf8')
      .split('\n')[0]!
      .split(/\s+/)
      .map(Number);
    return (user! + nice! + system! + irq! + softirq! + steal!) * TICK_SECONDS;
  } catch {
    return Number.NaN;
  }
}

function readStat(pid: number): { parent: number; used: number; usedByEndedChildren: number } | undefined {
  try {
    // The program's name is in parentheses and may contain anything, so fields are counted after it (proc(5)).
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ')
      .map(Number);
    return { parent: fields[1]!, used: fields[11]! + fields[12]!, usedByEndedChildren: fields[13]! + fields[14]! };
  } catch {
    return undefined;
  }
}
