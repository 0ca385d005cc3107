/**
 * A pool of real connections whose statements and database transactions wait at the scheduler's gates. A transaction is
 * one step from its first statement to its end, unless it is a batch of several books or waits for a book's lock: see
 * gated-transaction.ts.
 */
import type { Pool, Transaction } from '../../../src/db/pool.ts';
import { connectionLost, GatedTransaction, HeldBooks, nameOf } from './gated-transaction.ts';
import type { Fault, Owner, Scheduler } from './scheduler.ts';

/** A single statement is its own transaction: a second attempt finds the effect of the first. */
const STATEMENT_FAULTS: readonly Fault[] = ['lost', 'refused', 'dies before', 'dies after'];
const TRANSACTION_FAULTS: readonly Fault[] = ['lost', 'refused', 'dies before', 'dies after'];

/** The longest wait for a connection: a few other requests come meanwhile. */
const BUSY_STEPS = 80;

export interface DatabaseOfSchedule {
  /** Books that are locked. */
  readonly held: HeldBooks;
  /** The odds that a transaction waits for a connection while commands of other books gather behind it. */
  readonly busy: number;
}

export function gatedPool(
  scheduler: Scheduler,
  owner: Owner,
  pool: Pool,
  { held, busy }: DatabaseOfSchedule = { held: new HeldBooks(), busy: 0 },
): Pool {
  const { random } = scheduler;
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
          ...(random.chance(busy) && { stillUntil: scheduler.steps + random.below(BUSY_STEPS) }),
          faults: TRANSACTION_FAULTS,
          pass: async (fault) => {
            const client = await pool.connect();
            const transaction = new GatedTransaction({ scheduler, owner, client, held, fault });
            resolve(transaction as unknown as Transaction);
            await transaction.run();
          },
        });
      }),
  };
  return gated as unknown as Pool;
}
