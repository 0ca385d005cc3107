/**
 * `npm run verify`: holds a whole database against every invariant of the ledger, while it is in use. Findings go to
 * standard output, progress to standard error. With --since: what came since then, and whatever it has touched. Exits 0 when nothing was found, 1 when something was, 2 when it could not run.
 * Works on the database of DATABASE_URL, or on what `npm start` runs.
 */
import { SingleBar } from 'cli-progress';
import { Command, InvalidArgumentError } from 'commander';
import { systemClock } from '../src/clock.ts';
import { createPool } from '../src/db/pool.ts';
import { environmentOrEmbedded, mayNameStatements } from '../src/embedded/environment.ts';
import { parsePublicId, publicId, type Uuid } from '../src/ids.ts';
import { toJson } from '../src/json.ts';
import { createLogger } from '../src/log.ts';
import type { Finding } from '../src/verify/finding.ts';
import { parseSince, type Since } from '../src/verify/since.ts';
import { type VerifyProgress, type VerifyResult, verifyDatabase } from '../src/verify/verify-database.ts';
import { verifySince } from '../src/verify/verify-since.ts';

const CLEAN = 0;
const FOUND = 1;
const COULD_NOT_RUN = 2;
/** Both sides of the postings, the accounts, and a page read ahead of each. */
const CONNECTIONS = 6;
/** Between two lines of progress where there is no terminal. */
const LINE_EVERY_MS = 5_000;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

interface Options {
  book?: Uuid;
  since?: Since;
  databaseUrl?: string;
  json?: boolean;
}

const program = new Command()
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
  .option('--database-url <url>', 'instead of DATABASE_URL, or of what `npm start` runs')
  .option('--json', 'print one JSON object')
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? CLEAN : COULD_NOT_RUN))
  .action(verify);

await program.parseAsync();

async function verify(options: Options): Promise<void> {
  const output = options.json ? jsonOutput() : textOutput();
  const progress = process.stderr.isTTY ? progressBar() : progressLines();
  try {
    const result = await run(options, {
      onFinding(finding) {
        progress.clear();
        output.finding(finding);
      },
      onProgress: progress.show,
    });
    progress.end();
    output.end(result);
    process.exitCode = result.findings === 0 ? CLEAN : FOUND;
  } catch (error) {
    progress.end();
    const message = messageOf(error);
    output.failed(message);
    console.error(`Could not verify: ${message}`);
    process.exitCode = COULD_NOT_RUN;
  }
}

async function run(
  { databaseUrl, book: bookId, since }: Options,
  listener: { onFinding: (finding: Finding) => void; onProgress: (progress: VerifyProgress) => void },
): Promise<VerifyResult> {
  const url = databaseUrl ?? environmentOrEmbedded(process.env).DATABASE_URL!;
  const pool = createPool({
    url,
    name: 'countinghouse-verify',
    size: CONNECTIONS,
    log: createLogger('silent', 'verify'),
    namedStatements: mayNameStatements(process.env),
  });
  try {
    if (since) return await verifySince(pool, { since, clock: systemClock, bookId, ...listener });
    return await verifyDatabase(pool, { bookId, ...listener });
  } finally {
    await pool.end();
  }
}

interface Output {
  finding(finding: Finding): void;
  end(result: VerifyResult): void;
  failed(message: string): void;
}

function textOutput(): Output {
  return {
    finding({ check, book, ids, expected, actual, detail }) {
      const where = Object.entries({ book: publicId('book', book), ...ids }).map(([name, id]) => `${name} ${id}`);
      console.log(`${check}: ${detail}\n  ${where.join(', ')}\n  expected ${expected}\n  actual   ${actual}`);
    },
    end({ books, entries, lines, events, findings }) {
      const seen = `${counted(books, 'book')}, ${counted(entries, 'entry', 'entries')}, ${counted(lines, 'line')}, ${counted(events, 'event')}`;
      console.log(`${seen}: ${findings === 0 ? 'nothing wrong' : `${counted(findings, 'finding')}`}.`);
    },
    failed: () => undefined,
  };
}

/** One object, written as it becomes known: however much is found, none of it is kept. */
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
    end: ({ findings, ...seen }) => close({ ok: findings === 0, findings_count: findings, ...seen }),
    failed: (message) => close({ ok: false, error: message, findings_count: found }),
  };
}

interface Progress {
  show: (progress: VerifyProgress) => void;
  /** Makes room for a line of output. */
  clear(): void;
  end(): void;
}

function progressBar(): Progress {
  const bar = new SingleBar({
    format: '{bar} {percentage}% | {check} of {book}',
    stream: process.stderr,
    hideCursor: true,
    emptyOnZero: true,
  });
  let started = false;
  return {
    show({ total, done, book, check }) {
      const payload = { check, book: publicId('book', book) };
      if (!started) bar.start(Number(total), 0, payload);
      started = true;
      // Of what came since then each book says its own; and the database goes on meanwhile, there may be more than was counted.
      bar.setTotal(Number(total));
      bar.update(Math.min(Number(done), Number(total)), payload);
    },
    clear: () => void (started && process.stderr.write('\r\u001b[K')),
    end: () => bar.stop(),
  };
}

function progressLines(): Progress {
  let last = performance.now();
  return {
    show({ total, done, book, check }) {
      if (performance.now() - last < LINE_EVERY_MS) return;
      last = performance.now();
      console.error(`${done} of ${total} rows; now the ${check} of ${publicId('book', book)}`);
    },
    clear: () => undefined,
    end: () => undefined,
  };
}

function parseBookId(text: string): Uuid {
  const id = parsePublicId('book', text) ?? (UUID.test(text) ? text : undefined);
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

/** What a person needs to go on: where several addresses were tried, the reason of each. */
function messageOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(messageOf).join('; ');
  const { code, message } = error as { code?: string; message: string };
  if (code === '42P01') return `${message}. Has the database been migrated (npm run migrate)?`;
  if (code === '42501') return `${message}. Use the application's role, or one that may read every table.`;
  return message;
}
