/**
 * What partners tell by HTTP, as it came. A message belongs to no book before it is read: it is kept first, and copied into the
 * inbox of its book afterwards (rail_notices). One partner's message id is kept once, whatever comes under it again.
 *
 * Indexes are partial, so that a lookup by key is left to the key (migration 0006). The table is new, so nothing waits.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE partner_notices (
      partner text NOT NULL,
      id uuid NOT NULL,
      -- The partner's own id of the message.
      webhook_id text NOT NULL,
      body_digest bytea NOT NULL,
      -- As it came, read or not.
      body bytea NOT NULL,
      received_at timestamptz(3) NOT NULL,
      acknowledged_at timestamptz(3),
      PRIMARY KEY (partner, id)
    );
    CREATE UNIQUE INDEX partner_notices_by_webhook_id ON partner_notices (partner, webhook_id) WHERE webhook_id IS NOT NULL;
    CREATE INDEX partner_notices_open ON partner_notices (partner, id) WHERE acknowledged_at IS NULL;
    CREATE INDEX partner_notices_acknowledged ON partner_notices (acknowledged_at) WHERE acknowledged_at IS NOT NULL;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE partner_notices;');
}
