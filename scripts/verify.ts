/**
 * `npm run verify`: checks a whole database against every invariant of the ledger, while it is in use. Findings go to
 * standard output, progress to standard error. With --since: checks the rows since then, and those that they touched.
 * Rows that wait for a worker that does not run are named, and are no findings. With --checkpoint: also checks against
 * checkpoints kept elsewhere. With --proof: see verify-proofs.ts; with --pack: verify-pack.ts. Exits 0 without findings, 1 with findings, 2 when it
 * could not run. Works on the database of DATABASE_URL, or on what `npm start` runs.
 */
import { Command, InvalidArgumentError } from 'commander';
import { createPool } from '../src/db/pool.ts';
import { environmentOrEmbedded, mayNameStatements } from '../src/embedded/environment.ts';
import type { Finding } from '../src/group/finding.ts';
import { GROUPS } from '../src/groups.ts';
import { databaseUrlOf } from '../src/process/connection-urls.ts';
import { createLogger } from '../src/process/log.ts';
import { UnreadableProof } from '../src/proofs/proof-file.ts';
import { formatInstant, systemClock } from '../src/values/clock.ts';
import { isUuid, parsePublicId, publicId, type Uuid } from '../src/values/ids.ts';
import { toJson } from '../src/values/json.ts';
import { describeMissing, type MissingWorker } from '../src/verify/overdue-check.ts';
import { parseSince, type Since } from '../src/verify/since.ts';
import { type VerifyOptions, type VerifyResult, verifyDatabase } from '../src/verify/verify-database.ts';
import { verifySince } from '../src/verify/verify-since.ts';
import { databaseFailure } from './database-failure.ts';
import { rowProgress } from './row-progress.ts';
import { runDirectly } from './run-directly.ts';
import { verifyPack } from './verify-pack.ts';
import { type ProofOptions, readCheckpointFiles, verifyProofs } from './verify-proofs.ts';

const CLEAN = 0;
const FOUND = 1;
const COULD_NOT_RUN = 2;
/** Both sides of the postings, the accounts, and a page read ahead of each. */
const CONNECTIONS = 6;

interface Options extends ProofOptions {
  book?: Uuid;
  since?: Since;
  databaseUrl?: string;
  pack?: string;
  previousPack?: string;
}

export const program = new Command()
  .name('npm run verify --')
  .description(
    'Checks a whole database against every invariant of the ledger. Exits 0 clean, 1 with findings, 2 if it could not run.',
  )
  .option('--book <id>', 'this book alone (book_…)', parseBookId)
  .option(
    '--since <when>',
    "only what came since: an entry's sequence, a time (RFC 3339), or how long ago (90s, 15m, 24h, 7d)",
    sinceOf,
  )
  .option('--checkpoint <file...>', 'checkpoints that you keep: the database must still make the trees that they sign')
  .option('--proof <file...>', 'check these proofs against the checkpoints, without any database')
  .option('--pack <folder>', 'check this close pack, without any database')
  .option('--previous-pack <folder>', 'beside --pack: the pack before it')
  .option('--public-key <key...>', 'keys (or their ids) that you trust: no other may have signed')
  .option('--database-url <url>', 'instead of DATABASE_URL, or of what `npm start` runs')
  .option('--json', 'print one JSON object')
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? CLEAN : COULD_NOT_RUN))
  .action(verify);

await runDirectly(import.meta, program);

async function verify(options: Options): Promise<void> {
  if (options.pack !== undefined) {
    process.exitCode = await verifyPack({ ...options, pack: options.pack });
    return;
  }
  if (options.proof) {
    process.exitCode = judge(options);
    return;
  }
  const output = options.json ? jsonOutput() : textOutput();
  const progress = rowProgress();
  const missing: MissingWorker[] = [];
  try {
    const result = await run(options, {
      onFinding(finding) {
        progress.clear();
        output.finding(finding);
      },
      onMissing: (worker) => missing.push(worker),
      onProgress: ({ total, done, book, check }) =>
        progress.show({ total, done, what: `${check} of ${publicId('book', book)}` }),
    });
    progress.end();
    output.end(result, missing);
    process.exitCode = result.findings === 0 ? CLEAN : FOUND;
  } catch (error) {
    progress.end();
    const message = databaseFailure(error);
    output.failed(message);
    console.error(`Could not verify: ${message}`);
    process.exitCode = COULD_NOT_RUN;
  }
}

