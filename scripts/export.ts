/**
 * `npm run export -- --book book_… --format hledger --from DAY --to DAY`: days of a book for a program of plain text accounting
 * (docs/accountants.md). Exits 0, 1 where figures contradict the journal, 2 for bad input, 3 when it could not run.
 */
import { Command, Option } from 'commander';
import { BadInput } from '../src/intake/bad-input.ts';
import { PLAIN_FORMATS, type PlainFormat } from '../src/reports/plain/plain-text.ts';
import { writePlain } from '../src/reports/plain/write-plain.ts';
import type { Uuid } from '../src/values/ids.ts';
import { toJson } from '../src/values/json.ts';
import {
  BAD_INPUT,
  bookAtDay,
  CLEAN,
  parseBook,
  parseDay,
  parseSequence,
  runReading,
  throughOf,
  writeTo,
} from './book-command.ts';
import { withDatabase } from './intake-command.ts';
import { runDirectly } from './run-directly.ts';

interface Options {
  book: Uuid;
  format: PlainFormat;
  from: string;
  to: string;
  detail: 'entry' | 'day';
  throughSequence?: bigint;
  output?: string;
  databaseUrl?: string;
  json?: true;
}

export const program = new Command()
  .name('npm run export --')
  .description(
    'Writes days of a book as plain text. Exits 0, 1 where figures contradict the journal, 2 for bad input, 3 if it could not run.',
  )
  .requiredOption('--book <id>', 'the book (book_…)', parseBook)
  .addOption(new Option('--format <format>', 'the program that reads it').choices(PLAIN_FORMATS).makeOptionMandatory())
  .requiredOption('--from <day>', 'the first day of the book (YYYY-MM-DD)', parseDay)
  .requiredOption('--to <day>', 'the last day', parseDay)
  .addOption(
    new Option('--detail <detail>', 'a transaction for each entry, or one for all of a day')
      .choices(['entry', 'day'])
      .default('entry'),
  )
  .option('--through-sequence <n>', 'entries up to this one; all without it', parseSequence)
  .option('--output <file>', 'instead of standard output')
  .option('--database-url <url>', 'instead of DATABASE_URL, or of what `npm start` runs')
  .option('--json', 'print what was written as one JSON object; with --output')
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? CLEAN : BAD_INPUT))
  .action((options: Options) => runReading(() => exportDays(options), { json: options.json, verb: 'export' }));

await runDirectly(import.meta, program);

async function exportDays(options: Options): Promise<void> {
  const { from, to, output, json } = options;
  if (from > to) throw new BadInput(null, `--from is ${from}, which is behind --to, ${to}.`);
  if (json && output === undefined) throw new BadInput(null, '--json is for an export with --output FILE.');
  await withDatabase({ databaseUrl: options.databaseUrl, name: 'export' }, async (pool) => {
    const book = await bookAtDay(pool, options.book, to, '--to');
    const sequence = throughOf(book, options.throughSequence);
    const asked = { format: options.format, from, to, detail: options.detail, sequence };
    const written = await writeTo(output, (push) => writePlain(pool, book, asked, push));
    if (output === undefined) return;
    if (json) console.log(toJson({ ok: true, file: output, through_sequence: sequence, ...written }));
    else
      console.log(
        `${output}: ${written.entries} entries, ${written.accounts} accounts, ${written.assertions} balances asserted`,
      );
  });
}
