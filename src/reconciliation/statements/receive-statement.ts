/** Makes the row of a statement that a file brings, judged as it is; one that was here before is answered as it stands. */

import { exceptions } from '../../exceptions/exception-table.ts';
import { openException } from '../../exceptions/open-exception.ts';
import type { Command } from '../../ledger/command/command.ts';
import { Draft } from '../../ledger/command/draft.ts';
import { advance, begin } from '../../ledger/resources/resource.ts';
import { newId, type Uuid } from '../../values/ids.ts';
import { bankAccounts } from '../accounts/bank-account-table.ts';
import { leaveOpen } from '../accounts/close-bank-account.ts';
import type { BankFileStatement, BankFormat } from '../reading/bank-file.ts';
import type { BankStatement } from './bank-statement.ts';
import { bankStatementResource } from './bank-statement-resource.ts';
import { bankStatements, statementIdentities } from './bank-statement-table.ts';
import { type JudgeInput, judgeCompared, judgeStatement, type StatementSums, type Verdict } from './judge-statement.ts';
import { beginPosting } from './release-statements.ts';

/** A statement as the first reading of its file found it. */
export interface StatementSummary {
  readonly statement: BankFileStatement;
  readonly sums: StatementSums;
  readonly format: BankFormat;
  /** Among the statements of its file, from 1. */
  readonly place: number;
  readonly identity: string;
}

export interface ReceiveStatement {
  readonly summary: StatementSummary;
  readonly reconciliationId: Uuid;
  readonly sha256: string;
  /** Null where no bank account has its identifier. */
  readonly bankAccountId: Uuid | null;
  /** Of a book's own comparison: the account, in its currency. */
  readonly compared?: { readonly accountId: Uuid; readonly currency: string };
  /** Whether messages of this kind post on the account. */
  readonly posts: boolean;
  readonly supersedes: Uuid | null;
  readonly pages: JudgeInput['pages'];
  readonly requestId: Uuid;
  readonly actor: string;
}

export interface ReceivedStatement {
  readonly statement: BankStatement;
  /** It was here before. */
  readonly known: boolean;
}

export function receiveStatement(input: ReceiveStatement, knownId: Uuid | undefined): Command<ReceivedStatement> {
  const { requestId, actor, summary, bankAccountId } = input;
  const origin = { id: newId(), requestId, actor };
  const [id, exceptionId] = [newId(), newId()];
  return {
    ...origin,
    name: 'bank_statement.receive',
    touches: [
      { table: statementIdentities, ids: [summary.identity] },
      { table: bankStatements, ids: knownId === undefined ? [id] : [id, knownId] },
      { table: exceptions, ids: [exceptionId] },
      ...(bankAccountId === null ? [] : [{ table: bankAccounts, ids: [bankAccountId] }]),
    ],
    decide(state, moment) {
      const draft = new Draft(state, origin, moment);
      const identity = draft.get(statementIdentities, summary.identity);
      if (identity !== undefined)
        return draft.finish({ statement: knownStatement(draft, identity.statementId, knownId), known: true });
      const account = bankAccountId === null ? undefined : draft.get(bankAccounts, bankAccountId);
      const verdict = verdictOf(input, account);
      const statement = receive(draft, newStatement(draft, id, input), { verdict, input, exceptionId });
      if (statement.released) beginPosting(draft, statement);
      draft.put(statementIdentities, summary.identity, { identity: summary.identity, statementId: id });
      return draft.finish({ statement, known: false });
    },
  };
}

function verdictOf(input: ReceiveStatement, account: JudgeInput['account']): Verdict {
  if (input.compared !== undefined) return judgeCompared(input.summary, input.compared.currency);
  return input.posts || account === undefined ? judgeStatement({ ...judged(input), account }) : INFORMS;
}

/** The message states what another one will post. */
const INFORMS: Verdict = { status: 'received', findings: [] };

/** The caller has read which one it is; where it came in between, the caller reads again. */
function knownStatement(draft: Draft, id: Uuid, knownId: Uuid | undefined): BankStatement {
  if (id !== knownId) throw new StatementsMeet();
  return draft.get(bankStatements, id)!;
}

/** The same statement came in another file at the same time. Read again, it is known. */
export class StatementsMeet extends Error {
  override name = 'StatementsMeet';
}

function judged({ summary, supersedes, pages }: ReceiveStatement): Omit<JudgeInput, 'account'> {
  return { statement: summary.statement, sums: summary.sums, isRestated: supersedes !== null, pages };
}

interface Received {
  readonly verdict: Verdict;
  readonly input: ReceiveStatement;
  readonly exceptionId: Uuid;
}

function receive(draft: Draft, first: BankStatement, { verdict, input, exceptionId }: Received): BankStatement {
  const { status, findings } = verdict;
  const released = status === 'received' && input.posts;
  const statement = { ...first, findings, released };
  begin(draft, bankStatementResource, statement, 'bank_statement.received');
  if (status === 'received') return statement;
  if (status === 'rejected')
    return advance(draft, bankStatementResource, statement, { status }, { event: 'bank_statement.rejected' });
  if (statement.bankAccountId !== null) leaveOpen(draft, statement.bankAccountId);
  openException(draft, {
    id: exceptionId,
    kind: 'statement_held',
    resource: 'bank_statement',
    resourceId: first.id,
    detail: `The statement is held: ${findings.map(({ code }) => code).join(', ')}.`,
  });
  return advance(draft, bankStatementResource, statement, { status, exceptionId }, { event: 'bank_statement.held' });
}

function newStatement(draft: Draft, id: Uuid, input: ReceiveStatement): BankStatement {
  const { summary, reconciliationId, sha256, bankAccountId, supersedes, requestId } = input;
  const { statement, sums, format, place } = summary;
  const { account, kind, number, page, currency, from, to, opening, closing } = statement;
  const { book } = draft.moment;
  return {
    ...{ id, reconciliationId, bankAccountId, comparedAccountId: input.compared?.accountId ?? null, account },
    ...{ kind, format, place, number },
    ...{ page: page?.number ?? null, isFirst: page?.isFirst ?? true, isLast: page?.isLast ?? true },
    ...{ currency, fromOn: from, toOn: to, opening: opening?.amount ?? null, closing: closing?.amount ?? null },
    ...{ creditsCount: sums.creditsCount, creditsSum: sums.creditsSum },
    ...{ debitsCount: sums.debitsCount, debitsSum: sums.debitsSum },
    ...{ lines: sums.booked, bookedLines: 0, bookedCredits: 0n, bookedDebits: 0n },
    ...{ status: 'received', findings: [], released: false, supersedes, sha256, exceptionId: null },
    ...{ decision: null, reason: null, textSalt: null, decidedBy: null, approvedBy: null, firstEntryIds: [] },
    ...{ requestId, version: 1, createdAt: book, updatedAt: book },
  };
}
