/**
 * Reads a book's entries and events in order and grows their trees, from a checkpoint or from the first leaf. Every
 * entry is checked against its hash and its predecessor, every subtree against the stored one. Trees grown from the
 * first leaf are also checked against every checkpoint that one of our keys signed.
 */
import type { Book } from '../ledger/book/book.ts';
import { loadBook } from '../ledger/book/book-store.ts';
import { entryHash, GENESIS_HASH } from '../ledger/entry/entry-hash.ts';
import type { LedgerEvent } from '../ledger/events/event.ts';
import { readEvents } from '../ledger/events/event-read-store.ts';
import { type ReadEntry, readEntries } from '../ledger/journal/journal-read-store.ts';
import { type CheckpointContext, JournalDoesNotVerify } from './checkpoint-context.ts';
import type { StoredCheckpoint } from './checkpoint-store.ts';
import { eventDigest } from './event-digest.ts';
import { GrowingTree, type HashedNode, leafHash } from './merkle-tree.ts';
import { SignedBefore } from './signed-before.ts';
import { KEPT_LEVEL, keepNodes, type TreeName } from './tree-store.ts';

/** Rows per page: about 2 MB of entries with their postings, or of events. */
const PAGE = 1_000;

export interface Growth {
  readonly book: Book;
  /** The checkpoint from which the trees continue. Undefined: from the first leaf. */
  readonly from: StoredCheckpoint | undefined;
  /** Awaited after every page. */
  readonly progress: (rows: number) => Promise<void>;
}

/** Throws JournalDoesNotVerify or TreeContradicted. */
export async function growEntries(
  context: CheckpointContext,
  growth: Growth,
): Promise<{ tree: GrowingTree; chainHash: string }> {
  const { book, from } = growth;
  let chainHash = from?.chainHash.toString('hex') ?? GENESIS_HASH;
  const tree = await grow<ReadEntry>(context, growth, {
    name: 'entries',
    tree: new GrowingTree(from?.treeSize, from?.peaks),
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
    sizeOf: ({ treeSize }) => treeSize,
    agrees: (signed, root) => signed.rootHash.equals(root) && signed.chainHash.toString('hex') === chainHash,
    head: async () => (await loadBook(context.pool, book.id))?.entrySequence ?? 0n,
  });
  if (chainHash === book.chainHash) return { tree, chainHash };
  throw new JournalDoesNotVerify(`The book's row names another hash than entry ${book.entrySequence}, its last, has`);
}

/** Throws JournalDoesNotVerify or TreeContradicted. */
export function growEvents(context: CheckpointContext, growth: Growth): Promise<GrowingTree> {
  const { book, from } = growth;
  return grow<LedgerEvent>(context, growth, {
    name: 'events',
    tree: new GrowingTree(from?.eventTreeSize, from?.eventPeaks),
    upTo: book.eventSequence,
    read: readEvents,
    leaf: (event) => leafHash(eventDigest(book.id, event)),
    sizeOf: ({ eventTreeSize }) => eventTreeSize,
    agrees: (signed, root) => signed.eventRootHash.equals(root),
    head: async () => (await loadBook(context.pool, book.id))?.eventSequence ?? 0n,
  });
}

interface Rows<Row> {
  readonly name: TreeName;
  readonly tree: GrowingTree;
  readonly upTo: bigint;
  readonly read: (
    pool: CheckpointContext['pool'],
    bookId: Book['id'],
    page: { after: bigint; upTo: bigint; limit: number },
  ) => Promise<Row[]>;
  readonly leaf: (row: Row) => Buffer;
  /** The size of this tree in a checkpoint. */
  readonly sizeOf: (signed: StoredCheckpoint) => bigint;
  readonly agrees: (signed: StoredCheckpoint, root: Buffer) => boolean;
  /** The book's current number of rows. */
  readonly head: () => Promise<bigint>;
}

/** Grows one tree to the book's last known row. Throws JournalDoesNotVerify for a gap in the sequence numbers. */
async function grow<Row extends { sequence: bigint }>(
  context: CheckpointContext,
  { book, from, progress }: Growth,
  rowsOf: Rows<Row>,
): Promise<GrowingTree> {
  const { pool } = context;
  const { name, tree, upTo } = rowsOf;
  const signed = from ? undefined : new SignedBefore(context, { ...rowsOf, bookId: book.id });
  await signed?.begin();
  while (tree.size < upTo) {
    const rows = await rowsOf.read(pool, book.id, { after: tree.size, upTo, limit: PAGE });
    const nodes: HashedNode[] = [];
    for (const row of rows) {
      if (row.sequence !== tree.size + 1n) throw missing(name, tree.size + 1n);
      tree.append(rowsOf.leaf(row), (node) => node.level >= KEPT_LEVEL && nodes.push(node));
      if (signed?.isReached()) await signed.compare();
    }
    if (rows.length === 0) throw missing(name, tree.size + 1n);
    await keepNodes(pool, book.id, { tree: name, nodes });
    await progress(rows.length);
  }
  await signed?.end();
  return tree;
}

function missing(name: TreeName, sequence: bigint): JournalDoesNotVerify {
  return new JournalDoesNotVerify(`Number ${sequence} of the ${name} is missing`);
}
