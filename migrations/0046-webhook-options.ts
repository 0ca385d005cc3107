/**
 * Options of webhook endpoints (order, rate, headers, signatures), and replays: requests to deliver again, or what was
 * never delivered, which workers carry out a page of events at a time.
 *
 * Every new column of an endpoint has its default where it has no option, as in rows that release 0.2.0 writes.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE webhook_endpoints
      ADD COLUMN ordered boolean NOT NULL DEFAULT false,
      ADD COLUMN rate_per_second integer CHECK (rate_per_second > 0),
      -- Custom headers with masked values, as they are shown.
      ADD COLUMN headers jsonb,
      -- The same with their values, sealed.
      ADD COLUMN headers_sealed bytea,
      ADD COLUMN signatures text[] NOT NULL DEFAULT '{v1}' CHECK (cardinality(signatures) > 0),
      -- The Ed25519 key of v1a. Null without that signature.
      ADD COLUMN signing_key_sealed bytea,
      ADD COLUMN public_key text,
      -- In the book's own time, as the times of events are. Null while it is enabled.
      ADD COLUMN disabled_at timestamptz(3),
      -- Written with the lease of a backlog: whoever has it next sends nothing before.
      ADD COLUMN rate_free_at timestamptz(3);

    CREATE TABLE webhook_replays (
      book_id uuid NOT NULL,
      id uuid NOT NULL,
      endpoint_id uuid NOT NULL,
      kind text NOT NULL CHECK (kind IN ('resend', 'recover', 'missing')),
      status text NOT NULL CHECK (status IN ('pending', 'done')),
      -- Events from this moment on and before that one, in the book's own time. Null for a single event, and without an end.
      since timestamptz(3),
      until timestamptz(3),
      -- The events by their sequence, once a worker has looked them up. Null until then.
      first_sequence bigint,
      next_sequence bigint,
      through_sequence bigint,
      endpoint_version integer NOT NULL,
      request_id uuid NOT NULL,
      due_at timestamptz(3),
      stuck_at timestamptz(3),
      stuck_error text,
      created_at timestamptz(3) NOT NULL,
      PRIMARY KEY (book_id, id),
      FOREIGN KEY (book_id, endpoint_id) REFERENCES webhook_endpoints (book_id, id)
    );
    CREATE INDEX webhook_replays_by_endpoint ON webhook_replays (book_id, endpoint_id, status) WHERE endpoint_id IS NOT NULL;
    CREATE INDEX webhook_replays_due ON webhook_replays (due_at) WHERE due_at IS NOT NULL AND stuck_at IS NULL;
    CREATE INDEX webhook_replays_due_by_book ON webhook_replays (status, book_id, due_at) WHERE due_at IS NOT NULL AND stuck_at IS NULL;
    CREATE INDEX webhook_replays_stuck ON webhook_replays (stuck_at) WHERE stuck_at IS NOT NULL;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`DROP TABLE webhook_replays;
    ALTER TABLE webhook_endpoints DROP COLUMN ordered, DROP COLUMN rate_per_second, DROP COLUMN headers,
      DROP COLUMN headers_sealed, DROP COLUMN signatures, DROP COLUMN signing_key_sealed, DROP COLUMN public_key,
      DROP COLUMN disabled_at, DROP COLUMN rate_free_at`);
}
