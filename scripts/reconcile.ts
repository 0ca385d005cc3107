/**
 * `npm run reconcile -- FILE`: takes a bank's file, or those of a folder (docs/reconciliation.md). The file is read twice: checked whole before anything is kept, then
 * kept and posted statement by statement. Killed, it is run again and goes on; the same file again changes nothing. Exits 0 when every
 * statement is posted or known, 1 when some wait for people or are rejected, 2 for bad input, 3 when it could not run.
 */
import { basename } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import type { Pool } from '../src/db/pool.ts';
import { GROUPS } from '../src/groups.ts';
import { arrivalsOf } from '../src/inbound/arrivals/take-arrivals.ts';
import { BadInput } from '../src/intake/bad-input.ts';
import { FileTooLarge } from '../src/intake/read-bounded.ts';
import { fileAgain } from '../src/intake/read-twice.ts';
import { formatAmount } from '../src/money/amount.ts';
import { createRowFailed } from '../src/operations/row-failed.ts';
import { operatorBooks } from '../src/organisations/organisation-store.ts';
import { plainIdentifier } from '../src/outside/credits/credited-account-store.ts';
import { returnAtBank } from '../src/payouts/returns/return-at-bank.ts';
import { createLogger } from '../src/process/log.ts';
import { handToRails } from '../src/rails/iso20022/hand-to-rails.ts';
import { bankAccountIdentifiers, bankAccounts } from '../src/reconciliation/accounts/bank-account-table.ts';
import { mirrorAllBooks } from '../src/reconciliation/mirror/mirror-books.ts';
import { profileFor } from '../src/reconciliation/profiles/saved-profile.ts';
import { csvProfiles } from '../src/reconciliation/profiles/saved-profile-table.ts';
import type { CsvProfile } from '../src/reconciliation/reading/read-csv.ts';
import { type CheckedBankFile, checkBankFile } from '../src/reconciliation/runs/first-reading.ts';
import { importFile } from '../src/reconciliation/runs/import-file.ts';
import type { Reconciliation } from '../src/reconciliation/runs/reconciliation.ts';
import { reconciliationView } from '../src/reconciliation/runs/reconciliation-resource.ts';
import { isLeft } from '../src/reconciliation/statements/bank-statement.ts';
import { bankStatements } from '../src/reconciliation/statements/bank-statement-table.ts';
import { systemClock } from '../src/values/clock.ts';
import { ID_PREFIXES, parsePublicId, publicId, type Uuid } from '../src/values/ids.ts';
import { toJson } from '../src/values/json.ts';
import { BAD_INPUT, CLEAN, runIntake, secretBoxOf, withCommitter, withDatabase } from './intake-command.ts';
import { railsOf } from './ops-rails.ts';
import { dryRun } from './reconcile-dry-run.ts';
import {
  isFolder,
  type Left,
  type Mode,
  NoMode,
  type OpenedFile,
  type ReconcileOptions,
  reconcileFolder,
  requireBoth,
  type TakenAt,
  type TakenFile,
  type TakingAt,
} from './reconcile-folder.ts';
import { profileCommand } from './reconcile-profile.ts';
import { reconcileWork } from './reconcile-work.ts';
import { rowProgress } from './row-progress.ts';
import { runDirectly } from './run-directly.ts';

/** Of its connections to the database. */
const NAME = 'reconcile';

const MODES: readonly Mode[] = ['test', 'live'];

type Options = ReconcileOptions;

export const program = new Command()
  .name('npm run reconcile --')
  .description(
    "Takes a bank's file: camt.052 to .054, MT940, MT942, BAI2, CSV by a profile. Exits 0 when every statement is posted or known, 1 when some wait for people or are rejected, 2 for bad input, 3 if it could not run.",
  )
  .argument('<file>', "the bank's file, or a folder of them")
  .addOption(
    new Option(
      '--mode <mode>',
      'of the operator’s book; without it, the one whose bank account the file names',
    ).choices(['test', 'live']),
  )
  .option('--dry-run', 'state what would happen, and write nothing')
  .option('--database-url <url>', 'instead of DATABASE_URL, or of what `npm start` runs')
  .option('--profile <id>', 'of a CSV: what its columns are (csvp_…)', parseIdOf('csvProfile'))
  .option('--bank-account <id>', 'of a CSV: the bank account that it is of (ba_…)', parseIdOf('bankAccount'))
  .option('--rests <seconds>', 'of a folder: a file is read once it has not changed for so long', parseSeconds, 10)
  .option('--json', 'print one JSON object')
  .enablePositionalOptions()
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? CLEAN : BAD_INPUT))
  .action(reconcile);

