/**
 * `npm run clearing -- FILE --processor NAME`: books a processor's clearing file (docs/clearing-files.md). The file is
 * read twice: checked whole before anything is kept, then kept; then each program's book gets its lines. If it is
 * killed, the next run continues; the same file again books nothing twice. `--again EXCEPTION` takes one line again.
 * Exits 0 when every line is booked, 1 with exceptions, 2 for bad input, 3 when it could not run.
 */
import { statSync } from 'node:fs';
import { basename } from 'node:path';
import { Command, Option } from 'commander';
import type { Pool } from '../src/db/pool.ts';
import { BadInput } from '../src/intake/bad-input.ts';
import { FileTooLarge } from '../src/intake/read-bounded.ts';
import { processorNames } from '../src/processors/processor-names.ts';
import { type BookedPart, bookClearingFile } from '../src/transactions/clearing-files/book-file.ts';
import { type CheckedFile, checkFile } from '../src/transactions/clearing-files/check-file.ts';
import { keepClearingFile, type StoredClearingFile } from '../src/transactions/clearing-files/clearing-file-store.ts';
import { CLEARING_COLUMNS } from '../src/transactions/clearing-files/clearing-line.ts';
import { systemClock } from '../src/values/clock.ts';
import { publicId } from '../src/values/ids.ts';
import { toJson } from '../src/values/json.ts';
import { takeLineAgain } from './clearing-again.ts';
import { BAD_INPUT, CLEAN, runAgain, runIntake, secretBoxOf, withCommitter, withDatabase } from './intake-command.ts';
import { rowProgress } from './row-progress.ts';
import { runDirectly } from './run-directly.ts';

/** Of its connections to the database. */
const NAME = 'clearing';

interface Options {
  processor?: string;
  again?: string;
  by?: string;
  mode: 'test' | 'live';
  databaseUrl?: string;
  json?: true;
}

export const program = new Command()
  .name('npm run clearing --')
  .description(
    `Takes in a processor's clearing file: CSV with the columns ${CLEARING_COLUMNS.join(',')} and a TOTAL for each currency. Exits 0 when every line is booked, 1 with exceptions, 2 for bad input, 3 if it could not run.`,
  )
  .argument('[file]', 'the clearing file')
  .option('--processor <name>', 'whose file it is, as cards name it')
  .option('--again <exception>', 'instead of a file: takes the line of an exception again, and books it if it fits now')
  .option('--by <name>', 'who takes it again; the user of this system without it')
  .addOption(new Option('--mode <mode>', 'of the books that it is about').choices(['test', 'live']).default('live'))
  .option('--database-url <url>', 'instead of DATABASE_URL, or of what `npm start` runs')
  .option('--json', 'print one JSON object')
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? CLEAN : BAD_INPUT))
  .action(clear);

await runDirectly(import.meta, program);

async function clear(file: string | undefined, options: Options): Promise<void> {
  const { again, json } = options;
  const work = () => (again === undefined ? takeFile(file, options) : takeAgain(again, file, options));
  await runIntake(work, { json, verb: 'take the file in' });
}

/** Resolves to whether every line is booked. */
async function takeFile(file: string | undefined, options: Options): Promise<boolean> {
  const { processor, mode } = options;
  if (file === undefined || processor === undefined)
    throw new BadInput(null, 'Give a file with --processor, or an exception with --again.');
  requireProcessor(processor);
  const checked = check(file);
  if (checked.lines === 0) {
    printNothing(options);
    return true;
  }
  const { stored, parts } = await withDatabase(
    { databaseUrl: options.databaseUrl, name: NAME, since: '0.4.0' },
    async (pool, environment) => {
      const name = basename(file).slice(0, 200);
      const stored = await keepClearingFile(
        { pool, secretBox: secretBoxOf(environment) },
        { ...checked, processor, mode, name },
        systemClock.now(),
      );
      return { stored, parts: await book(pool, stored) };
    },
  );
  print(stored, parts, options);
  return parts.every(({ intake }) => intake.exceptions === 0);
}

/** Resolves to whether the line is booked. */
async function takeAgain(exception: string, file: string | undefined, options: Options): Promise<boolean> {
  if (file !== undefined) throw new BadInput(null, 'Give a file or --again, and not both.');
  const { databaseUrl, json } = options;
  return runAgain({ databaseUrl, name: NAME, json }, (runtime) => takeLineAgain(runtime, exception, options));
}

/** A name with a slip in it would be kept with the file, and match no card. */
function requireProcessor(name: string): void {
  const names = processorNames(process.env);
  if (!names.includes(name))
    throw new BadInput(null, `There is no processor ${name}. Those of this installation: ${names.join(', ')}.`);
}

function check(file: string): CheckedFile {
  try {
    if (statSync(file).isDirectory()) throw new BadInput(null, 'It is a folder.');
    return checkFile(file);
  } catch (error) {
    if (error instanceof BadInput) throw error;
    if (error instanceof FileTooLarge) throw new BadInput(null, error.message);
    throw new BadInput(null, `The file cannot be read: ${(error as Error).message}.`);
  }
}

async function book(pool: Pool, stored: StoredClearingFile): Promise<BookedPart[]> {
  const progress = rowProgress();
  return withCommitter(pool, (committer) =>
    bookClearingFile({ pool, committer }, stored, (done, total) =>
      progress.show({ done: BigInt(done), total: BigInt(total), what: 'lines of the file' }),
    ),
  ).finally(() => progress.end());
}

/** A day without clearings. Nothing is kept: the file of the next such day has the same bytes. */
function printNothing({ json }: Options): void {
  if (json) console.log(toJson({ ok: true, file: null, known: false, lines: 0, exceptions: 0, parts: [] }));
  else console.log('The file has no lines: nothing is booked.');
}

function print(stored: StoredClearingFile, parts: readonly BookedPart[], { json }: Options): void {
  const shown = parts.map(({ part, intake }) => ({
    book: publicId('book', part.ofBook),
    lines: part.lines,
    booked: intake.booked,
    known: intake.known,
    exceptions: intake.exceptions,
  }));
  const exceptions = shown.reduce((sum, one) => sum + one.exceptions, 0);
  if (json) {
    const { id: file, sha256, known, lines } = stored;
    console.log(toJson({ ok: exceptions === 0, file, sha256, known, lines, exceptions, parts: shown }));
    return;
  }
  if (stored.known) console.log('This file had come before: nothing is booked twice.');
  for (const one of shown)
    console.log(
      `${one.book}: ${one.lines} lines, ${one.booked} booked, ${one.known} known before, ${one.exceptions} exceptions`,
    );
}
