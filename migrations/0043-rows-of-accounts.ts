/**
 * What ties accounts to rows, and disputes to limits. Lines of shares are found by what they are of, so that `verify` holds each capture,
 * refund and dispute against what it put into shares. A payment counts its disputes. A dispute keeps when its acquirer told of it, by which
 * the same message under another id is known.
 *
 * No release writes payments yet: nothing waits.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE INDEX payment_share_lines_by_operation ON payment_share_lines (book_id, operation_id) WHERE operation_id IS NOT NULL;
    ALTER TABLE payments ADD COLUMN disputes integer NOT NULL DEFAULT 0 CHECK (disputes >= 0);
    UPDATE payments AS p SET disputes = d.count
    FROM (SELECT book_id, payment_id, count(*) AS count FROM payment_disputes GROUP BY book_id, payment_id) AS d
    WHERE p.book_id = d.book_id AND p.id = d.payment_id;
    ALTER TABLE payment_disputes ADD COLUMN told_at timestamptz(3);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE payment_disputes DROP COLUMN told_at;
    ALTER TABLE payments DROP COLUMN disputes;
    DROP INDEX payment_share_lines_by_operation;
  `);
}
