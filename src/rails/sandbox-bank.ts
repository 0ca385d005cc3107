/**
 * The sandbox's bank: payouts of the sandbox rail, payments of the sandbox acquirer and transfers of simulations move there, and it writes
 * statements of that. It reads the records of the sandboxes and no book, so a statement of it proves something.
 * Next: sandbox-bank-lines.ts (noise), sandbox-bank-store.ts (its records), sandbox-camt.ts (the file).
 */
import { addDays, dayOf, startOfDay } from '../calendar/day.ts';
import type { Pool, Transaction } from '../db/pool.ts';
import { inTransaction } from '../db/transaction.ts';
import type { SandboxStatements } from '../outside/sandboxes/sandbox-statements.ts';
import type { Uuid } from '../values/ids.ts';
import { linesOf } from './sandbox-bank-lines.ts';
import {
  decideOffered,
  drawInstructions,
  drawReturns,
  findByKey,
  insertOffered,
  insertStatement,
  listOffered,
  lockAccount,
  lockMoved,
  type Offered,
} from './sandbox-bank-store.ts';
import { closingOf, writeCamt } from './sandbox-camt.ts';
import type { OfferedCredit, StatementAnswer, StatementRequest } from './stated-by-sandbox.ts';

/** Movements of one statement: some megabytes of XML. The next one has the rest. */
const MOVEMENTS_MAX = 5_000;

/** It draws and states thousands of rows; each of its statements may run 15 s. */
const STATEMENT_LIMIT_MS = 40_000;

export class SandboxBank {
  readonly #pool: Pool;
  readonly #statements: SandboxStatements;

  constructor(pool: Pool, statements: SandboxStatements) {
    this.#pool = pool;
    this.#statements = statements;
  }

  /** Before a book takes it. It moves once the book has. */
  offer(credit: OfferedCredit): Promise<void> {
    return this.#statements.ofBook(credit.originator, 'offer', () => insertOffered(this.#pool, credit));
  }

  offered(originator: string, page: { behind: Uuid; limit: number }): Promise<Offered[]> {
    return this.#statements.ofBook(originator, 'offered', () => listOffered(this.#pool, page));
  }

  decide(originator: string, decided: { taken: readonly Uuid[]; refused: readonly Uuid[] }): Promise<void> {
    return this.#statements.ofBook(originator, 'decide', () => decideOffered(this.#pool, decided));
  }

  /** Movements that are on no statement yet, through a day. Each movement stands on one statement, of whichever account of its currency asks first. */
  statement(originator: string, request: StatementRequest): Promise<StatementAnswer> {
    const write = () => inTransaction(this.#pool, (trx) => writeStatement(trx, request));
    return this.#statements.ofBook(originator, 'statement', write, STATEMENT_LIMIT_MS);
  }
}

async function writeStatement(trx: Transaction, request: StatementRequest): Promise<StatementAnswer> {
  const { account, key, on, timeZone, noise, madeAt } = request;
  const { number: before, balance: opening, through } = await lockAccount(trx, account.id, account.balance);
  const known = await findByKey(trx, key);
  if (known) return { is: 'file', ...known };
  if (through !== null && on < through) return { is: 'stated', through };
  await drawInstructions(trx);
  await drawReturns(trx);
  const found = await lockMoved(trx, {
    currency: account.currency,
    from: startOfDay(account.openingOn, timeZone),
    until: startOfDay(addDays(on, 1), timeZone),
    outstanding: account.outstanding,
    limit: MOVEMENTS_MAX,
  });
  const movements = found.map(({ movedAt, ...movement }) => ({ ...movement, on: dayOf(movedAt, timeZone) }));
  // A second statement of a day states that day again.
  const from = through === null ? account.openingOn : through < on ? addDays(through, 1) : on;
  const { lines, ids } = linesOf({ movements, noise, from, to: on });
  const number = before + 1;
  const stated = { account, number, from, to: on, opening, lines, madeAt };
  const file = writeCamt(stated);
  await insertStatement(trx, {
    ...{ bankAccount: account.id, number, key, file, madeAt },
    ...{ closing: closingOf(stated), through: on, movements: ids },
  });
  return { is: 'file', number, file };
}
