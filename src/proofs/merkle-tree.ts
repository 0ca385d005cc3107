/**
 * The Merkle tree of RFC 6962 (section 2.1) over a list that only grows: one root names the whole list, and every shorter
 * one is a part of it. Whoever builds it keeps no more than the roots of its perfect subtrees: at most one for each
 * power of two, however long the list is.
 * Next: merkle-proof.ts (that a leaf is in it, that one tree continues another).
 */
import { createHash } from 'node:crypto';

/** A leaf and a node are hashed apart, so that none can be shown as the other (RFC 6962, 2.1). */
const LEAF = Buffer.of(0);
const NODE = Buffer.of(1);

/** The root of no leaves at all: the hash of nothing. */
export const EMPTY_ROOT = createHash('sha256').digest();

export function leafHash(data: Buffer): Buffer {
  return createHash('sha256').update(LEAF).update(data).digest();
}

export function nodeHash(left: Buffer, right: Buffer): Buffer {
  return createHash('sha256').update(NODE).update(left).update(right).digest();
}

/** A perfect subtree: 2^level leaves, of which `position` others of its size stand to the left. */
export interface TreeNode {
  readonly level: number;
  readonly position: bigint;
}

export interface HashedNode extends TreeNode {
  readonly hash: Buffer;
}

/** The root over perfect subtrees that stand side by side, from the largest to the smallest. */
export function rootOf(peaks: readonly Buffer[]): Buffer {
  let root = peaks.at(-1);
  if (root === undefined) return EMPTY_ROOT;
  for (let at = peaks.length - 2; at >= 0; at--) root = nodeHash(peaks[at]!, root);
  return root;
}

/** How many perfect subtrees a tree of this size is made of: one for each bit of it. */
export function peakCount(size: bigint): number {
  let count = 0;
  for (let rest = size; rest > 0n; rest >>= 1n) if (rest & 1n) count++;
  return count;
}

/** A tree that grows at its right edge. */
export class GrowingTree {
  readonly #peaks: Buffer[];
  #size: bigint;

  /** Begins with nothing, or goes on where another left off. Throws RangeError for peaks that no tree of this size has. */
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

  /** Takes one more leaf, by its hash, and hands over every perfect subtree that it completes, itself the first. */
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
