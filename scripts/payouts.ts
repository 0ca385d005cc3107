/**
 * `npm run payouts -- upload FILE --account acct_…`: uploads a batch of payouts, CSV or JSON, over the API, with the key in
 * COUNTINGHOUSE_API_KEY. The file is sent as it is read. Exits 0 when the batch is accepted, 1 when items are refused, 2 when the
 * request is, 3 when the API does not answer. Progress goes to standard error.
 */
import { randomUUID } from 'node:crypto';
import { createReadStream, statSync } from 'node:fs';
import { Readable } from 'node:stream';
import { Command, InvalidArgumentError } from 'commander';
import { apiOf, CLEAN, COULD_NOT_RUN, Failed, FOUND, REFUSED } from './api-command.ts';
import { rowProgress } from './row-progress.ts';
import { runDirectly } from './run-directly.ts';

/** Answers that ask for another try, and are not about the file. */
const TRY_AGAIN: readonly number[] = [408, 425, 429];

interface Options {
  account?: string;
  draft?: true;
  scheduledFor?: string;
  approval?: 'required';
  allowDuplicate?: true;
  externalId?: string;
  idempotencyKey?: string;
  url?: string;
  dryRun?: true;
  json?: true;
}

interface Batch {
  readonly id: string;
  readonly status: string;
  readonly items: number;
  readonly totals: readonly { readonly currency: string; readonly amount: number; readonly fee: number }[];
}

interface Fault {
  readonly code: string;
  readonly param?: string;
  readonly detail?: string;
}

interface Problem extends Fault {
  readonly title?: string;
  readonly errors?: readonly Fault[];
  readonly errors_total?: number;
}

/** Items that cannot be paid: no batch was made. */
class ItemsRefused extends Error {
  constructor(readonly problem: Problem) {
    super(problem.detail ?? problem.title ?? problem.code);
  }
}

export const program = new Command()
  .name('npm run payouts --')
  .description('Batches of payouts, with the key of a book in COUNTINGHOUSE_API_KEY.')
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? CLEAN : REFUSED));

program
  .command('upload')
  .description(
    'Uploads a batch. Exits 0 accepted, 1 with refused items, 2 if the request is refused, 3 if it could not run.',
  )
  .argument('<file>', 'CSV, or JSON if its name ends in .json')
  .option('--account <id>', 'of a CSV file: the account that rows leave which name none (acct_…)')
  .option('--draft', 'of a CSV file: leave it a draft')
  .option('--scheduled-for <time>', 'of a CSV file: when it is released')
  .option('--approval <required>', 'of a CSV file: it waits for the approval of a person', parseApproval)
  .option('--allow-duplicate', 'of a CSV file: pay the same content again')
  .option('--external-id <id>', 'of a CSV file: your reference of the batch')
  .option('--idempotency-key <key>', 'of the request; without it a new one')
  .option('--url <url>', 'the API; without it COUNTINGHOUSE_URL, or what `npm start` runs')
  .option('--dry-run', 'say what the upload would do, and keep nothing')
  .option('--json', 'print the answer as one JSON object')
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? CLEAN : REFUSED))
  .action(upload);

await runDirectly(import.meta, program);

async function upload(file: string, options: Options): Promise<void> {
  try {
    const batch = await uploaded(file, options);
    if (options.json) console.log(JSON.stringify(batch));
    else print(batch, options);
    process.exitCode = CLEAN;
  } catch (error) {
    if (error instanceof ItemsRefused) {
      if (options.json) console.log(JSON.stringify(error.problem));
      printFaults(error.problem);
      process.exitCode = FOUND;
      return;
    }
    if (!(error instanceof Failed)) throw error;
    if (options.json) console.log(JSON.stringify({ ok: false, error: error.message }));
    console.error(`Could not upload: ${error.message}`);
    process.exitCode = error.exitCode;
  }
}

