/**
 * Indexes for a payday of the sandbox acquirer: which refunds of a merchant failed, and what was told of a dispute. Without them each
 * line of a report read all notices. Built in the table's own time: it is the sandbox's, and small.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE INDEX notices_refund_failed ON sandbox_acquirer.notices (originator, reference) WHERE kind = 'refund_failed';
    CREATE INDEX notices_by_dispute ON sandbox_acquirer.notices (originator, dispute) WHERE dispute IS NOT NULL;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP INDEX sandbox_acquirer.notices_by_dispute, sandbox_acquirer.notices_refund_failed');
}
