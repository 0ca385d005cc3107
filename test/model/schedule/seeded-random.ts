/** A random source with a seed: the same seed gives the same run. Mulberry32, 32 bits of state. */
export class SeededRandom {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** In [0, 1). */
  readonly next = (): number => {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };

  /** A whole number from 0 to below the limit. */
  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** One item of a list that is not empty. */
  pick<Item>(items: readonly Item[]): Item {
    return items[this.below(items.length)]!;
  }

  /** One item by weight; an item of weight 0 is never picked. */
  weighted<Item>(items: readonly { readonly weight: number; readonly item: Item }[]): Item {
    let at = this.next() * items.reduce((total, { weight }) => total + weight, 0);
    for (const { weight, item } of items) {
      at -= weight;
      if (at < 0) return item;
    }
    return items.at(-1)!.item;
  }
}
