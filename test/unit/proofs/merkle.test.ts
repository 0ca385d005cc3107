/** The tree against the definitions of RFC 6962, implemented naively, and against published test vectors. */
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  consistencyPath,
  inclusionPath,
  provesConsistency,
  provesInclusion,
  type Stretch,
  stretchHash,
} from '../../../src/proofs/merkle-proof.ts';
import { EMPTY_ROOT, GrowingTree, type HashedNode, leafHash, nodeHash } from '../../../src/proofs/merkle-tree.ts';

const hex = (text: string) => Buffer.from(text, 'hex');

/** The eight leaves of Certificate Transparency's reference implementation. */
const LEAVES = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657', '606162636465666768696a6b6c6d6e6f'].map(
  (data) => leafHash(hex(data)),
);

/** The roots of the first one, two, … leaves. */
const ROOTS = [
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
];

/** MTH as defined in RFC 6962. */
function naiveRoot(leaves: readonly Buffer[]): Buffer {
  if (leaves.length === 0) return createHash('sha256').digest();
  if (leaves.length === 1) return leaves[0]!;
  let cut = 1;
  while (cut * 2 < leaves.length) cut *= 2;
  return nodeHash(naiveRoot(leaves.slice(0, cut)), naiveRoot(leaves.slice(cut)));
}

/** PATH as defined in RFC 6962. */
function naivePath(index: number, leaves: readonly Buffer[]): Buffer[] {
  if (leaves.length <= 1) return [];
  let cut = 1;
  while (cut * 2 < leaves.length) cut *= 2;
  const [left, right] = [leaves.slice(0, cut), leaves.slice(cut)];
  return index < cut
    ? [...naivePath(index, left), naiveRoot(right)]
    : [...naivePath(index - cut, right), naiveRoot(left)];
}

/** SUBPROOF as defined in RFC 6962. */
function naiveProof(first: number, leaves: readonly Buffer[], whole = true): Buffer[] {
  if (first === leaves.length) return whole ? [] : [naiveRoot(leaves)];
  let cut = 1;
  while (cut * 2 < leaves.length) cut *= 2;
  const [left, right] = [leaves.slice(0, cut), leaves.slice(cut)];
  return first <= cut
    ? [...naiveProof(first, left, whole), naiveRoot(right)]
    : [...naiveProof(first - cut, right, false), naiveRoot(left)];
}

function grown(leaves: readonly Buffer[]): { tree: GrowingTree; hashesOf: (path: readonly Stretch[]) => Buffer[] } {
  const tree = new GrowingTree();
  const nodes = new Map<string, HashedNode>();
  for (const leaf of leaves) tree.append(leaf, (node) => nodes.set(`${node.level} ${node.position}`, node));
  const hashesOf = (path: readonly Stretch[]) =>
    path.map((stretch) => stretchHash(stretch, ({ level, position }) => nodes.get(`${level} ${position}`)!.hash));
  return { tree, hashesOf };
}

const made = (count: number) => Array.from({ length: count }, (_, at) => leafHash(Buffer.from(`leaf ${at}`)));
const OTHER = leafHash(Buffer.from('another'));

describe('published vectors', () => {
  test('the empty tree has the hash of no data', () => {
    expect(EMPTY_ROOT.toString('hex')).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
    expect(new GrowingTree().root).toEqual(EMPTY_ROOT);
  });

  test.each(ROOTS.map((root, at) => [at + 1, root] as const))('the root of %i leaves', (count, root) => {
    expect(grown(LEAVES.slice(0, count)).tree.root.toString('hex')).toBe(root);
  });

  test.each`
    index | size  | path
    ${0n} | ${1n} | ${[]}
    ${0n} | ${8n} | ${['96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7', '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e', '6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4']}
    ${5n} | ${8n} | ${['bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b', 'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0', 'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7']}
    ${2n} | ${3n} | ${['fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125']}
  `('the path of leaf $index in a tree of $size', ({ index, size, path }) => {
    const { hashesOf } = grown(LEAVES.slice(0, Number(size)));
    expect(hashesOf(inclusionPath(index, size)).map((hash) => hash.toString('hex'))).toEqual(path);
  });

  test.each`
    first | second | path
    ${1n} | ${1n}  | ${[]}
    ${1n} | ${8n}  | ${['96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7', '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e', '6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4']}
    ${6n} | ${8n}  | ${['0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a', 'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0', 'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7']}
  `('a tree of $second continues one of $first', ({ first, second, path }) => {
    const { hashesOf } = grown(LEAVES.slice(0, Number(second)));
    expect(hashesOf(consistencyPath(first, second)).map((hash) => hash.toString('hex'))).toEqual(path);
  });
});

