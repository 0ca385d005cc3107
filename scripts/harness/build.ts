/** Builds of the product: this code, and the commit that a paired bench compares this code with. */
import { spawn } from 'node:child_process';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * The bench starts programs in its own form: `.ts` from the checkout, `.js` from the build (`npm run bench` builds).
 */
export const FORM = extname(import.meta.url);
export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** The memory options of `npm run api` and `npm run worker` (test/unit/scripts/harness/build.test.ts). */
export const MEMORY = ['--heap-growing-percent=60', '--no-allocation-site-pretenuring'];

export interface Build {
  /** The folder of `src`, `workers` and `scripts`, in the form of this code. */
  readonly root: string;
  /** Options of Node for each kind of process. */
  readonly nodeOptions: { readonly api: readonly string[]; readonly worker: readonly string[] };
}

export const THIS_BUILD: Build = { root: ROOT, nodeOptions: { api: MEMORY, worker: MEMORY } };

/** What Node needs to run a script in this form. */
const LOADER = FORM === '.ts' ? ['--import', 'tsx'] : [];

export interface ScriptResult {
  /** Null when a signal ended it. */
  status: number | null;
  /** Standard output. */
  output: string;
  /** Standard error. */
  errors: string;
}

/** Runs a script of a build as an operator does, with that build's packages: `verify`, `--json`. */
function runScript(
  root: string,
  [script, ...words]: readonly [string, ...string[]],
  environment: NodeJS.ProcessEnv,
  { timeoutMs }: { timeoutMs?: number } = {},
): Promise<ScriptResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...LOADER, join(root, `scripts/${script}${FORM}`), ...words], {
      cwd: root,
      env: { PATH: process.env.PATH, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: timeoutMs,
    });
    let [output, errors] = ['', ''];
    child.stdout.on('data', (chunk) => (output += chunk));
    child.stderr.on('data', (chunk) => (errors += chunk));
    child.once('error', reject);
    child.once('close', (status) => resolve({ status, output, errors }));
  });
}

/** The same for a script that must succeed. Resolves with its standard output. */
export async function outputOf(...run: Parameters<typeof runScript>): Promise<string> {
  const { status, output, errors } = await runScript(...run);
  if (status !== 0) throw new Error(`${run[1].join(' ')} ended with ${status}:\n${output}${errors}`);
  return output;
}
