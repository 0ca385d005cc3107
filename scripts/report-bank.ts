/**
 * `npm run report -- bank-reconciliation | safeguarding | suspense-ageing | unmatched | match-rates`: reports of the operator's bank, as of now
 * (docs/reconciliation.md). Exits 0, 1 where figures disagree, 2 for bad input, 3 when it could not run.
 */
import { Command, InvalidArgumentError, Option } from 'commander';
import { addDays, dayOf } from '../src/calendar/day.ts';
import { loadBook } from '../src/ledger/book/book-store.ts';
import { momentOf } from '../src/ledger/commit/batch.ts';
import { operatorBooks } from '../src/organisations/organisation-store.ts';
import { BANK_REPORT_TYPES, type BankReportType, bankReport } from '../src/reconciliation/position/bank-reports.ts';
import { BANK_REPORT_FORMATS, type BankReportFormat } from '../src/reconciliation/position/write-bank-report.ts';
import { systemClock } from '../src/values/clock.ts';
import { BAD_INPUT, CLEAN, runReading, writeTo } from './book-command.ts';
import { withCommitter, withDatabase } from './intake-command.ts';

interface Options {
  readonly mode?: 'test' | 'live';
  readonly days: number;
  readonly format: BankReportFormat;
  readonly output?: string;
  readonly databaseUrl?: string;
}

/** The figures disagree, or money is short. */
const FOUND = 1;

const ABOUT: Readonly<Record<BankReportType, string>> = {
  bank_reconciliation: 'Proves that statements, open items and pools are what the books have.',
  safeguarding:
    'Compares what is owed to customers with the banks that hold their money. What is short is an exception.',
  suspense_ageing: 'Lines that nothing explains, by their age.',
  unmatched: 'Lines without an item, and items without a line.',
  match_rates: 'How many lines each rule has matched, in the last days.',
};

export function bankReportCommands(): Command[] {
  return BANK_REPORT_TYPES.map((type) =>
    new Command(type.replaceAll('_', '-'))
      .description(`${ABOUT[type]} Exits 1 where figures disagree or money is short.`)
      .addOption(
        new Option(
          '--mode <mode>',
          "of the operator's book; without it live, or test beside a running `npm start`",
        ).choices(['test', 'live']),
      )
      .addOption(
        new Option('--days <n>', 'of match-rates: so many days, today among them').argParser(parseDays).default(30),
      )
      .addOption(new Option('--format <format>', 'how it is written').choices(BANK_REPORT_FORMATS).default('json'))
      .option('--output <file>', 'instead of standard output')
      .option('--database-url <url>', 'instead of DATABASE_URL, or of what `npm start` runs')
      .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? CLEAN : BAD_INPUT))
      .action((options: Options) => report(type, options)),
  );
}

async function report(type: BankReportType, options: Options): Promise<void> {
  let ok = true;
  const work = async () => {
    ok = await write(type, options);
  };
  await runReading(work, { json: undefined, verb: 'report' });
  if (!ok && process.exitCode === CLEAN) process.exitCode = FOUND;
}

function write(type: BankReportType, { mode, days, format, output, databaseUrl }: Options): Promise<boolean> {
  return withDatabase({ databaseUrl, name: 'report' }, async (pool, environment) => {
    const books = await operatorBooks(pool);
    const book = (await loadBook(pool, books[mode ?? (environment === process.env ? 'live' : 'test')]))!;
    // Matches count by the time of the world.
    const now = type === 'match_rates' ? systemClock.now() : momentOf(systemClock, book).book;
    const to = dayOf(now, book.timeZone);
    const from = type === 'match_rates' ? addDays(to, 1 - days) : to;
    const made = await bankReport(type).make({ pool, book, from, to });
    if (made.commands.length > 0)
      await withCommitter(pool, async (committer) => {
        for (const command of made.commands) await committer.submit(book.id, command);
      });
    const bytes = await made.write(format);
    await writeTo(output, (push) => push(bytes));
    return made.ok;
  });
}

function parseDays(text: string): number {
  if (!/^[1-9]\d{0,3}$/.test(text)) throw new InvalidArgumentError('It is a number of days: 1 to 9999.');
  return Number(text);
}
