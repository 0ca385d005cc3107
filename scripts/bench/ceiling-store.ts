/**
 * The ceiling: the rows of entries by bare multi-row INSERT into the product's own schema, with its indexes, foreign
 * keys and triggers, and a commit for each batch. No decision, no balance, no chain; the values are prepared before the
 * clock starts. No ledger on these tables can be faster.
 */
import { randomBytes } from 'node:crypto';
import { byteaArray, instantArray, plainArray, rowsOf, textArray } from '../../src/db/columns.ts';
import type { Pool } from '../../src/db/pool.ts';
import { inTransaction } from '../../src/db/transaction.ts';
import type { BookId } from '../../src/ledger/book/book.ts';
import { newId, type Uuid } from '../../src/values/ids.ts';

export interface CeilingBatch {
  readonly count: number;
  readonly entries: readonly string[];
  readonly postings: readonly string[];
}

export interface Movement {
  readonly debit: Uuid;
  readonly credit: Uuid;
}

/** Makes rows as a book has them: gapless sequences and line numbers, digests that do not compress. */
export class CeilingRows {
  #sequence = 0n;
  readonly #lines = new Map<Uuid, bigint>();

  batch(movements: readonly Movement[], currency: string): CeilingBatch {
    const now = Date.now();
    const sequences = movements.map(() => ++this.#sequence);
    const each = <T>(value: () => T): T[] => movements.map(value);
    const lines = movements.map(({ debit, credit }) => ({
      debit: this.#nextLine(debit),
      credit: this.#nextLine(credit),
    }));
    return {
      count: movements.length,
      entries: [
        plainArray(sequences),
        plainArray(each(newId)),
        textArray(each(() => 'adjustment')),
        plainArray(each(newId)),
        textArray(each(() => 'posted')),
        instantArray(each(() => now)),
        instantArray(each(() => now)),
        plainArray(each(newId)),
        plainArray(each(() => false)),
        byteaArray(each(() => null)),
        byteaArray(each(() => randomBytes(32))),
      ],
      postings: [
        plainArray(sequences),
        plainArray(each(() => 1)),
        plainArray(movements.map(({ debit }) => debit)),
        plainArray(movements.map(({ credit }) => credit)),
        plainArray(each(randomAmount)),
        textArray(each(() => currency)),
        plainArray(lines.map(({ debit }) => debit)),
        plainArray(each(randomAmount)),
        plainArray(lines.map(({ credit }) => credit)),
        plainArray(each(randomAmount)),
      ],
    };
  }

  #nextLine(account: Uuid): bigint {
    const line = (this.#lines.get(account) ?? 0n) + 1n;
    this.#lines.set(account, line);
    return line;
  }
}

export function randomAmount(): bigint {
  return BigInt(1 + Math.floor(Math.random() * 10_000));
}

const INSERT_ENTRIES = `INSERT INTO entries (book_id, sequence, id, resource, resource_id, step, posted_at, effective_at, request_id, floor_overridden, text_digest, hash)
  SELECT $1, ${rowsOf('bigint', 'uuid', 'text', 'uuid', 'text', 'timestamptz', 'timestamptz', 'uuid', 'boolean', 'bytea', 'bytea')}`;

const INSERT_POSTINGS = `INSERT INTO postings (book_id, entry_sequence, ordinal, debit_account_id, credit_account_id, amount, currency,
  debit_line, debit_balance_after, credit_line, credit_balance_after)
  SELECT $1, ${rowsOf('bigint', 'smallint', 'uuid', 'uuid', 'bigint', 'text', 'bigint', 'bigint', 'bigint', 'bigint')}`;

/** Inserts a batch in one database transaction. Both statements are sent without a wait between them. */
export async function insertCeilingBatch(pool: Pool, bookId: BookId, batch: CeilingBatch): Promise<void> {
  await inTransaction(pool, async (trx) => {
    const inserts = [
      trx.query({
        name: 'ceiling.entries',
        text: INSERT_ENTRIES,
        values: [bookId, ...batch.entries],
      }),
      trx.query({
        name: 'ceiling.postings',
        text: INSERT_POSTINGS,
        values: [bookId, ...batch.postings],
      }),
    ];
    await Promise.all(inserts);
  });
}
