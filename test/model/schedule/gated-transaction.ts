/**
 * The connection of one database transaction. Its statements run one after the other; its fault comes at COMMIT.
 *
 * A batch of several books may stand between its statements, from before its lock to before its first write, while
 * others go on: it holds no lock then but those of its books. What would wait for one of them in Postgres stands at a
 * gate until it is free, so that no step ever waits in the server.
 */
import type { Transaction } from '../../../src/db/pool.ts';
import { type Fault, type Owner, type Scheduler, WORLD } from './scheduler.ts';

/** The driver's own message, which the product classifies as transient. */
export const connectionLost = () => new Error('Connection terminated unexpectedly');

/** The answer of a session that was idle in its transaction for too long. */
const ended = () => Object.assign(new Error('terminating connection: idle in transaction'), { code: '25P03' });
const LOCK_TIMEOUT = `DO $$ BEGIN RAISE EXCEPTION 'canceling statement due to lock timeout' USING ERRCODE = '55P03'; END $$`;

const SHARED_LOCK = /^books\.lock_(all|free)$/;
const WAITING_LOCK = /^books\.lock(_all)?$/;
const FIRST_WRITE = 'books.update_all';
const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
/** The odds that a batch of several books stands before a statement. */
const STANDS = 0.3;

type Statement = string | { name?: string; text: string; values?: unknown[] };

interface Asked {
  readonly statement: Statement;
  readonly values: unknown[] | undefined;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

interface Parts {
  readonly scheduler: Scheduler;
  readonly owner: Owner;
  readonly client: Transaction;
  readonly held: HeldBooks;
  /** What happens at COMMIT. */
  readonly fault: Fault;
}

/** Books whose rows a transaction holds locked while it stands. */
export class HeldBooks {
  readonly #holders = new Map<string, GatedTransaction>();

  take(books: Iterable<string>, holder: GatedTransaction): void {
    for (const book of books) this.#holders.set(book, holder);
  }

