/** Room for the rows that a pool has in hand: what is beyond its size waits at the door, first come first in. */
export class Room {
  readonly #size: number;
  #taken = 0;
  readonly #waiting: { rows: number; enter: () => void }[] = [];

  constructor(size: number) {
    this.#size = size;
  }

  /** Resolves when there is room for them all; more than the room holds have it to themselves. Give back with leave(). */
  enter(rows: number): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push({ rows: this.#counted(rows), enter: resolve });
      this.#admit();
    });
  }

  leave(rows: number): void {
    this.#taken -= this.#counted(rows);
    this.#admit();
  }

  #admit(): void {
    while (this.#waiting.length > 0 && this.#taken + this.#waiting[0]!.rows <= this.#size) {
      const { rows, enter } = this.#waiting.shift()!;
      this.#taken += rows;
      enter();
    }
  }

  #counted(rows: number): number {
    return Math.min(rows, this.#size);
  }
}
