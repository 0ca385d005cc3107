/**
 * Natural batching, outside the committer: items that arrive for a key while its last batch runs go together in the
 * next one. There is no timer: a lone item goes at once, and batches grow with the load.
 */

export interface NaturalBatchOptions<Item, Answer> {
  /** The most items in one batch. */
  limit: number;
  /** One answer for each item, in their order. When `run` throws, every item of the batch fails with the error. */
  run(key: string, items: Item[]): Promise<readonly Answer[]>;
}

interface Waiting<Item, Answer> {
  item: Item;
  resolve: (answer: Answer) => void;
  reject: (error: unknown) => void;
}

export class NaturalBatch<Item, Answer> {
  readonly #options: NaturalBatchOptions<Item, Answer>;
  /** The keys with a batch under way, and the items that wait behind it. */
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
    // One turn of the event loop: items added in the same turn go in one batch.
    await new Promise(setImmediate);
    const waiting = this.#waiting.get(key)!;
    while (waiting.length > 0) await this.#runBatch(key, waiting);
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
