/**
 * `npm run report -- TYPE --book book_… --as-of DAY`: a report over one book, as CSV or JSON (docs/accountants.md). It reads pages, each for some
 * milliseconds, while the book goes on; the same parameters and the same --through-sequence give the same bytes. Exits 0, 1 where the figures
 * contradict the journal, 2 for bad input, 3 when it could not run.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Argument, Command, InvalidArgumentError, Option } from 'commander';
import type { Pool } from '../src/db/pool.ts';
import { BadInput } from '../src/intake/bad-input.ts';
import { accounts } from '../src/ledger/account/account-table.ts';
import { decimalOf } from '../src/money/amount.ts';
import { isCurrency } from '../src/money/currency.ts';
import { listBooks } from '../src/organisations/organisation-store.ts';
import { findChainHash } from '../src/reports/figures/chart-store.ts';
import { DETAILS, type Detail, FigureContradicted } from '../src/reports/figures/figures.ts';
import { FIGURE_NAMES, FIGURE_TYPES, type FigureName, type FigureType, kindFor } from '../src/reports/figures/kinds.ts';
import { AXES, type Axis, placeAt } from '../src/reports/figures/place.ts';
import { headOf } from '../src/reports/figures/report-head.ts';
import { FORMATS, type Format, type Written, writeFigures } from '../src/reports/figures/write-figures.ts';
import { parsePublicId, publicId, type Uuid } from '../src/values/ids.ts';
import { toJson } from '../src/values/json.ts';
import { further } from '../src/values/progress.ts';
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
import { bankReportCommands } from './report-bank.ts';
import { runDirectly } from './run-directly.ts';

interface Options {
  book?: Uuid;
  allLive?: true;
  asOf?: string;
  from?: string;
  to?: string;
  axis?: Axis;
  currency?: string;
  account?: Uuid;
  detail?: Detail;
  throughSequence?: bigint;
  format: Format;
  bom?: true;
  output?: string;
  databaseUrl?: string;
  json?: true;
}

type OfBook = Options & { readonly book: Uuid };

const BOOKS_PER_PAGE = 500;

const named = (name: string) => name.replaceAll('_', '-');

export const program = new Command()
  .name('npm run report --')
  .description(
    'Writes a report over one book. Exits 0, 1 where figures contradict the journal, 2 for bad input, 3 if it could not run.',
  )
  .addArgument(new Argument('<type>', 'what to report').choices(FIGURE_NAMES.map(named)))
  // Not required by declaration: the reports of the operator's bank are commands beside it that take no book.
  .option('--book <id>', 'the book (book_…)', parseBook)
  .option('--all-live', 'instead: all live books, a file each in the folder of --output')
  .option('--as-of <day>', 'the end of this day of the book (YYYY-MM-DD)', parseDay)
  .option('--from <day>', 'the first day, of what moved', parseDay)
  .option('--to <day>', 'the last day, of what moved', parseDay)
  .addOption(new Option('--axis <axis>', 'lines by the day of their effect, or of their posting').choices(AXES))
  .option('--currency <code>', 'this currency alone')
  .option('--account <id>', 'of general-ledger: this account of the chart alone (acct_…)', parseAccount)
  .addOption(
    new Option('--detail <detail>', 'of general-ledger: a row for each line, or for each day').choices(DETAILS),
  )
  .option('--through-sequence <n>', 'entries up to this one; all without it', parseSequence)
  .addOption(new Option('--format <format>', 'how it is written').choices(FORMATS).default('csv'))
  .option('--bom', 'begin CSV with a byte order mark')
  .option('--output <file>', 'instead of standard output')
  .option('--database-url <url>', 'instead of DATABASE_URL, or of what `npm start` runs')
  .option('--json', 'print what stands beside the report as one JSON object; with --output')
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? CLEAN : BAD_INPUT))
  .action((type: string, options: Options) =>
    runReading(() => report(type.replaceAll('-', '_') as FigureName, options), {
      ...options,
      json: options.json,
      verb: 'report',
    }),
  );

program.enablePositionalOptions();
for (const command of bankReportCommands()) program.addCommand(command);

await runDirectly(import.meta, program);

async function report(name: FigureName, options: Options): Promise<void> {
  requireBooks(options);
  const type: FigureType = FIGURE_TYPES[name];
  const days = daysOf(type, options);
  const axis = axisOf(name, type, options.axis);
  const asked = optionsOf(type, options);
  const { currency } = options;
  if (currency !== undefined && !isCurrency(currency))
    throw new BadInput(null, `${currency} is no currency of ISO 4217.`);
  if (options.json && options.output === undefined)
    throw new BadInput(null, '--json is for a report with --output FILE.');
  if (options.bom && options.format !== 'csv') throw new BadInput(null, '--bom is for --format csv.');
  await withDatabase({ databaseUrl: options.databaseUrl, name: 'report' }, async (pool) => {
    const what = { name, type, ...days, axis, ...asked };
    if (options.allLive) return writeAllLive(pool, what, options);
    const ofBook = { ...options, book: options.book! };
    const written = await write(pool, what, ofBook);
    if (options.output !== undefined) print(shownOf(options.output, written, ofBook.book), options);
  });
}

/** One way to name what is reported. Throws BadInput. */
function requireBooks({ book, allLive, output, account, throughSequence }: Options): void {
  if ((book === undefined) === (allLive === undefined))
    throw new BadInput(null, 'Expects --book book_…, or --all-live.');
  if (!allLive) return;
  if (output === undefined) throw new BadInput(null, '--all-live writes a file a book: expects --output FOLDER.');
  if (account !== undefined || throughSequence !== undefined)
    throw new BadInput(null, '--account and --through-sequence are of one book.');
}

