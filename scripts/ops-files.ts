/** `npm run ops -- file`: the bytes of a file that was read, as they came. They are kept sealed. */
import { once } from 'node:events';
import { type Command, Option } from 'commander';
import type { Pool } from '../src/db/pool.ts';
import { openFile } from '../src/intake/sealed-file.ts';
import type { Mode } from '../src/ledger/book/book.ts';
import { operatorBooks } from '../src/organisations/organisation-store.ts';
import { secretBoxOf } from './intake-command.ts';

type WithDatabase = (work: (pool: Pool, environment: NodeJS.ProcessEnv) => Promise<void>) => Promise<void>;

export function addFiles(program: Command, { withDatabase }: { withDatabase: WithDatabase }): void {
  program
    .command('file')
    .description('print a file that was kept, such as a clearing file or a settlement report')
    .argument('<sha256>', 'of its bytes, as the command that kept it shows it')
    .addOption(new Option('--mode <mode>', 'of the books that it is about').choices(['test', 'live']).default('live'))
    .action((sha256: string, { mode }: { mode: Mode }) =>
      withDatabase((pool, environment) => printFile(pool, { sha256, mode }, environment)),
    );
}

async function printFile(
  pool: Pool,
  { sha256, mode }: { sha256: string; mode: Mode },
  environment: NodeJS.ProcessEnv,
): Promise<void> {
  if (!/^[0-9a-f]{64}$/.test(sha256)) throw new Error('The SHA-256 of a file has 64 hexadecimal digits.');
  const bookId = (await operatorBooks(pool))[mode];
  const pieces = await openFile(pool, secretBoxOf(environment), { bookId, sha256 });
  if (pieces === undefined) throw new Error(`No file with this SHA-256 was kept in ${mode} mode.`);
  for await (const piece of pieces) if (!process.stdout.write(piece)) await once(process.stdout, 'drain');
}
