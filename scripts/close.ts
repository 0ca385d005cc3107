/**
 * `npm run close -- --book book_… --through 2026-10-31`: closes days of a book over the API, with the key of a person in COUNTINGHOUSE_API_KEY:
 * a name that is typed at a terminal proves nobody. Waits until the days are verified. Run again, it answers with the period that closed
 * them. Exits 0 when they are closed, 1 with findings, 2 when the request is refused, 3 when the API does not answer.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { Command } from 'commander';
import { BadInput } from '../src/intake/bad-input.ts';
import { FigureContradicted } from '../src/reports/figures/figures.ts';
import { publicId, type Uuid } from '../src/values/ids.ts';
import { apiOf, CLEAN, COULD_NOT_RUN, Failed, FOUND, REFUSED } from './api-command.ts';
import { parseBook, parseDay } from './book-command.ts';
import { packPeriod } from './close-pack.ts';
import { databaseFailure } from './database-failure.ts';
import { runDirectly } from './run-directly.ts';

/** Whoever waits sees the state within a second of its end. */
const POLL_MS = 500;
/** A close that takes longer goes on without the command. */
const WAIT_MS = 30 * 60_000;

interface Options {
  book: Uuid;
  through: string;
  reason?: string;
  url?: string;
  pack?: string;
  previousPack?: string;
  databaseUrl?: string;
  json?: true;
}

interface Period {
  readonly id: string;
  readonly status: 'pending' | 'closed' | 'refused' | 'reopened';
  readonly through: string;
  readonly through_sequence: number;
  readonly trial_balance_digest: string | null;
  readonly findings: readonly { readonly check: string; readonly detail: string }[];
  readonly findings_total: number;
  readonly open: readonly { readonly type: string; readonly count: number }[];
}

interface Journal {
  readonly id: string;
  readonly closed_through: string | null;
}

export const program = new Command()
  .name('npm run close --')
  .description(
    'Closes days of a book, with the key of a person in COUNTINGHOUSE_API_KEY. Exits 0 closed, 1 with findings, 2 if refused, 3 if it could not run.',
  )
  .requiredOption('--book <id>', 'the book of the key (book_…)', parseBook)
  .requiredOption('--through <day>', 'the last day to close (YYYY-MM-DD)', parseDay)
  .option('--reason <text>', 'for people')
  .option('--url <url>', 'the API; without it COUNTINGHOUSE_URL, or what `npm start` runs')
  .option('--pack <folder>', 'write what the period was to a new folder, to be kept and checked elsewhere')
  .option('--previous-pack <folder>', 'the pack that this one goes on from; without it, it begins with the first entry')
  .option('--database-url <url>', 'of a pack: instead of DATABASE_URL, or of what `npm start` runs')
  .option('--json', 'print the period as one JSON object')
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? CLEAN : REFUSED))
  .action(close);

await runDirectly(import.meta, program);

async function close(options: Options): Promise<void> {
  try {
    if (options.previousPack !== undefined && options.pack === undefined)
      throw new Failed(REFUSED, '--previous-pack is for a close with --pack FOLDER.');
    const period = await closed(openApi(options), options);
    const pack = period.status === 'closed' ? await packed(options, period) : undefined;
    if (options.json) console.log(JSON.stringify({ ...period, ...(pack && { pack }) }));
    else print(period);
    if (!options.json && pack) console.log(`${pack.folder}: ${pack.files} files, manifest ${pack.manifest_sha256}`);
    process.exitCode = period.status === 'closed' ? CLEAN : FOUND;
  } catch (error) {
    if (!(error instanceof Failed)) throw error;
    if (options.json) console.log(JSON.stringify({ ok: false, error: error.message }));
    console.error(`Could not close: ${error.message}`);
    process.exitCode = error.exitCode;
  }
}

async function packed({ book, pack: folder, previousPack, databaseUrl }: Options, { id }: Period) {
  if (folder === undefined) return undefined;
  const failed = (error: unknown): never => {
    const code = error instanceof BadInput ? REFUSED : error instanceof FigureContradicted ? FOUND : COULD_NOT_RUN;
    throw new Failed(code, `${id} is closed. Its pack is not written: ${databaseFailure(error)}`);
  };
  const asked = { book, period: id, folder, previousPack, databaseUrl };
  const { manifest, manifestSha256 } = await packPeriod(asked).catch(failed);
  return { folder, files: manifest.files.length + 1, manifest_sha256: manifestSha256 };
}

async function closed(api: Api, { book, through, reason }: Options): Promise<Period> {
  const journal = await api.get<Journal>('/v1/journal');
  if (journal.id !== publicId('book', book))
    throw new Failed(
      REFUSED,
      `The key in COUNTINGHOUSE_API_KEY is of ${journal.id}, and not of ${publicId('book', book)}.`,
    );
  if (journal.closed_through !== null && journal.closed_through >= through) {
    const known = await periodThrough(api, through);
    if (known !== undefined) return ended(api, known);
  }
  return ended(
    api,
    await api.post<Period>('/v1/journal/periods/close', { through, ...(reason !== undefined && { reason }) }),
  );
}

/** Among the newest ones. */
async function periodThrough(api: Api, through: string): Promise<Period | undefined> {
  const { data } = await api.get<{ data: Period[] }>('/v1/journal/periods?status=closed&status=pending&limit=100');
  return data.find((period) => period.through === through);
}

async function ended(api: Api, begun: Period): Promise<Period> {
  let period = begun;
  const until = performance.now() + WAIT_MS;
  while (period.status === 'pending') {
    if (performance.now() > until)
      throw new Failed(
        COULD_NOT_RUN,
        `${begun.id} is still being verified. It goes on; run the command again to see its end.`,
      );
    await pause(POLL_MS);
    period = await api.get<Period>(`/v1/journal/periods/${begun.id}`);
  }
  return period;
}

function print({
  id,
  status,
  through,
  through_sequence,
  trial_balance_digest,
  findings,
  findings_total,
  open,
}: Period): void {
  if (status !== 'closed') {
    console.log(`${id}: the days through ${through} stay open, with ${findings_total} findings.`);
    for (const { check, detail } of findings) console.log(`  ${check}: ${detail}`);
    return;
  }
  console.log(`${id}: closed through ${through}, up to entry ${through_sequence}.`);
  console.log(`Trial balance: ${trial_balance_digest}`);
  for (const { type, count } of open) if (count > 0) console.log(`Still open: ${count} ${type}`);
}

interface Api {
  get<Answer>(path: string): Promise<Answer>;
  post<Answer>(path: string, body: object): Promise<Answer>;
}

function openApi(options: Options): Api {
  const { key, base } = apiOf(options, { keyNeeded: 'the key of a person' });
  const send = <Answer>(path: string, request: RequestInit) =>
    ask<Answer>(base + path, {
      ...request,
      headers: { ...request.headers, authorization: `Bearer ${key}` },
    });
  return {
    get: (path) => send(path, {}),
    post: (path, body) =>
      send(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  };
}

async function ask<Answer>(url: string, request: RequestInit): Promise<Answer> {
  const response = await fetch(url, request).catch((error: Error & { cause?: Error }) => {
    throw new Failed(COULD_NOT_RUN, `Nothing answers at ${url} (${error.cause?.message ?? error.message}).`);
  });
  const answer = (await response.json().catch(() => ({}))) as { detail?: string; title?: string };
  if (response.ok) return answer as Answer;
  const reason = answer.detail ?? answer.title ?? 'no reason given';
  throw new Failed(response.status >= 500 ? COULD_NOT_RUN : REFUSED, `${response.status}: ${reason}`);
}