/** A file a book: nothing of several books is added up. One that contradicts its journal does not keep the others from theirs. */
async function writeAllLive(pool: Pool, what: Asked, options: Options): Promise<void> {
  const folder = options.output!;
  mkdirSync(folder, { recursive: true });
  const contradicted: string[] = [];
  for (let after: Uuid | undefined; ; ) {
    const page = await listBooks(pool, { after, limit: BOOKS_PER_PAGE });
    for (const { id: book } of page.filter(({ mode }) => mode === 'live')) {
      const output = join(folder, `${publicId('book', book)}.${options.format}`);
      try {
        print(shownOf(output, await write(pool, what, { ...options, book, output }), book), options);
      } catch (error) {
        if (!(error instanceof FigureContradicted)) throw error;
        contradicted.push(`${publicId('book', book)}: ${error.message}`);
      }
    }
    if (page.length < BOOKS_PER_PAGE) break;
    after = further('books', after, page.at(-1)!.id);
  }
  if (contradicted.length > 0) throw new FigureContradicted(contradicted.join('\n'));
}

interface Asked {
  readonly name: FigureName;
  readonly type: FigureType;
  readonly from: string;
  readonly to: string;
  readonly axis: Axis;
  readonly account: Uuid | undefined;
  readonly detail: Detail | undefined;
}

async function write(
  pool: Pool,
  { name, type, from, to, axis, account, detail }: Asked,
  options: OfBook,
): Promise<Written> {
  const book = await bookAtDay(pool, options.book, to, type.of === 'day' ? '--as-of' : '--to');
  const sequence = throughOf(book, options.throughSequence);
  if (account !== undefined && (await accounts.find(pool, book.id, account)) === undefined)
    throw new BadInput(null, `There is no account ${publicId('account', account)} in this book.`);
  const asked = { axis, from, to, currency: options.currency, account, detail, sequence };
  const place = await placeAt(pool, book, { day: to, axis, sequence });
  const chainHash = (await findChainHash(pool, book.id, sequence)) ?? null;
  const head = headOf({ name, of: type.of, book, asked, chainHash });
  const kind = kindFor(type, asked);
  const pages = kind.rows({ db: pool, book, asked, place });
  const how = { format: options.format, bom: options.bom === true, head };
  return writeTo(options.output, (push) => writeFigures(kind, pages, how, push));
}

function optionsOf({ takes = [] }: FigureType, { account, detail }: Options): Pick<Asked, 'account' | 'detail'> {
  if (account !== undefined && !takes.includes('account'))
    throw new BadInput(null, '--account is for a report of one account.');
  if (detail !== undefined && !takes.includes('detail')) throw new BadInput(null, '--detail is for general-ledger.');
  return { account, detail: takes.includes('detail') ? (detail ?? 'entry') : undefined };
}

function parseAccount(text: string): Uuid {
  const id = parsePublicId('account', text);
  if (id === undefined) throw new InvalidArgumentError('It is an id: acct_…');
  return id;
}

function daysOf({ of }: FigureType, { asOf, from, to }: Options): { from: string; to: string } {
  if (of === 'day') {
    if (asOf === undefined || from !== undefined || to !== undefined)
      throw new BadInput(null, 'Expects --as-of DAY for this report.');
    return { from: asOf, to: asOf };
  }
  if (from === undefined || to === undefined || asOf !== undefined)
    throw new BadInput(null, 'Expects --from DAY and --to DAY for this report.');
  if (from > to) throw new BadInput(null, `--from is ${from}, which is behind --to, ${to}.`);
  return { from, to };
}

function axisOf(name: FigureName, { axes }: FigureType, asked: Axis | undefined): Axis {
  if (asked !== undefined && !axes.includes(asked))
    throw new BadInput(null, `${named(name)} is reported with --axis ${axes.join(' or ')} alone.`);
  return asked ?? axes[0]!;
}

function shownOf(file: string, written: Written, book: Uuid) {
  return { file, book: publicId('book', book), ...written };
}

function print(
  { book, file, rows, totals, bytes, sha256, digest }: ReturnType<typeof shownOf>,
  { json }: Pick<Options, 'json'>,
): void {
  if (json) {
    console.log(toJson({ ok: true, book, file, rows, totals, bytes, sha256, digest }));
    return;
  }
  console.log(`${file}: ${rows} rows, ${bytes} bytes, digest ${digest}`);
  for (const { currency, debits, credits } of totals)
    console.log(`  ${currency}: ${decimalOf(debits, currency)} debits, ${decimalOf(credits, currency)} credits`);
}