function judge(options: Options): number {
  try {
    return verifyProofs(options) ? CLEAN : FOUND;
  } catch (error) {
    if (!(error instanceof UnreadableProof)) throw error;
    console.error(`Could not verify: ${error.message}`);
    return COULD_NOT_RUN;
  }
}

async function run(
  { databaseUrl, book: bookId, since, checkpoint, publicKey: keys = [] }: Options,
  listener: Pick<VerifyOptions, 'onFinding' | 'onMissing' | 'onProgress'>,
): Promise<VerifyResult> {
  if (since && checkpoint) throw new Error('--since looks at a part of the journal, and --checkpoint needs the whole');
  const trusted = { checkpoints: readCheckpointFiles(checkpoint), keys };
  const pool = createPool({
    url: databaseUrl ? databaseUrlOf('--database-url', databaseUrl) : environmentOrEmbedded(process.env).DATABASE_URL!,
    name: 'countinghouse-verify',
    size: CONNECTIONS,
    log: createLogger('silent', 'verify'),
    namedStatements: mayNameStatements(process.env),
    standbyToo: true,
  });
  try {
    if (since) return await verifySince(pool, { groups: GROUPS, since, clock: systemClock, bookId, ...listener });
    return await verifyDatabase(pool, { groups: GROUPS, bookId, trusted, clock: systemClock, ...listener });
  } finally {
    await pool.end();
  }
}

interface Output {
  finding(finding: Finding): void;
  end(result: VerifyResult, missing: readonly MissingWorker[]): void;
  failed(message: string): void;
}

function textOutput(): Output {
  return {
    finding({ check, book, ids, expected, actual, detail }) {
      const where = Object.entries({ book: publicId('book', book), ...ids }).map(([name, id]) => `${name} ${id}`);
      console.log(`${check}: ${detail}\n  ${where.join(', ')}\n  expected ${expected}\n  actual   ${actual}`);
    },
    end({ books, entries, lines, events, findings }, missing) {
      for (const worker of missing) console.log(describeMissing(worker));
      const seen = `${counted(books, 'book')}, ${counted(entries, 'entry', 'entries')}, ${counted(lines, 'line')}, ${counted(events, 'event')}`;
      console.log(`${seen}: ${findings === 0 ? 'nothing wrong' : `${counted(findings, 'finding')}`}.`);
    },
    failed: () => undefined,
  };
}

/** Prints one object, written as findings come up: however many there are, none of them stays in memory. */
function jsonOutput(): Output {
  let found = 0;
  const write = (text: string) => process.stdout.write(text);
  const close = (members: Record<string, unknown>) =>
    write(`${found === 0 ? '{"findings":[' : ''}],${toJson(members).slice(1)}\n`);
  return {
    finding(finding) {
      write(found++ === 0 ? '{"findings":[' : ',');
      write(toJson({ ...finding, book: publicId('book', finding.book) }));
    },
    end: ({ findings, ...seen }, missing) =>
      close({
        ok: findings === 0,
        findings_count: findings,
        ...seen,
        missing_workers: missing.map((worker) => ({ ...worker, since: formatInstant(worker.since) })),
      }),
    failed: (message) => close({ ok: false, error: message, findings_count: found }),
  };
}

function parseBookId(text: string): Uuid {
  const id = parsePublicId('book', text) ?? (isUuid(text) ? text : undefined);
  if (!id) throw new InvalidArgumentError('It is no id of a book (book_…).');
  return id;
}

function sinceOf(text: string): Since {
  const since = parseSince(text, systemClock.now());
  if (since) return since;
  throw new InvalidArgumentError(
    "It is an entry's sequence (from 1), a time such as 2026-01-31T00:00:00Z, or 90s, 15m, 24h, 7d.",
  );
}

function counted(count: number | bigint, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en-US')} ${Number(count) === 1 ? one : many}`;
}
