/**
 * An own account: an account of the chart that an organisation added for its own bookkeeping, beside those of the system and of its
 * customers. Balances, floor and status are the ledger's (ledger/account/account.ts, code `own`); its code, name and type stand here. Code, type
 * and currency never change.
 * Next: chart-account-view.ts (how every account of the chart is shown), open-own-account.ts, change-own-account.ts.
 */
import type { Side } from '../../ledger/account/account.ts';
import type { AccountType } from '../../ledger/account/chart-names.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Instant } from '../../values/clock.ts';
import { deriveId, type Uuid } from '../../values/ids.ts';

export interface OwnAccount {
  readonly accountId: Uuid;
  readonly code: string;
  readonly name: string;
  readonly type: AccountType;
  readonly currency: string;
  readonly externalId: string | null;
  readonly metadata: Record<string, string>;
  readonly requestId: Uuid;
  readonly version: number;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** Own accounts of one book: many times what a chart of a company has, and few enough for one report. */
export const OWN_ACCOUNTS_MAX = 1_000;

/** What an account of a type grows by. */
export function normalSide(type: AccountType): Side {
  return type === 'asset' || type === 'expense' ? 'debit' : 'credit';
}

/** Derived from book, code and currency: a second account of one code and currency would have the id of the first. */
export function ownAccountId(bookId: BookId, { code, currency }: Pick<OwnAccount, 'code' | 'currency'>): Uuid {
  return deriveId('own_account', bookId, code, currency);
}
