/** How tests start a script of the product, and which programs the machine has. */
import { spawnSync } from 'node:child_process';
import { ROOT } from './build.ts';

/** Set where the build is this code, as in .ci/run: a process that has nothing to compile starts in half the time. */
const BUILT = process.env.TEST_FROM_BUILD === 'true';

/** Those that the build bundles (scripts/bundle-programs.ts). */
export const BUNDLED: readonly string[] = ['src/server.ts', 'workers/run.ts'];

/** The arguments of `node` for `src/server.ts`, in the folder of its version. */
export function programOf(script: string, root = ROOT): string[] {
  if (!BUILT || root !== ROOT) return ['--import', 'tsx', script];
  return [`dist/${script.replace(/\.ts$/, BUNDLED.includes(script) ? '.bundle.js' : '.js')}`];
}

/** Debian installs pgbouncer in a folder that is only on root's PATH. */
const PATH = `${process.env.PATH}:/usr/sbin`;

export function isOnPath(name: string): boolean {
  return spawnSync('sh', ['-c', 'command -v "$0"', name], { env: { PATH } }).status === 0;
}
