/**
 * Decides where a new checkpoint begins. Only signatures of our keys (CHECKPOINT_SIGNING_KEY, CHECKPOINT_FORMER_KEYS)
 * are trusted in the database: the signed checkpoints, and stored peaks and subtrees as far as their roots bind them.
 */

import type { Book, BookId } from '../ledger/book/book.ts';
import { loadBook } from '../ledger/book/book-store.ts';
import { publicId } from '../values/ids.ts';
import { elsewhere } from '../values/progress.ts';
import { isWellSigned } from './checkpoint.ts';
import { type CheckpointContext, isOurs, JournalDoesNotVerify, nameOf } from './checkpoint-context.ts';
import {
  findNewestCheckpoint,
  findNewestCheckpointWithin,
  readCheckpoints,
  type StoredCheckpoint,
} from './checkpoint-store.ts';
import { nodesOf } from './merkle-proof.ts';
import { rootOf } from './merkle-tree.ts';
import { keyIdOf } from './signing-key.ts';
import { KEPT_LEVEL, loadKeptNodes, nodeKey, type TreeName } from './tree-store.ts';

export interface CheckpointPlan {
  readonly book: Book;
  /** The checkpoint to continue, signed by one of our keys. Undefined: both trees are rebuilt from their first leaf. */
  readonly from: StoredCheckpoint | undefined;
  /** Number of entries and events to read. */
  readonly rows: bigint;
  /** Why a stored checkpoint is not trusted, in words. Undefined when every checkpoint considered is trusted. */
  readonly distrust: string | undefined;
}

const CHECKPOINTS_PAGE = 500;

/** Throws JournalDoesNotVerify for a book that is shorter than a checkpoint that one of our keys signed. */
export async function planCheckpoint(context: CheckpointContext, bookId: BookId): Promise<CheckpointPlan> {
  const { pool } = context;
  const newest = await findNewestCheckpoint(pool, bookId);
  // Read after the checkpoint, so a sound book covers it. The rows that the book's row counts are committed and never
  // change.
  const book = await loadBook(pool, bookId);
  if (!book) throw new RangeError(`There is no book ${publicId('book', bookId)}`);
  let candidate = newest;
  let beyond: string | undefined;
  if (newest && exceeds(newest, book)) {
    await refuseCutShort(context, book, newest);
    beyond = `${nameOf(newest)} covers more than the book has, and is not signed by a key of ours`;
    candidate = await findNewestCheckpointWithin(pool, book);
  }
  const distrust = candidate && (await distrustOf(context, candidate));
  const from = distrust === undefined ? candidate : undefined;
  const covered = from ? from.treeSize + from.eventTreeSize : 0n;
  return { book, from, rows: book.entrySequence + book.eventSequence - covered, distrust: distrust ?? beyond };
}

/** Why a checkpoint cannot be continued, in words. Undefined when it can. */
async function distrustOf(context: CheckpointContext, checkpoint: StoredCheckpoint): Promise<string | undefined> {
  const name = nameOf(checkpoint);
  if (!isOurs(context, checkpoint)) {
    if (!isWellSigned(checkpoint)) return `${name} is not as it was signed`;
    return `${name} is signed by ${keyIdOf(checkpoint.publicKey)}, which is neither CHECKPOINT_SIGNING_KEY nor one of CHECKPOINT_FORMER_KEYS`;
  }
  const { rootHash, eventRootHash, peaks, eventPeaks } = checkpoint;
  if (!rootOf(peaks).equals(rootHash) || !rootOf(eventPeaks).equals(eventRootHash))
    return `The peaks that are kept with ${name} are not those of its roots`;
  const sound =
    (await arePeaksKept(context, checkpoint, 'entries')) && (await arePeaksKept(context, checkpoint, 'events'));
  return sound ? undefined : `Subtrees that are kept are not those of ${name}`;
}

/**
 * Whether the stored subtrees have the checkpoint's peaks. Proofs use the subtrees, the next checkpoint uses the peaks,
 * and both must be of one tree.
 */
async function arePeaksKept(
  { pool }: CheckpointContext,
  checkpoint: StoredCheckpoint,
  tree: TreeName,
): Promise<boolean> {
  const [size, peaks] =
    tree === 'entries' ? [checkpoint.treeSize, checkpoint.peaks] : [checkpoint.eventTreeSize, checkpoint.eventPeaks];
  const nodes = nodesOf({ start: 0n, end: size })
    .map((node, at) => ({ ...node, hash: peaks[at] }))
    .filter(({ level }) => level >= KEPT_LEVEL);
  if (nodes.length === 0) return true;
  const kept = await loadKeptNodes(pool, checkpoint.bookId, { tree, nodes });
  return nodes.every((node) => node.hash !== undefined && kept.get(nodeKey(node))?.equals(node.hash));
}

function exceeds({ treeSize, eventTreeSize }: StoredCheckpoint, book: Book): boolean {
  return treeSize > book.entrySequence || eventTreeSize > book.eventSequence;
}

/**
 * Throws JournalDoesNotVerify if one of our keys signed a checkpoint beyond the book's end: the book was longer once.
 */
async function refuseCutShort(context: CheckpointContext, book: Book, newest: StoredCheckpoint): Promise<void> {
  const refuse = (checkpoint: StoredCheckpoint) => {
    if (!exceeds(checkpoint, book) || !isOurs(context, checkpoint)) return;
    throw new JournalDoesNotVerify(
      `${nameOf(checkpoint)} covers ${checkpoint.treeSize} entries and ${checkpoint.eventTreeSize} events; the book has ${book.entrySequence} and ${book.eventSequence}`,
    );
  };
  refuse(newest);
  let after = { treeSize: book.entrySequence, eventTreeSize: book.eventSequence };
  for (;;) {
    const page = await readCheckpoints(context.pool, book.id, { after, limit: CHECKPOINTS_PAGE });
    for (const checkpoint of page) refuse(checkpoint);
    const last = page.at(-1);
    if (!last || page.length < CHECKPOINTS_PAGE) return;
    after = elsewhere('checkpoints', after, last);
  }
}
