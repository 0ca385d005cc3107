/** A map of limited size: the least recently used entry is evicted. */
export class BoundedMap<Key, Value> {
  readonly #entries = new Map<Key, Value>();

  constructor(private readonly limit: number) {}

  get size(): number {
    return this.#entries.size;
  }

  /** Counts as a use. */
  get(key: Key): Value | undefined {
    const value = this.#entries.get(key);
    if (value === undefined) return undefined;
    // A Map keeps the order of insertion, so the first entry is the least recently used.
    this.#entries.delete(key);
    this.#entries.set(key, value);
    return value;
  }

  set(key: Key, value: Value): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size > this.limit) this.#entries.delete(this.#entries.keys().next().value as Key);
  }

  /** Whether there was one. */
  delete(key: Key): boolean {
    return this.#entries.delete(key);
  }
}
