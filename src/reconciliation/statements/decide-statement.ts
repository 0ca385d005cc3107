/**
 * What persons make of a held statement: one accepts or rejects it, another approves. Accepted, it is posted as it is, and what does not
 * come to its closing balance becomes one line of its own.
 */

import { isSameActor } from '../../exceptions/exception.ts';
import { exceptions } from '../../exceptions/exception-table.ts';
import type { Stored } from '../../idempotency/idempotency-key.ts';
import { storedView } from '../../idempotency/stored-view.ts';
import type { Command, Refusal } from '../../ledger/command/command.ts';
import type { Draft } from '../../ledger/command/draft.ts';
import { type Change, changeOf } from '../../ledger/resources/change-of.ts';
import { advance } from '../../ledger/resources/resource.ts';
import { newSalt } from '../../ledger/rows/personal-text.ts';
import { formatInstant } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';
import type { BankAccount } from '../accounts/bank-account.ts';
import { bankAccounts } from '../accounts/bank-account-table.ts';
import { type BankLine, bankLineId } from '../lines/bank-line.ts';
import { bankLines } from '../lines/bank-line-table.ts';
import type { BankStatement } from './bank-statement.ts';
import { bankStatementResource } from './bank-statement-resource.ts';
import { bankStatements } from './bank-statement-table.ts';
import { isBefore } from './chain.ts';
import { beginPosting, endException } from './release-statements.ts';

export interface DecideStatement extends Change {
  readonly statementId: Uuid;
  readonly actor: string;
}

interface ProposeDecision extends DecideStatement {
  /** As it was read. Null where it is not known. */
  readonly bankAccountId: Uuid | null;
  readonly decision: 'accept' | 'reject';
  readonly reason: string;
}

export function proposeDecision(input: ProposeDecision): Command<Stored | Refusal> {
  const { actor, bankAccountId, decision, reason } = input;
  const salt = newSalt();
  const touches = bankAccountId === null ? [] : [{ table: bankAccounts, ids: [bankAccountId] }];
  const request = { ...input, id: input.statementId, action: decision, touches };
  return changeOf(bankStatementResource, request, (draft, statement): Stored | Refusal => {
    if (decision === 'accept' && isAccountClosed(draft, bankAccountId)) return postsNothing(statement);
    const textSalt = statement.textSalt ?? salt;
    const decided = advance(
      draft,
      bankStatementResource,
      statement,
      { decision, reason, textSalt, decidedBy: actor },
      { event: 'bank_statement.held' },
    );
    return storedView(draft, bankStatementResource, decided);
  });
}

export interface ApproveStatement extends DecideStatement {
  /** As it was read. Its account, its exception and what it supersedes never change. */
  readonly statement: BankStatement;
  /** How many of its lines are kept, the accepted difference among them. */
  readonly kept: number;
  /** What its kept lines come to. */
  readonly linesSum: bigint;
}

export function approveDecision(input: ApproveStatement): Command<Stored | Refusal> {
  const { actor, statement: read, kept, linesSum } = input;
  const ids = (...found: (Uuid | null)[]) => found.filter((id) => id !== null);
  const touches = [
    { table: bankStatements, ids: ids(read.supersedes) },
    { table: bankAccounts, ids: ids(read.bankAccountId) },
    { table: bankLines, ids: [bankLineId(read.id, 0)] },
    { table: exceptions, ids: ids(read.exceptionId) },
  ];
  const request = { ...input, id: input.statementId, action: 'approve', ifMatchParam: '/version', touches };
  return changeOf(bankStatementResource, request, (draft, statement): Stored | Refusal => {
    if (isSameActor(statement.decidedBy!, actor))
      return {
        refused: 'self_approval_forbidden',
        detail: 'Who decided about the statement does not approve it.',
        facts: { current_status: statement.status },
      };
    if (statement.decision === 'accept' && isAccountClosed(draft, statement.bankAccountId))
      return postsNothing(statement);
    if (statement.decision === 'accept' && kept < statement.lines) return cutOff(statement, kept);
    if (statement.decision === 'accept' && draft.get(bankAccounts, statement.bankAccountId!)!.underWay > 0)
      return postsAnother(statement);
    endException(draft, statement, { actor, handledBy: statement.decidedBy! });
    if (statement.decision === 'reject') {
      const change = { status: 'rejected', approvedBy: actor } as const;
      const rejected = advance(draft, bankStatementResource, statement, change, { event: 'bank_statement.rejected' });
      return storedView(draft, bankStatementResource, rejected);
    }
    const lines = statement.lines + (keepDifference(draft, statement, linesSum) ? 1 : 0);
    const change = { released: true, approvedBy: actor, lines };
    const accepted = advance(draft, bankStatementResource, statement, change, { event: 'bank_statement.held' });
    beginPosting(draft, accepted);
    return storedView(draft, bankStatementResource, accepted);
  });
}