async function uploaded(file: string, options: Options): Promise<Batch> {
  const isJson = file.endsWith('.json');
  const query = queryOf(options, isJson);
  const { key, base } = apiOf(options, { keyNeeded: 'a key of the book, with payouts:write' });
  const bytes = sizeOf(file);
  const idempotencyKey = options.idempotencyKey ?? randomUUID();
  if (!options.dryRun) console.error(`Idempotency-Key: ${idempotencyKey}`);
  const url = `${base}/v1/payouts/batches${query}`;
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': isJson ? 'application/json' : 'text/csv',
      ...(!options.dryRun && { 'idempotency-key': idempotencyKey }),
    },
    body: Readable.toWeb(Readable.from(shown(file, bytes))) as ReadableStream,
    duplex: 'half',
  }).catch((error: Error & { cause?: Error }) => {
    throw new Failed(
      COULD_NOT_RUN,
      `No answer from ${base} (${error.cause?.message ?? error.message}). The same command with the same --idempotency-key finds what has become of it.`,
    );
  });
  return batchOf(response);
}

async function batchOf(response: Response): Promise<Batch> {
  const answer = (await response.json().catch(() => ({}))) as Batch & Problem;
  if (response.ok) return answer;
  if (response.status < 500 && isAboutItems(answer)) throw new ItemsRefused(answer);
  const reason = [answer.param, answer.detail ?? answer.title ?? 'no reason given'].filter(Boolean).join(': ');
  const exitCode = response.status >= 500 || TRY_AGAIN.includes(response.status) ? COULD_NOT_RUN : REFUSED;
  throw new Failed(exitCode, `${response.status}: ${reason}`);
}

function isAboutItems(problem: Problem): boolean {
  const places = [problem, ...(problem.errors ?? [])];
  return places.some(({ param }) => /^\/(rows|items)\/[1-9]\d*|^\/items\/0/.test(param ?? ''));
}

/** The file in chunks, with the progress of the upload. */
async function* shown(file: string, bytes: number): AsyncIterable<Uint8Array> {
  const progress = rowProgress('bytes');
  let sent = 0;
  try {
    for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
      yield chunk;
      sent += chunk.length;
      progress.show({ total: BigInt(bytes), done: BigInt(sent), what: `upload of ${file}` });
    }
  } finally {
    progress.end();
  }
}

function sizeOf(file: string): number {
  try {
    const found = statSync(file);
    if (!found.isFile()) throw new Failed(REFUSED, `${file} is not a file.`);
    return found.size;
  } catch (error) {
    if (error instanceof Failed) throw error;
    throw new Failed(REFUSED, `${file} cannot be read (${(error as Error).message}).`);
  }
}

/** What stands beside the rows of a CSV file. JSON has it within. */
function queryOf(options: Options, isJson: boolean): string {
  const beside = {
    ...(options.account !== undefined && { account: options.account }),
    ...(options.draft && { submit: 'false' }),
    ...(options.scheduledFor !== undefined && { scheduled_for: options.scheduledFor }),
    ...(options.approval && { approval: options.approval }),
    ...(options.allowDuplicate && { allow_duplicate: 'true' }),
    ...(options.externalId !== undefined && { external_id: options.externalId }),
  };
  const [first] = Object.keys(beside);
  if (isJson && first !== undefined)
    throw new Failed(REFUSED, `A JSON file has what stands beside its items: write ${first} into it.`);
  const query = new URLSearchParams({ ...beside, ...(options.dryRun && { dry_run: 'true' }) }).toString();
  return query === '' ? '' : `?${query}`;
}

function print({ id, status, items, totals }: Batch, { dryRun }: Options): void {
  console.log(dryRun ? `It would be ${status}, with ${items} items.` : `${id}: ${status}, with ${items} items.`);
  for (const { currency, amount, fee } of totals) console.log(`  ${currency}: ${amount}, and fees of ${fee}`);
}

function printFaults(problem: Problem): void {
  const faults = problem.errors ?? [problem];
  const total = problem.errors_total ?? faults.length;
  console.error(`Nothing was kept: ${total} findings.`);
  for (const { code, param, detail } of faults) console.error(`  ${param ?? ''}: ${detail ?? code} (${code})`);
  if (total > faults.length) console.error(`  and ${total - faults.length} more`);
}

function parseApproval(text: string): string {
  if (text !== 'required') throw new InvalidArgumentError('It is required, or left out.');
  return text;
}
