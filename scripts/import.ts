/**
 * `npm run import -- opening FILE`: opening balances (docs/accountants.md). Of own accounts, over the API with a key of the book in
 * COUNTINGHOUSE_API_KEY, against an own account of equity. With `--customers-of BOOK`, of customers: the file is put before the operator's people by an exception
 * in the operator's book, and `--apply EXCEPTION` books it once two of them have approved it. The file is checked whole before anything is kept or booked. Killed, the
 * command is run again and goes on; the same file again books nothing twice. Exits 0 when every line is booked, 1 when it waits for people, 2 for bad
 * input, 3 when it could not run.
 */
import { Command, InvalidArgumentError } from 'commander';
import { BadInput } from '../src/intake/bad-input.ts';
import type { Uuid } from '../src/values/ids.ts';
import { parsePublicId } from '../src/values/ids.ts';
import { Failed } from './api-client.ts';
import { parseBook, parseDay } from './book-command.ts';
import { applyToCustomers, bytesOf, keepForCustomers } from './import-customers.ts';
import { type ImportOwn, importOwn } from './import-own.ts';
import { BAD_INPUT, CLEAN, runIntake } from './intake-command.ts';
import { runDirectly } from './run-directly.ts';

interface Options extends Omit<ImportOwn, 'bytes'> {
  readonly customersOf?: Uuid;
  readonly apply?: Uuid;
  readonly databaseUrl?: string;
}

export const program = new Command()
  .name('npm run import --')
  .description('Books what other programs have kept until now.')
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? CLEAN : BAD_INPUT));

program
  .command('opening')
  .description(
    'Books opening balances: CSV with the columns account,currency,amount (minor units) and a TOTAL of each currency. Exits 0 when every line is booked, 1 when it waits for people, 2 for bad input, 3 if it could not run.',
  )
  .argument('[file]', 'the balances')
  .option(
    '--equity <code>',
    'the own account on the other side, which is made where it does not exist',
    'opening-balances',
  )
  .option('--on <day>', 'the day on which they take effect (YYYY-MM-DD); today without it', parseDay)
  .option('--url <url>', 'the API; without it COUNTINGHOUSE_URL, or what `npm start` runs')
  .option(
    '--customers-of <book>',
    'they are of customers of this book: two persons of the operator approve them',
    parseBook,
  )
  .option('--apply <exception>', 'instead of a file: book the one that two persons have approved', parseException)
  .option('--dry-run', 'state what would happen, and write nothing')
  .option('--database-url <url>', 'of customers: instead of DATABASE_URL, or of what `npm start` runs')
  .option('--json', 'print one JSON object')
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? CLEAN : BAD_INPUT))
  .action(opening);

await runDirectly(import.meta, program);

async function opening(file: string | undefined, options: Options): Promise<void> {
  await runIntake(() => work(file, options), { json: options.json, verb: 'import the balances' });
}

/** Resolves to whether every line is booked. */
async function work(file: string | undefined, options: Options): Promise<boolean> {
  const { apply, customersOf, on, equity: _, ...common } = options;
  if ((file === undefined) === (apply === undefined))
    throw new BadInput(null, 'Give a file, or an exception with --apply.');
  if (on !== undefined && (apply !== undefined || customersOf !== undefined))
    throw new BadInput(null, '--on is of own accounts. Balances of customers take effect when they are booked.');
  if (apply !== undefined) {
    if (customersOf !== undefined || common.dryRun)
      throw new BadInput(
        null,
        '--apply books the file of the exception: it takes neither --customers-of nor --dry-run.',
      );
    return applyToCustomers({ ...common, exceptionId: apply });
  }
  const bytes = bytesOf(file!);
  if (customersOf !== undefined) return keepForCustomers({ ...common, ofBook: customersOf, bytes, file: file! });
  return importOwn({ ...options, bytes }).catch((error: unknown) => {
    // What the API refuses is bad input; what it could not do may be tried again.
    if (error instanceof Failed && error.exitCode === BAD_INPUT) throw new BadInput(null, error.message);
    throw error;
  });
}

function parseException(text: string): Uuid {
  const id = parsePublicId('exception', text);
  if (id === undefined) throw new InvalidArgumentError('It is an id: exc_…');
  return id;
}
