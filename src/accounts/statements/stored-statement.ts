/**
 * A statement that is kept: made once its days are over, numbered by account without a gap, and never made again. Its lines are read from the
 * journal on request; they lead to the same digest.
 */
import { currencyExponent } from '../../money/currency.ts';
import { formatInstant, type Instant } from '../../values/clock.ts';
import { publicId, type Uuid } from '../../values/ids.ts';
import type { StatementDays } from './statement.ts';

export interface StoredStatement extends StatementDays {
  readonly id: Uuid;
  readonly accountId: Uuid;
  /** Counts from 1. */
  readonly number: bigint;
  readonly currency: string;
  /** Posted balances on the account's own side, and what moved between them, in minor units. */
  readonly opening: bigint;
  readonly creditsCount: bigint;
  readonly creditsSum: bigint;
  readonly debitsCount: bigint;
  readonly debitsSum: bigint;
  readonly closing: bigint;
  /** Lines after the first, up to the second. */
  readonly afterLine: bigint;
  readonly throughLine: bigint;
  readonly digest: string;
  readonly createdAt: Instant;
}

export function storedStatementView(statement: StoredStatement, livemode: boolean) {
  return {
    id: publicId('statement', statement.id),
    object: 'statement',
    livemode,
    account: publicId('account', statement.accountId),
    number: statement.number,
    from: statement.from,
    to: statement.to,
    currency: statement.currency,
    currency_exponent: currencyExponent(statement.currency),
    opening: statement.opening,
    credits: { count: statement.creditsCount, sum: statement.creditsSum },
    debits: { count: statement.debitsCount, sum: statement.debitsSum },
    closing: statement.closing,
    through_line: statement.throughLine,
    digest: statement.digest,
    created_at: formatInstant(statement.createdAt),
  };
}
