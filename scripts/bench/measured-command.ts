/** A command of the product as an operator runs it, in a process of its own, and how large it gets. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FORM } from '../harness/build.ts';
import type { Stage } from './stage.ts';

const SAMPLE_MS = 100;

export interface MeasuredCommand {
  readonly code: number | null;
  /** The largest resident size, in megabytes; 0 where there is no /proc. */
  readonly peakMb: number;
  /** From its start to its end. */
  readonly seconds: number;
}

export async function runMeasured(
  { build, environment, profile }: Pick<Stage, 'build' | 'environment' | 'profile'>,
  [script, ...words]: readonly [string, ...string[]],
): Promise<MeasuredCommand> {
  const profiling = profile === undefined ? [] : ['--cpu-prof', '--cpu-prof-dir', join(profile, script)];
  const began = performance.now();
  const child = spawn(
    process.execPath,
    [...process.execArgv, ...profiling, join(build.root, `scripts/${script}${FORM}`), ...words],
    { cwd: build.root, env: environment, stdio: ['ignore', 'ignore', 'inherit'] },
  );
  let peak = 0;
  const sampling = setInterval(() => (peak = Math.max(peak, peakMb(child.pid!))), SAMPLE_MS);
  const [code] = (await once(child, 'exit').finally(() => clearInterval(sampling))) as [number | null];
  return { code, peakMb: peak, seconds: (performance.now() - began) / 1_000 };
}

/** So far, from /proc. */
function peakMb(pid: number): number {
  try {
    return Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}
