/**
 * The statements of a sandbox, on its own few connections. A batch has calls of all books and a connection for its
 * kind; the statements of single books take turns. The time limit of a statement begins when it is sent.
 */
import { Room } from '../../fairness/room.ts';
import { withinLimit } from '../../process/time-limit.ts';
import type { PartyUnreachable } from '../party/party.ts';

export interface SandboxStatementsOptions {
  /** As errors name it: `sandbox acquirer`. */
  readonly sandbox: string;
  /** Connections for statements of one book. */
  readonly connections: number;
  readonly limitMs: number;
  readonly unreachable: new (message: string, options: { cause: unknown }) => PartyUnreachable;
}

export class SandboxStatements {
  readonly #options: SandboxStatementsOptions;
  readonly #turns: Room;

  constructor(options: SandboxStatementsOptions) {
    this.#options = options;
    this.#turns = new Room(options.connections);
  }

  /** Any failure means that the outcome is unknown: throws the party's own kind of PartyUnreachable. */
  ofBook<Answer>(
    bookId: string,
    call: string,
    statement: () => Promise<Answer>,
    limitMs = this.#options.limitMs,
  ): Promise<Answer> {
    return this.#turns.run(bookId, () => this.#send(call, statement, limitMs));
  }

  /** The caller sends one at a time of each kind. Fails as above. */
  ofBatch<Answer>(call: string, statement: () => Promise<Answer>): Promise<Answer> {
    return this.#send(call, statement, this.#options.limitMs);
  }

  async #send<Answer>(call: string, statement: () => Promise<Answer>, limitMs: number): Promise<Answer> {
    const { sandbox, unreachable: Unreachable } = this.#options;
    try {
      return await withinLimit(statement(), { what: `The ${sandbox} (${call})`, limitMs });
    } catch (error) {
      throw new Unreachable(`The ${sandbox} gave no answer (${call})`, { cause: error });
    }
  }
}