test('every tree of 1 to 200 leaves has the root of the definition', () => {
  const leaves = made(200);
  const tree = new GrowingTree();
  for (const [at, leaf] of leaves.entries()) {
    tree.append(leaf);
    expect(tree.root).toEqual(naiveRoot(leaves.slice(0, at + 1)));
  }
});

const sizes = fc.integer({ min: 1, max: 200 });

test('every path equals that of the definition, and leads to the root', () => {
  fc.assert(
    fc.property(sizes, fc.nat(), (size, seed) => {
      const leaves = made(size);
      const { tree, hashesOf } = grown(leaves);
      const index = seed % size;
      const path = hashesOf(inclusionPath(BigInt(index), BigInt(size)));
      expect(path).toEqual(naivePath(index, leaves));
      const proof = { leaf: leaves[index]!, index: BigInt(index), size: BigInt(size), path, root: tree.root };
      expect(provesInclusion(proof)).toBe(true);
      expect(provesInclusion({ ...proof, leaf: OTHER })).toBe(false);
      expect(provesInclusion({ ...proof, root: OTHER })).toBe(false);
      expect(provesInclusion({ ...proof, path: [...path, OTHER] })).toBe(false);
      expect(provesInclusion({ ...proof, index: BigInt(size) })).toBe(false);
      if (path.length > 0) expect(provesInclusion({ ...proof, path: path.slice(1) })).toBe(false);
      for (let at = 0; at < path.length; at++)
        expect(provesInclusion({ ...proof, path: path.with(at, OTHER) })).toBe(false);
    }),
  );
});

test('a leaf does not verify at another place', () => {
  fc.assert(
    fc.property(sizes, fc.nat(), fc.nat(), (size, one, other) => {
      const [index, elsewhere] = [one % size, other % size];
      fc.pre(index !== elsewhere);
      const leaves = made(size);
      const { tree, hashesOf } = grown(leaves);
      const path = hashesOf(inclusionPath(BigInt(index), BigInt(size)));
      const proof = { leaf: leaves[index]!, index: BigInt(elsewhere), size: BigInt(size), path, root: tree.root };
      expect(provesInclusion(proof)).toBe(false);
    }),
  );
});

test('every consistency proof equals that of the definition, and fails for another list', () => {
  fc.assert(
    fc.property(sizes, fc.nat(), (second, seed) => {
      const first = (seed % second) + 1;
      const leaves = made(second);
      const { tree, hashesOf } = grown(leaves);
      const path = hashesOf(consistencyPath(BigInt(first), BigInt(second)));
      expect(path).toEqual(naiveProof(first, leaves));
      const proof = {
        firstSize: BigInt(first),
        firstRoot: grown(leaves.slice(0, first)).tree.root,
        secondSize: BigInt(second),
        secondRoot: tree.root,
        path,
      };
      expect(provesConsistency(proof)).toBe(true);
      expect(provesConsistency({ ...proof, firstRoot: OTHER })).toBe(false);
      expect(provesConsistency({ ...proof, secondRoot: OTHER })).toBe(false);
      expect(provesConsistency({ ...proof, path: [...path, OTHER] })).toBe(false);
      for (let at = 0; at < path.length; at++)
        expect(provesConsistency({ ...proof, path: path.with(at, OTHER) })).toBe(false);
      // A history that was rewritten below the first root.
      const rewritten = grown(leaves.with(seed % first, OTHER));
      expect(
        provesConsistency({
          ...proof,
          secondRoot: rewritten.tree.root,
          path: rewritten.hashesOf(consistencyPath(BigInt(first), BigInt(second))),
        }),
      ).toBe(false);
    }),
  );
});

test('every tree continues the empty tree, and none a larger one', () => {
  const { tree } = grown(made(5));
  const proof = { firstSize: 0n, firstRoot: EMPTY_ROOT, secondSize: 5n, secondRoot: tree.root, path: [] };
  expect(consistencyPath(0n, 5n)).toEqual([]);
  expect(provesConsistency(proof)).toBe(true);
  expect(provesConsistency({ ...proof, firstRoot: OTHER })).toBe(false);
  expect(provesConsistency({ ...proof, firstSize: 6n })).toBe(false);
  expect(() => consistencyPath(6n, 5n)).toThrow(RangeError);
  expect(() => inclusionPath(5n, 5n)).toThrow(RangeError);
});

test('a tree continues from the peaks of another', () => {
  fc.assert(
    fc.property(sizes, fc.nat(), (size, seed) => {
      const leaves = made(size);
      const before = grown(leaves.slice(0, seed % size)).tree;
      const tree = new GrowingTree(before.size, before.peaks);
      for (const leaf of leaves.slice(seed % size)) tree.append(leaf);
      expect(tree.root).toEqual(grown(leaves).tree.root);
    }),
  );
  expect(() => new GrowingTree(3n, [OTHER])).toThrow(RangeError);
});
