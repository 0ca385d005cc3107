/**
 * A bank account of the operator's: its money at a bank. It has an account of its own in the ledger (`bank`), which equals what the bank has
 * stated, since every booked line of a statement is posted.
 * Invariant: `balance` is the opening and the lines of all posted statements.
 * Next: bank-account-table.ts (its rows), open-bank-account.ts, change-bank-account.ts, close-bank-account.ts.
 */
import type { CalendarName } from '../../calendar/business-days.ts';
import type { Transitions } from '../../ledger/resources/resource.ts';
import type { Instant } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';

export type BankAccountStatus =
  /** Statements of it are posted. */
  | 'open'
  /** Nothing is left on it, and nothing more is posted. Final. */
  | 'closed';

export const BANK_ACCOUNT_TRANSITIONS: Transitions<BankAccountStatus> = { open: ['closed'], closed: [] };

export const HOLDS = ['customer_money', 'own_money'] as const;
export const BOOKS_FROM = ['statement', 'report'] as const;
export const REVERSAL_INDICATORS = ['entry', 'original'] as const;
export const ALLOCATE_ON = ['statement', 'notification'] as const;

/** How a party's movements stand on statements. */
export const SETTLES = [
  /** Each for itself, under our end-to-end id. */
  'single',
  /** Each for itself, under references of the party's. */
  'reference',
  /** A day's movements as one. */
  'day',
  /** Consecutive reports as one. */
  'sequence',
] as const;

/** Who pays and takes at the bank account: a rail or an acquirer. */
export interface PartyAtBank {
  readonly party: string;
  /** Its account numbers, as lines name them: without white space, in capitals. */
  readonly accounts: readonly string[];
  readonly names: readonly string[];
  readonly settles: (typeof SETTLES)[number];
}

export interface BankAccount {
  readonly id: Uuid;
  readonly name: string;
  readonly currency: string;
  /** As files name it, without white space and in capitals: IBAN, number. */
  readonly identifiers: readonly string[];
  readonly bic: string | null;
  readonly holds: (typeof HOLDS)[number];
  /** YYYY-MM-DD. Statements of days before it are not posted. */
  readonly openingOn: string;
  /** Minor units; negative for an overdraft. */
  readonly openingAmount: bigint;
  /**
   * What was on its way when the account began, and is awaited on its statements: ids of payouts, returns, transfers and reports, or end-to-end ids,
   * as they were given. Whatever else was expected before is closed against own funds.
   */
  readonly outstanding: readonly string[];
  /** Of those that are ids of ours. */
  readonly outstandingIds: readonly Uuid[];
  /** Which messages post: of the finished day, or of the day so far where a bank has no other. */
  readonly booksFrom: (typeof BOOKS_FROM)[number];
  /** Whether an entry that is called a reversal states its own direction, or that of the entry that it reverses. */
  readonly reversalIndicator: (typeof REVERSAL_INDICATORS)[number];
  /** What credits customers: the line of a statement alone, or a notification where one comes before. */
  readonly allocateOn: (typeof ALLOCATE_ON)[number];
  /** Whose business days count. */
  readonly calendar: CalendarName;
  /** Business days in which a line may stand before and after the day on which it is expected. */
  readonly windowBefore: number;
  readonly windowAfter: number;
  readonly parties: readonly PartyAtBank[];
  readonly status: BankAccountStatus;
  readonly ledgerAccountId: Uuid;
  readonly balance: bigint;
  readonly lastStatementId: Uuid | null;
  /** The last day of the released statements that state balances. Null before the first. */
  readonly chainedOn: string | null;
  /** How many statements are released and not posted yet. */
  readonly underWay: number;
  /** How often a statement of it was held, or a match of it undone. */
  readonly reopened: number;
  /** The active version of its matching rules (rules/bank-account-rules.ts), and its number. Null before the first. */
  readonly rulesId: Uuid | null;
  readonly rulesVersion: number | null;
  /** How many versions were drafted. */
  readonly rulesDrafted: number;
  readonly entryIds: readonly Uuid[];
  readonly requestId: Uuid;
  readonly version: number;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

export type BankAccountAction = 'close';

/** What lines and statements are left, the command of a closing counts. */
export function allowedActions({
  status,
  balance,
  underWay,
}: Pick<BankAccount, 'status' | 'balance' | 'underWay'>): readonly BankAccountAction[] {
  return status === 'open' && balance === 0n && underWay === 0 ? ['close'] : [];
}
