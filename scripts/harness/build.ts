/** Builds of the product: this code, and the commit that a paired bench compares this code with. */
import { spawn } from 'node:child_process';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The bench starts programs in its own form: `.ts` from the source, `.js` from the build (`npm run bench` builds). */
export const FORM = extname(import.meta.url);
export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** The memory options of `npm run api` and `npm run worker` (test/unit/scripts/harness/build.test.ts). */
export const MEMORY = ['--heap-growing-percent=60', '--no-allocation-site-pretenuring'];

export interface Build {
  /** The folder that holds `src`, `workers` and `scripts`, in the form of this code. */
  readonly root: string;
  /** Options of Node for each kind of process. */
  readonly nodeOptions: { readonly api: readonly string[]; readonly worker: readonly string[] };
}

export const THIS_BUILD: Build = { root: ROOT, nodeOptions: { api: MEMORY, worker: MEMORY } };

export interface ScriptResult {
  status: number | null;
  output: string;
}

/** Runs a script of a build as an operator does: `verify`, `--json`. Resolves with its standard output. */
export function runScript(
  { root }: Build,
  [script, ...words]: readonly [string, ...string[]],
  environment: NodeJS.ProcessEnv,
): Promise<ScriptResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...process.execArgv, join(root, `scripts/${script}${FORM}`), ...words], {
      cwd: root,
      env: environment,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout.on('data', (chunk) => {
      output += chunk;
    });
    child.once('error', reject);
    child.once('close', (status) => resolve({ status, output }));
  });
}
