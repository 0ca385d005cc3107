/** A few places that many take in turn: whoever asks often waits behind itself, not in front of others. */

export interface TurnsOptions {
  places: number;
  /** The most that one asker has at a time. */
  placesOfOne: number;
  /** The most that wait of one asker. */
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
  /** In the order in which they are next. Only those that hold a place or wait for one. */
  readonly #askers = new Map<string, Asker>();
  #held = 0;

  constructor(options: TurnsOptions) {
    this.#options = options;
  }

  /** True with a place, which is to be given back; false when too many wait already or none came free in time. */
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

  /** The first asker that waits and may hold a place gets it, and is the last to get the next. */
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