for (const command of [profileCommand(), ...reconcileWork()]) program.addCommand(command);

await runDirectly(import.meta, program);

async function reconcile(file: string, options: Options): Promise<void> {
  if (isFolder(file)) return reconcileFolder(file, options, { open, take });
  await runIntake(() => takeFile(file, options), { json: options.json, verb: 'take the file' });
}

/** Resolves to whether nothing is left to a person. */
async function takeFile(file: string, options: Options): Promise<boolean> {
  requireBoth(options);
  // Whether the file is whole shows without a database, unless that has what its columns are.
  const whole = options.profile === undefined ? check(file) : undefined;
  return withDatabase({ databaseUrl: options.databaseUrl, name: NAME, since: '0.4.0' }, async (pool, environment) => {
    const opened = await open(file, options, { pool, environment, whole });
    if (options.dryRun) return dryRun(pool, opened.bankFile, { json: options.json, livemode: opened.mode === 'live' });
    const taken = await withCommitter(pool, (committer) => take(opened, { pool, environment, committer }));
    print(taken.run, taken.left, { ...options, mode: opened.mode });
    return taken.ok;
  });
}

interface OpenAt extends TakenAt {
  /** It was checked before there was a database. */
  readonly whole?: CheckedBankFile | undefined;
}

/** Checks a file. Throws BadInput where it is not whole, and NoMode where its mode does not show. */
async function open(file: string, options: Options, { pool, environment, whole }: OpenAt): Promise<OpenedFile> {
  const csv = options.profile === undefined ? undefined : await csvOf(pool, options);
  const checked = whole ?? check(file, csv?.profile);
  const mode = csv?.mode ?? options.mode ?? (await modeOf(pool, checked, environment));
  const bookId = (await operatorBooks(pool))[mode];
  return { mode, bankFile: { bookId, checked, name: basename(file).slice(0, 200), read: fileAgain(file), csv } };
}

async function take({ bankFile }: OpenedFile, { pool, environment, committer }: TakingAt): Promise<TakenFile> {
  const progress = rowProgress();
  const atBank = GROUPS.flatMap(({ atBank: words = [] }) => words);
  const secretBox = secretBoxOf(environment);
  const run = await importFile(
    {
      ...{ pool, committer, secretBox, clock: systemClock },
      mirror: (operatorBookId) => mirrorAllBooks({ pool, committer, atBank }, operatorBookId),
      returnAtBank: (returned) => returnAtBank({ pool, committer }, returned),
      handToRails: (handed) => handToRails(railsOf(pool, environment), handed),
      arrivals: arrivalsOf({
        ...{ pool, committer, clock: systemClock, secretBox },
        rowFailed: createRowFailed({ pool, clock: systemClock, log: createLogger('silent', NAME) }),
      }),
    },
    bankFile,
    (done, total) => progress.show({ done: BigInt(done), total: BigInt(total), what: 'lines of the file' }),
  ).finally(() => progress.end());
  const left = await leftOf(pool, bankFile.bookId, run);
  return { run, left, ok: run.openLines === 0 && left.every(({ count }) => count === 0) };
}

