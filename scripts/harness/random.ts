/** Random numbers from a seed: where and when a scenario strikes. */
import { createHash } from 'node:crypto';

export interface Random {
  /** A number in [0, 1). */
  fraction(): number;
  /** A whole number from `from` to `to`, both included. */
  between(from: number, to: number): number;
  pick<Item>(items: readonly Item[]): Item;
  shuffled<Item>(items: readonly Item[]): Item[];
}

/** The same parts give the same numbers: a scenario repeated alone strikes where it struck among the others. */
export function createRandom(...parts: readonly (string | number)[]): Random {
  let state = createHash('sha256').update(parts.join(' ')).digest().readUInt32LE(0);
  /**
   * Mulberry32 (T. Ettinger, public domain): 32 bits of state, even enough for choosing. Returns a number in [0, 1).
   */
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const between = (from: number, to: number) => from + Math.floor(next() * (to - from + 1));
  return {
    fraction: next,
    between,
    pick: (items) => items[between(0, items.length - 1)]!,
    shuffled(items) {
      const left = [...items];
      return items.map(() => left.splice(between(0, left.length - 1), 1)[0]!);
    },
  };
}
