/**
 * Compares a tree that grows from its first leaf with the book's checkpoints, each at its size. Only checkpoints that
 * one of our keys signed are compared; those of other keys prove nothing.
 */

import type { BookId } from '../ledger/book/book.ts';
import { elsewhere } from '../values/progress.ts';
import { type CheckpointContext, isOurs, nameOf } from './checkpoint-context.ts';
import { readCheckpoints, type StoredCheckpoint } from './checkpoint-store.ts';
import type { GrowingTree } from './merkle-tree.ts';
import { TreeContradicted, type TreeName } from './tree-store.ts';

const CHECKPOINTS_PAGE = 500;

export interface ComparedTree {
  readonly bookId: BookId;
  readonly name: TreeName;
  readonly tree: GrowingTree;
  /** The size of this tree in a checkpoint. */
  readonly sizeOf: (signed: StoredCheckpoint) => bigint;
  /** Whether the checkpoint, which has the tree's size, names this root. */
  readonly agrees: (signed: StoredCheckpoint, root: Buffer) => boolean;
  /** The book's current number of rows. A checkpoint may be newer than the rows being read. */
  readonly head: () => Promise<bigint>;
}

/** Every method throws TreeContradicted at the first checkpoint that the tree contradicts. */
export class SignedBefore {
  readonly #compared: ComparedTree;
  readonly #signed: AsyncGenerator<StoredCheckpoint, void>;
  #next: StoredCheckpoint | undefined;

  constructor(context: CheckpointContext, compared: ComparedTree) {
    this.#compared = compared;
    this.#signed = readSigned(context, compared.bookId);
  }

  async begin(): Promise<void> {
    await this.#advance();
    if (this.isReached()) await this.compare();
  }

  isReached(): boolean {
    return this.#next !== undefined && this.#compared.sizeOf(this.#next) <= this.#compared.tree.size;
  }

  /** Skips a checkpoint made meanwhile, if the tree has already passed its size. */
  async compare(): Promise<void> {
    const { tree, sizeOf, agrees } = this.#compared;
    for (; this.#next && this.isReached(); await this.#advance())
      if (sizeOf(this.#next) === tree.size && !agrees(this.#next, tree.root)) throw this.#contradicted(this.#next);
  }

  /** Rows of a checkpoint beyond the tree are missing, unless the book has grown meanwhile. */
  async end(): Promise<void> {
    const { sizeOf, head } = this.#compared;
    for (; this.#next; await this.#advance())
      if (sizeOf(this.#next) > (await head())) throw this.#contradicted(this.#next);
  }

  async #advance(): Promise<void> {
    const { value } = await this.#signed.next();
    this.#next = value ?? undefined;
  }

  #contradicted(signed: StoredCheckpoint): TreeContradicted {
    const { name, sizeOf } = this.#compared;
    return new TreeContradicted(`${nameOf(signed)} signed other ${name} up to number ${sizeOf(signed)}`);
  }
}

/** Our checkpoints, from the one that covers least. */
async function* readSigned(context: CheckpointContext, bookId: BookId): AsyncGenerator<StoredCheckpoint, void> {
  for (let after: StoredCheckpoint | undefined; ; ) {
    const page = await readCheckpoints(context.pool, bookId, { after, limit: CHECKPOINTS_PAGE });
    for (const checkpoint of page) if (isOurs(context, checkpoint)) yield checkpoint;
    if (page.length < CHECKPOINTS_PAGE) return;
    after = elsewhere('checkpoints', after, page.at(-1)!);
  }
}
