/**
 * `npm run checkpoint`: makes a signed checkpoint of every book with new rows, now, and adds the newest one of each
 * book to a file that leaves the machine (`--out`), an object a line. New rows are verified before they are signed.
 * Exits 0 when all was signed, 1 when a journal does not verify, 2 when it could not run. Works under the signer's role
 * of SIGNER_DATABASE_URL, or on what `npm start` runs.
 */
import { appendFileSync } from 'node:fs';
import { Command, InvalidArgumentError } from 'commander';
import type { Pool } from '../src/db/pool.ts';
import { environmentOrEmbedded } from '../src/embedded/environment.ts';
import type { BookId } from '../src/ledger/book/book.ts';
import { databaseUrlOf } from '../src/process/connection-urls.ts';
import { checkpointView } from '../src/proofs/checkpoint.ts';
import { type CheckpointContext, JournalDoesNotVerify } from '../src/proofs/checkpoint-context.ts';
import { describeCheckpoint } from '../src/proofs/judge-proof.ts';
import { carryOut } from '../src/proofs/make-checkpoint.ts';
import { planCheckpoint } from '../src/proofs/plan-checkpoint.ts';
import { TreeContradicted } from '../src/proofs/tree-store.ts';
import { systemClock } from '../src/values/clock.ts';
import { parsePublicId, publicId, type Uuid } from '../src/values/ids.ts';
import { readBookIds } from '../src/verify/book-bounds-store.ts';
import { readAhead } from '../src/verify/read-ahead.ts';
import { databaseFailure } from './database-failure.ts';
import { rowProgress } from './row-progress.ts';
import { runDirectly } from './run-directly.ts';
import { formerKeys, signerPool, signingKey } from './signer.ts';

const REFUSED = 1;
const COULD_NOT_RUN = 2;
const BOOKS_PAGE = 1_000;
const NO_SIGNER =
  "SIGNER_DATABASE_URL is not set; it expects the URL of the role that adds checkpoints (CREATE ROLE countinghouse_signer LOGIN PASSWORD '…'; then npm run migrate).";

interface Options {
  book?: Uuid;
  out?: string;
  showKey?: boolean;
  databaseUrl?: string;
  json?: boolean;
}

export const program = new Command()
  .name('npm run checkpoint --')
  .description(
    'Signs a checkpoint of every book that has gone on. Exits 0, 1 if a journal does not verify, 2 if it could not run.',
  )
  .option('--book <id>', 'this book alone (book_…)', parseBookId)
  .option('--out <file>', 'add the newest checkpoint of each book to this file, an object a line')
  .option('--show-key', 'print the public key, for auditors to pin, and do nothing else')
  .option('--database-url <url>', 'instead of SIGNER_DATABASE_URL, or of what `npm start` runs')
  .option('--json', 'print one JSON object')
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : COULD_NOT_RUN))
  .action((options: Options) =>
    checkpoint(options).catch((error: unknown) => {
      console.error(`Could not make checkpoints: ${databaseFailure(error)}`);
      process.exitCode = COULD_NOT_RUN;
    }),
  );

await runDirectly(import.meta, program);

async function checkpoint(options: Options): Promise<void> {
  const named = options.databaseUrl || process.env.SIGNER_DATABASE_URL;
  const environment = named ? process.env : environmentOrEmbedded(process.env);
  const key = signingKey(environment.CHECKPOINT_SIGNING_KEY);
  if (options.showKey) {
    const publicKey = key.publicKey.toString('base64');
    console.log(
      options.json ? JSON.stringify({ key_id: key.keyId, public_key: publicKey }) : `${key.keyId}\n${publicKey}`,
    );
    return;
  }
  const url = options.databaseUrl
    ? databaseUrlOf('--database-url', options.databaseUrl)
    : databaseUrlOf('SIGNER_DATABASE_URL', environment.SIGNER_DATABASE_URL ?? '');
  if (!url) throw new Error(NO_SIGNER);
  const formerKeyIds = formerKeys(environment.CHECKPOINT_FORMER_KEYS);
  const pool = signerPool(url);
  try {
    await checkpointAll({ pool, clock: systemClock, key, formerKeyIds }, options);
  } finally {
    await pool.end();
  }
}

async function checkpointAll(context: CheckpointContext, { book, out, json }: Options): Promise<void> {
  const progress = rowProgress();
  let [shown, made, refused] = [0, 0, 0];
  if (json) process.stdout.write('{"checkpoints":[');
  for await (const bookId of book ? [book] : allBooks(context.pool)) {
    const name = publicId('book', bookId);
    try {
      const onProgress = ({ done, total }: { done: bigint; total: bigint }) =>
        progress.show({ done, total, what: `rows of ${name}` });
      const plan = await planCheckpoint(context, bookId);
      if (plan.distrust !== undefined) {
        progress.clear();
        console.error(`Not believed, ${name}: ${plan.distrust}.`);
      }
      const newest = await carryOut({ ...context, onProgress }, plan);
      if (!newest) continue;
      const view = checkpointView(newest.checkpoint);
      if (newest.made) made++;
      if (out !== undefined) appendFileSync(out, `${JSON.stringify(view)}\n`);
      progress.clear();
      if (json) process.stdout.write(`${shown === 0 ? '' : ','}${JSON.stringify(view)}`);
      else console.log(`${describeCheckpoint(view)}: ${newest.made ? 'signed now' : 'nothing new since'}`);
      shown++;
    } catch (error) {
      if (!(error instanceof JournalDoesNotVerify) && !(error instanceof TreeContradicted)) throw error;
      refused++;
      progress.clear();
      console.error(`Not signed, ${name}: ${error.message}. npm run verify says more.`);
    }
  }
  progress.end();
  if (json) process.stdout.write(`],"made":${made},"refused":${refused}}\n`);
  if (refused > 0) process.exitCode = REFUSED;
}

async function* allBooks(pool: Pool): AsyncGenerator<BookId> {
  for await (const page of readAhead<BookId>((after) => readBookIds(pool, { after, limit: BOOKS_PAGE }))) yield* page;
}

function parseBookId(text: string): Uuid {
  const id = parsePublicId('book', text);
  if (!id) throw new InvalidArgumentError('It is no id of a book (book_…).');
  return id;
}
