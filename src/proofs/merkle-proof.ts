/**
 * Audit paths and consistency proofs (RFC 6962, 2.1.1 and 2.1.2). A proof is a list of hashes, each of a stretch of
 * leaves. The path functions compute the stretches and need no hashes. The `proves` functions check a proof as in RFC
 * 9162 (2.1.3.2 and 2.1.4.2) and need no tree.
 */
import { nodeHash, rootOf, type TreeNode } from './merkle-tree.ts';

/**
 * Leaves from `start` up to but not including `end`. `start` is a multiple of the number of leaves rounded up to a
 * power of two, as trees are split.
 */
export interface Stretch {
  readonly start: bigint;
  readonly end: bigint;
}

/** The stretches whose hashes lead from a leaf (counted from 0) to the root of a tree of this size, nearest first. */
export function inclusionPath(index: bigint, size: bigint): Stretch[] {
  if (index < 0n || index >= size) throw new RangeError(`A tree of ${size} leaves has no leaf ${index}`);
  const path: Stretch[] = [];
  let [start, end] = [0n, size];
  while (end - start > 1n) {
    const middle = start + largestPowerBelow(end - start);
    if (index < middle) {
      path.push({ start: middle, end });
      end = middle;
    } else {
      path.push({ start, end: middle });
      start = middle;
    }
  }
  return path.reverse();
}

/** The stretches whose hashes show that a tree of `second` leaves begins with a tree of `first` leaves. */
export function consistencyPath(first: bigint, second: bigint): Stretch[] {
  if (first < 0n || first > second) throw new RangeError(`A tree of ${second} leaves does not begin with ${first}`);
  // Every tree begins with the empty tree.
  if (first === 0n) return [];
  const path: Stretch[] = [];
  let [start, end] = [0n, second];
  while (end > first) {
    const middle = start + largestPowerBelow(end - start);
    if (first <= middle) {
      path.push({ start: middle, end });
      end = middle;
    } else {
      path.push({ start, end: middle });
      start = middle;
    }
  }
  // If `start` is 0, the stretch is the whole first tree, and the verifier knows its root.
  if (start > 0n) path.push({ start, end });
  return path.reverse();
}

/** The perfect subtrees of a stretch, largest first. */
export function nodesOf({ start, end }: Stretch): TreeNode[] {
  const nodes: TreeNode[] = [];
  for (let at = start; at < end; ) {
    let level = 0;
    while ((end - at) >> BigInt(level + 1) > 0n) level++;
    nodes.push({ level, position: at >> BigInt(level) });
    at += 1n << BigInt(level);
  }
  return nodes;
}

export function stretchHash(stretch: Stretch, hashOf: (node: TreeNode) => Buffer): Buffer {
  return rootOf(nodesOf(stretch).map(hashOf));
}

/** Whether the path leads from the leaf to the root. */
export function provesInclusion(proof: {
  leaf: Buffer;
  index: bigint;
  size: bigint;
  path: readonly Buffer[];
  root: Buffer;
}): boolean {
  if (proof.index < 0n || proof.index >= proof.size) return false;
  let [at, last, hash] = [proof.index, proof.size - 1n, proof.leaf];
  for (const step of proof.path) {
    if (last === 0n) return false;
    if (at & 1n || at === last) {
      hash = nodeHash(step, hash);
      while (!(at & 1n) && at !== 0n) [at, last] = [at >> 1n, last >> 1n];
    } else {
      hash = nodeHash(hash, step);
    }
    [at, last] = [at >> 1n, last >> 1n];
  }
  return last === 0n && hash.equals(proof.root);
}

/** Whether the path shows that the second tree begins with the first. */
export function provesConsistency(proof: {
  firstSize: bigint;
  firstRoot: Buffer;
  secondSize: bigint;
  secondRoot: Buffer;
  path: readonly Buffer[];
}): boolean {
  const { firstSize, firstRoot, secondSize, secondRoot } = proof;
  if (firstSize > secondSize || firstSize < 0n) return false;
  if (firstSize === secondSize) return proof.path.length === 0 && firstRoot.equals(secondRoot);
  if (firstSize === 0n) return proof.path.length === 0 && firstRoot.equals(rootOf([]));
  const isSubtree = (firstSize & (firstSize - 1n)) === 0n;
  const [begin, ...rest] = isSubtree ? [firstRoot, ...proof.path] : proof.path;
  if (begin === undefined || rest.length === 0) return false;
  let [at, last] = [firstSize - 1n, secondSize - 1n];
  while (at & 1n) [at, last] = [at >> 1n, last >> 1n];
  let [ofFirst, ofSecond] = [begin, begin];
  for (const step of rest) {
    if (last === 0n) return false;
    if (at & 1n || at === last) {
      ofFirst = nodeHash(step, ofFirst);
      ofSecond = nodeHash(step, ofSecond);
      while (!(at & 1n) && at !== 0n) [at, last] = [at >> 1n, last >> 1n];
    } else {
      ofSecond = nodeHash(ofSecond, step);
    }
    [at, last] = [at >> 1n, last >> 1n];
  }
  return last === 0n && ofFirst.equals(firstRoot) && ofSecond.equals(secondRoot);
}

/** The split point of a tree: the largest power of two smaller than its size. The size is at least 2. */
function largestPowerBelow(size: bigint): bigint {
  let power = 1n;
  while (power << 1n < size) power <<= 1n;
  return power;
}
