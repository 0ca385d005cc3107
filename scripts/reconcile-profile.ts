/**
 * `npm run reconcile -- profile FILE.csv`: proposes what the columns of a bank's CSV are. Where two readings fit it asks: exit 2, with the choices
 * and the option that answers. Reads the file alone; with --save the profile is saved through the API, with the key in COUNTINGHOUSE_API_KEY.
 */
import { Command, InvalidArgumentError, Option } from 'commander';
import { BadInput } from '../src/intake/bad-input.ts';
import { readBounded } from '../src/intake/read-bounded.ts';
import { isCurrency } from '../src/money/currency.ts';
import type { Question } from '../src/reconciliation/profiles/proposal.ts';
import { type Answers, proposeProfile, shownSign } from '../src/reconciliation/profiles/propose-profile.ts';
import type { CsvForm } from '../src/reconciliation/profiles/saved-profile.ts';
import { formView } from '../src/reconciliation/profiles/saved-profile-resource.ts';
import { DATE_FORMATS } from '../src/reconciliation/reading/csv-days.ts';
import { DECIMALS, DELIMITERS, ENCODINGS } from '../src/reconciliation/reading/read-csv.ts';
import { type ApiOptions, apiClient, DONE, Failed, REFUSED, runThroughApi } from './api-client.ts';

/** As long as a published body of CSV (GET /v1/limits). */
const BYTES_MAX = 64 * 1024 * 1024;

interface Options extends ApiOptions {
  readonly currency: string;
  readonly save?: string;
  readonly delimiter?: CsvForm['delimiter'];
  readonly encoding?: CsvForm['encoding'];
  readonly skip?: number;
  readonly decimal?: CsvForm['decimal'];
  readonly dateFormat?: CsvForm['dateFormat'];
  readonly bookedOn?: string;
  readonly amount?: string;
  readonly debit?: string;
  readonly credit?: string;
}

export function profileCommand(): Command {
  return new Command('profile')
    .description(
      'Proposes what the columns of a CSV are. Exits 0 with one profile, 2 if several or none fit: then it names the choices.',
    )
    .argument('<file>', "a bank's CSV")
    .requiredOption('--currency <code>', 'of the account: amounts have its decimals', parseCurrency)
    .addOption(new Option('--delimiter <sign>', 'between fields').argParser(parseDelimiter))
    .addOption(new Option('--encoding <name>', 'of its characters').choices(ENCODINGS))
    .option('--skip <n>', 'lines before the header', parseSkip)
    .addOption(new Option('--decimal <sign>', 'before the decimals of an amount').choices(DECIMALS))
    .addOption(new Option('--date-format <format>', 'how days are written').choices(DATE_FORMATS))
    .option('--booked-on <column>', 'the column of the day')
    .option('--amount <column>', 'the column of the amount')
    .option('--debit <column>', 'the column of money out')
    .option('--credit <column>', 'the column of money in')
    .option('--save <name>', 'save it under this name, through the API')
    .option('--url <url>', 'the API; without it COUNTINGHOUSE_URL, or what `npm start` runs')
    .option('--json', 'print one JSON object')
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? DONE : REFUSED))
    .action((file: string, options: Options) =>
      runThroughApi(() => propose(file, options), options, 'propose a profile'),
    );
}

async function propose(file: string, options: Options): Promise<number> {
  const { currency, save, url, json } = options;
  const proposed = proposedFor(read(file), { currency, answers: answersOf(options) });
  if (proposed.is === 'questions') {
    ask(proposed.questions, json);
    return REFUSED;
  }
  const profile = formView(proposed.form);
  if (save === undefined) {
    console.log(JSON.stringify(json ? { ok: true, profile, lines: proposed.lines } : profile, undefined, json ? 0 : 2));
    return DONE;
  }
  const api = apiClient({ url, scopes: 'reconciliations:write' });
  const saved = await api.post<{ id: string }>('/v1/transactions/profiles', { name: save, ...profile });
  console.log(json ? JSON.stringify({ ok: true, profile: saved, lines: proposed.lines }) : `${saved.id}: ${save}`);
  return DONE;
}

function read(file: string): Buffer {
  try {
    return readBounded(file, BYTES_MAX);
  } catch (error) {
    throw new Failed(REFUSED, `The file cannot be read: ${(error as Error).message}`);
  }
}

function proposedFor(bytes: Buffer, of: Parameters<typeof proposeProfile>[1]) {
  try {
    return proposeProfile(bytes, of);
  } catch (error) {
    if (error instanceof BadInput) throw new Failed(REFUSED, error.message);
    throw error;
  }
}

function ask(questions: readonly Question[], json: true | undefined): void {
  const asked = questions.map(({ about, choices }) => ({ option: `--${about.replaceAll('_', '-')}`, choices }));
  if (json) {
    console.log(JSON.stringify({ ok: false, error: 'Several readings fit.', choices: asked }));
    return;
  }
  for (const { option, choices } of asked) {
    console.error(`Several readings fit. Say which one is meant:`);
    for (const { value, reads } of choices) console.error(`  ${option} ${quoted(value)}  ${reads}`);
  }
}

const quoted = (value: string) => (/^[\w./-]+$/.test(value) ? value : `'${value}'`);

function answersOf({
  delimiter,
  encoding,
  skip,
  decimal,
  dateFormat,
  bookedOn,
  amount,
  debit,
  credit,
}: Options): Answers {
  const given = { delimiter, encoding, skip, decimal, dateFormat, bookedOn, amount, debit, credit };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as Answers;
}

function parseDelimiter(text: string): CsvForm['delimiter'] {
  const found = DELIMITERS.find((sign) => sign === text || shownSign(sign) === text);
  if (found === undefined) throw new InvalidArgumentError('It is one of ; , | and tab.');
  return found;
}

function parseSkip(text: string): number {
  if (!/^\d{1,3}$/.test(text)) throw new InvalidArgumentError('It is a number of lines.');
  return Number(text);
}

function parseCurrency(text: string): string {
  if (!isCurrency(text)) throw new InvalidArgumentError(`${text} is no currency of ISO 4217.`);
  return text;
}
