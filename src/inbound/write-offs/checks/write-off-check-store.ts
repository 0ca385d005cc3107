/** Write-offs with their exceptions, and with what they have booked in customers' books. */
import type { Queryable } from '../../../db/pool.ts';
import type { BookId } from '../../../ledger/book/book.ts';
import type { Uuid } from '../../../values/ids.ts';
import type { WriteOff } from '../write-off.ts';
import { writeOffs } from '../write-off-table.ts';

export interface WriteOffHistory {
  readonly writeOff: WriteOff;
  /** The stage of its exception, and who ended it; null without one. */
  readonly exception: { readonly stage: string; readonly approvedBy: string | null } | null;
  /** Its transfer; null without one. */
  readonly transfer: {
    readonly accountId: Uuid;
    readonly currency: string;
    readonly amount: bigint;
    readonly writeOffId: Uuid | null;
  } | null;
}

interface Row {
  stage: string | null;
  approved_by: string | null;
  transfer_account: Uuid | null;
  transfer_currency: string;
  transfer_amount: bigint;
  transfer_write_off: Uuid | null;
}

/** A page. Indexes: write_offs_pkey, exceptions_by_resource, inbound_transfers_pkey. */
export async function readWriteOffHistories(
  db: Queryable,
  bookId: BookId,
  { after, limit }: { readonly after: Uuid; readonly limit: number },
): Promise<WriteOffHistory[]> {
  const { rows } = await db.query<Row>({
    name: 'verify.write_offs',
    text: `SELECT ${writeOffs.selected('w')}, e.stage, e.approved_by, t.account_id AS transfer_account,
        t.currency AS transfer_currency, t.amount AS transfer_amount, t.write_off_id AS transfer_write_off
      FROM (SELECT * FROM write_offs WHERE book_id = $1 AND id > $2 ORDER BY id LIMIT $3) AS w
      LEFT JOIN LATERAL (SELECT stage, approved_by FROM exceptions
        WHERE book_id = $1 AND resource_id = w.id AND resource = 'write_off' LIMIT 1) AS e ON true
      LEFT JOIN LATERAL (SELECT account_id, currency, amount, write_off_id FROM inbound_transfers
        WHERE book_id = w.of_book AND id = w.transfer_id) AS t ON true
      ORDER BY w.id`,
    values: [bookId, after, limit],
  });
  return rows.map((row) => ({
    writeOff: writeOffs.fromRow(row),
    exception: row.stage === null ? null : { stage: row.stage, approvedBy: row.approved_by },
    transfer:
      row.transfer_account === null
        ? null
        : {
            ...{ accountId: row.transfer_account, currency: row.transfer_currency, amount: row.transfer_amount },
            writeOffId: row.transfer_write_off,
          },
  }));
}
