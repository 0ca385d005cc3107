/**
 * Hashes of a book's two trees. Perfect subtrees of 256 leaves and more are stored as rows; smaller ones are computed
 * from the journal, whose rows are the leaves.
 */
import { byteaArray, column, plainArray } from '../db/columns.ts';
import type { Queryable } from '../db/pool.ts';
import type { BookId } from '../ledger/book/book.ts';
import { readEvents } from '../ledger/events/event-read-store.ts';
import { eventDigest } from './event-digest.ts';
import { GrowingTree, type HashedNode, leafHash, type TreeNode } from './merkle-tree.ts';

export type TreeName = 'entries' | 'events';

/**
 * Subtrees are stored from this level on. A lower level would mean rows for every few entries; with a higher one a
 * proof would read more of the journal. A block of 256 leaves is one short range of a primary key.
 */
export const KEPT_LEVEL = 8;
const BLOCK = 1n << BigInt(KEPT_LEVEL);

/** A stored subtree differs from the one computed from the journal: one of the two was changed. */
export class TreeContradicted extends Error {
  override name = 'TreeContradicted';
}

/** Stores subtrees of level 8 and up. Throws TreeContradicted if a different subtree is stored already. */
export async function keepNodes(
  db: Queryable,
  bookId: BookId,
  { tree, nodes }: { tree: TreeName; nodes: readonly HashedNode[] },
): Promise<void> {
  if (nodes.length === 0) return;
  const { rowCount } = await db.query({
    name: 'tree_nodes.append',
    text: `INSERT INTO tree_nodes (book_id, tree, level, position, hash)
      SELECT $1, $2, * FROM unnest($3::smallint[], $4::bigint[], $5::bytea[])
      ON CONFLICT (book_id, tree, level, position) DO NOTHING`,
    values: [
      bookId,
      tree,
      plainArray(column(nodes, ({ level }) => level)),
      plainArray(column(nodes, ({ position }) => position)),
      byteaArray(column(nodes, ({ hash }) => hash)),
    ],
  });
  if (rowCount === nodes.length) return;
  const kept = await loadKeptNodes(db, bookId, { tree, nodes });
  const other = nodes.find((node) => !kept.get(nodeKey(node))?.equals(node.hash));
  if (other) throw new TreeContradicted(`The ${tree} below node ${nodeKey(other)} of the tree were others before`);
}

/**
 * Loads stored subtrees by their key, and leaves out those that are absent. Index: tree_nodes_pkey, once for each.
 * LIMIT keeps a plan made on an empty table from reading the whole tree for a join.
 */
export async function loadKeptNodes(
  db: Queryable,
  bookId: BookId,
  { tree, nodes }: { tree: TreeName; nodes: readonly TreeNode[] },
): Promise<Map<string, Buffer>> {
  const { rows } = await db.query<{ level: number; position: bigint; hash: Buffer }>({
    name: 'tree_nodes.load',
    text: `SELECT v.level, v.position, n.hash FROM unnest($3::smallint[], $4::bigint[]) AS v (level, position)
      CROSS JOIN LATERAL (
        SELECT hash FROM tree_nodes WHERE book_id = $1 AND tree = $2 AND level = v.level AND position = v.position LIMIT 1
      ) n`,
    values: [
      bookId,
      tree,
      plainArray(column(nodes, ({ level }) => level)),
      plainArray(column(nodes, ({ position }) => position)),
    ],
  });
  return new Map(rows.map((row) => [nodeKey(row), row.hash]));
}

/**
 * The hashes of any subtrees of a tree of this size. Large subtrees are stored; small ones are computed from their
 * blocks of leaves, which are few for any proof. The returned function throws TreeContradicted for a missing hash.
 */
export async function loadNodes(
  db: Queryable,
  bookId: BookId,
  { tree, size, nodes }: { tree: TreeName; size: bigint; nodes: readonly TreeNode[] },
): Promise<(node: TreeNode) => Buffer> {
  const large = nodes.filter(({ level }) => level >= KEPT_LEVEL);
  const hashes =
    large.length === 0 ? new Map<string, Buffer>() : await loadKeptNodes(db, bookId, { tree, nodes: large });
  const small = nodes.filter(({ level }) => level < KEPT_LEVEL);
  const blocks = new Set(small.map(({ level, position }) => (position << BigInt(level)) / BLOCK));
  for (const block of blocks) {
    const start = block * BLOCK;
    const end = start + BLOCK < size ? start + BLOCK : size;
    const growing = new GrowingTree();
    // A block begins at a multiple of its size, so its subtrees are subtrees of the tree.
    const keep = ({ level, position, hash }: HashedNode) =>
      hashes.set(nodeKey({ level, position: position + (start >> BigInt(level)) }), hash);
    for (const leaf of await LEAVES[tree](db, bookId, { start, end })) growing.append(leaf, keep);
  }
  return (node) => {
    const hash = hashes.get(nodeKey(node));
    if (!hash) throw new TreeContradicted(`Node ${nodeKey(node)} of the tree of ${tree} is not there`);
    return hash;
  };
}

type ReadLeaves = (db: Queryable, bookId: BookId, range: { start: bigint; end: bigint }) => Promise<Buffer[]>;

const LEAVES: Record<TreeName, ReadLeaves> = {
  /** Index: entries_pkey. */
  async entries(db, bookId, { start, end }) {
    const { rows } = await db.query<{ hash: Buffer }>({
      name: 'tree.entry_leaves',
      text: 'SELECT hash FROM entries WHERE book_id = $1 AND sequence > $2 AND sequence <= $3 ORDER BY sequence',
      values: [bookId, start, end],
    });
    return rows.map(({ hash }) => leafHash(hash));
  },
  async events(db, bookId, { start, end }) {
    const events = await readEvents(db, bookId, { after: start, upTo: end, limit: Number(BLOCK) });
    return events.map((event) => leafHash(eventDigest(bookId, event)));
  },
};

/** `level/position`. */
export function nodeKey({ level, position }: TreeNode): string {
  return `${level}/${position}`;
}
