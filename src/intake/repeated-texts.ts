/**
 * Finds texts that stand in a file twice, of which there may be millions: eight bytes a text are kept. Texts with the same eight bytes are
 * suspected of being the same; whether they are is seen by reading the file again, which happens for a file that is refused alone.
 */
import { hash } from 'node:crypto';

/** Of one array: it grows by one array at a time, so that nothing is copied while the file is read. */
const PER_ARRAY = 65_536;
/** One that is the same is enough to refuse a file. */
const SUSPECTS_MAX = 1_000;

export class RepeatedTexts {
  readonly #arrays: BigUint64Array[] = [];
  #count = 0;

  add(text: string): void {
    const place = this.#count % PER_ARRAY;
    if (place === 0) this.#arrays.push(new BigUint64Array(PER_ARRAY));
    this.#arrays.at(-1)![place] = digestOf(text);
    this.#count += 1;
  }

  /** A test whether a text may have been added twice; undefined where no text was. Forgets what was added. */
  suspects(): ((text: string) => boolean) | undefined {
    const all = new BigUint64Array(this.#count);
    for (let at = 0; at < this.#count; at += PER_ARRAY) {
      const array = this.#arrays.shift()!;
      all.set(array.subarray(0, Math.min(PER_ARRAY, this.#count - at)), at);
    }
    all.sort();
    const found = new Set<bigint>();
    for (let at = 1; at < all.length && found.size < SUSPECTS_MAX; at++)
      if (all[at] === all[at - 1]) found.add(all[at]!);
    return found.size === 0 ? undefined : (text) => found.has(digestOf(text));
  }
}

function digestOf(text: string): bigint {
  return hash('sha1', text, 'buffer').readBigUInt64LE();
}
