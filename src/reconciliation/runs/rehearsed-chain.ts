/** The chain of an account as statements of a file would leave it, one behind the other. Nothing is written. */
import type { Pool } from '../../db/pool.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { BankAccount } from '../accounts/bank-account.ts';
import type { StatementFinding } from '../statements/bank-statement.ts';
import { listWaiting } from '../statements/bank-statement-store.ts';
import { type Chained, nextOfChain, type Waiting } from '../statements/chain.ts';
import { arePagesWhole, type JudgeInput, movedBy } from '../statements/judge-statement.ts';
import type { StatementSummary } from '../statements/receive-statement.ts';
import { waitsForOthers } from '../statements/release-statements.ts';
import { placedOn, readChain } from './release-others.ts';

export class RehearsedChain {
  #account: BankAccount;
  #waiting: Waiting[];
  readonly #posted: Chained[];
  /** Places in the file of those that wait. Others are held already. */
  readonly #places = new Map<string, number>();

  private constructor(account: BankAccount, waiting: readonly Waiting[], posted: readonly Chained[]) {
    this.#account = account;
    this.#waiting = [...waiting];
    this.#posted = [...posted];
  }

  /** `from`: the first day of the file. */
  static async read(pool: Pool, bookId: BookId, { account, from }: { account: BankAccount; from: string | null }) {
    const held = (await listWaiting(pool, bookId, account.id)).filter(waitsForOthers);
    const { waiting, posted } = await readChain(pool, bookId, { account, held, from });
    // What is being posted by another process is posted by then.
    return new RehearsedChain({ ...account, underWay: 0 }, waiting, posted);
  }

  /** Where it stands by then. */
  get account(): BankAccount {
    return this.#account;
  }

  hold(
    { statement, place }: StatementSummary,
    findings: readonly StatementFinding[],
    pages: JudgeInput['pages'],
  ): void {
    const { opening, closing, number, page, to } = statement;
    if (!waitsForOthers({ status: 'held', released: false, findings }) || opening === null || closing === null) return;
    if (page !== null && !arePagesWhole(pages)) return;
    const id = `place ${place}`;
    this.#places.set(id, place);
    const [stated, behind] = [{ opening: opening.amount, closing: closing.amount }, null];
    this.#waiting.push({ id, on: placedOn(to), number, page: page?.number ?? null, ...stated, behind });
  }

  post({ statement: { opening, closing, to }, sums }: StatementSummary): void {
    const moved = movedBy(sums, this.#account.reversalIndicator);
    this.#move({ on: placedOn(to), opening: opening?.amount ?? null, closing: closing?.amount ?? null, moved });
  }

  /** What would be released by then. Its places in the file. */
  release(): number[] {
    const places: number[] = [];
    for (;;) {
      const next = nextOfChain(this.#account, this.#waiting, this.#posted);
      if (next.length === 0) return places;
      for (const id of next) {
        const { on, opening, closing } = this.#waiting.find((one) => one.id === id)!;
        this.#move({ on, opening, closing, moved: closing - opening });
        places.push(...(this.#places.has(id) ? [this.#places.get(id)!] : []));
      }
      this.#waiting = this.#waiting.filter(({ id }) => !next.includes(id));
    }
  }

  #move(chained: Chained): void {
    const { balance, chainedOn } = this.#account;
    const isFurther = chained.closing !== null && (chainedOn === null || chainedOn < chained.on);
    this.#posted.push(chained);
    this.#account = {
      ...this.#account,
      balance: balance + chained.moved,
      chainedOn: isFurther ? chained.on : chainedOn,
    };
  }
}
