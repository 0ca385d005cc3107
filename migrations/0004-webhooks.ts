/**
 * Webhook endpoints, and one delivery for each event and matching endpoint, written in the event's own database
 * transaction. A delivery's attempts are rows of webhook_attempts.
 *
 * A delivery's key begins with its endpoint. So the key itself serves the list of an endpoint, newest first, and a
 * delivery costs one index less. An attempt's key begins with the event, so that it serves timelines as well.
 * `retry_at` is state: when the delivery may be attempted again. `due_at` only says when the sweeper enqueues a job;
 * the sweeper then postpones it.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE webhook_endpoints (
      book_id uuid NOT NULL REFERENCES books (id),
      id uuid NOT NULL,
      url text NOT NULL,
      description text,
      events text[] NOT NULL CHECK (cardinality(events) > 0),
      status text NOT NULL CHECK (status IN ('enabled', 'disabled', 'deleted')),
      disabled_reason text CHECK (disabled_reason IN ('requested', 'gone', 'failing')),
      -- Null once it is deleted: a secret that nobody needs is not kept.
      secret_sealed bytea CHECK (secret_sealed IS NOT NULL OR status = 'deleted'),
      previous_secret_sealed bytea,
      previous_secret_until timestamptz(3),
      -- Since when no delivery has arrived. Kept by those who deliver, outside the book's lock.
      failing_since timestamptz(3),
      metadata jsonb NOT NULL DEFAULT '{}',
      version integer NOT NULL DEFAULT 1,
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL,
      PRIMARY KEY (book_id, id)
    );
    -- What is deleted is never shown and never asked for events, however much of it gathers.
    CREATE INDEX webhook_endpoints_live ON webhook_endpoints (book_id, id) WHERE status <> 'deleted';

    CREATE TABLE webhook_deliveries (
      book_id uuid NOT NULL,
      endpoint_id uuid NOT NULL,
      event_sequence bigint NOT NULL,
      status text NOT NULL CHECK (status IN ('pending', 'delivered', 'failed', 'canceled')),
      attempts smallint NOT NULL DEFAULT 0,
      retry_at timestamptz(3),
      due_at timestamptz(3),
      stuck_at timestamptz(3),
      stuck_error text,
      created_at timestamptz(3) NOT NULL,
      PRIMARY KEY (book_id, endpoint_id, event_sequence),
      FOREIGN KEY (book_id, event_sequence) REFERENCES events (book_id, sequence),
      FOREIGN KEY (book_id, endpoint_id) REFERENCES webhook_endpoints (book_id, id)
    ) WITH (fillfactor = 80);
    -- For lists of what did not arrive; what arrived is by far the most, and is found by the key.
    CREATE INDEX webhook_deliveries_open ON webhook_deliveries (book_id, endpoint_id, event_sequence) WHERE status <> 'delivered';
    CREATE INDEX webhook_deliveries_due ON webhook_deliveries (due_at) WHERE due_at IS NOT NULL AND stuck_at IS NULL;
    CREATE INDEX webhook_deliveries_stuck ON webhook_deliveries (stuck_at) WHERE stuck_at IS NOT NULL;

    CREATE TABLE webhook_attempts (
      book_id uuid NOT NULL,
      event_sequence bigint NOT NULL,
      endpoint_id uuid NOT NULL,
      attempt smallint NOT NULL CHECK (attempt > 0),
      started_at timestamptz(3) NOT NULL,
      duration_ms integer NOT NULL,
      status smallint,
      error text,
      response text,
      PRIMARY KEY (book_id, event_sequence, endpoint_id, attempt),
      FOREIGN KEY (book_id, endpoint_id, event_sequence) REFERENCES webhook_deliveries (book_id, endpoint_id, event_sequence)
    );

    -- GET /v1/events by type: the newest of a rare type without reading the book's whole history.
    CREATE INDEX events_by_type ON events (book_id, type, sequence);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP INDEX events_by_type; DROP TABLE webhook_attempts, webhook_deliveries, webhook_endpoints');
}
