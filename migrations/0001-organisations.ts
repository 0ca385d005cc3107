/**
 * Organisations, their books and API keys. A book is one organisation in one mode. Its row is the lock that gives the
 * book one writer, and holds the book's sequences and the head of its hash chain. Every commit updates the row and
 * every request reads it: no index on a changing column, a low fillfactor and an eager autovacuum keep its updates HOT.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE organisations (
      id uuid PRIMARY KEY,
      name text NOT NULL,
      created_at timestamptz(3) NOT NULL
    );

    CREATE TABLE books (
      id uuid PRIMARY KEY,
      organisation_id uuid NOT NULL REFERENCES organisations (id),
      mode text NOT NULL CHECK (mode IN ('test', 'live')),
      time_zone text NOT NULL DEFAULT 'UTC',
      entry_sequence bigint NOT NULL DEFAULT 0 CHECK (entry_sequence >= 0),
      event_sequence bigint NOT NULL DEFAULT 0 CHECK (event_sequence >= 0),
      chain_hash bytea NOT NULL CHECK (length(chain_hash) = 32),
      last_posted_at timestamptz(3) NOT NULL,
      created_at timestamptz(3) NOT NULL,
      UNIQUE (organisation_id, mode)
    ) WITH (fillfactor = 10, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);

    CREATE TABLE api_keys (
      book_id uuid NOT NULL REFERENCES books (id),
      id uuid NOT NULL,
      name text NOT NULL,
      hash bytea NOT NULL UNIQUE CHECK (length(hash) = 32),
      prefix text NOT NULL,
      last_four text NOT NULL,
      scopes text[] NOT NULL,
      allowed_ips text[] NOT NULL DEFAULT '{}',
      writes_per_second integer CHECK (writes_per_second > 0),
      reads_per_second integer CHECK (reads_per_second > 0),
      expires_at timestamptz(3),
      revoked_at timestamptz(3),
      last_used_at timestamptz(3),
      created_at timestamptz(3) NOT NULL,
      PRIMARY KEY (book_id, id)
    );
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE api_keys, books, organisations');
}
