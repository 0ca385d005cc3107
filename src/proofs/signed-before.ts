/**
 * The checkpoints of a book that a key of ours signed, each held against a tree that is built from its first leaf as it
 * reaches their size. Those of other keys prove nothing, and are passed over.
 */
import type { BookId } from '../ledger/book.ts';
import { type CheckpointContext, isOurs, nameOf } from './checkpoint-context.ts';
import { readCheckpoints, type StoredCheckpoint } from './checkpoint-store.ts';
import type { GrowingTree } from './merkle-tree.ts';
import { TreeContradicted, type TreeName } from './tree-store.ts';

const CHECKPOINTS_PAGE = 500;

export interface ComparedTree {
  readonly bookId: BookId;
  readonly name: TreeName;
  readonly tree: GrowingTree;
  /** Of this tree, in a checkpoint. */
  readonly sizeOf: (signed: StoredCheckpoint) => bigint;
  /** Whether the checkpoint, whose size the tree has, names this root. */
  readonly agrees: (signed: StoredCheckpoint, root: Buffer) => boolean;
  /** How many rows the book has by now: a checkpoint may be newer than what is read. */
  readonly head: () => Promise<bigint>;
}

/** Every method throws TreeContradicted for the first checkpoint that the tree contradicts. */
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

  /** One that was made just now, of a size that is behind the tree already, is left out. */
  async compare(): Promise<void> {
    const { tree, sizeOf, agrees } = this.#compared;
    for (; this.#next && this.isReached(); await this.#advance())
      if (sizeOf(this.#next) === tree.size && !agrees(this.#next, tree.root)) throw this.#contradicted(this.#next);
  }

  /** What was signed beyond the last row is missing, unless the book has gone on. */
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

/** From the one that covers least on. */
async function* readSigned(context: CheckpointContext, bookId: BookId): AsyncGenerator<StoredCheckpoint, void> {
  for (let after: StoredCheckpoint | undefined; ; ) {
    const page = await readCheckpoints(context.pool, bookId, { after, limit: CHECKPOINTS_PAGE });
    for (const checkpoint of page) if (isOurs(context, checkpoint)) yield checkpoint;
    after = page.at(-1);
    if (page.length < CHECKPOINTS_PAGE) return;
  }
}
