/** A state that moves by a table. A step that the table lacks is a bug of the caller, and throws before anything else happens. */
export class StateMachine<State extends string> {
  readonly #name: string;
  readonly #transitions: Readonly<Record<State, readonly State[]>>;
  #state: State;

  constructor(name: string, transitions: Readonly<Record<State, readonly State[]>>, first: State) {
    this.#name = name;
    this.#transitions = transitions;
    this.#state = first;
  }

  get state(): State {
    return this.#state;
  }

  move(to: State): void {
    if (!this.#transitions[this.#state].includes(to))
      throw new Error(`The ${this.#name} does not go from ${this.#state} to ${to}`);
    this.#state = to;
  }

  /** Throws in any other state. */
  require(state: State): void {
    if (this.#state !== state) throw new Error(`The ${this.#name} is ${this.#state}, not ${state}`);
  }
}
