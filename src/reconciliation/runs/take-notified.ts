/**
 * Lines of a notification as money that arrives: where its bank account does not wait for the statement, a credit that names an account is booked in
 * that account's book, and one that the bank takes back is returned. Whatever else it has waits for its line.
 */
import type { BookId } from '../../ledger/book/book.ts';
import type { Arrival } from '../../outside/credits/arrival.ts';
import { deriveId } from '../../values/ids.ts';
import type { BankAccount } from '../accounts/bank-account.ts';
import { bankAccounts } from '../accounts/bank-account-table.ts';
import { movedAmount } from '../lines/bank-line.ts';
import type { BankFileLine } from '../reading/bank-file.ts';
import type { BankStatement } from '../statements/bank-statement.ts';
import type { ArrivalRuntime } from './take-arrivals.ts';

const LINES_AT_ONCE = 1_000;

type NotifiedRuntime = Pick<ArrivalRuntime, 'pool' | 'arrivals'>;
type Notification = Pick<BankStatement, 'id' | 'account'>;

export class NotifiedLines {
  readonly #runtime: NotifiedRuntime;
  readonly #bookId: BookId;
  readonly #of: { readonly notification: Notification; readonly account: BankAccount };
  #pending: BankFileLine[] = [];

  private constructor(
    runtime: NotifiedRuntime,
    bookId: BookId,
    of: { readonly notification: Notification; readonly account: BankAccount },
  ) {
    this.#runtime = runtime;
    this.#bookId = bookId;
    this.#of = of;
  }

  /** Undefined for what is no notification, and where the bank account waits for its statements. */
  static async of(
    runtime: NotifiedRuntime,
    bookId: BookId,
    statement: BankStatement,
  ): Promise<NotifiedLines | undefined> {
    if (statement.kind !== 'notification' || statement.bankAccountId === null) return undefined;
    const account = (await bankAccounts.find(runtime.pool, bookId, statement.bankAccountId))!;
    if (account.allocateOn !== 'notification' || account.holds !== 'customer_money') return undefined;
    return new NotifiedLines(runtime, bookId, { notification: statement, account });
  }

  async add(line: BankFileLine): Promise<void> {
    if (!line.notified) return;
    this.#pending.push(line);
    if (this.#pending.length === LINES_AT_ONCE) await this.end();
  }

  async end(): Promise<void> {
    const pending = this.#pending;
    this.#pending = [];
    const all = pending.flatMap((line) => this.#arrivalOf(line) ?? []);
    const counts = new Map<string, number>();
    for (const one of all) counts.set(keyOf(one), (counts.get(keyOf(one)) ?? 0) + 1);
    const alone = all.filter((one) => counts.get(keyOf(one)) === 1);
    if (alone.length > 0) await this.#runtime.arrivals.take(this.#bookId, alone);
  }

  #arrivalOf(line: BankFileLine): Arrival | undefined {
    const { notification, account } = this.#of;
    const { row, bankReference, currency, endToEndId, text, references, valueOn, bookedOn } = line;
    if (bankReference === null || line.amount === 0n) return undefined;
    return {
      lineId: deriveId('notified', notification.id, String(row)),
      bankAccount: notification.account,
      bankReference,
      amount: movedAmount(line, account.reversalIndicator),
      ...{ currency, endToEndId, valueOn, bookedOn },
      ...{ payerName: line.counterpartyName, payerAccount: line.counterpartyAccount },
      texts: [...(text === null ? [] : [text]), ...references],
    };
  }
}

/** What several lines of a direction share names none of them. */
const keyOf = ({ bankReference, amount }: Arrival) => `${amount > 0n} ${bankReference}`;
