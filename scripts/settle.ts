/**
 * `npm run settle -- FILE --acquirer NAME`: books an acquirer's settlement report (docs/payments-settlement.md). The
 * file is read twice: checked whole before anything is kept, then kept; then each book gets its lines. If it is killed,
 * the next run continues; the same file again books nothing twice. `--again EXCEPTION` takes one line again. Exits 0
 * when every line is booked, 1 with exceptions, 2 for bad input, 3 when it could not run.
 */
import { statSync } from 'node:fs';
import { basename } from 'node:path';
import { Command, Option } from 'commander';
import { acquirerNames } from '../src/acquirers/acquirer-names.ts';
import type { Pool } from '../src/db/pool.ts';
import { BadInput } from '../src/intake/bad-input.ts';
import { FileTooLarge } from '../src/intake/read-bounded.ts';
import { fileAgain } from '../src/intake/read-twice.ts';
import { type CheckedReport, checkReport } from '../src/payments/paydays/check-report.ts';
import { REPORT_COLUMNS } from '../src/payments/paydays/report.ts';
import { type BookedPart, bookReport } from '../src/payments/settlements/book-report.ts';
import { keepReport, type StoredReport } from '../src/payments/settlements/report-store.ts';
import { systemClock } from '../src/values/clock.ts';
import { publicId } from '../src/values/ids.ts';
import { toJson } from '../src/values/json.ts';
import { BAD_INPUT, CLEAN, runAgain, runIntake, secretBoxOf, withCommitter, withDatabase } from './intake-command.ts';
import { rowProgress } from './row-progress.ts';
import { runDirectly } from './run-directly.ts';
import { takeLineAgain } from './settle-again.ts';

/** Of its connections to the database. */
const NAME = 'settle';

interface Options {
  acquirer?: string;
  again?: string;
  by?: string;
  mode: 'test' | 'live';
  databaseUrl?: string;
  json?: true;
}

export const program = new Command()
  .name('npm run settle --')
  .description(
    `Takes in an acquirer's settlement report: CSV with the columns ${REPORT_COLUMNS.join(',')} and a TOTAL for each currency. Exits 0 when every line is booked, 1 with exceptions, 2 for bad input, 3 if it could not run.`,
  )
  .argument('[file]', 'the report')
  .option('--acquirer <name>', 'whose report it is, as payments name it')
  .option(
    '--again <exception>',
    'instead of a report: takes the line of an exception again, and books it if it fits now',
  )
  .option('--by <name>', 'who takes it again; the user of this system without it')
  .addOption(new Option('--mode <mode>', 'of the books that it is about').choices(['test', 'live']).default('live'))
  .option('--database-url <url>', 'instead of DATABASE_URL, or of what `npm start` runs')
  .option('--json', 'print one JSON object')
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? CLEAN : BAD_INPUT))
  .action(settle);

await runDirectly(import.meta, program);

async function settle(file: string | undefined, options: Options): Promise<void> {
  const { again, json } = options;
  const work = () => (again === undefined ? takeFile(file, options) : takeAgain(again, file, options));
  await runIntake(work, { json, verb: 'settle' });
}

/** Resolves to whether every line is booked. */
async function takeFile(file: string | undefined, options: Options): Promise<boolean> {
  const { acquirer, mode } = options;
  if (file === undefined || acquirer === undefined)
    throw new BadInput(null, 'Give a report with --acquirer, or an exception with --again.');
  requireAcquirer(acquirer);
  const checked = check(file);
  if (checked.lines === 0) {
    printNothing(options);
    return true;
  }
  const { report, parts } = await withDatabase(
    { databaseUrl: options.databaseUrl, name: NAME },
    async (pool, environment) => {
      const kept = { ...checked, acquirer, mode, name: basename(file).slice(0, 200) };
      const report = await keepReport({ pool, secretBox: secretBoxOf(environment) }, kept, systemClock.now());
      return { report, parts: await book(pool, report) };
    },
  );
  print(report, parts, options);
  return parts.every(({ settlement }) => settlement.exceptions === 0);
}

/** Resolves to whether the line is booked. */
async function takeAgain(exception: string, file: string | undefined, options: Options): Promise<boolean> {
  if (file !== undefined) throw new BadInput(null, 'Give a report or --again, and not both.');
  const { databaseUrl, json } = options;
  return runAgain({ databaseUrl, name: NAME, json }, (runtime) => takeLineAgain(runtime, exception, options));
}

/** A name with a slip in it would be kept with the report, and match no payment. */
function requireAcquirer(name: string): void {
  const names = acquirerNames(process.env);
  if (!names.includes(name))
    throw new BadInput(null, `There is no acquirer ${name}. Those of this installation: ${names.join(', ')}.`);
}

async function book(pool: Pool, report: StoredReport): Promise<BookedPart[]> {
  const progress = rowProgress();
  return withCommitter(pool, (committer) =>
    bookReport({ pool, committer }, report, (done, total) =>
      progress.show({ done: BigInt(done), total: BigInt(total), what: 'lines of the report' }),
    ),
  ).finally(() => progress.end());
}

function check(file: string): CheckedReport {
  try {
    if (statSync(file).isDirectory()) throw new BadInput(null, 'It is a folder.');
    return checkReport(fileAgain(file));
  } catch (error) {
    if (error instanceof BadInput) throw error;
    if (error instanceof FileTooLarge) throw new BadInput(null, error.message);
    throw new BadInput(null, `The file cannot be read: ${(error as Error).message}.`);
  }
}

/** A day without transactions. Nothing is kept: the report of the next such day has the same bytes. */
function printNothing({ json }: Options): void {
  if (json) console.log(toJson({ ok: true, report: null, known: false, lines: 0, exceptions: 0, parts: [] }));
  else console.log('The report has no lines: nothing is booked.');
}

function print(report: StoredReport, parts: readonly BookedPart[], { json }: Options): void {
  const shown = parts.map(({ part, settlement }) => ({
    book: publicId('book', part.ofBook),
    settlement: publicId('settlement', settlement.id),
    currency: part.currency,
    lines: part.lines,
    exceptions: settlement.exceptions,
    reported: part.gross,
    booked: settlement.amount,
    cost: part.cost,
  }));
  const exceptions = shown.reduce((sum, one) => sum + one.exceptions, 0);
  if (json) {
    console.log(
      toJson({
        ok: exceptions === 0,
        report: report.id,
        known: report.known,
        lines: report.lines,
        exceptions,
        parts: shown,
      }),
    );
    return;
  }
  if (report.known) console.log('This report had come before: nothing is booked twice.');
  for (const one of shown)
    console.log(
      `${one.book} ${one.settlement}: ${one.lines} lines, ${one.booked} of ${one.reported} ${one.currency} booked, ${one.exceptions} exceptions`,
    );
}
