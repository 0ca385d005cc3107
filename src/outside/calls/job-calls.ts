/**
 * The calls of a pool's jobs to external parties. A job does not wait for its calls. They are not guaranteed: one that
 * is beyond its limit, or that still waits when the pool stops, is dropped; its row stays due in Postgres and is
 * enqueued again.
 */
import { laneOf } from '../../fairness/lane.ts';
import type { MovedRows, RowFailed } from '../../group/moved-rows.ts';
import type { BookId } from '../../ledger/book/book.ts';
import { withinLimit } from '../../process/time-limit.ts';
import { PartyBusy } from './call-limits.ts';
import type { InTurn } from './called-party.ts';

export interface JobCall<Client> {
  readonly party: InTurn<Client>;
  readonly bookId: string;
  /** The row that the call is for. One call at a time. */
  readonly id: string;
  /** Of bulk work, or an inquiry: what is sent for the first time, and may be waited for, has a turn of its own before these. */
  readonly behind?: boolean;
}

/** Makes calls to external parties. */
export interface OutsideCalls {
  /** Resolves when the call is accepted, or dropped to be enqueued again. `call` must not reject. */
  make<Client>(of: JobCall<Client>, call: (client: Client) => Promise<void>): Promise<void>;
}

export class JobCalls implements OutsideCalls {
  readonly #inHand = new Map<string, Promise<void>>();
  #closed = false;

  make<Client>({ party, bookId, id, behind }: JobCall<Client>, call: (client: Client) => Promise<void>): Promise<void> {
    const name = `${party.name} ${bookId} ${id}`;
    if (this.#closed || this.#inHand.has(name)) return Promise.resolve();
    const made = party
      .inTurn(laneOf(bookId, behind), (client) => (this.#closed ? Promise.resolve() : call(client)), 'job')
      .catch((error: unknown) => {
        if (!(error instanceof PartyBusy)) throw error;
      })
      .finally(() => this.#inHand.delete(name));
    this.#inHand.set(name, made);
    return Promise.resolve();
  }

  /** Starts no further call. Resolves to false when calls in progress do not end within the limit. */
  async close({ limitMs }: { limitMs: number }): Promise<boolean> {
    this.#closed = true;
    const over = Promise.all(this.#inHand.values()).then(() => true);
    return withinLimit(over, { what: 'calls in progress', limitMs }).catch(() => false);
  }
}

export interface RowCalls<Row, Client> {
  readonly bookId: BookId;
  readonly moved: MovedRows;
  readonly rows: readonly Row[];
  /** Throws for one that is no longer configured: its row waits for a person, and the others of the job do not. */
  partyOf(row: Row): InTurn<Client>;
  /** As in JobCall. */
  isBehind(row: Row): boolean;
}

/** A call for each row, in its turn at its party. What fails is the row's, and no other's. */
export async function callForEach<Row extends { readonly id: string }, Client>(
  { calls, rowFailed }: { readonly calls: OutsideCalls; readonly rowFailed: RowFailed },
  { bookId, moved, rows, partyOf, isBehind }: RowCalls<Row, Client>,
  call: (row: Row, client: Client) => Promise<void>,
): Promise<void> {
  await Promise.all(
    rows.map((row) => {
      const { id } = row;
      const failed = async (error: unknown) => void (await rowFailed(moved, { bookId, id }, error));
      let party: InTurn<Client>;
      try {
        party = partyOf(row);
      } catch (error) {
        return failed(error);
      }
      return calls.make({ party, bookId, id, behind: isBehind(row) }, (client) => call(row, client).catch(failed));
    }),
  );
}
