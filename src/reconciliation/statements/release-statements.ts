/** Releases held statements once what they waited for is here: the statements before them and behind them, or missing pages. */
import { exceptions } from '../../exceptions/exception-table.ts';
import { resolveByOperator } from '../../exceptions/handle-exception.ts';
import type { Command } from '../../ledger/command/command.ts';
import { Draft } from '../../ledger/command/draft.ts';
import { StaleRead } from '../../ledger/commit/stale-read.ts';
import { newId } from '../../values/ids.ts';
import type { BankAccount } from '../accounts/bank-account.ts';
import { bankAccounts } from '../accounts/bank-account-table.ts';
import { type BankStatement, type FindingCode, HOLDING } from './bank-statement.ts';
import { bankStatements } from './bank-statement-table.ts';

/** What another statement puts right. */
const PASSING: readonly FindingCode[] = ['statement_gap', 'statement_page_missing'];

const isHolding = ({ code }: { code: FindingCode }) => (HOLDING as readonly string[]).includes(code);

/** Whether other statements can release it. */
export function waitsForOthers({
  status,
  released,
  findings,
}: Pick<BankStatement, 'status' | 'released' | 'findings'>): boolean {
  return status === 'held' && !released && findings.filter(isHolding).every(({ code }) => PASSING.includes(code));
}

export interface ReleaseStatements {
  /** As it was read before the statements: they are next of where it stands. */
  readonly account: BankAccount;
  /** In the order of the chain. */
  readonly statements: readonly BankStatement[];
  readonly actor: string;
}

/** Throws StaleRead where account or statements have changed since they were read. */
export function releaseStatements({ account: read, statements, actor }: ReleaseStatements): Command<void> {
  const origin = { id: newId(), requestId: newId(), actor };
  return {
    ...origin,
    name: 'bank_statement.release',
    touches: [
      { table: bankStatements, ids: statements.map(({ id }) => id) },
      { table: bankAccounts, ids: [read.id] },
      { table: exceptions, ids: statements.flatMap(({ exceptionId }) => exceptionId ?? []) },
    ],
    decide(state, moment) {
      const draft = new Draft(state, origin, moment);
      const account = draft.get(bankAccounts, read.id)!;
      const rows = statements.map(({ id }) => draft.get(bankStatements, id)!);
      if (!standsAlike(account, read) || !rows.every(waitsForOthers))
        throw new StaleRead('Another statement of the bank account came meanwhile.');
      for (const statement of rows) {
        const released = {
          ...statement,
          findings: statement.findings.filter((finding) => !isHolding(finding)),
          released: true,
          decision: null,
        };
        // Its posting announces it.
        draft.put(bankStatements, statement.id, released);
        endException(draft, statement, { actor });
        beginPosting(draft, released);
      }
      return draft.finish(undefined);
    },
  };
}

function standsAlike(one: BankAccount, other: BankAccount): boolean {
  return (
    one.status === other.status &&
    one.balance === other.balance &&
    one.chainedOn === other.chainedOn &&
    one.underWay === other.underWay
  );
}

/** A statement is released: until its last line is posted, no other one goes on where the account stands. */
export function beginPosting(draft: Draft, { bankAccountId, closing, toOn }: BankStatement): void {
  const account = draft.get(bankAccounts, bankAccountId!)!;
  const isFurther = closing !== null && toOn !== null && (account.chainedOn === null || account.chainedOn < toOn);
  draft.put(bankAccounts, account.id, {
    ...account,
    underWay: account.underWay + 1,
    ...(isFurther && { chainedOn: toOn }),
  });
}

/** What held the statement is over. The file is the evidence. `handledBy`: who decided, where another person approved. */
export function endException(
  draft: Draft,
  { exceptionId, sha256 }: BankStatement,
  by: { readonly actor: string; readonly handledBy?: string },
): void {
  const exception = exceptionId === null ? undefined : draft.get(exceptions, exceptionId);
  if (exception === undefined) return;
  resolveByOperator(draft, exception, { ...by, entryIds: [], evidenceSha256: Buffer.from(sha256, 'hex') });
}
