/**
 * Rebuilds one tree of a book from its rows. Compares the tree with every checkpoint when it reaches the checkpoint's
 * size, and with the subtrees kept for proofs. The change lies between the last checkpoint that agrees and the first
 * that does not.
 */

import type { CheckContext } from '../group/check-context.ts';
import type { CheckpointView } from '../proofs/checkpoint.ts';
import { describeCheckpoint } from '../proofs/judge-proof.ts';
import { GrowingTree, type HashedNode } from '../proofs/merkle-tree.ts';
import { KEPT_LEVEL, loadKeptNodes, nodeKey, type TreeName } from '../proofs/tree-store.ts';

export interface TreeOptions {
  readonly name: TreeName;
  /** Sequence of the last row to read. */
  readonly upTo: bigint;
  /** Size of the newest checkpoint. Subtrees are kept up to there. */
  readonly covered: bigint;
  /** Checkpoints in the order of their sizes. */
  readonly marks: AsyncGenerator<CheckpointView, void>;
  readonly sizeOf: (mark: CheckpointView) => number;
  /** Whether the checkpoint, whose size the tree has reached, names this root. */
  readonly agrees: (mark: CheckpointView, root: Buffer) => boolean;
}

export class TreeAgain {
  readonly #context: CheckContext;
  readonly #options: TreeOptions;
  readonly #tree = new GrowingTree();
  #mark: CheckpointView | undefined;
  #agreed = 0n;
  #contradicted = false;
  #gap = false;

  constructor(context: CheckContext, options: TreeOptions) {
    this.#context = context;
    this.#options = options;
  }

  async begin(): Promise<void> {
    await this.#nextMark();
    await this.#look();
  }

  /** Appends rows in their order. The tree ends at a gap, which other checks report. */
  async take<Row extends { sequence: bigint }>(rows: readonly Row[], leaf: (row: Row) => Buffer): Promise<void> {
    const nodes: HashedNode[] = [];
    for (const row of rows) {
      this.#gap ||= row.sequence !== this.#tree.size + 1n;
      if (this.#gap) break;
      this.#tree.append(leaf(row), (node) => node.level >= KEPT_LEVEL && nodes.push(node));
      if (this.#isReached()) await this.#look();
    }
    await this.#checkNodes(nodes);
  }

  /** `head` reads the book's current length: a checkpoint may have been made since the bound was read. */
  async end(head: () => Promise<bigint>): Promise<void> {
    this.#gap ||= this.#tree.size < this.#options.upTo;
    for (; this.#mark && !this.#contradicted; await this.#nextMark()) {
      const size = BigInt(this.#options.sizeOf(this.#mark));
      if (!this.#gap && size <= (await head())) continue;
      this.#contradict(this.#mark, `${this.#tree.size}${this.#gap ? ', then a gap' : ''}`);
    }
    await this.#options.marks.return();
  }

  #isReached(): boolean {
    return this.#mark !== undefined && BigInt(this.#options.sizeOf(this.#mark)) <= this.#tree.size;
  }

  /** A checkpoint made just now, of a size that the tree has passed already, is left for the next run. */
  async #look(): Promise<void> {
    for (; this.#mark && this.#isReached(); await this.#nextMark()) {
      if (BigInt(this.#options.sizeOf(this.#mark)) < this.#tree.size) continue;
      if (this.#options.agrees(this.#mark, this.#tree.root)) this.#agreed = this.#tree.size;
      else this.#contradict(this.#mark, 'others');
    }
  }

  async #nextMark(): Promise<void> {
    const { value } = await this.#options.marks.next();
    this.#mark = value ?? undefined;
  }

  /** Reports once: every later checkpoint covers the same rows. */
  #contradict(mark: CheckpointView, actual: string): void {
    const { name, sizeOf } = this.#options;
    if (this.#contradicted) return;
    this.#contradicted = true;
    this.#context.report({
      check: name === 'entries' ? 'checkpoint.entries' : 'checkpoint.events',
      ids: { checkpoint: mark.id },
      expected: `the ${sizeOf(mark)} ${name} that were signed`,
      actual,
      detail: `${describeCheckpoint(mark)} is contradicted: of ${name} ${this.#agreed + 1n} to ${sizeOf(mark)}, one was changed, taken away or put in.`,
    });
  }

  async #checkNodes(nodes: readonly HashedNode[]): Promise<void> {
    if (nodes.length === 0 || this.#contradicted) return;
    const { pool, book, report } = this.#context;
    const { name, covered } = this.#options;
    const kept = await loadKeptNodes(pool, book.id, { tree: name, nodes });
    for (const node of nodes) {
      const actual = kept.get(nodeKey(node));
      const end = (node.position + 1n) << BigInt(node.level);
      if (actual ? actual.equals(node.hash) : end > covered) continue;
      report({
        check: 'checkpoint.nodes',
        ids: { node: `${name} ${nodeKey(node)}` },
        expected: node.hash.toString('hex'),
        actual: actual?.toString('hex') ?? 'none',
        detail: `A subtree that is kept for proofs is not that of ${name} ${end - (1n << BigInt(node.level)) + 1n} to ${end}.`,
      });
    }
  }
}
