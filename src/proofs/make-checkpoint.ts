/**
 * Makes a checkpoint of a book. Reads the rows since the last checkpoint that one of our keys signed, page by page and
 * without a lock, checks every entry against its hash and its predecessor, and signs only if all agree. Nothing else in
 * the database is trusted. Without such a checkpoint, both trees are rebuilt from their first leaf and compared with
 * the stored subtrees and with every checkpoint that one of our keys signed. The committer is not involved. The cost
 * grows with the rows read; the memory used does not.
 * Next: plan-checkpoint.ts (where it begins), grow-trees.ts (what it reads).
 */

import type { BookId } from '../ledger/book/book.ts';
import { newId } from '../values/ids.ts';
import { type Checkpoint, signCheckpoint } from './checkpoint.ts';
import { type CheckpointContext, nameOf } from './checkpoint-context.ts';
import { findCheckpointOfSize, insertCheckpoint, type StoredCheckpoint } from './checkpoint-store.ts';
import { growEntries, growEvents } from './grow-trees.ts';
import { type CheckpointPlan, planCheckpoint } from './plan-checkpoint.ts';
import { TreeContradicted } from './tree-store.ts';

export interface MadeCheckpoint {
  readonly checkpoint: Checkpoint;
  /** False when the book has nothing new, or another process made the checkpoint first. */
  readonly made: boolean;
}

/**
 * Returns the book's newest checkpoint, and makes it first if there are new rows. Undefined for a book without rows.
 * Throws JournalDoesNotVerify or TreeContradicted, and then signs nothing.
 */
export async function makeCheckpoint(context: CheckpointContext, bookId: BookId): Promise<MadeCheckpoint | undefined> {
  return carryOut(context, await planCheckpoint(context, bookId));
}

/** Makes the planned checkpoint. Throws as makeCheckpoint does. */
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

/**
 * The checkpoint of the same sizes that another process or key has made. Throws TreeContradicted if its hashes differ.
 */
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

/** Reports progress after every page, rests, and throws once the signal is aborted. */
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
