/**
 * Makes a checkpoint of a book: goes through what is new since the last one that a key of ours signed, page by page and
 * without a lock, holds every entry against its hash and its predecessor, and signs only what agrees. Whatever else the
 * database holds is not believed: where there is no such checkpoint to go on from, both trees are built again from their
 * first leaf and compared with the subtrees that are kept and with every checkpoint that a key of ours signed. The committer
 * knows nothing of it. What it costs grows with what is gone through; what it holds in memory does not grow.
 * Next: plan-checkpoint.ts (where it begins), grow-trees.ts (what it goes through).
 */
import { newId } from '../ids.ts';
import type { BookId } from '../ledger/book.ts';
import { type Checkpoint, signCheckpoint } from './checkpoint.ts';
import { type CheckpointContext, nameOf } from './checkpoint-context.ts';
import { findCheckpointOfSize, insertCheckpoint, type StoredCheckpoint } from './checkpoint-store.ts';
import { growEntries, growEvents } from './grow-trees.ts';
import { type CheckpointPlan, planCheckpoint } from './plan-checkpoint.ts';
import { TreeContradicted } from './tree-store.ts';

export interface MadeCheckpoint {
  readonly checkpoint: Checkpoint;
  /** False when the book has not gone on since, or another process was first. */
  readonly made: boolean;
}

/**
 * The book's newest checkpoint, made now if there is something new. Undefined when nothing was ever booked. Throws
 * JournalDoesNotVerify or TreeContradicted: then nothing is signed.
 */
export async function makeCheckpoint(context: CheckpointContext, bookId: BookId): Promise<MadeCheckpoint | undefined> {
  return carryOut(context, await planCheckpoint(context, bookId));
}

/** As it was planned. Throws as above. */
export async function carryOut(
  context: CheckpointContext,
  { book, from, rows }: CheckpointPlan,
): Promise<MadeCheckpoint | undefined> {
  if (rows === 0n && !from) return undefined;
  const { pool, clock, key } = context;
  const progress = pacedProgress(context, rows);
  const { tree, chainHash } = await growEntries(context, { book, from, progress });
  const eventTree = await growEvents(context, { book, from, progress });
  if (rows === 0n) return { checkpoint: from!, made: false };
  const unsigned = {
    bookId: book.id,
    mode: book.mode,
    id: newId(),
    treeSize: tree.size,
    rootHash: tree.root,
    chainHash: Buffer.from(chainHash, 'hex'),
    eventTreeSize: eventTree.size,
    eventRootHash: eventTree.root,
    createdAt: clock.now(),
  };
  const checkpoint = { ...signCheckpoint(unsigned, key), peaks: tree.peaks, eventPeaks: eventTree.peaks };
  if (await insertCheckpoint(pool, checkpoint)) return { checkpoint, made: true };
  return { checkpoint: await sameStatement(context, checkpoint), made: false };
}

/** Of the same sizes, by another process or another key: it must say the same. */
async function sameStatement({ pool }: CheckpointContext, ours: StoredCheckpoint): Promise<Checkpoint> {
  const theirs = (await findCheckpointOfSize(pool, ours))!;
  const agrees =
    theirs.rootHash.equals(ours.rootHash) &&
    theirs.chainHash.equals(ours.chainHash) &&
    theirs.eventRootHash.equals(ours.eventRootHash);
  if (agrees) return theirs;
  throw new TreeContradicted(
    `${nameOf(theirs)} covers the same entries and events, and names other hashes than they have`,
  );
}

/** Tells of every page, rests behind it, and gives up when told to. */
function pacedProgress(
  { signal, onProgress, rest }: CheckpointContext,
  total: bigint,
): (rows: number) => Promise<void> {
  let done = 0n;
  let begun = performance.now();
  return async (rows) => {
    signal?.throwIfAborted();
    done += BigInt(rows);
    onProgress?.({ done, total });
    await rest?.(performance.now() - begun);
    begun = performance.now();
  };
}
