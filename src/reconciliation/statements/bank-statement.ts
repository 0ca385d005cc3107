/**
 * A statement of a bank account, as a file brought it. Its lines are posted at once, or it is held: what does not fit waits for the missing
 * file, or for two persons.
 * Invariant: once `posted`, the bank account has moved by its lines, and stood at `closing` with the last of them.
 * Next: bank-statement-table.ts (its rows), judge-statement.ts (what holds it), post-lines.ts, decide-statement.ts.
 */
import type { Transitions } from '../../ledger/resources/resource.ts';
import type { Instant } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';
import type { BankFormat, MessageKind } from '../reading/bank-file.ts';

export type BankStatementStatus =
  /** Read. Its lines are being posted, or compared with an account of the book, or it only informs. The import moves it. */
  | 'received'
  /** All its lines are posted. */
  | 'posted'
  /** Something does not fit, and nothing is posted. The missing file releases it, or two persons decide. */
  | 'held'
  /** Wrong in itself, or rejected by two persons. Nothing is posted. Final. */
  | 'rejected'
  /** Posted, and a later statement of the same days that states more was accepted. Final. */
  | 'restated';

export const BANK_STATEMENT_TRANSITIONS: Transitions<BankStatementStatus> = {
  received: ['posted', 'held', 'rejected'],
  held: ['posted', 'rejected'],
  posted: ['restated'],
  rejected: [],
  restated: [],
};

export const HOLDING = [
  'bank_account_unknown',
  'statement_gap',
  'statement_page_missing',
  'statement_totals',
  'statement_restated',
  'currency_differs',
] as const;
export const REJECTING = ['statement_invalid', 'group_status'] as const;
export const INFORMING = ['no_balances', 'dates_out_of_order', 'details_differ'] as const;

export type FindingCode = (typeof HOLDING)[number] | (typeof REJECTING)[number] | (typeof INFORMING)[number];

export interface StatementFinding {
  readonly code: FindingCode;
  /** The line of the file. */
  readonly place: number | null;
  readonly detail: string;
  readonly expected: string | null;
  readonly actual: string | null;
}

export interface BankStatement {
  readonly id: Uuid;
  readonly reconciliationId: Uuid;
  readonly bankAccountId: Uuid | null;
  /** Of a book's own comparison: the account whose lines its lines are compared with. Nothing of it is posted. */
  readonly comparedAccountId: Uuid | null;
  /** As the bank names it. */
  readonly account: string;
  readonly kind: MessageKind;
  readonly format: BankFormat;
  /** Among the statements of its file, from 1. */
  readonly place: number;
  readonly number: string | null;
  readonly page: number | null;
  readonly isFirst: boolean;
  readonly isLast: boolean;
  readonly currency: string | null;
  readonly fromOn: string | null;
  readonly toOn: string | null;
  readonly opening: bigint | null;
  readonly closing: bigint | null;
  readonly creditsCount: number;
  readonly creditsSum: bigint;
  readonly debitsCount: number;
  readonly debitsSum: bigint;
  readonly lines: number;
  readonly bookedLines: number;
  readonly bookedCredits: bigint;
  readonly bookedDebits: bigint;
  readonly status: BankStatementStatus;
  readonly findings: readonly StatementFinding[];
  /** Its lines are posted, at once or because what it waited for is here. False where it only informs. */
  readonly released: boolean;
  /** The posted statement of the same number and days that it states more than. */
  readonly supersedes: Uuid | null;
  /** Of the file, in hexadecimal digits. */
  readonly sha256: string;
  readonly exceptionId: Uuid | null;
  /** What one person has decided of a held one. Another approves. */
  readonly decision: 'accept' | 'reject' | null;
  readonly reason: string | null;
  readonly textSalt: Buffer | null;
  readonly decidedBy: string | null;
  readonly approvedBy: string | null;
  /** At most ENTRIES_SHOWN: its lines name all. */
  readonly firstEntryIds: readonly Uuid[];
  readonly requestId: Uuid;
  readonly version: number;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** A statement of a million lines has thousands of entries. */
export const ENTRIES_SHOWN = 100;

export type BankStatementAction = 'accept' | 'reject' | 'approve';

/** A held statement is decided by persons, where there is something to post it on. */
export function allowedActions({
  status,
  decision,
  bankAccountId,
  released,
  findings,
}: Pick<
  BankStatement,
  'status' | 'decision' | 'bankAccountId' | 'released' | 'findings'
>): readonly BankStatementAction[] {
  if (status !== 'held' || released) return [];
  const acceptable = bankAccountId !== null && !findings.some(({ code }) => code === 'currency_differs');
  return [...(acceptable ? (['accept'] as const) : []), 'reject', ...(decision === null ? [] : (['approve'] as const))];
}

/** Whether its lines are compared with those of an account of the book: of the finished day alone, since other messages repeat them. */
export function isCompared({
  comparedAccountId,
  status,
  kind,
}: Pick<BankStatement, 'comparedAccountId' | 'status' | 'kind'>) {
  return comparedAccountId !== null && status === 'received' && kind === 'statement';
}

/** Whether something of the statement waits for a person, or was refused. */
export function isLeft({ status, released }: Pick<BankStatement, 'status' | 'released'>): boolean {
  return status === 'rejected' || (status === 'held' && !released);
}
