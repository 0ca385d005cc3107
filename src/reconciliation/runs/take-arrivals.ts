/** Hands lines of statements to who knows references of accounts: before they are mirrored and matched, and where nothing explains them. */
import type { Pool } from '../../db/pool.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Committer } from '../../ledger/commit/committer.ts';
import type { Arrival, Arrivals } from '../../outside/credits/arrival.ts';
import { BEFORE_ALL_IDS, type Uuid } from '../../values/ids.ts';
import { elsewhere } from '../../values/progress.ts';
import { readOpenAccounts } from '../accounts/bank-account-table.ts';
import { type BankLine, openAmount } from '../lines/bank-line.ts';
import { type LinePlace, listUnmatchedLines } from '../matches/candidate-store.ts';
import { LEFT_PER_COMMAND, meetCredits } from '../matches/leave-lines.ts';
import { bankStatements } from '../statements/bank-statement-table.ts';
import { bookReturns, type ReturnsRuntime } from './book-returns.ts';
import { IMPORT_ACTOR } from './post-statement.ts';

export interface ArrivalRuntime {
  readonly pool: Pool;
  readonly committer: Pick<Committer, 'submit'>;
  readonly arrivals: Arrivals;
}

const PAGE = 1_000;
const BEFORE_ALL: LinePlace = { bookedOn: '', id: BEFORE_ALL_IDS };

/** Of all lines that are open: a kill between a line and what another book has of it heals so. */
export async function takeArrivals(runtime: ArrivalRuntime & ReturnsRuntime, bookId: BookId): Promise<void> {
  const accounts = await readOpenAccounts(runtime.pool, bookId);
  for (const { id: bankAccountId, holds } of accounts)
    for (let after = BEFORE_ALL; ; ) {
      const lines = await listUnmatchedLines(runtime.pool, bookId, { bankAccountId, after, limit: PAGE });
      // Customers pay in where their money stands.
      if (holds === 'customer_money') {
        const known = await runtime.arrivals.take(bookId, await arrivalsIn(runtime.pool, bookId, lines));
        await meetExceptions(runtime.committer, bookId, { lines, known });
      }
      await bookReturns(runtime, bookId, lines);
      if (lines.length < PAGE) break;
      const { bookedOn, id } = lines.at(-1)!;
      after = elsewhere('lines that may be money that arrives', after, { bookedOn, id });
    }
}

/**
 * A line whose credit is before people already is what they look at: rules that explain it end that exception. A line that has another one may have
 * that of the same credit before an account refused it.
 */
async function meetExceptions(
  committer: Pick<Committer, 'submit'>,
  bookId: BookId,
  { lines, known }: { readonly lines: readonly BankLine[]; readonly known: ReadonlyMap<Uuid, Uuid> },
): Promise<void> {
  const met = lines.flatMap(({ id: lineId, exceptionId: before }) => {
    const ofCredit = known.get(lineId);
    return ofCredit === undefined || ofCredit === before ? [] : [{ lineId, before, exceptionId: ofCredit }];
  });
  for (let from = 0; from < met.length; from += LEFT_PER_COMMAND)
    await committer.submit(bookId, meetCredits(met.slice(from, from + LEFT_PER_COMMAND), IMPORT_ACTOR));
}

/** By line, the exception of the credit that it is: a notice may have reported it. */
export async function leaveArrivals(
  { pool, arrivals }: Pick<ArrivalRuntime, 'pool' | 'arrivals'>,
  bookId: BookId,
  lines: readonly BankLine[],
): Promise<ReadonlyMap<Uuid, Uuid>> {
  const accounts = await readOpenAccounts(pool, bookId);
  const customers = new Set(accounts.filter(({ holds }) => holds === 'customer_money').map(({ id }) => id));
  const able = lines.filter(({ bankAccountId }) => customers.has(bankAccountId!));
  return arrivals.leave(bookId, await arrivalsIn(pool, bookId, able));
}

/** Lines under a reference of the bank's own, none of which is explained in part. What several lines of a direction share names none. */
async function arrivalsIn(pool: Pool, bookId: BookId, lines: readonly BankLine[]): Promise<Arrival[]> {
  const whole = lines.filter((line) => line.bankReference !== null && openAmount(line) === line.amount);
  const keyOf = ({ bankAccountId, bankReference, amount }: BankLine) =>
    `${bankAccountId} ${amount > 0n} ${bankReference}`;
  const counts = new Map<string, number>();
  for (const line of whole) counts.set(keyOf(line), (counts.get(keyOf(line)) ?? 0) + 1);
  const alone = whole.filter((line) => counts.get(keyOf(line)) === 1);
  if (alone.length === 0) return [];
  const statements = await bankStatements.load(pool, bookId, [...new Set(alone.map(({ statementId }) => statementId))]);
  return alone.map((line) => ({
    lineId: line.id,
    bankAccount: statements.get(line.statementId)!.account,
    bankReference: line.bankReference!,
    ...{ amount: line.amount, currency: line.currency, endToEndId: line.endToEndId },
    ...{ payerName: line.counterpartyName, payerAccount: line.counterpartyAccount },
    texts: [...(line.text === null ? [] : [line.text]), ...line.refs],
    ...{ valueOn: line.valueOn, bookedOn: line.bookedOn },
  }));
}
