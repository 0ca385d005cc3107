/** A few places for many callers in turn: a frequent caller waits behind itself, not in front of others. Other forms: room.ts. */

export interface TurnsOptions {
  places: number;
  /** The most places of one caller at a time. */
  placesOfOne: number;
  /** The most waiting requests of one caller. */
  waitingOfOne: number;
  waitMs: number;
}

interface Waiting {
  resolve(taken: boolean): void;
  timer: NodeJS.Timeout;
}

interface Caller {
  taken: number;
  /** Oldest first. */
  waiting: Waiting[];
}

export class Turns {
  readonly #options: TurnsOptions;
  /** Callers in the order of their turns. Only those that have a place or wait for one. */
  readonly #callers = new Map<string, Caller>();
  #taken = 0;

  constructor(options: TurnsOptions) {
    this.#options = options;
  }

  /**
   * Resolves to true with a place, to return by give(). False when too many requests of the caller wait already, or no
   * place is free in time.
   */
  async take(name: string): Promise<boolean> {
    const caller = this.#callers.get(name) ?? { taken: 0, waiting: [] };
    this.#callers.set(name, caller);
    if (caller.waiting.length === 0 && this.#mayTake(caller)) {
      this.#occupy(caller);
      return true;
    }
    if (caller.waiting.length >= this.#options.waitingOfOne) return false;
    return new Promise((resolve) => {
      const waiting: Waiting = {
        resolve,
        timer: setTimeout(() => {
          caller.waiting.splice(caller.waiting.indexOf(waiting), 1);
          this.#forget(name, caller);
          resolve(false);
        }, this.#options.waitMs),
      };
      caller.waiting.push(waiting);
    });
  }

  give(name: string): void {
    const caller = this.#callers.get(name)!;
    caller.taken--;
    this.#taken--;
    this.#forget(name, caller);
    this.#serveNext();
  }

  #mayTake(caller: Caller): boolean {
    return this.#taken < this.#options.places && caller.taken < this.#options.placesOfOne;
  }

  #occupy(caller: Caller): void {
    caller.taken++;
    this.#taken++;
  }

  /** Serves the first caller that waits and may have a place, then moves it behind all others. */
  #serveNext(): void {
    for (const [name, caller] of this.#callers) {
      if (caller.waiting.length === 0 || !this.#mayTake(caller)) continue;
      const { resolve, timer } = caller.waiting.shift()!;
      clearTimeout(timer);
      this.#occupy(caller);
      this.#callers.delete(name);
      this.#callers.set(name, caller);
      resolve(true);
      return;
    }
  }

  #forget(name: string, caller: Caller): void {
    if (caller.taken === 0 && caller.waiting.length === 0) this.#callers.delete(name);
  }
}
