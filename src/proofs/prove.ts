/**
 * Makes proofs from the database: that a checkpoint contains an entry, and that one checkpoint continues another. A
 * proof carries everything needed to check it elsewhere. Its cost is logarithmic in the book's length. Nothing is
 * verified here: the receiver checks the proof (judge-proof.ts), and a changed journal gives proofs that fail.
 */
import type { Queryable } from '../db/pool.ts';
import type { BookId } from '../ledger/book/book.ts';
import { entryText, GENESIS_HASH } from '../ledger/entry/entry-hash.ts';
import { type ReadEntry, readEntries } from '../ledger/journal/journal-read-store.ts';
import { publicId } from '../values/ids.ts';
import { type Checkpoint, type CheckpointView, checkpointView } from './checkpoint.ts';
import { consistencyPath, inclusionPath, nodesOf, type Stretch, stretchHash } from './merkle-proof.ts';
import { loadNodes, type TreeName } from './tree-store.ts';

export interface InclusionProof {
  object: 'inclusion_proof';
  journal_entry: string;
  /** Every hashed column, and the previous hash. The SHA-256 of its canonical JSON (RFC 8785) is `hash`. */
  entry: Record<string, unknown>;
  hash: string;
  /** The entry's position among the leaves, from 0. */
  leaf_index: number;
  audit_path: string[];
  checkpoint: CheckpointView;
}

export interface ConsistencyProof {
  object: 'consistency_proof';
  first: CheckpointView;
  second: CheckpointView;
  entry_path: string[];
  event_path: string[];
}

/** The checkpoint must cover the entry. */
export async function proveInclusion(
  db: Queryable,
  { entry, checkpoint }: { entry: ReadEntry; checkpoint: Checkpoint },
): Promise<InclusionProof> {
  const { bookId, treeSize } = checkpoint;
  const index = entry.sequence - 1n;
  const [before, path] = await Promise.all([
    readEntries(db, bookId, { after: index - 1n, upTo: index, limit: 1 }),
    hashPath(db, bookId, { tree: 'entries', size: treeSize, path: inclusionPath(index, treeSize) }),
  ]);
  const text = entryText(bookId, before[0]?.hash ?? GENESIS_HASH, entry);
  return {
    object: 'inclusion_proof',
    journal_entry: publicId('entry', entry.id),
    entry: JSON.parse(text) as Record<string, unknown>,
    hash: entry.hash,
    leaf_index: Number(index),
    audit_path: path,
    checkpoint: checkpointView(checkpoint),
  };
}

/** The second checkpoint must cover no less than the first. */
export async function proveConsistency(
  db: Queryable,
  { first, second }: { first: Checkpoint; second: Checkpoint },
): Promise<ConsistencyProof> {
  const { bookId } = second;
  const [entryPath, eventPath] = await Promise.all([
    hashPath(db, bookId, {
      tree: 'entries',
      size: second.treeSize,
      path: consistencyPath(first.treeSize, second.treeSize),
    }),
    hashPath(db, bookId, {
      tree: 'events',
      size: second.eventTreeSize,
      path: consistencyPath(first.eventTreeSize, second.eventTreeSize),
    }),
  ]);
  return {
    object: 'consistency_proof',
    first: checkpointView(first),
    second: checkpointView(second),
    entry_path: entryPath,
    event_path: eventPath,
  };
}

async function hashPath(
  db: Queryable,
  bookId: BookId,
  { tree, size, path }: { tree: TreeName; size: bigint; path: readonly Stretch[] },
): Promise<string[]> {
  const hashOf = await loadNodes(db, bookId, { tree, size, nodes: path.flatMap(nodesOf) });
  return path.map((stretch) => stretchHash(stretch, hashOf).toString('hex'));
}
