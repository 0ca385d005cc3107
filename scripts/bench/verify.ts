/** Verifies the ledger after a run: figures of a ledger that lost something are worth nothing. */
import { outputOf } from '../harness/build.ts';
import { say } from '../harness/progress.ts';
import type { Stage } from './stage.ts';

/** Runs `verify` over the whole database as an operator does. Throws when there is a finding. */
export async function verifyLedger({ build, environment }: Stage): Promise<Record<string, unknown>> {
  say('verifying the ledger');
  return JSON.parse(await outputOf(build.root, ['verify', '--json'], environment)) as Record<string, unknown>;
}
