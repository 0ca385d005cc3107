/** A command that writes more than a pipe holds, and has work to do behind that. */
import { setImmediate } from 'node:timers/promises';
import { Command } from 'commander';
import { runDirectly } from '../../../scripts/run-directly.ts';

const program = new Command().action(async () => {
  for (let line = 0; line < 1_000; line++) {
    process.stdout.write(`${'a line '.repeat(150)}\n`);
    await setImmediate();
  }
  process.exitCode = 4;
});

await runDirectly(import.meta, program);
