/** How tests start a script of the product. */
import { ROOT } from './build.ts';

/** Set where the build is this code, as in .ci/run: a process that has nothing to compile starts in half the time. */
const BUILT = process.env.TEST_FROM_BUILD === 'true';

/** The arguments of `node` for `src/server.ts`, in the folder of its version. */
export function programOf(script: string, root = ROOT): string[] {
  return BUILT && root === ROOT ? [`dist/${script.replace(/\.ts$/, '.js')}`] : ['--import', 'tsx', script];
}
