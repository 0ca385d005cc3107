/** `npm run close -- … --pack DIR`: the pack of the period that was closed, from the database (docs/accountants.md). */
import type { Pool } from '../src/db/pool.ts';
import { BadInput } from '../src/intake/bad-input.ts';
import { periods } from '../src/journal/periods/period-table.ts';
import { loadBook } from '../src/ledger/book/book-store.ts';
import { MANIFEST, type Manifest, PACK_FILES, UnreadablePack } from '../src/packs/pack.ts';
import { bytesOf, measure, namesIn, type ReadPack, readPack } from '../src/packs/pack-folder.ts';
import { type PackAsked, type PackWritten, writePack } from '../src/packs/write-pack.ts';
import type { Checkpoint } from '../src/proofs/checkpoint.ts';
import { findCheckpoint, findFirstCovering } from '../src/proofs/checkpoint-store.ts';
import { makeCheckpoint } from '../src/proofs/make-checkpoint.ts';
import { readCheckpoints } from '../src/proofs/proof-file.ts';
import { systemClock } from '../src/values/clock.ts';
import { parsePublicId, publicId, type Uuid } from '../src/values/ids.ts';
import { withDatabase } from './intake-command.ts';
import { rowProgress } from './row-progress.ts';
import { formerKeys, signerPool, signingKey } from './signer.ts';

export interface PackOptions {
  readonly book: Uuid;
  /** `per_…`, closed. */
  readonly period: string;
  readonly folder: string;
  readonly previousPack?: string | undefined;
  readonly databaseUrl?: string | undefined;
}

/** Throws BadInput, FigureContradicted, or what kept it from running. A pack that is there already is answered as it is. */
export function packPeriod({ book, period, folder, previousPack, databaseUrl }: PackOptions): Promise<PackWritten> {
  return withDatabase({ databaseUrl, name: 'close-pack' }, async (pool, environment) => {
    const there = await packThere(folder, period);
    if (there) return there;
    const progress = rowProgress();
    const written = await writePack({
      ...(await asked(pool, environment, { book, period, previousPack })),
      folder,
      onProgress: ({ done, total }) => progress.show({ done, total, what: 'entries of the pack' }),
    });
    progress.end();
    return written;
  });
}

/** Run again, the command ends as it did: with the pack that it has written. Throws BadInput for a folder with something else. */
async function packThere(folder: string, period: string): Promise<PackWritten | undefined> {
  const names = namesIn(folder);
  if (names.length === 0) return undefined;
  if (!names.includes(MANIFEST)) throw new BadInput(null, `${folder} is not empty, and no pack. Name a new folder.`);
  const { manifest, manifestSha256 } = known(folder);
  if (manifest.period !== period)
    throw new BadInput(null, `${folder} has the pack of ${manifest.period}, and this is ${period}. Name a new folder.`);
  for (const { name, sha256 } of manifest.files)
    if ((await measure(folder, name))?.sha256 !== sha256)
      throw new BadInput(
        null,
        `${folder} has a pack of this period, and ${name} is not as ${MANIFEST} says. Name a new folder.`,
      );
  return { manifest, manifestSha256 };
}

/** Throws BadInput. */
function known(folder: string): ReadPack {
  try {
    return readPack(folder);
  } catch (error) {
    if (error instanceof UnreadablePack) throw new BadInput(null, `${folder} is no pack. ${error.message}`);
    throw error;
  }
}

async function asked(
  pool: Pool,
  environment: NodeJS.ProcessEnv,
  { book: bookId, period: shown, previousPack }: Pick<PackOptions, 'book' | 'period' | 'previousPack'>,
): Promise<Omit<PackAsked, 'folder' | 'onProgress'>> {
  const book = await loadBook(pool, bookId);
  const period = await periods.find(pool, bookId, parsePublicId('period', shown)!);
  if (!book || !period)
    throw new BadInput(
      null,
      `This database has no ${shown}: --database-url, or DATABASE_URL, is of another installation.`,
    );
  const before = previousPack === undefined ? undefined : known(previousPack);
  if (before) requireBefore(before.manifest, { previousPack: previousPack!, book: publicId('book', bookId), period });
  const checkpoint = await covering(pool, environment, bookId, period.throughSequence);
  return {
    pool,
    book,
    period,
    checkpoint,
    previous: before && { pack: before, checkpoint: await of(pool, bookId, before) },
  };
}

function requireBefore(
  before: Manifest,
  {
    previousPack,
    book,
    period,
  }: { previousPack: string; book: string; period: { through: string; throughSequence: bigint } },
): void {
  if (before.book !== book)
    throw new BadInput(null, `${previousPack} is a pack of ${before.book}, and not of ${book}.`);
  if (before.through < period.through && BigInt(before.through_sequence) <= period.throughSequence) return;
  throw new BadInput(
    null,
    `${previousPack} is of days until ${before.through}, which are not before ${period.through}. Name the pack before it.`,
  );
}

/** The checkpoint of a pack, as the database has it. Throws BadInput where it does not have it. */
async function of(pool: Pool, bookId: Uuid, { folder, manifest }: ReadPack): Promise<Checkpoint | null> {
  if (manifest.through_sequence === 0) return null;
  const [view] = readCheckpoints(bytesOf(folder, PACK_FILES.checkpoint).toString('utf8'));
  const found = await findCheckpoint(pool, bookId, parsePublicId('checkpoint', view!.id)!);
  if (found && found.rootHash.toString('hex') === view!.note.root_hash) return found;
  throw new BadInput(
    null,
    `The database does not have the checkpoint of ${folder} (${view!.id}). Run \`npm run verify\`.`,
  );
}

/** The first one that covers the entry. One that does not exist yet is made, if the signer's key is here. */
async function covering(
  pool: Pool,
  environment: NodeJS.ProcessEnv,
  bookId: Uuid,
  sequence: bigint,
): Promise<Checkpoint | null> {
  if (sequence === 0n) return null;
  const found = await findFirstCovering(pool, bookId, sequence);
  if (found) return found;
  const { SIGNER_DATABASE_URL: url, CHECKPOINT_SIGNING_KEY: key, CHECKPOINT_FORMER_KEYS: former } = environment;
  if (!url || !key)
    throw new Error(
      `No checkpoint covers entry ${sequence} yet, and the signer is not here (SIGNER_DATABASE_URL, CHECKPOINT_SIGNING_KEY). Run \`npm run checkpoint\` where it is, or wait for the next one; then run this again.`,
    );
  const signer = signerPool(url);
  const context = { pool: signer, clock: systemClock, key: signingKey(key), formerKeyIds: formerKeys(former) };
  await makeCheckpoint(context, bookId).finally(() => signer.end());
  return (await findFirstCovering(pool, bookId, sequence))!;
}
