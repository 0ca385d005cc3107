/**
 * Runs the models for any length of time (docs/models.md): `npm run model -- --steps 200000 --seed 7 --only ledger`.
 * The tests run the same models for a few seconds each.
 */
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { Command, InvalidArgumentError, Option } from 'commander';

function wholeNumber(text: string): number {
  if (!/^\d{1,10}$/.test(text)) throw new InvalidArgumentError('It is a whole number of at most ten digits.');
  return Number(text);
}

const { steps, seed, only } = new Command('npm run model --')
  .description('Drives the ledger and the whole product with random commands and schedules, and compares with a model.')
  .option('--steps <count>', 'commands, and steps of schedules', wholeNumber, 100_000)
  .option('--seed <number>', 'of a run to be repeated', wholeNumber, randomInt(2 ** 31))
  .addOption(new Option('--only <model>', 'one of the two').choices(['ledger', 'schedule']))
  .parse()
  .opts<{ steps: number; seed: number; only?: string }>();

const vitest = fileURLToPath(new URL('../node_modules/vitest/vitest.mjs', import.meta.url));
const child = spawn(process.execPath, [vitest, 'run', `test/model/${only ?? ''}`], {
  stdio: 'inherit',
  env: { ...process.env, MODEL_STEPS: String(steps), MODEL_SEED: String(seed) },
});
child.on('exit', (code) => {
  process.exitCode = code ?? 1;
});
