/**
 * For whom the money of a line is, as answers show it: by the transfer, or the movement that two persons have approved, that the line shows; before
 * that, by the credit that it is. Rows of customers' books are read by their own keys.
 */
import { plainArray, textArray } from '../../db/columns.ts';
import type { Queryable } from '../../db/pool.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Uuid } from '../../values/ids.ts';
import type { Allocation, BankLine } from './bank-line.ts';

export async function withAllocations(db: Queryable, bookId: BookId, lines: readonly BankLine[]): Promise<BankLine[]> {
  const arrived = lines.filter(({ amount }) => amount > 0n);
  const [shown, credited] = [await ofMatches(db, bookId, arrived), await ofCredits(db, bookId, arrived)];
  return lines.map((line) => ({ ...line, allocation: shown.get(line.id) ?? credited.get(line.id) }));
}

interface Row {
  readonly line: Uuid;
  readonly book: Uuid;
  readonly account: Uuid | null;
  readonly transfer: Uuid | null;
}

const byLine = (rows: readonly Row[]) =>
  new Map(
    rows.map(({ line, book, account, transfer }): [Uuid, Allocation] => [
      line,
      { bookId: book, accountId: account, transferId: transfer },
    ]),
  );

/** A transfer stands in a match of its own. Indexes: the primary keys. */
async function ofMatches(db: Queryable, bookId: BookId, lines: readonly BankLine[]): Promise<Map<Uuid, Allocation>> {
  const pairs = lines.flatMap(({ id, matchIds }) => matchIds.map((match) => ({ line: id, match })));
  if (pairs.length === 0) return new Map();
  const { rows } = await db.query<Row>({
    name: 'bank_lines.allocated_by_match',
    text: `SELECT named.line, i.of_book AS book, COALESCE(t.account_id, e.target_account_id) AS account, t.id AS transfer
      FROM unnest($2::uuid[], $3::uuid[]) AS named (line, match)
      JOIN bank_matches m ON m.book_id = $1 AND m.id = named.match AND jsonb_array_length(m.items) = 1
      JOIN expected_items i ON i.book_id = $1 AND i.id = (m.items -> 0 ->> 'id')::uuid
      LEFT JOIN inbound_transfers t ON i.resource = 'inbound_transfer' AND t.book_id = i.of_book AND t.id = i.resource_id
      LEFT JOIN exceptions e ON i.resource = 'exception' AND e.book_id = i.of_book AND e.id = i.resource_id
      WHERE t.id IS NOT NULL OR e.target_account_id IS NOT NULL`,
    values: [bookId, plainArray(pairs.map(({ line }) => line)), plainArray(pairs.map(({ match }) => match))],
  });
  return byLine(rows);
}

/**
 * Of credits that are in a book or about to be: what one person proposes, or a book has refused, is for nobody yet.
 * Indexes: bank_accounts_pkey, inbound_credits_of_reference, exceptions_by_resource.
 */
async function ofCredits(db: Queryable, bookId: BookId, lines: readonly BankLine[]): Promise<Map<Uuid, Allocation>> {
  const named = lines.filter(({ bankReference }) => bankReference !== null);
  if (named.length === 0) return new Map();
  const { rows } = await db.query<Row>({
    name: 'bank_lines.allocated_by_credit',
    text: `SELECT named.line, k.owner_book_id AS book, COALESCE(k.account_id, e.target_account_id) AS account,
        CASE WHEN k.status = 'posted' THEN k.transfer_id END AS transfer
      FROM unnest($2::uuid[], $3::uuid[], $4::text[], $5::bigint[]) AS named (line, bank_account_id, reference, amount)
      JOIN bank_accounts b ON b.book_id = $1 AND b.id = named.bank_account_id
      CROSS JOIN LATERAL jsonb_array_elements_text(b.identifiers) AS one (name)
      JOIN inbound_credits k ON k.book_id = $1 AND k.bank_account = one.name AND k.bank_reference = named.reference
        AND k.amount = named.amount AND NOT k.shared AND k.status IN ('allocated', 'posted', 'given')
      LEFT JOIN exceptions e ON k.status = 'given' AND e.book_id = k.owner_book_id AND e.resource_id = k.id
        AND e.resource = 'given_credit' AND e.stage = 'approved'`,
    values: [
      bookId,
      plainArray(named.map(({ id }) => id)),
      plainArray(named.map(({ bankAccountId }) => bankAccountId)),
      textArray(named.map(({ bankReference }) => bankReference)),
      plainArray(named.map(({ amount }) => amount)),
    ],
  });
  return byLine(rows);
}
