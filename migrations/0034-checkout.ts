/**
 * Hosted checkout: a payment is found by the digest of its page's token. The token itself is in no row
 * (docs/decisions/checkout.md).
 *
 * Unique over all books: who opens the page names no book. Payments are new in this release, so the index has nothing to read.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE payments ADD COLUMN checkout_digest bytea CHECK (octet_length(checkout_digest) = 32);
    CREATE UNIQUE INDEX payments_by_checkout ON payments (checkout_digest) WHERE checkout_digest IS NOT NULL;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE payments DROP COLUMN checkout_digest');
}