/** The bank account and the profile that the command names, with the mode of their book. Throws BadInput where they do not exist. */
async function csvOf(pool: Pool, { mode: asked, profile: profileId, bankAccount: bankAccountId }: Options) {
  const books = await operatorBooks(pool);
  for (const mode of asked === undefined ? MODES : [asked]) {
    const account = await bankAccounts.find(pool, books[mode], bankAccountId!);
    if (account === undefined) continue;
    const saved = await csvProfiles.find(pool, books[mode], profileId!);
    if (saved === undefined)
      throw new BadInput(
        null,
        `There is no profile ${publicId('csvProfile', profileId!)} in the book of the bank account. List them: GET /v1/transactions/profiles.`,
      );
    return { mode, bankAccountId: account.id, profileId: saved.id, profile: profileFor(saved, account) };
  }
  throw new BadInput(null, `There is no bank account ${publicId('bankAccount', bankAccountId!)} here.`);
}

function check(file: string, profile?: CsvProfile): CheckedBankFile {
  try {
    return checkBankFile(fileAgain(file)(), profile);
  } catch (error) {
    if (error instanceof BadInput) throw error;
    if (error instanceof FileTooLarge) throw new BadInput(null, error.message);
    throw new BadInput(null, `The file cannot be read: ${(error as Error).message}.`);
  }
}

/** The mode whose bank account the file names. Throws BadInput where it names accounts of both. */
async function modeOf(pool: Pool, { statements }: CheckedBankFile, environment: NodeJS.ProcessEnv): Promise<Mode> {
  const books = await operatorBooks(pool);
  const identifiers = [...new Set(statements.map(({ statement }) => plainIdentifier(statement.account)))];
  const named = async (mode: Mode) => (await bankAccountIdentifiers.load(pool, books[mode], identifiers)).size > 0;
  const [test, live] = [await named('test'), await named('live')];
  if (test && live)
    throw new NoMode(
      null,
      'The file names bank accounts of both modes. Say which one is meant: --mode test, or --mode live.',
    );
  if (test || live) return live ? 'live' : 'test';
  return environment === process.env ? 'live' : 'test';
}

/** What of the run's statements waits for a person, or was refused. */
async function leftOf(pool: Pool, bookId: string, run: Reconciliation): Promise<Left[]> {
  const ids = [...new Set(run.findings.map(({ statementId }) => statementId))];
  const found = [...(await bankStatements.load(pool, bookId, ids)).values()].filter(isLeft);
  return (['held', 'rejected'] as const).map((status) => ({
    status,
    count: found.filter((statement) => statement.status === status).length,
  }));
}

function print(run: Reconciliation, left: readonly Left[], { json, mode }: Options & { mode: Mode }): void {
  if (json) {
    console.log(toJson(reconciliationView(run, mode === 'live')));
    return;
  }
  console.log(
    `${publicId('reconciliation', run.id)}: ${run.statements} statements, ${run.known} known before, ${run.lines} lines posted.`,
  );
  for (const { rule, currency, lines, amount } of run.byRule)
    console.log(`  ${lines} lines matched by ${rule}: ${formatAmount(BigInt(amount), currency)}`);
  if (run.openLines > 0) console.log(`${run.openLines} lines are not explained; ${run.proposed} have proposals.`);
  for (const { status, count } of left) if (count > 0) console.log(`${count} ${status}.`);
  for (const { code, place, detail } of run.findings)
    console.log(`  ${code}${place === null ? '' : `, line ${place}`}: ${detail}`);
  for (const { bankAccountId, currency, bank, books, unallocated, suspense } of run.position) {
    const amount = (minor: string) => formatAmount(BigInt(minor), currency);
    const stated = bank === null ? 'no balance stated' : `${amount(bank)} at the bank`;
    console.log(
      `  ${publicId('bankAccount', bankAccountId)}: ${stated}, ${amount(books)} in the books; not explained: ${amount(unallocated)} in, ${amount(suspense)} out`,
    );
  }
}

function parseIdOf(kind: 'csvProfile' | 'bankAccount'): (text: string) => Uuid {
  return (text) => {
    const id = parsePublicId(kind, text);
    if (id === undefined) throw new InvalidArgumentError(`It is an id: ${ID_PREFIXES[kind]}_…`);
    return id;
  };
}

function parseSeconds(text: string): number {
  if (!/^\d{1,5}$/.test(text)) throw new InvalidArgumentError('It is a number of seconds.');
  return Number(text);
}
