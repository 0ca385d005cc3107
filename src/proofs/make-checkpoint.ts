/**
 * Makes a checkpoint of a book: goes through what is new since the last one, page by page and without a lock, holds every
 * entry against its hash and its predecessor, and signs only what agrees. The committer knows nothing of it. What it costs
 * grows with what is new; what it holds in memory does not grow.
 */
import type { Clock } from '../clock.ts';
import type { Pool } from '../db/pool.ts';
import { newId, publicId } from '../ids.ts';
import type { Book, BookId } from '../ledger/book.ts';
import { loadBook } from '../ledger/book-store.ts';
import { entryHash, GENESIS_HASH } from '../ledger/entry-hash.ts';
import type { LedgerEvent } from '../ledger/event.ts';
import { readEvents } from '../ledger/event-read-store.ts';
import { type ReadEntry, readEntries } from '../ledger/journal-read-store.ts';
import { type Checkpoint, isWellSigned, signCheckpoint } from './checkpoint.ts';
import { findNewestCheckpoint, insertCheckpoint, type StoredCheckpoint } from './checkpoint-store.ts';
import { eventDigest } from './event-digest.ts';
import { GrowingTree, type HashedNode, leafHash, rootOf } from './merkle-tree.ts';
import type { SigningKey } from './signing-key.ts';
import { KEPT_LEVEL, keepNodes, type TreeName } from './tree-store.ts';

/** Rows at once: some 2 MB of entries with their postings, or of events. */
const PAGE = 1_000;

/** What is there is not what was booked: nothing is signed. The message says where; `npm run verify` says more. */
export class JournalDoesNotVerify extends Error {
  override name = 'JournalDoesNotVerify';
}

export interface CheckpointContext {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly key: SigningKey;
  /** Called for every page: entries and events gone through, and how many there are. */
  readonly onProgress?: (progress: { done: bigint; total: bigint }) => void;
  /** Gives up between two pages. */
  readonly signal?: AbortSignal;
}

export interface MadeCheckpoint {
  readonly checkpoint: Checkpoint;
  /** False when the book has not gone on since, or another process was first. */
  readonly made: boolean;
}

/** The book's newest checkpoint, made now if there is something new. Undefined when nothing was ever booked. */
export async function makeCheckpoint(context: CheckpointContext, bookId: BookId): Promise<MadeCheckpoint | undefined> {
  const { pool, clock, key } = context;
  // One version of the book's row: what it names is committed, and is the journal's beginning ever after.
  const book = await loadBook(pool, bookId);
  if (!book) throw new RangeError(`There is no book ${publicId('book', bookId)}`);
  const last = await findNewestCheckpoint(pool, bookId);
  if (last) checkContinues(book, last);
  const covered = last ? last.treeSize + last.eventTreeSize : 0n;
  const total = book.entrySequence + book.eventSequence - covered;
  if (total === 0n) return last && { checkpoint: last, made: false };

  let done = 0n;
  const advance = (rows: number) => {
    context.signal?.throwIfAborted();
    done += BigInt(rows);
    context.onProgress?.({ done, total });
  };
  const { tree, chainHash } = await growEntries(pool, book, last, advance);
  const eventTree = await growEvents(pool, book, last, advance);
  const unsigned = {
    bookId,
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
  return { checkpoint: (await findNewestCheckpoint(pool, bookId))!, made: false };
}

/** A new checkpoint vouches for the one that it goes on from. */
function checkContinues(book: Book, last: StoredCheckpoint): void {
  const name = publicId('checkpoint', last.id);
  const peaksHold = rootOf(last.peaks).equals(last.rootHash) && rootOf(last.eventPeaks).equals(last.eventRootHash);
  if (!isWellSigned(last) || !peaksHold) throw new JournalDoesNotVerify(`Checkpoint ${name} is not as it was signed`);
  if (book.entrySequence >= last.treeSize && book.eventSequence >= last.eventTreeSize) return;
  throw new JournalDoesNotVerify(
    `Checkpoint ${name} covers ${last.treeSize} entries and ${last.eventTreeSize} events; the book has ${book.entrySequence} and ${book.eventSequence}`,
  );
}

async function growEntries(
  pool: Pool,
  book: Book,
  last: StoredCheckpoint | undefined,
  advance: (rows: number) => void,
): Promise<{ tree: GrowingTree; chainHash: string }> {
  let chainHash = last?.chainHash.toString('hex') ?? GENESIS_HASH;
  const tree = await grow<ReadEntry>(pool, book.id, {
    name: 'entries',
    tree: new GrowingTree(last?.treeSize, last?.peaks),
    upTo: book.entrySequence,
    read: readEntries,
    leaf(entry) {
      const hash = entryHash(book.id, chainHash, entry);
      if (hash !== entry.hash) {
        throw new JournalDoesNotVerify(`Entry ${entry.sequence} is not what its hash says, or its predecessor is not`);
      }
      chainHash = hash;
      return leafHash(Buffer.from(hash, 'hex'));
    },
    advance,
  });
  if (chainHash === book.chainHash) return { tree, chainHash };
  throw new JournalDoesNotVerify(`The book's row names another hash than entry ${book.entrySequence}, its last, has`);
}

function growEvents(
  pool: Pool,
  book: Book,
  last: StoredCheckpoint | undefined,
  advance: (rows: number) => void,
): Promise<GrowingTree> {
  return grow<LedgerEvent>(pool, book.id, {
    name: 'events',
    tree: new GrowingTree(last?.eventTreeSize, last?.eventPeaks),
    upTo: book.eventSequence,
    read: readEvents,
    leaf: (event) => leafHash(eventDigest(book.id, event)),
    advance,
  });
}

/** Numbers without a gap, to the last one that the book knows of. */
async function grow<Row extends { sequence: bigint }>(
  pool: Pool,
  bookId: BookId,
  log: {
    name: TreeName;
    tree: GrowingTree;
    upTo: bigint;
    read: (pool: Pool, bookId: BookId, page: { after: bigint; upTo: bigint; limit: number }) => Promise<Row[]>;
    leaf: (row: Row) => Buffer;
    advance: (rows: number) => void;
  },
): Promise<GrowingTree> {
  const { name, tree, upTo } = log;
  while (tree.size < upTo) {
    const rows = await log.read(pool, bookId, { after: tree.size, upTo, limit: PAGE });
    const nodes: HashedNode[] = [];
    for (const row of rows) {
      if (row.sequence !== tree.size + 1n) throw missing(name, tree.size + 1n);
      tree.append(log.leaf(row), (node) => node.level >= KEPT_LEVEL && nodes.push(node));
    }
    if (rows.length === 0) throw missing(name, tree.size + 1n);
    await keepNodes(pool, bookId, { tree: name, nodes });
    log.advance(rows.length);
  }
  return tree;
}

function missing(name: TreeName, sequence: bigint): JournalDoesNotVerify {
  return new JournalDoesNotVerify(`Number ${sequence} of the ${name} is missing`);
}
