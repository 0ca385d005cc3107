/** Blocks of entries: which are folded next, and which cover the entries up to one. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Block, coverOf, LEVELS, nextBlock, sizeOf } from '../../../src/ledger/balances/totals/blocks.ts';

/** As a fold leaves it that went so many blocks far. */
function foldedAfter(head: bigint, most = Number.POSITIVE_INFINITY): { folded: bigint[]; added: Block[] } {
  const folded = Array.from({ length: LEVELS }, () => 0n);
  const added: Block[] = [];
  while (added.length < most) {
    const block = nextBlock(head, folded);
    if (block === undefined) break;
    expect(block.block).toBe(folded[block.level]);
    folded[block.level]!++;
    added.push(block);
  }
  return { folded, added };
}

test('each block is folded once all that is in it is there, larger ones at once', () => {
  const { folded, added } = foldedAfter(1_234_567n);
  expect(folded).toEqual([123n, 12n, 1n, 0n, 0n]);
  expect(added.slice(9, 12)).toEqual([
    { level: 0, block: 9n },
    { level: 1, block: 0n },
    { level: 0, block: 10n },
  ]);
  expect(foldedAfter(9_999n).added).toEqual([]);
});

test('few blocks cover the entries up to any one, each entry once, wherever a fold stands', () => {
  fc.assert(
    fc.property(
      fc.record({
        head: fc.bigInt(0n, 3_000_000n),
        part: fc.double({ min: 0, max: 1, noNaN: true }),
        steps: fc.nat(400),
      }),
      ({ head, part, steps }) => {
        const { folded } = foldedAfter(head, steps);
        const through = BigInt(Math.floor(Number(head) * part));
        const { blocks, upTo } = coverOf(through, folded);
        let reached = 0n;
        for (const { level, block } of blocks) {
          expect(block * sizeOf(level)).toBe(reached);
          expect(block).toBeLessThan(folded[level]!);
          reached += sizeOf(level);
        }
        expect(upTo).toBe(reached);
        expect(upTo).toBeLessThanOrEqual(through);
        const whole = through / sizeOf(0);
        expect(upTo / sizeOf(0)).toBe(whole < folded[0]! ? whole : folded[0]);
        expect(blocks.length).toBeLessThanOrEqual(9 * LEVELS);
      },
    ),
  );
});
