/** Credits that lines show, and whether they are in a customer's book: rows of other groups, read here by their own keys. */
import { plainArray, textArray } from '../../db/columns.ts';
import type { Queryable } from '../../db/pool.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { CreditStatus } from '../../outside/credits/credit.ts';
import type { Uuid } from '../../values/ids.ts';
import type { BankLine } from './bank-line.ts';

export interface CreditOfLine {
  readonly id: Uuid;
  /** As it was read. */
  readonly status: CreditStatus;
  /**
   * Of a credit that a book has, or is about to have: what the item is about that shows it, a transfer or the exception in which its persons name the
   * account. Null once that item is matched, or the book has ended its exception without an account, and for a credit that no book has.
   */
  readonly awaits: Uuid | null;
}

/** By line. Two credits of one reference and amount are both of it. */
export type CreditsOfLines = ReadonlyMap<Uuid, readonly CreditOfLine[]>;

/**
 * Before its book has the exception, the credit itself stands for what no item is about yet.
 * Indexes: bank_accounts_pkey, inbound_credits_of_reference, exceptions_by_resource, expected_items_by_resource.
 */
export async function readCreditsOfLines(
  db: Queryable,
  bookId: BookId,
  lines: readonly BankLine[],
): Promise<CreditsOfLines> {
  const named = lines.filter((line) => line.amount > 0n && line.bankAccountId !== null && line.bankReference !== null);
  if (named.length === 0) return new Map();
  const { rows } = await db.query<CreditOfLine & { readonly line: Uuid }>({
    name: 'bank_lines.credits',
    text: `SELECT of.line, of.id, of.status, CASE WHEN NOT EXISTS (SELECT FROM expected_items i
          WHERE i.book_id = $1 AND i.resource_id = of.awaits AND i.direction = 'in' AND i.status = 'matched') THEN of.awaits END AS awaits
      FROM (SELECT named.line, k.id, k.status, CASE
          WHEN k.status IN ('allocated', 'posted') THEN k.transfer_id
          WHEN k.status = 'given' AND (e.stage IS DISTINCT FROM 'approved' OR e.target_account_id IS NOT NULL) THEN COALESCE(e.id, k.id)
        END AS awaits
        FROM unnest($2::uuid[], $3::uuid[], $4::text[], $5::bigint[]) AS named (line, bank_account_id, reference, amount)
        JOIN bank_accounts b ON b.book_id = $1 AND b.id = named.bank_account_id
        CROSS JOIN LATERAL jsonb_array_elements_text(b.identifiers) AS one (name)
        JOIN inbound_credits k ON k.book_id = $1 AND k.bank_account = one.name AND k.bank_reference = named.reference
          AND k.amount = named.amount
        LEFT JOIN exceptions e ON k.status = 'given' AND e.book_id = k.owner_book_id AND e.resource_id = k.id
          AND e.resource = 'given_credit') AS of`,
    values: [
      bookId,
      plainArray(named.map(({ id }) => id)),
      plainArray(named.map(({ bankAccountId }) => bankAccountId)),
      textArray(named.map(({ bankReference }) => bankReference)),
      plainArray(named.map(({ amount }) => amount)),
    ],
  });
  const credits = new Map<Uuid, CreditOfLine[]>();
  for (const { line, ...credit } of rows) credits.set(line, [...(credits.get(line) ?? []), credit]);
  return credits;
}

/** What the items of a match are about must be one of these, where there are any. */
export function awaitedBy(credits: CreditsOfLines, lineId: Uuid): readonly Uuid[] {
  return (credits.get(lineId) ?? []).flatMap(({ awaits }) => awaits ?? []);
}
