/** Totals of blocks of entries. Rows are only added: a block is one statement, so it is there as a whole or not at all. */
import { plainArray } from '../../db/columns.ts';
import type { Queryable } from '../../db/pool.ts';
import type { AccountCode } from '../../ledger/account/account-code.ts';
import { BLOCK_ENTRIES, BLOCKS_TOGETHER, type Block, sizeOf } from '../../ledger/balances/totals/blocks.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Uuid } from '../../values/ids.ts';

/**
 * Lines of entries behind $2 up to $3 of the book $1, each with its day. With a limit the entry is looked up by its key, whatever the planner
 * believes of a table that was never analyzed: it joined ten thousand rows with ten thousand.
 */
const LINES = `WITH zone AS MATERIALIZED (SELECT time_zone FROM books WHERE id = $1), p AS MATERIALIZED (
    SELECT debit_account_id, credit_account_id, amount,
      to_char(e.effective_at AT TIME ZONE (SELECT time_zone FROM zone), 'YYYY-MM-DD') AS day
    FROM postings CROSS JOIN LATERAL (
      SELECT effective_at FROM entries WHERE book_id = $1 AND sequence = postings.entry_sequence LIMIT 1
    ) AS e
    WHERE book_id = $1 AND entry_sequence > $2 AND entry_sequence <= $3
  ), lines AS (
    SELECT debit_account_id AS account_id, day, amount AS debit, 0::bigint AS credit FROM p
    UNION ALL
    SELECT credit_account_id, day, 0, amount FROM p
  )`;

/** By account and day. */
const SUMS = `${LINES}
  SELECT account_id, day AS effective_on, sum(debit)::bigint AS debits, sum(credit)::bigint AS credits FROM lines GROUP BY 1, 2`;
const SUMS_OF_BLOCKS = `SELECT account_id, effective_on, sum(debits)::bigint AS debits, sum(credits)::bigint AS credits
  FROM journal_totals WHERE book_id = $1 AND level = $4::smallint - 1 AND block > $2 AND block <= $3 GROUP BY 1, 2`;

const insertOf = (
  sums: string,
) => `INSERT INTO journal_totals (book_id, level, block, account_id, effective_on, debits, credits)
  SELECT $1, $4::smallint, $5::bigint, s.* FROM (${sums}) AS s ORDER BY account_id, effective_on ON CONFLICT DO NOTHING`;
/** Rows that are not what they should be, and that are missing or too many: the first of them. */
const differenceOf = (sums: string) => `SELECT account_id AS "accountId", effective_on AS "effectiveOn",
    COALESCE(s.debits, 0) AS debits, COALESCE(s.credits, 0) AS credits, COALESCE(t.debits, 0) AS "keptDebits", COALESCE(t.credits, 0) AS "keptCredits"
  FROM (${sums}) AS s FULL JOIN (
    SELECT account_id, effective_on, debits, credits FROM journal_totals WHERE book_id = $1 AND level = $4::smallint AND block = $5::bigint
  ) AS t USING (account_id, effective_on)
  WHERE (s.debits, s.credits) IS DISTINCT FROM (t.debits, t.credits) ORDER BY 1, 2 LIMIT 1`;

/** `after` and `through` are entries, or the blocks below. */
const valuesOf = (bookId: BookId, { level, block }: Block) => {
  const size = level === 0 ? BLOCK_ENTRIES : BLOCKS_TOGETHER;
  const shift = level === 0 ? 0n : 1n;
  return [bookId, block * size - shift, (block + 1n) * size - shift, level, block];
};

/**
 * Adds a block, of its entries or of the ten blocks below. Another process may have added it: both have the same rows. Indexes: entries_pkey,
 * postings_pkey, journal_totals_pkey. Some 50 ms.
 */
