/** Reports of an acquirer that the product does not call: kept as `npm run settle` keeps them, with what they come to alone. */
import { hash } from 'node:crypto';
import type { Pool } from '../../src/db/pool.ts';
import { inTransaction } from '../../src/db/transaction.ts';
import { keepFile } from '../../src/intake/sealed-file.ts';
import type { BookId } from '../../src/ledger/book/book.ts';
import { newId, type Uuid } from '../../src/values/ids.ts';
import { TEST_SECRET_BOX } from './secret-box.ts';

export interface KeptReport {
  readonly acquirer?: string;
  readonly name?: string;
  readonly totals: readonly { readonly currency?: string; readonly gross: bigint; readonly cost: bigint }[];
  readonly at?: number;
}

/** Each total is the part of one book, which is nobody's here. */
export async function keepReportOf(
  { pool, bookId }: { readonly pool: Pool; readonly bookId: BookId },
  { acquirer = 'acme', name = `acme-${newId()}.csv`, totals, at = Date.now() }: KeptReport,
): Promise<Uuid> {
  const id = newId();
  const bytes = Buffer.from(`${name} ${id}`);
  const sha256 = hash('sha256', bytes, 'hex');
  await inTransaction(pool, async (trx) => {
    const file = { bookId, sha256, kind: 'acquirer_report', name, now: at } as const;
    const keeper = (await keepFile(trx, TEST_SECRET_BOX, file))!;
    await keeper.push(bytes);
    keeper.end();
    await trx.query(
      'INSERT INTO acquirer_reports (book_id, id, acquirer, sha256, lines, created_at) VALUES ($1, $2, $3, $4, $5, $6)',
      [bookId, id, acquirer, Buffer.from(sha256, 'hex'), totals.length, new Date(at)],
    );
    for (const { currency = 'JOD', gross, cost } of totals)
      await trx.query(
        `INSERT INTO acquirer_report_parts (book_id, id, report_id, of_book, currency, lines, gross, cost)
         VALUES ($1, $2, $3, $1, $4, 1, $5, $6)`,
        [bookId, newId(), id, currency, gross, cost],
      );
  });
  return id;
}
