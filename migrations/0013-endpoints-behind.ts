/**
 * An endpoint that is behind is due as one row. Its deliveries wait without a due time of their own, in the order of
 * their events, until a worker drains them (src/webhooks/backlogs/backlog.ts). Two hundred thousand deliveries of a receiver
 * that was away cost 3,860 row updates a second while each was due by itself.
 *
 * All columns are null (retry_attempts 0) for an endpoint that is not behind, and in rows that release 0.1.0 writes.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE webhook_endpoints
      -- While it is set, new deliveries are written without a due time of their own. Changed by commands alone.
      ADD COLUMN behind_since timestamptz(3),
      -- State: when those that wait are tried next, or until when a process has them in hand.
      ADD COLUMN retry_at timestamptz(3),
      -- When the sweeper enqueues it, which moves this time and no other.
      ADD COLUMN due_at timestamptz(3),
      -- Times in a row that the endpoint took nothing: its pauses grow with them.
      ADD COLUMN retry_attempts integer NOT NULL DEFAULT 0,
      -- No delivery of an event before this one waits.
      ADD COLUMN waiting_from bigint;
    CREATE INDEX webhook_endpoints_due ON webhook_endpoints (due_at) WHERE due_at IS NOT NULL;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`DROP INDEX webhook_endpoints_due;
    ALTER TABLE webhook_endpoints DROP COLUMN behind_since, DROP COLUMN retry_at, DROP COLUMN due_at,
      DROP COLUMN retry_attempts, DROP COLUMN waiting_from`);
}
