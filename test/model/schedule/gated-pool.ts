/**
 * A pool of real connections whose statements and database transactions wait at the scheduler's gates. A transaction is
 * one step from its first statement to its end, as the lock of its book makes it for others.
 */
import type { Pool, Transaction } from '../../../src/db/pool.ts';
import type { Fault, Owner, Scheduler } from './scheduler.ts';

/** A single statement is its own transaction: a second attempt finds the effect of the first. */
const STATEMENT_FAULTS: readonly Fault[] = ['lost', 'refused', 'dies before', 'dies after'];
const TRANSACTION_FAULTS: readonly Fault[] = ['lost', 'refused', 'dies before', 'dies after'];

/** The driver's own message, which the product classifies as transient. */
const connectionLost = () => new Error('Connection terminated unexpectedly');

export function gatedPool(scheduler: Scheduler, owner: Owner, pool: Pool): Pool {
  const gated = {
    // biome-ignore lint/suspicious/noExplicitAny: the driver's own overloads
    query: (statement: any, values?: unknown[]) =>
      scheduler.come(owner, {
        what: `statement ${nameOf(statement)}`,
        faults: STATEMENT_FAULTS,
        act: () => pool.query(statement, values as unknown[]),
        failure: connectionLost,
      }),
    connect: () =>
      new Promise<Transaction>((resolve) => {
        scheduler.wait({
          owner,
          what: 'transaction',
          faults: TRANSACTION_FAULTS,
          pass: async (fault) => {
            const client = await pool.connect();
            await new Promise<void>((over) => resolve(guarded({ scheduler, owner, client, fault, over })));
          },
        });
      }),
  };
  return gated as unknown as Pool;
}

interface Guard {
  readonly scheduler: Scheduler;
  readonly owner: Owner;
  readonly client: Transaction;
  readonly fault: Fault;
  readonly over: () => void;
}

/**
 * The connection of one transaction; its fault comes at COMMIT. Statements that a dead process still sends go nowhere,
 * because the connection belongs to another by then.
 */
function guarded({ scheduler, owner, client, fault, over }: Guard): Transaction {
  let isDead = false;
  const nothing = () => new Promise<never>(() => undefined);
  const die = () => {
    isDead = true;
    client.release();
    scheduler.kill(owner);
    over();
    return nothing();
  };
  const commit = async () => {
    if (fault === 'dies before' || fault === 'refused') {
      await client.query('ROLLBACK');
      if (fault === 'dies before') return die();
      throw connectionLost();
    }
    const result = await client.query('COMMIT');
    if (fault === 'dies after') return die();
    if (fault === 'lost') throw connectionLost();
    return result;
  };
  const transaction = {
    // biome-ignore lint/suspicious/noExplicitAny: the driver's own overloads
    query(statement: any, values?: unknown[]) {
      if (isDead) return nothing();
      return statement === 'COMMIT' ? commit() : client.query(statement, values as unknown[]);
    },
    release(error?: Error) {
      if (isDead) return;
      client.release(error);
      over();
    },
  };
  return transaction as unknown as Transaction;
}

function nameOf(statement: string | { name?: string; text: string }): string {
  const { name, text } = typeof statement === 'string' ? { name: undefined, text: statement } : statement;
  return name ?? text.replace(/\s+/g, ' ').trim().slice(0, 40);
}
