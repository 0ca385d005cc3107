/**
 * Natural batching, outside the committer: what arrives for a key while its last batch runs goes together in the next.
 * There is no timer, so what comes alone goes at once and batches grow with the load.
 */

export interface NaturalBatchOptions<Item, Answer> {
  /** Items in one batch at most. */
  limit: number;
  /** One answer for each item, in their order. When it throws, every item of the batch fails with it. */
  run(key: string, items: Item[]): Promise<readonly Answer[]>;
  /** Does the work when it is the key's turn. A batch is taken then, with all that came meanwhile. */
  inTurn?(key: string, work: () => Promise<void>): Promise<void>;
}

interface Waiting<Item, Answer> {
  item: Item;
  resolve: (answer: Answer) => void;
  reject: (error: unknown) => void;
}

export class NaturalBatch<Item, Answer> {
  readonly #options: NaturalBatchOptions<Item, Answer>;
  /** The keys with a batch under way, and what waits behind it. */
  readonly #waiting = new Map<string, Waiting<Item, Answer>[]>();

  constructor(options: NaturalBatchOptions<Item, Answer>) {
    this.#options = options;
  }

  add(key: string, item: Item): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const waiting = this.#waiting.get(key);
      if (waiting) {
        waiting.push({ item, resolve, reject });
      } else {
        this.#waiting.set(key, [{ item, resolve, reject }]);
        void this.#drain(key);
      }
    });
  }

  async #drain(key: string): Promise<void> {
    // One turn of the event loop: what is added in one breath goes in one batch.
    await new Promise(setImmediate);
    const waiting = this.#waiting.get(key)!;
    const { inTurn } = this.#options;
    while (waiting.length > 0)
      await (inTurn ? inTurn(key, () => this.#runBatch(key, waiting)) : this.#runBatch(key, waiting));
    this.#waiting.delete(key);
  }

  async #runBatch(key: string, waiting: Waiting<Item, Answer>[]): Promise<void> {
    const batch = waiting.splice(0, this.#options.limit);
    try {
      const answers = await this.#options.run(
        key,
        batch.map(({ item }) => item),
      );
      for (let index = 0; index < batch.length; index++) batch[index]!.resolve(answers[index]!);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }
}
