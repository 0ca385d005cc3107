/** A few places that many askers share in turn: a frequent asker waits behind itself, not in front of others. */

export interface TurnsOptions {
  places: number;
  /** The most places that one asker holds at a time. */
  placesOfOne: number;
  /** The most requests of one asker that wait. */
  waitingOfOne: number;
  waitMs: number;
}

interface Waiting {
  resolve(taken: boolean): void;
  timer: NodeJS.Timeout;
}

interface Asker {
  held: number;
  /** Oldest first. */
  waiting: Waiting[];
}

export class Turns {
  readonly #options: TurnsOptions;
  /** Askers in the order of their turns. Only those that hold a place or wait for one. */
  readonly #askers = new Map<string, Asker>();
  #held = 0;

  constructor(options: TurnsOptions) {
    this.#options = options;
  }

  /**
   * Resolves to true with a place, which must be given back. False when too many requests of the asker wait already, or
   * no place is free in time.
   */
  async take(name: string): Promise<boolean> {
    const asker = this.#askers.get(name) ?? { held: 0, waiting: [] };
    this.#askers.set(name, asker);
    if (asker.waiting.length === 0 && this.#mayHold(asker)) {
      this.#hold(asker);
      return true;
    }
    if (asker.waiting.length >= this.#options.waitingOfOne) return false;
    return new Promise((resolve) => {
      const waiting: Waiting = {
        resolve,
        timer: setTimeout(() => {
          asker.waiting.splice(asker.waiting.indexOf(waiting), 1);
          this.#forget(name, asker);
          resolve(false);
        }, this.#options.waitMs),
      };
      asker.waiting.push(waiting);
    });
  }

  give(name: string): void {
    const asker = this.#askers.get(name)!;
    asker.held--;
    this.#held--;
    this.#forget(name, asker);
    this.#serveNext();
  }

  #mayHold(asker: Asker): boolean {
    return this.#held < this.#options.places && asker.held < this.#options.placesOfOne;
  }

  #hold(asker: Asker): void {
    asker.held++;
    this.#held++;
  }

  /** Serves the first asker that waits and may hold a place, then moves it behind all others. */
  #serveNext(): void {
    for (const [name, asker] of this.#askers) {
      if (asker.waiting.length === 0 || !this.#mayHold(asker)) continue;
      const { resolve, timer } = asker.waiting.shift()!;
      clearTimeout(timer);
      this.#hold(asker);
      this.#askers.delete(name);
      this.#askers.set(name, asker);
      resolve(true);
      return;
    }
  }

  #forget(name: string, asker: Asker): void {
    if (asker.held === 0 && asker.waiting.length === 0) this.#askers.delete(name);
  }
}