function isAccountClosed(draft: Draft, bankAccountId: Uuid | null): boolean {
  return bankAccountId !== null && draft.get(bankAccounts, bankAccountId)?.status === 'closed';
}

/** It was held when its account was closed, or came then. */
function postsNothing({ status, decision }: BankStatement): Refusal {
  return {
    refused: 'state_conflict',
    detail: 'The bank account is closed, and nothing more is posted on it. Reject the statement.',
    facts: { current_status: status, allowed_actions: decision === 'reject' ? ['reject', 'approve'] : ['reject'] },
  };
}

/** Where the account stands shows once that is posted. */
function postsAnother({ status }: BankStatement): Refusal {
  return {
    refused: 'state_conflict',
    detail: 'Another statement of the bank account is being posted. Approve again when it is.',
    facts: { current_status: status, allowed_actions: ['approve', 'reject'] },
  };
}

/**
 * What a statement moves the account by: to its closing balance. Where later ones are posted the account stands where the last of them ended.
 * Undefined for a statement without balances.
 */
function movedTo(
  draft: Draft,
  { balance, chainedOn, lastStatementId }: BankAccount,
  statement: BankStatement,
): bigint | undefined {
  const { opening, closing, supersedes, toOn } = statement;
  if (opening === null || closing === null) return undefined;
  if (supersedes === null) return isBefore(chainedOn, toOn) ? 0n : closing - balance;
  if (supersedes === lastStatementId) return closing - balance;
  const before = draft.get(bankStatements, supersedes)!;
  return closing - opening - ((before.closing ?? 0n) - (before.opening ?? 0n));
}

/** Its file is still being read, or its import was cut off: what the lines leave open follows from all of them. */
function cutOff({ status, lines }: BankStatement, kept: number): Refusal {
  return {
    refused: 'state_conflict',
    detail: `${kept} of its ${lines} lines are kept. Run \`npm run reconcile\` over the file again, then approve.`,
    facts: { current_status: status, allowed_actions: ['reject'] },
  };
}

/** The first line of an accepted statement: what its lines leave open between the account and where it is to stand. False where that is nothing. */
function keepDifference(draft: Draft, statement: BankStatement, linesSum: bigint): boolean {
  const account = draft.get(bankAccounts, statement.bankAccountId!)!;
  const { id } = statement;
  const moved = movedTo(draft, account, statement);
  if (moved === undefined || moved === linesSum) return false;
  const amount = moved - linesSum;
  const { book } = draft.moment;
  const bookedOn = statement.fromOn ?? statement.toOn ?? formatInstant(book).slice(0, 10);
  const line: BankLine = {
    ...{
      id: bankLineId(id, 0),
      statementId: id,
      bankAccountId: account.id,
      comparedAccountId: null,
      place: 0,
      rowNumber: 0,
    },
    ...{ bookedOn, valueOn: null, amount, currency: account.currency, status: 'pending' },
    ...{ bankReference: null, endToEndId: null, refs: [], batchId: null, batchTransactions: null },
    ...{ counterpartyName: null, counterpartyAccount: null, text: 'Accepted difference of the statement' },
    ...{ code: null, charges: [], original: null, details: [], isReversal: false, likeness: '00'.repeat(32) },
    ...{ entryId: null, matched: 0n, matchIds: [], exceptionId: null, createdAt: book },
  };
  draft.put(bankLines, line.id, line);
  return true;
}
