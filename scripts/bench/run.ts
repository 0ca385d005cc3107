/**
 * `npm run bench -- NAME`: starts everything that a bench needs, measures the product on this machine, and verifies the
 * ledger afterwards. One JSON object on standard output with --json, progress on standard error. Exits 0; 1 when the
 * ledger does not verify, when a bench missed a bar that it judges, or when the bench failed.
 */
import { resolve } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { say } from '../harness/progress.ts';
import { outliveReaders } from '../run-directly.ts';
import { benchAccept } from './accept.ts';
import { benchAudit } from './audit.ts';
import { benchAuthorize } from './authorize/authorize.ts';
import type { BenchContext, BenchResult } from './bench.ts';
import { benchBulk } from './bulk.ts';
import { benchClearing } from './clearing.ts';
import { type Closing, createClosing } from './closing.ts';
import { watchOthers } from './cpu-time.ts';
import { benchPayments, benchPayouts } from './end-to-end.ts';
import { benchExport } from './export.ts';
import { benchFiles } from './files.ts';
import { benchGrowth } from './growth.ts';
import { benchJournal } from './journal.ts';
import { benchLedger } from './ledger.ts';
import { benchLists } from './lists.ts';
import { machine, revision } from './machine.ts';
import { benchMemory } from './memory.ts';
import { benchNeighbours } from './neighbours/neighbours.ts';
import { benchPaired, PAIRED_BENCHES, type PairedContext } from './paired/paired.ts';
import { benchReconcile } from './reconcile/reconcile.ts';
import { benchReports } from './reports.ts';
import type { QueueBackend } from './stage.ts';
import { round } from './statistics.ts';
import { benchSoak } from './tenants/soak.ts';
import { benchTenants } from './tenants/tenants.ts';
import { benchWaiting } from './waiting.ts';
import { benchWebhooks } from './webhooks.ts';

interface Bench {
  about: string;
  run: (context: BenchContext) => Promise<BenchResult>;
  /** Payouts, or payments, to carry by default: a worker delivers 20,000 webhooks while it still warms up. */
  payouts?: number;
  /** Seconds to measure by default. */
  seconds?: number;
}

const BENCHES: Record<string, Bench> = {
  ledger: { about: 'entries a second through the committer, beside the same rows by bare INSERT', run: benchLedger },
  accept: { about: 'POST /v1/payouts, one API process, beside a bare Express app', run: benchAccept },
  journal: { about: 'POST /v1/journal/entries, one API process, beside a bare Express app', run: benchJournal },
  payouts: { about: 'payouts from accept to delivered webhook, all on this machine', run: benchPayouts },
  payments: {
    about: 'card payments, authorized and captured, from accept to delivered webhook, all on this machine',
    run: benchPayments,
    payouts: 10_000,
  },
  authorize: {
    about:
      'card authorizations under five rules, one API process, beside a bare Express app; one account; a long history',
    run: benchAuthorize,
  },
  webhooks: {
    about: 'signed deliveries by one worker, beside a bare loop of POSTs',
    run: benchWebhooks,
    payouts: 60_000,
  },
  clearing: {
    about:
      'lines of a clearing file (--payouts of them), beside the rows that it writes by bare INSERT; ten times as many lines (--only turns,large)',
    run: benchClearing,
    payouts: 100_000,
    seconds: 1,
  },
  bulk: {
    about:
      'batches of 10,000 payouts, beside single POSTs; single payouts beside a batch that is paid; memory of large uploads',
    run: benchBulk,
    payouts: 10_000,
    seconds: 20,
  },
  files: {
    about: 'payouts (--payouts of them) into files for a bank, and ended by its files, beside payouts',
    run: benchFiles,
    payouts: 100_000,
  },
  growth: { about: 'the ledger on top of millions of entries, beside an empty one', run: benchGrowth },
  export: {
    about: 'the general ledger as CSV over --entries, at most 500,000, beside COPY of the same rows',
    run: benchExport,
    seconds: 1,
  },
  reconcile: {
    about:
      'a camt.053 (--payouts lines) against as many payouts of 100 books, and the mirror of those, beside their rows by bare writes; ten times as many lines (--only turns,large)',
    run: benchReconcile,
    payouts: 100_000,
    seconds: 1,
  },
  reports: { about: 'a trial balance over --entries, and over a tenth of them', run: benchReports, seconds: 1 },
  memory: { about: 'resident size of API and worker under load and with a backlog', run: benchMemory },
  audit: { about: 'posting with the audit beside it, and without', run: benchAudit },
  lists: { about: 'pages of 200,000 payouts whose filters are all common', run: benchLists, seconds: 30 },
  waiting: {
    about: 'how long the oldest of --payouts rows has waited, as a scrape of the metrics reads it',
    run: benchWaiting,
    payouts: 200_000,
    seconds: 40,
  },
  neighbours: {
    about: 'a well-behaved book beside each hostile one, and alone',
    run: benchNeighbours,
    seconds: 30,
  },
  tenants: { about: 'the same payouts spread over one book, ten, a hundred and a thousand', run: benchTenants },
  soak: { about: 'a hundred books at 60 % of capacity for --minutes', run: benchSoak },
};

