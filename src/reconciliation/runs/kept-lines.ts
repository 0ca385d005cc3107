/** Keeps the lines of one statement while its file is read, some hundreds at a time. What other statements have brought already is left out. */
import type { Pool } from '../../db/pool.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Committer } from '../../ledger/commit/committer.ts';
import { bankAccounts } from '../accounts/bank-account-table.ts';
import { type BankLine, bankLineId, likenessOf, movedAmount, movedDetails } from '../lines/bank-line.ts';
import { countAlike, keepLines, readProgress } from '../lines/bank-line-store.ts';
import type { BankFileLine } from '../reading/bank-file.ts';
import { type BankStatement, isCompared } from '../statements/bank-statement.ts';
import { findBeside, findBesideCompared } from '../statements/bank-statement-store.ts';
import { setLines } from '../statements/set-lines.ts';

const LINES_AT_ONCE = 1_000;

export class KeptLines {
  readonly #pool: Pool;
  readonly #bookId: BookId;
  readonly #statement: BankStatement;
  /**
   * A bank account, or an account of the book that they are compared with. Null where none of its lines is kept: no account is known, or it only
   * informs, or it was rejected, or is posted.
   */
  readonly #accountId: string | null;
  #pending: { readonly place: number; readonly line: BankFileLine }[] = [];
  #place = 0;
  /** How often a line stood in this statement, by what shows it from others. */
  readonly #seen = new Map<string, number>();
  #reversalIndicator: 'entry' | 'original' | undefined;

  constructor(pool: Pool, bookId: BookId, statement: BankStatement) {
    this.#pool = pool;
    this.#bookId = bookId;
    this.#statement = statement;
    const keeps = statement.status === 'held' || (statement.status === 'received' && statement.released);
    const kept = keeps ? statement.bankAccountId : null;
    this.#accountId = isCompared(statement) ? statement.comparedAccountId : kept;
  }

  /** Resolves to whether some were written. */
  async add(line: BankFileLine): Promise<boolean> {
    if (line.standing !== 'booked') return false;
    this.#place += 1;
    if (this.#accountId === null) return false;
    this.#pending.push({ place: this.#place, line });
    if (this.#pending.length < LINES_AT_ONCE) return false;
    await this.#flush();
    return true;
  }

  /** The statement's count of lines becomes that of those that are its own. */
  async end(committer: Pick<Committer, 'submit'>): Promise<void> {
    if (this.#accountId === null) {
      // A statement that only informs has no lines of its own.
      if (this.#statement.comparedAccountId !== null)
        await committer.submit(this.#bookId, setLines(this.#statement.id, 0));
      return;
    }
    await this.#flush();
    if (!this.#comparesLines) return;
    const { kept } = await readProgress(this.#pool, this.#bookId, this.#statement.id);
    await committer.submit(this.#bookId, setLines(this.#statement.id, kept));
  }

  get #comparesLines(): boolean {
    return this.#statement.opening === null || this.#statement.supersedes !== null;
  }

  async #flush(): Promise<void> {
    const pending = this.#pending;
    this.#pending = [];
    if (pending.length === 0) return;
    const own = this.#comparesLines ? await this.#withoutKnown(pending) : pending;
    const reversalIndicator = await this.#readReversalIndicator();
    const lines = own.map(({ place, line }) => this.#lineOf(place, line, reversalIndicator));
    const of = { bookId: this.#bookId, statementId: this.#statement.id };
    await inTransaction(this.#pool, (trx) => keepLines(trx, of, lines));
  }

  async #readReversalIndicator(): Promise<'entry' | 'original'> {
    // What a book compares is read as it states.
    if (this.#statement.comparedAccountId !== null) return 'entry';
    if (this.#reversalIndicator === undefined) {
      const account = await bankAccounts.find(this.#pool, this.#bookId, this.#accountId!);
      this.#reversalIndicator = account!.reversalIndicator;
    }
    return this.#reversalIndicator;
  }

  /** Equal lines of a day are counted: only the surplus is new. */
  async #withoutKnown<One extends { readonly line: BankFileLine }>(pending: readonly One[]): Promise<One[]> {
    const { id: statementId, supersedes } = this.#statement;
    const likenesses = pending.map(({ line }) => likenessOf(line));
    const known = await countAlike(this.#pool, this.#bookId, {
      ...{ accountId: this.#accountId!, isCompared: this.#statement.comparedAccountId !== null },
      statementId,
      among: supersedes === null ? undefined : await this.#superseded(),
      likenesses: [...new Set(likenesses)],
    });
    return pending.filter((_, index) => {
      const likeness = likenesses[index]!;
      const nth = (this.#seen.get(likeness) ?? 0) + 1;
      this.#seen.set(likeness, nth);
      return nth > (known.get(likeness) ?? 0);
    });
  }

  /** What it states more than, and what that one stated more than. */
  async #superseded(): Promise<string[]> {
    const { bankAccountId, comparedAccountId, number, toOn: to, fromOn } = this.#statement;
    if (comparedAccountId !== null) {
      const all = await findBesideCompared(this.#pool, this.#bookId, { comparedAccountId, to: to! });
      return all.filter((one) => isCompared(one) && one.number === number && one.fromOn === fromOn).map(({ id }) => id);
    }
    const beside = await findBeside(this.#pool, this.#bookId, { bankAccountId: bankAccountId!, number, to });
    return beside
      .filter(
        ({ status, toOn, fromOn: from }) =>
          (status === 'posted' || status === 'restated') && toOn === to && from === fromOn,
      )
      .map(({ id }) => id);
  }

  #lineOf(place: number, line: BankFileLine, reversalIndicator: 'entry' | 'original'): BankLine {
    const { id: statementId, createdAt } = this.#statement;
    const { batch, original } = line;
    return {
      ...{
        id: bankLineId(statementId, place),
        statementId,
        ...{ bankAccountId: this.#statement.bankAccountId, comparedAccountId: this.#statement.comparedAccountId },
        place,
        rowNumber: line.row,
      },
      ...{ bookedOn: line.bookedOn, valueOn: line.valueOn, amount: movedAmount(line, reversalIndicator) },
      currency: line.currency,
      // What is compared waits for no posting.
      status: this.#statement.comparedAccountId === null ? 'pending' : 'open',
      ...{ bankReference: line.bankReference, endToEndId: line.endToEndId },
      ...{ refs: line.references, batchId: batch?.id ?? null, batchTransactions: batch?.transactions ?? null },
      ...{ counterpartyName: line.counterpartyName, counterpartyAccount: line.counterpartyAccount, text: line.text },
      code: line.code,
      charges: line.charges.map((charge) => ({ ...charge, amount: String(charge.amount) })),
      original: original && { ...original, amount: String(original.amount) },
      details: movedDetails(line, reversalIndicator),
      ...{ isReversal: line.isReversal, likeness: likenessOf(line), entryId: null },
      ...{ matched: 0n, matchIds: [], exceptionId: null, createdAt },
    };
  }
}
