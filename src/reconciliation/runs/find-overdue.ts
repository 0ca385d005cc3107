/** Finds expected items that no bank has shown in time, a page at a time, and puts them before people. Killed, the next run goes on. */
import type { Pool } from '../../db/pool.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Committer } from '../../ledger/commit/committer.ts';
import { BEFORE_ALL_IDS, type Uuid } from '../../values/ids.ts';
import { elsewhere } from '../../values/progress.ts';
import type { BankAccount } from '../accounts/bank-account.ts';
import type { ExpectedItem } from '../items/expected-item.ts';
import { type ItemPlace, listClearingAccounts, listWaitingItems } from '../matches/candidate-store.ts';
import { leaveItems, OVERDUE_PER_COMMAND } from '../matches/leave-items.ts';
import { casesOf, isOverdue, overdueBefore, type StatedAccount } from '../matches/overdue.ts';
import { bankStatements } from '../statements/bank-statement-table.ts';

interface OverdueRuntime {
  readonly pool: Pool;
  readonly committer: Pick<Committer, 'submit'>;
}

interface Run {
  readonly bookId: BookId;
  readonly requestId: Uuid;
  readonly actor: string;
}

const PAGE = 1_000;
const BEFORE_ALL: ItemPlace = { expectedOn: '', id: BEFORE_ALL_IDS };

export async function findOverdue(runtime: OverdueRuntime, run: Run, accounts: readonly BankAccount[]): Promise<void> {
  const stated = await statedBy(runtime.pool, run.bookId, accounts);
  for (const currency of new Set(accounts.map((account) => account.currency))) {
    const before = overdueBefore(stated, currency);
    if (before === undefined) continue;
    for (const clearingAccountId of await listClearingAccounts(runtime.pool, run.bookId, currency)) {
      const overdue = await overdueOf(runtime.pool, run.bookId, { stated, clearingAccountId, before });
      const cases = casesOf(overdue);
      for (let from = 0; from < cases.length; from += OVERDUE_PER_COMMAND) {
        const some = cases.slice(from, from + OVERDUE_PER_COMMAND);
        await runtime.committer.submit(run.bookId, leaveItems({ ...run, cases: some }));
      }
    }
  }
}

/** Cases of one run and clearing account. What is beyond waits for the next run. */
const OVERDUE_MAX = 10_000;

interface Waiting {
  readonly stated: readonly StatedAccount[];
  readonly clearingAccountId: Uuid;
  readonly before: string;
}

async function overdueOf(
  pool: Pool,
  bookId: BookId,
  { stated, clearingAccountId, before }: Waiting,
): Promise<ExpectedItem[]> {
  const overdue: ExpectedItem[] = [];
  for (let after = BEFORE_ALL; overdue.length < OVERDUE_MAX; ) {
    const page = await listWaitingItems(pool, bookId, { clearingAccountId, before, after, limit: PAGE });
    overdue.push(...page.filter((item) => isOverdue(stated, item)));
    if (page.length < PAGE) break;
    const { expectedOn, id } = page.at(-1)!;
    after = elsewhere('expected items that are overdue', after, { expectedOn, id });
  }
  return overdue;
}

async function statedBy(pool: Pool, bookId: BookId, accounts: readonly BankAccount[]): Promise<StatedAccount[]> {
  const ids = accounts.flatMap(({ lastStatementId }) => lastStatementId ?? []);
  const last = await bankStatements.load(pool, bookId, ids);
  return accounts.map((account) => ({
    account,
    statedTo: account.lastStatementId === null ? null : (last.get(account.lastStatementId)?.toOn ?? null),
  }));
}
