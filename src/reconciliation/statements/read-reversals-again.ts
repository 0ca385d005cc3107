/**
 * Reads held statements again whose bank account has stated since what its bank means by a reversal (`reversal_indicator`): where the lines come to the
 * closing balance by that, they are kept so, and nothing holds the statement for its totals any more. Killed in between, the next time goes on.
 */
import type { Pool } from '../../db/pool.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Command } from '../../ledger/command/command.ts';
import { Draft } from '../../ledger/command/draft.ts';
import type { Committer } from '../../ledger/commit/committer.ts';
import { newId, type Uuid } from '../../values/ids.ts';
import type { BankAccount } from '../accounts/bank-account.ts';
import { bankAccounts } from '../accounts/bank-account-table.ts';
import { turnReversals } from '../lines/bank-line-store.ts';
import type { BankStatement } from './bank-statement.ts';
import { listWaiting } from './bank-statement-store.ts';
import { bankStatements } from './bank-statement-table.ts';
import { footsBy } from './judge-statement.ts';

interface ReadAgainRuntime {
  readonly pool: Pool;
  readonly committer: Pick<Committer, 'submit'>;
}

export async function readReversalsAgain(
  { pool, committer }: ReadAgainRuntime,
  { bookId, bankAccountId }: { readonly bookId: BookId; readonly bankAccountId: Uuid },
): Promise<void> {
  const account = (await bankAccounts.find(pool, bookId, bankAccountId))!;
  if (account.status === 'closed') return;
  const held = (await listWaiting(pool, bookId, bankAccountId)).filter((one) => wasReadOtherwise(one, account));
  for (const { id, lines, opening, closing } of held) {
    const of = { bookId, statementId: id, lines, moved: closing! - opening! };
    if (await inTransaction(pool, (trx) => turnReversals(trx, of))) await committer.submit(bookId, foots(id));
  }
}

/** It foots by the meaning that its account has by now, and was judged by the other one. What persons are deciding stays as they see it, and what restates another one is for persons. */
function wasReadOtherwise(
  { decision, supersedes, findings, opening, closing }: BankStatement,
  { reversalIndicator }: BankAccount,
): boolean {
  if (decision !== null || supersedes !== null || opening === null || closing === null) return false;
  return findings.some(
    ({ code, detail }) => code === 'statement_totals' && detail.endsWith(footsBy(reversalIndicator)),
  );
}

function foots(id: Uuid): Command<void> {
  const origin = { id: newId(), requestId: newId() };
  return {
    ...origin,
    name: 'bank_statement.read_again',
    touches: [{ table: bankStatements, ids: [id] }],
    decide(state, moment) {
      const draft = new Draft(state, origin, moment);
      const statement = draft.get(bankStatements, id)!;
      const findings = statement.findings.filter(({ code }) => code !== 'statement_totals');
      // Its posting announces it.
      if (statement.status === 'held' && !statement.released) draft.put(bankStatements, id, { ...statement, findings });
      return draft.finish(undefined);
    },
  };
}