interface Flags {
  json?: boolean;
  seconds: number;
  queue: QueueBackend;
  payouts: number;
  entries: number;
  backlog: number;
  purchases: number;
  minutes: number;
  only?: string[];
  profile?: string;
}

type PairedFlags = Omit<PairedContext, 'closing'> & { json?: boolean };
/** 10 to 25 rounds, by bench and machine. */
const PAIRED_SECONDS = 100;

const program = new Command('bench')
  .description('Measures the product on this machine. What each figure means: docs/benchmarks.md')
  .showHelpAfterError();
for (const [name, { about, run, payouts = 20_000, seconds = 60 }] of Object.entries(BENCHES)) {
  program
    .command(name)
    .description(about)
    .option('--json', 'the result as one JSON object on standard output')
    .option('--seconds <number>', 'how long to measure', wholeNumber, seconds)
    .addOption(new Option('--queue <backend>', 'what carries the jobs').choices(['redis', 'postgres']).default('redis'))
    .option(
      '--payouts <number>',
      'how many payouts or payments to carry (benches payouts, payments, webhooks)',
      wholeNumber,
      payouts,
    )
    .option(
      '--entries <number>',
      'how many entries there are before (benches growth, reports, export)',
      wholeNumber,
      5_000_000,
    )
    .option('--backlog <number>', 'how many payouts wait (bench memory)', wholeNumber, 500_000)
    .option('--purchases <number>', 'how many purchases a card has had (bench authorize)', wholeNumber, 100_000)
    .option('--minutes <number>', 'how long to go on (bench soak)', wholeNumber, 60)
    .option(
      '--only <names>',
      'these scenarios, runs or parts, separated by commas (benches neighbours, tenants, reconcile)',
      (names: string) => names.split(','),
    )
    .option(
      '--profile <folder>',
      'write processor profiles and the statements of Postgres there (slower)',
      (folder: string) => resolve(folder),
    )
    .action((flags: Flags) => measure(name, run, flags));
}
const paired = program
  .command('paired')
  .description('this code in turns with another commit: the median of the ratios of neighbouring slices, new ÷ old');
for (const [name, bench] of Object.entries(PAIRED_BENCHES)) {
  const command = paired
    .command(name)
    .description(bench.about)
    .requiredOption('--against <commit>', 'the commit to compare with')
    .option('--json', 'the result as one JSON object on standard output')
    .option('--seconds <number>', 'how long to measure', wholeNumber, PAIRED_SECONDS)
    .addOption(new Option('--rounds <number>', 'how many rounds instead').argParser(wholeNumber).conflicts('seconds'))
    .addOption(
      new Option('--queue <backend>', 'the queue backend (accept, payouts, payments)')
        .choices(['redis', 'postgres'])
        .default('redis'),
    )
    .option('--at-least <ratio>', "exit with 1 when a rate is less than this part of the other commit's", partOf)
    .action(({ seconds, ...flags }: PairedFlags) =>
      measure(`paired ${name}`, (context) => benchPaired(bench, context), {
        ...flags,
        seconds: flags.rounds === undefined ? seconds : undefined,
      }),
    );
  if (name === 'accept') command.option('--gc', 'also measure the garbage collection of the API (a little slower)');
}
outliveReaders();
await program.parseAsync();

async function measure<Given extends { json?: boolean; queue: QueueBackend; seconds?: number }>(
  name: string,
  run: (context: Given & { closing: Closing }) => Promise<BenchResult>,
  flags: Given,
): Promise<void> {
  const closing = createClosing();
  const takenByOthers = watchOthers();
  try {
    const { fields, versions, checked, missed } = await run({ closing, ...flags });
    const cpu_taken_by_others = round(takenByOthers(), 2);
    await closing.closeAll();
    const facts = {
      machine: { ...machine(), ...versions },
      cpu_taken_by_others,
      revision: revision(),
      date: new Date().toISOString(),
      checked,
      ...(missed && { passed: missed.length === 0, missed }),
    };
    if (flags.json)
      console.log(JSON.stringify({ bench: name, queue: flags.queue, seconds: flags.seconds, ...fields, ...facts }));
    else
      for (const [field, value] of Object.entries(fields))
        if (typeof value === 'object') console.table(value);
        else console.log(`${field.padEnd(24)}${value.toLocaleString('en')}`);
    for (const bar of missed ?? []) say(`missed: ${bar}`);
    if (missed?.length) process.exitCode = 1;
  } catch (error) {
    say(`failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    await closing.closeAll();
    process.exitCode = 1;
  }
}

function wholeNumber(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1) throw new InvalidArgumentError('Expects a whole number from 1 up.');
  return value;
}

function partOf(text: string): number {
  const value = Number(text);
  if (!(value > 0 && value < 10)) throw new InvalidArgumentError('Expects a ratio such as 0.98.');
  return value;
}
