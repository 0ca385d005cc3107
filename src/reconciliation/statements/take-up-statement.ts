/** Takes up a statement that was held because its bank account was not known, once the account is made: it is judged anew. */
import { exceptions } from '../../exceptions/exception-table.ts';
import type { Command } from '../../ledger/command/command.ts';
import { Draft } from '../../ledger/command/draft.ts';
import { advance } from '../../ledger/resources/resource.ts';
import { newId, type Uuid } from '../../values/ids.ts';
import { bankAccounts } from '../accounts/bank-account-table.ts';
import { leaveOpen } from '../accounts/close-bank-account.ts';
import type { BankStatement } from './bank-statement.ts';
import { bankStatementResource } from './bank-statement-resource.ts';
import { bankStatements } from './bank-statement-table.ts';
import { type JudgeInput, judgeStatement } from './judge-statement.ts';
import type { StatementSummary } from './receive-statement.ts';
import { beginPosting, endException } from './release-statements.ts';

export interface TakeUpStatement {
  readonly statement: BankStatement;
  readonly summary: StatementSummary;
  readonly bankAccountId: Uuid;
  readonly supersedes: Uuid | null;
  readonly pages: JudgeInput['pages'];
  readonly actor: string;
}

/** Its lines are kept before it: once released, nothing of it is missing. */
export function takeUpStatement(input: TakeUpStatement): Command<void> {
  const { summary, bankAccountId, supersedes, pages, actor } = input;
  const { id, exceptionId } = input.statement;
  const origin = { id: newId(), requestId: newId(), actor };
  return {
    ...origin,
    name: 'bank_statement.take_up',
    touches: [
      { table: bankStatements, ids: [id] },
      { table: bankAccounts, ids: [bankAccountId] },
      { table: exceptions, ids: exceptionId === null ? [] : [exceptionId] },
    ],
    decide(state, moment) {
      const draft = new Draft(state, origin, moment);
      const statement = draft.get(bankStatements, id)!;
      if (!waitsForAccount(statement)) return draft.finish(undefined);
      const account = draft.get(bankAccounts, bankAccountId)!;
      const { statement: stated, sums } = summary;
      const { status, findings } = judgeStatement({
        ...{ statement: stated, sums, account, pages },
        isRestated: supersedes !== null,
      });
      const change = { bankAccountId, supersedes, findings, decision: null };
      if (status !== 'held') endException(draft, statement, { actor });
      if (status === 'rejected') {
        const step = { event: 'bank_statement.rejected' };
        advance(draft, bankStatementResource, statement, { ...change, status }, step);
      } else {
        // Its posting, or a person's decision, announces it.
        const taken = { ...statement, ...change, released: status === 'received' };
        draft.put(bankStatements, id, taken);
        if (taken.released) beginPosting(draft, taken);
        else leaveOpen(draft, bankAccountId);
      }
      return draft.finish(undefined);
    },
  };
}

export function waitsForAccount({ status, released, bankAccountId }: BankStatement): boolean {
  return status === 'held' && !released && bankAccountId === null;
}
