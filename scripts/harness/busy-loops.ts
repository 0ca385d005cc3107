/** Load beside tests: as many cores as there are loops are taken half of the time. */
import { type ChildProcess, spawn } from 'node:child_process';
import { endChild } from './child-process.ts';

/** Ends with the process that started it, however that one ends. */
const LOOP = 'const parent = process.ppid; while (process.ppid === parent);';

/** Runs the work beside `count` busy loops, which end with it. */
export async function besideBusyLoops<Result>(count: number, work: () => Promise<Result>): Promise<Result> {
  const loops: ChildProcess[] = Array.from({ length: count }, () =>
    spawn(process.execPath, ['-e', LOOP], { stdio: 'ignore' }),
  );
  try {
    return await work();
  } finally {
    await Promise.all(loops.map((loop) => endChild(loop, 'SIGKILL')));
  }
}