  free(holder: GatedTransaction): void {
    for (const [book, by] of this.#holders) if (by === holder) this.#holders.delete(book);
  }

  areFree(books: readonly string[], asker: GatedTransaction): boolean {
    return books.every((book) => (this.#holders.get(book) ?? asker) === asker);
  }
}

export class GatedTransaction {
  /** A step may take real time, and a process that has died answers nothing: the product's limit of that ends neither. */
  readonly connection = { stream: { destroy: () => undefined } };
  readonly #parts: Parts;
  readonly #asked: Asked[] = [];
  /** Wakes the run that waits for the next statement. */
  #wake: () => void = () => undefined;
  #isOver = false;
  /** Nothing that the process still says reaches the connection, which belongs to another by now. */
  #isDead = false;
  #isEnded = false;
  #mayStand = false;
  #hasStood = false;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** As the driver's. */
  query(statement: Statement, values?: unknown[]): Promise<unknown> {
    if (this.#isDead) return new Promise(() => undefined);
    return new Promise((resolve, reject) => {
      this.#asked.push({ statement, values, resolve, reject });
      this.#wake();
    });
  }

  release(error?: Error): void {
    if (this.#isDead) return;
    this.#close(error);
  }

  /** Runs statements. Resolves when the transaction is over, or stands at a gate that goes on from there. */
  async run(): Promise<void> {
    while (!this.#isOver) {
      const next = this.#asked[0];
      if (!next) {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
        continue;
      }
      const name = nameOf(next.statement);
      if (SHARED_LOCK.test(name)) this.#mayStand = true;
      const books = WAITING_LOCK.test(name) ? booksOf(next) : [];
      const waits = !this.#parts.held.areFree(books, this);
      const stands = this.#mayStand && !/^(COMMIT|ROLLBACK)$/.test(name) && this.#parts.scheduler.random.chance(STANDS);
      if (name === FIRST_WRITE) this.#mayStand = false;
      if (waits || stands) return this.#stand(name, books);
      await this.#carryOut(next);
    }
  }

  async #stand(name: string, books: readonly string[]): Promise<void> {
    const { scheduler, owner, client, held } = this.#parts;
    // A step takes real time, and others may take hundreds of steps meanwhile.
    if (!this.#hasStood) await client.query('SET LOCAL idle_in_transaction_session_timeout = 0');
    this.#hasStood = true;
    const waits = books.length > 0;
    scheduler.count(waits ? 'batches that wait for a lock' : 'batches that stand with their locks');
    scheduler.wait({
      owner,
      what: waits ? `${name}, which waited` : `before ${name}`,
      faults: ['refused', 'dies before'],
      isOpen: () => held.areFree(books, this),
      orphaned: () => this.#orphan(),
      pass: async (fault) => {
        if (fault === 'dies before') {
          scheduler.kill(owner);
          return this.#orphan();
        }
        if (fault === 'refused' && !waits) await this.#endByServer();
        else await this.#carryOut(this.#asked[0]!, { isLate: fault === 'refused' });
        return this.run();
      },
    });
  }

  /** Idle for too long: Postgres rolls the transaction back and ends the session. */
  async #endByServer(): Promise<void> {
    this.#isEnded = true;
    await this.#parts.client.query('ROLLBACK');
    this.#parts.held.free(this);
  }

  /** The process has died. Postgres finds that out later, and frees the locks. */
  #orphan(): void {
    if (this.#isDead) return;
    this.#isDead = true;
    this.#parts.scheduler.wait({
      owner: WORLD,
      what: `Postgres ends a transaction of ${this.#parts.owner.name}`,
      faults: [],
      pass: async () => {
        await this.#parts.client.query('ROLLBACK');
        this.#close();
      },
    });
  }

  async #carryOut({ statement, values, resolve, reject }: Asked, { isLate = false } = {}): Promise<void> {
    this.#asked.shift();
    const { client, held } = this.#parts;
    try {
      if (this.#isEnded) throw ended();
      const name = nameOf(statement);
      if (isLate) await client.query(LOCK_TIMEOUT);
      const result = await (statement === 'COMMIT' ? this.#commit() : client.query(statement as never, values));
      if (this.#isDead) return;
      if (name === 'books.lock') held.take(booksOf({ statement, values }), this);
      if (SHARED_LOCK.test(name))
        held.take(
          (result as { rows: { id: string }[] }).rows.map(({ id }) => id),
          this,
        );
      if (/^(COMMIT|ROLLBACK)$/.test(name)) held.free(this);
      resolve(result);
    } catch (error) {
      this.#mayStand = false;
      reject(error);
    }
  }

  async #commit(): Promise<unknown> {
    const { client, fault, held } = this.#parts;
    if (fault === 'dies before' || fault === 'refused') {
      await client.query('ROLLBACK');
      held.free(this);
      if (fault === 'dies before') return this.#die();
      throw connectionLost();
    }
    const result = await client.query('COMMIT');
    held.free(this);
    if (fault === 'dies after') return this.#die();
    if (fault === 'lost') throw connectionLost();
    return result;
  }

  #die(): void {
    this.#isDead = true;
    this.#close();
    this.#parts.scheduler.kill(this.#parts.owner);
  }

  #close(error?: Error): void {
    this.#isOver = true;
    this.#parts.held.free(this);
    this.#parts.client.release(error);
    this.#wake();
  }
}

/** The books that a statement locks. */
function booksOf({ statement, values }: Pick<Asked, 'statement' | 'values'>): string[] {
  const given = (typeof statement === 'string' ? undefined : statement.values) ?? values ?? [];
  return String(given[0]).match(UUID) ?? [];
}

export function nameOf(statement: Statement): string {
  const { name, text } = typeof statement === 'string' ? { name: undefined, text: statement } : statement;
  return name ?? text.replace(/\s+/g, ' ').trim().slice(0, 40);
}
