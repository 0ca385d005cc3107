import { plainArray } from '../../db/columns.ts';
import type { Uuid } from '../../ids.ts';
import { type Table, WRITE_ORDER } from '../../ledger/table.ts';

/** What one payment still has in a share: the sum of its lines there. */
export interface SharePart {
  readonly amount: bigint;
  /** Of the payment as it was then: a command before this one may have changed both. */
  readonly paymentVersion: number;
}

export function sharePartKey(shareId: Uuid, paymentId: Uuid): string {
  return `${shareId} ${paymentId}`;
}

/** Read-only, keyed by share and payment. Indexes: payment_share_lines_by_payment, payments_pkey. */
export const shareParts: Table<SharePart> = {
  name: 'payment_share_parts',
  writeOrder: WRITE_ORDER.resources,
  derived: true,
  async load(trx, bookId, keys) {
    const pairs = keys.map((key) => key.split(' ') as [Uuid, Uuid]);
    const { rows } = await trx.query<{ share_id: Uuid; payment_id: Uuid; amount: bigint; version: number }>({
      name: 'payment_share_parts.load',
      text: `SELECT asked.share_id, asked.payment_id, p.version, (
          SELECT coalesce(sum(l.amount), 0)::bigint FROM payment_share_lines l
          WHERE l.book_id = $1 AND l.payment_id = asked.payment_id AND l.share_id = asked.share_id
        ) AS amount
        FROM unnest($2::uuid[], $3::uuid[]) AS asked (share_id, payment_id)
        JOIN payments p ON p.book_id = $1 AND p.id = asked.payment_id`,
      values: [bookId, plainArray(pairs.map(([share]) => share)), plainArray(pairs.map(([, payment]) => payment))],
    });
    return new Map(
      rows.map((row) => [
        sharePartKey(row.share_id, row.payment_id),
        { amount: row.amount, paymentVersion: row.version },
      ]),
    );
  },
  insert: readOnly,
  update: readOnly,
};

function readOnly(): Promise<void> {
  return Promise.reject(new Error('What of a payment is in a share is only read'));
}
