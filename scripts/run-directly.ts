import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';

/** Whether Node was started with this script. Tests import scripts and run their commands within their own process. */
export function isRunDirectly({ url }: ImportMeta): boolean {
  const script = process.argv[1];
  return script !== undefined && realpathSync(script) === realpathSync(fileURLToPath(url));
}

/** Runs the command if Node was started with its script. */
export async function runDirectly(meta: ImportMeta, program: Command): Promise<void> {
  if (!isRunDirectly(meta)) return;
  outliveReaders();
  await program.parseAsync();
}

/**
 * Whoever reads the output may have enough, as `head` has. What a command writes besides its output is work that goes on, and its exit code
 * still reports what came of it.
 */
export function outliveReaders(): void {
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
}
