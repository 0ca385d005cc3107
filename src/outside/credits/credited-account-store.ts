/**
 * Bank accounts of the operator's where credits arrive, as files of banks name them. Their rows are reconciliation's: here it is read which names
 * are of one account, when its customers are credited, and what its statements have shown already.
 */
import { plainArray, textArray } from '../../db/columns.ts';
import type { Queryable } from '../../db/pool.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Uuid } from '../../values/ids.ts';
import type { Credit } from './credit.ts';

/** The form in which names of accounts are compared: banks group them in different ways. */
export function plainIdentifier(identifier: string): string {
  return identifier.replace(/\s+/g, '').toUpperCase();
}

export interface CreditedAccount {
  readonly id: Uuid;
  /** All of its names. The first one stands for it. */
  readonly names: readonly string[];
  /** Whether a notification credits customers, and does not wait for the line of the statement. */
  readonly creditsByNotification: boolean;
}

/** By the name that was asked for. Indexes: bank_account_identifiers_pkey, bank_accounts_pkey. */
export async function readCreditedAccounts(
  db: Queryable,
  bookId: BookId,
  names: readonly string[],
): Promise<Map<string, CreditedAccount>> {
  const asked = [...new Set(names)];
  const { rows } = await db.query<{ identifier: string; id: Uuid; names: string[]; credits: boolean }>({
    name: 'credits.accounts',
    text: `SELECT i.identifier, b.id, b.identifiers AS names,
        b.allocate_on = 'notification' AND b.holds = 'customer_money' AS credits
      FROM bank_account_identifiers i JOIN bank_accounts b ON b.book_id = i.book_id AND b.id = i.bank_account_id
      WHERE i.book_id = $1 AND i.identifier = ANY ($2::text[])`,
    values: [bookId, textArray(asked.map(plainIdentifier))],
  });
  const byIdentifier = new Map(
    rows.map(({ identifier, id, names: all, credits }): [string, CreditedAccount] => [
      identifier,
      { id, names: all, creditsByNotification: credits },
    ]),
  );
  return new Map(
    asked.flatMap((name): [string, CreditedAccount][] => {
      const found = byIdentifier.get(plainIdentifier(name));
      return found === undefined ? [] : [[name, found]];
    }),
  );
}

export interface StatedCredit {
  readonly bankAccountId: Uuid;
  readonly bankReference: string;
  readonly amount: bigint;
}

/** The places of those that a posted line has shown. Index: bank_lines_by_reference. */
export async function readStated(
  db: Queryable,
  bookId: BookId,
  credits: readonly StatedCredit[],
): Promise<Set<number>> {
  if (credits.length === 0) return new Set();
  const { rows } = await db.query<{ place: number }>({
    name: 'credits.stated',
    text: `SELECT given.place FROM unnest($2::integer[], $3::uuid[], $4::text[], $5::bigint[])
        AS given (place, bank_account_id, bank_reference, amount)
      WHERE EXISTS (SELECT FROM bank_lines l WHERE l.book_id = $1 AND l.bank_reference = given.bank_reference
        AND l.bank_account_id = given.bank_account_id AND l.amount = given.amount AND l.status <> 'pending')`,
    values: [
      bookId,
      plainArray(credits.map((_, place) => place)),
      plainArray(credits.map(({ bankAccountId }) => bankAccountId)),
      textArray(credits.map(({ bankReference }) => bankReference)),
      plainArray(credits.map(({ amount }) => amount)),
    ],
  });
  return new Set(rows.map(({ place }) => place));
}

/** Whether matches have taken something of the credit's posted line. Indexes: bank_account_identifiers_pkey, bank_lines_by_reference. */
export async function isMatchedAtBank(
  db: Queryable,
  bookId: BookId,
  { bankAccount, bankReference, amount }: Pick<Credit, 'bankAccount' | 'bankReference' | 'amount'>,
): Promise<boolean> {
  if (bankReference === null) return false;
  const { rows } = await db.query({
    name: 'credits.matched',
    text: `SELECT FROM bank_account_identifiers i
      JOIN bank_lines l ON l.book_id = $1 AND l.bank_reference = $3 AND l.bank_account_id = i.bank_account_id AND l.amount = $4
      WHERE i.book_id = $1 AND i.identifier = $2 AND l.status <> 'pending' AND l.matched <> 0 LIMIT 1`,
    values: [bookId, plainIdentifier(bankAccount), bankReference, amount],
  });
  return rows.length > 0;
}
