/**
 * The Merkle tree of RFC 6962 (section 2.1) over an append-only list. One root stands for the whole list, and every
 * shorter list is a part of the tree. A growing tree keeps only the roots of its perfect subtrees (the peaks): at most
 * one per power of two, however long the list is.
 * Next: merkle-proof.ts (a leaf is in the tree, one tree continues another).
 */
import { createHash } from 'node:crypto';

/** Leaves and nodes are hashed with different prefixes, so that neither can pass as the other (RFC 6962, 2.1). */
const LEAF = Buffer.of(0);
const NODE = Buffer.of(1);

/** The root of an empty tree: the hash of nothing. */
export const EMPTY_ROOT = createHash('sha256').digest();

export function leafHash(data: Buffer): Buffer {
  return createHash('sha256').update(LEAF).update(data).digest();
}

export function nodeHash(left: Buffer, right: Buffer): Buffer {
  return createHash('sha256').update(NODE).update(left).update(right).digest();
}

/** A perfect subtree of 2^level leaves. `position` counts the subtrees of the same size to its left. */
export interface TreeNode {
  readonly level: number;
  readonly position: bigint;
}

export interface HashedNode extends TreeNode {
  readonly hash: Buffer;
}

/** The root over adjacent perfect subtrees, largest first. */
export function rootOf(peaks: readonly Buffer[]): Buffer {
  let root = peaks.at(-1);
  if (root === undefined) return EMPTY_ROOT;
  for (let at = peaks.length - 2; at >= 0; at--) root = nodeHash(peaks[at]!, root);
  return root;
}

/** The number of perfect subtrees in a tree of this size: its number of 1 bits. */
function peakCount(size: bigint): number {
  let count = 0;
  for (let rest = size; rest > 0n; rest >>= 1n) if (rest & 1n) count++;
  return count;
}

/** A tree that grows at its right edge. */
export class GrowingTree {
  readonly #peaks: Buffer[];
  #size: bigint;

  /**
   * Begins empty, or continues a tree from its size and peaks. Throws RangeError if the number of peaks does not fit
   * the size.
   */
  constructor(size = 0n, peaks: readonly Buffer[] = []) {
    if (peaks.length !== peakCount(size)) {
      throw new RangeError(`A tree of ${size} leaves has ${peakCount(size)} peaks, not ${peaks.length}`);
    }
    this.#size = size;
    this.#peaks = [...peaks];
  }

  get size(): bigint {
    return this.#size;
  }

  get peaks(): readonly Buffer[] {
    return this.#peaks;
  }

  get root(): Buffer {
    return rootOf(this.#peaks);
  }

  /** Appends one leaf by its hash. Calls `onNode` for every perfect subtree that the leaf completes, itself first. */
  append(leaf: Buffer, onNode?: (node: HashedNode) => void): void {
    let [hash, level, position] = [leaf, 0, this.#size];
    onNode?.({ level, position, hash });
    for (; position & 1n; position >>= 1n) {
      hash = nodeHash(this.#peaks.pop()!, hash);
      level++;
      onNode?.({ level, position: position >> 1n, hash });
    }
    this.#peaks.push(hash);
    this.#size++;
  }
}
