/**
 * Webhook endpoints, and one delivery for each event and matching endpoint, written in the event's own database
 * transaction. A delivery's tries are rows of webhook_attempts.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE webhook_endpoints (
      book_id uuid NOT NULL REFERENCES books (id),
      id uuid NOT NULL,
      url text NOT NULL,
      description text,
      events text[] NOT NULL,
      status text NOT NULL CHECK (status IN ('enabled', 'disabled', 'deleted')),
      disabled_reason text,
      secret_sealed bytea NOT NULL,
      previous_secret_sealed bytea,
      previous_secret_until timestamptz(3),
      failing_since timestamptz(3),
      metadata jsonb NOT NULL DEFAULT '{}',
      version integer NOT NULL DEFAULT 1,
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL,
      PRIMARY KEY (book_id, id)
    );

    CREATE TABLE webhook_deliveries (
      book_id uuid NOT NULL,
      event_sequence bigint NOT NULL,
      endpoint_id uuid NOT NULL,
      status text NOT NULL CHECK (status IN ('pending', 'delivered', 'failed', 'canceled')),
      attempts smallint NOT NULL DEFAULT 0,
      due_at timestamptz(3),
      delivered_at timestamptz(3),
      last_status smallint,
      last_error text,
      stuck_at timestamptz(3),
      stuck_error text,
      created_at timestamptz(3) NOT NULL,
      PRIMARY KEY (book_id, event_sequence, endpoint_id),
      FOREIGN KEY (book_id, event_sequence) REFERENCES events (book_id, sequence),
      FOREIGN KEY (book_id, endpoint_id) REFERENCES webhook_endpoints (book_id, id)
    ) WITH (fillfactor = 80);
    CREATE INDEX webhook_deliveries_by_endpoint ON webhook_deliveries (book_id, endpoint_id, event_sequence);
    CREATE INDEX webhook_deliveries_due ON webhook_deliveries (due_at) WHERE due_at IS NOT NULL AND stuck_at IS NULL;
    CREATE INDEX webhook_deliveries_stuck ON webhook_deliveries (stuck_at) WHERE stuck_at IS NOT NULL;

    CREATE TABLE webhook_attempts (
      book_id uuid NOT NULL,
      event_sequence bigint NOT NULL,
      endpoint_id uuid NOT NULL,
      attempt smallint NOT NULL,
      started_at timestamptz(3) NOT NULL,
      duration_ms integer NOT NULL,
      status smallint,
      error text,
      response text,
      PRIMARY KEY (book_id, event_sequence, endpoint_id, attempt),
      FOREIGN KEY (book_id, event_sequence, endpoint_id) REFERENCES webhook_deliveries (book_id, event_sequence, endpoint_id)
    );
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE webhook_attempts, webhook_deliveries, webhook_endpoints');
}
