/**
 * Blocks of entries whose sums are kept. Block b of a level has the entries behind b × its size, up to (b + 1) × its size.
 * Next: folded-store.ts (what reads their rows), folded-accounts.ts. The group of reports folds them.
 */

/** Of level 0: entries. */
export const BLOCK_ENTRIES = 10_000n;
/** Blocks of one level in one of the next. */
export const BLOCKS_TOGETHER = 10n;
/** Up to blocks of a hundred million entries. */
export const LEVELS = 5;

export interface Block {
  readonly level: number;
  readonly block: bigint;
}

export function sizeOf(level: number): bigint {
  return BLOCK_ENTRIES * BLOCKS_TOGETHER ** BigInt(level);
}

/**
 * The fewest blocks that have the entries up to one, and the last entry that is in them. `folded`: how many blocks of each level there are.
 */
export function coverOf(
  through: bigint,
  folded: readonly bigint[],
): { readonly blocks: Block[]; readonly upTo: bigint } {
  const blocks: Block[] = [];
  let upTo = 0n;
  for (let level = folded.length - 1; level >= 0; level--) {
    const size = sizeOf(level);
    for (let block = upTo / size; block < folded[level]! && (block + 1n) * size <= through; block++) {
      blocks.push({ level, block });
      upTo = (block + 1n) * size;
    }
  }
  return { blocks, upTo };
}

/** The next block that can be folded: its entries, or the ten blocks below it, are there. */
export function nextBlock(head: bigint, folded: readonly bigint[]): Block | undefined {
  for (let level = LEVELS - 1; level > 0; level--) {
    const block = folded[level] ?? 0n;
    if ((folded[level - 1] ?? 0n) >= (block + 1n) * BLOCKS_TOGETHER) return { level, block };
  }
  const block = folded[0] ?? 0n;
  return head >= (block + 1n) * BLOCK_ENTRIES ? { level: 0, block } : undefined;
}
