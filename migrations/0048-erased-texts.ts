/**
 * More of a payment is personal text (docs/decisions/personal-text.md): the reason of a refund and the customer of a token get a salt,
 * which hides them behind their references. A token says by a column of its own that it is kept, so that it is also known once its
 * customer is erased.
 *
 * The two tables belong to no release, so no row of another release has to be read.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE payment_operations ADD COLUMN text_salt bytea;
    ALTER TABLE payment_tokens ADD COLUMN text_salt bytea, ADD COLUMN reusable boolean NOT NULL DEFAULT false;
    UPDATE payment_tokens SET reusable = true WHERE customer_reference IS NOT NULL;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE payment_operations DROP COLUMN text_salt;
    ALTER TABLE payment_tokens DROP COLUMN text_salt, DROP COLUMN reusable;
  `);
}
