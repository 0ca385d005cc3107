/** Checks the ledger after a run: figures of a ledger that lost something are worth nothing. */
import { runScript } from '../harness/build.ts';
import { say } from './progress.ts';
import type { Stage } from './stage.ts';

/** Runs `verify` over the whole database as an operator does. Throws when there is a finding. */
export async function verifyLedger({ build, environment }: Stage): Promise<Record<string, unknown>> {
  say('verifying the ledger');
  const { status, output } = await runScript(build, ['verify', '--json'], environment);
  if (status !== 0) throw new Error(`The ledger does not hold (verify ended with ${status}):\n${output}`);
  return JSON.parse(output) as Record<string, unknown>;
}
