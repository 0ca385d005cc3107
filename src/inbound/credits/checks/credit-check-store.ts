import type { Pool } from '../../../db/pool.ts';
import type { BookId } from '../../../ledger/book/book.ts';
import type { CreditStatus } from '../../../outside/credits/credit.ts';
import type { Instant } from '../../../values/clock.ts';
import { BEFORE_ALL_IDS, type Uuid } from '../../../values/ids.ts';

/** A credit with what it became, as of one moment. */
export interface CreditHistory {
  readonly id: Uuid;
  readonly status: CreditStatus;
  readonly amount: bigint;
  readonly currency: string;
  readonly bankReference: string | null;
  readonly accountId: Uuid | null;
  readonly dueAt: Instant | null;
  readonly stuckAt: Instant | null;
  /** Of its book. Null without a transfer. */
  readonly transfer: {
    readonly accountId: Uuid;
    readonly amount: bigint;
    readonly currency: string;
    readonly bankReference: string | null;
  } | null;
  /** Exceptions about it: in the operator's book, and in the one that it was given to. */
  readonly excepted: boolean;
  readonly givenExcepted: boolean;
}

interface Row {
  id: Uuid;
  status: CreditStatus;
  amount: bigint;
  currency: string;
  bank_reference: string | null;
  account_id: Uuid | null;
  due_at: Instant | null;
  stuck_at: Instant | null;
  t_account: Uuid | null;
  t_amount: bigint;
  t_currency: string;
  t_reference: string | null;
  excepted: boolean;
  given_excepted: boolean;
}

/** A page of a book's credits. Indexes: the primary keys, exceptions_by_resource. Other books are read by their own keys. */
export async function readCreditHistories(
  pool: Pool,
  bookId: BookId,
  page: { after: Uuid | undefined; limit: number },
): Promise<CreditHistory[]> {
  const { rows } = await pool.query<Row>({
    name: 'verify.credits',
    text: `SELECT c.id, c.status, c.amount, c.currency, c.bank_reference, c.account_id, c.due_at, c.stuck_at,
        t.account_id AS t_account, t.amount AS t_amount, t.currency AS t_currency, t.bank_reference AS t_reference,
        EXISTS (SELECT FROM exceptions e WHERE e.book_id = $1 AND e.resource_id = c.id AND e.resource = 'inbound_credit') AS excepted,
        c.status = 'given' AND EXISTS (SELECT FROM exceptions e
          WHERE e.book_id = c.owner_book_id AND e.resource_id = c.id AND e.resource = 'given_credit') AS given_excepted
      FROM inbound_credits c
      LEFT JOIN inbound_transfers t ON t.book_id = c.owner_book_id AND t.id = c.transfer_id
      WHERE c.book_id = $1 AND c.id > $2 ORDER BY c.id LIMIT $3`,
    values: [bookId, page.after ?? BEFORE_ALL_IDS, page.limit],
  });
  return rows.map((row) => ({
    id: row.id,
    status: row.status,
    amount: row.amount,
    currency: row.currency,
    bankReference: row.bank_reference,
    accountId: row.account_id,
    dueAt: row.due_at,
    stuckAt: row.stuck_at,
    transfer:
      row.t_account === null
        ? null
        : {
            accountId: row.t_account,
            amount: row.t_amount,
            currency: row.t_currency,
            bankReference: row.t_reference,
          },
    excepted: row.excepted,
    givenExcepted: row.given_excepted,
  }));
}