export async function addBlock(db: Queryable, bookId: BookId, block: Block): Promise<void> {
  const text = insertOf(block.level === 0 ? SUMS : SUMS_OF_BLOCKS);
  await db.query({ name: `journal_totals.add_${Math.min(block.level, 1)}`, text, values: valuesOf(bookId, block) });
}

export interface Difference {
  readonly accountId: Uuid;
  readonly effectiveOn: string;
  readonly debits: bigint;
  readonly credits: bigint;
  readonly keptDebits: bigint;
  readonly keptCredits: bigint;
}

/** Undefined where the block has what its entries, or the blocks below, come to. */
export async function findDifference(db: Queryable, bookId: BookId, block: Block): Promise<Difference | undefined> {
  const text = differenceOf(block.level === 0 ? SUMS : SUMS_OF_BLOCKS);
  const { rows } = await db.query<Difference>({
    name: `journal_totals.differ_${Math.min(block.level, 1)}`,
    text,
    values: valuesOf(bookId, block),
  });
  return rows[0];
}

/** Of a currency, all accounts of a code: debits less credits. */
export interface CodeSum {
  readonly currency: string;
  readonly code: AccountCode;
  readonly onDebit: bigint;
}

const byCode = (sums: string) => `SELECT a.currency, a.code, sum(t.on_debit)::bigint AS "onDebit" FROM (${sums}) AS t
  JOIN accounts a ON a.book_id = $1 AND a.id = t.account_id GROUP BY 1, 2`;

/** What blocks come to, of lines that take effect by a day; null: of all. Indexes: journal_totals_pkey, accounts_pkey. */
export async function sumBlocks(
  db: Queryable,
  bookId: BookId,
  { blocks, day }: { readonly blocks: readonly Block[]; readonly day: string | null },
): Promise<CodeSum[]> {
  const { rows } = await db.query<CodeSum>({
    name: 'journal_totals.sums',
    text: byCode(`SELECT t.account_id, sum(t.debits - t.credits) AS on_debit
      FROM unnest($2::smallint[], $3::bigint[]) AS c (level, block)
      JOIN journal_totals t ON t.book_id = $1 AND t.level = c.level AND t.block = c.block
      WHERE $4::text IS NULL OR t.effective_on <= $4 GROUP BY 1`),
    values: [bookId, plainArray(blocks.map(({ level }) => level)), plainArray(blocks.map(({ block }) => block)), day],
  });
  return rows;
}

/** The same of entries behind `after`, up to `through`. Indexes: entries_pkey, postings_pkey, accounts_pkey. */
export async function sumTail(
  db: Queryable,
  bookId: BookId,
  { after, through, day }: { readonly after: bigint; readonly through: bigint; readonly day: string | null },
): Promise<CodeSum[]> {
  const { rows } = await db.query<CodeSum>({
    name: 'journal_totals.tail',
    text: byCode(
      `${LINES} SELECT account_id, sum(debit - credit) AS on_debit FROM lines WHERE $4::text IS NULL OR day <= $4 GROUP BY 1`,
    ),
    values: [bookId, after, through, day],
  });
  return rows;
}

/** A page of books that have a block to be folded, each with its last entry. Reads each book once, and one probe of journal_totals_pkey. */
export async function findUnfolded(
  db: Queryable,
  { after, limit }: { readonly after: BookId; readonly limit: number },
): Promise<{ readonly id: BookId; readonly head: bigint }[]> {
  const { rows } = await db.query<{ id: BookId; head: bigint }>({
    name: 'journal_totals.unfolded',
    text: `SELECT b.id, b.entry_sequence AS head FROM books b
      WHERE b.id > $1 AND b.entry_sequence >= $3 AND b.entry_sequence / $3 > COALESCE((
        SELECT block + 1 FROM journal_totals WHERE book_id = b.id AND level = 0 ORDER BY block DESC LIMIT 1), 0)
      ORDER BY b.id LIMIT $2`,
    values: [after, limit, sizeOf(0)],
  });
  return rows;
}
