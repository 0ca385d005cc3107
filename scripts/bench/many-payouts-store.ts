/** Bare payout rows by the hundred thousand, for lists, which read nothing around them. */
import type { Pool } from '../../src/db/pool.ts';
import type { BookId } from '../../src/ledger/book/book.ts';

export interface ManyPayouts {
  count: number;
  /** Pairs of metadata. A pair is on each payout whose number leaves `from` (0) when divided by `every`. */
  metadata: readonly { key: string; value: string; every: number; from?: number }[];
  /** SQL of a status; `number` is the payout's number. */
  status?: string;
  /** SQL of an external id, in the same way. */
  externalId?: string;
  /** SQL of when it is due, in the same way. Left out: never. */
  dueAt?: string;
  /** SQL of the account that it leaves, in the same way. Left out: one of its own. */
  account?: string;
  /** Added to each payout's metadata and not indexed, to make rows long. */
  padding?: Readonly<Record<string, string>>;
}

/** SQL of a payout's id by its number. Ids sort as numbers do: the first 48 bits are the time (RFC 9562). */
const ID = `(lpad(to_hex(1767225600000 + number), 12, '0') || '70008000' || lpad(to_hex(number), 12, '0'))::uuid`;

/** Payouts in one statement, which ends well within the role's timeout. */
const PAYOUTS_A_STATEMENT = 10_000;

/** Inserts payouts 1 to `count`, oldest first. The tables are not analyzed: the planner knows of none of these rows. */
export async function insertManyPayouts(pool: Pool, bookId: BookId, payouts: ManyPayouts): Promise<void> {
  const {
    count,
    metadata,
    status = `'paid'`,
    externalId = 'NULL',
    dueAt = 'NULL',
    account = ID,
    padding = {},
  } = payouts;
  const pairs = JSON.stringify(metadata.map(({ from = 0, ...pair }) => ({ ...pair, from })));
  for (let first = 1; first <= count; first += PAYOUTS_A_STATEMENT) {
    const last = Math.min(first + PAYOUTS_A_STATEMENT - 1, count);
    await pool.query(
      `INSERT INTO payouts (book_id, id, status, account_id, hold_id, amount, fee, currency, rail, destination_type, destination_masked,
          destination_sealed, external_id, metadata, end_to_end_id, request_id, due_at, created_at, updated_at)
        SELECT $1, ${ID}, ${status}, ${account}, ${ID}, 1000, 5, 'JOD', 'sandbox', 'cliq', 'S***1', '\\x00', ${externalId},
          (SELECT COALESCE(jsonb_object_agg(key, value), '{}') FROM jsonb_to_recordset($4) AS p (key text, value text, every int, "from" int)
            WHERE number % every = p.from) || $5,
          'E' || number, ${ID}, ${dueAt}, to_timestamp((1767225600000 + number) / 1000.0), to_timestamp((1767225600000 + number) / 1000.0)
        FROM generate_series($2::bigint, $3::bigint) AS n (number)`,
      [bookId, first, last, pairs, JSON.stringify(padding)],
    );
    await pool.query(
      `INSERT INTO metadata_index (book_id, object, key, value, object_id)
        SELECT $1, 'payout', key, value, ${ID}
        FROM jsonb_to_recordset($4) AS p (key text, value text, every int, "from" int), generate_series($2::bigint, $3::bigint) AS n (number)
        WHERE number % every = p.from`,
      [bookId, first, last, pairs],
    );
  }
}

/** When a payout was created, by its number. */
export function manyPayoutsTime(number: number): number {
  return 1_767_225_600_000 + number;
}

export function manyPayoutsId(number: number): string {
  const time = manyPayoutsTime(number).toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${number.toString(16).padStart(12, '0')}`;
}

/** Does what autovacuum does sooner or later. Takes a pool of the owner: the application's role may not. */
export async function analyzeLists(owner: Pool): Promise<void> {
  await owner.query('ANALYZE payouts, metadata_index');
}
