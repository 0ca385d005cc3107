/** After a run the ledger must hold: figures of a ledger that lost something are worth nothing. */
import { spawn } from 'node:child_process';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ROOT } from './children.ts';
import { say } from './progress.ts';
import type { Stage } from './stage.ts';

const SCRIPT = fileURLToPath(new URL(`../verify${extname(import.meta.url)}`, import.meta.url));

/** Runs `verify` over the whole database as an operator does. Throws when it finds anything. */
export async function verifyLedger(stage: Stage): Promise<Record<string, unknown>> {
  say('verifying the ledger');
  const { status, output } = await runVerify(stage.environment);
  if (status !== 0) throw new Error(`The ledger does not hold (verify ended with ${status}):\n${output}`);
  return JSON.parse(output) as Record<string, unknown>;
}

function runVerify(environment: NodeJS.ProcessEnv): Promise<{ status: number | null; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...process.execArgv, SCRIPT, '--json'], {
      cwd: ROOT,
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
