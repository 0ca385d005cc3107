/**
 * Holds that the API places on an account. The ledger's `holds` has what is reserved, as for every hold; `account_holds`,
 * under the same id, what its holder said of it, and when it expires: in the book's own time (`expires_at`), which is wall
 * time in live books (`due_at`, for the sweeper).
 *
 * Lists with a filter on `created_at` walk an index in that order (src/db/walk.ts): ids have the world's time, and a test
 * book may be ahead of it. Partial, so that nothing else is read by it (0006). Built beside the running product, without a lock that keeps writers waiting. An interrupted
 * build leaves an invalid index, which the next run drops and builds again.
 */
import type { Knex } from 'knex';

export const config = { transaction: false };

const INDEXES = [
  { name: 'payouts_by_created', on: 'payouts (book_id, created_at, id)' },
  { name: 'account_profiles_by_created', on: 'account_profiles (book_id, created_at, account_id)' },
];

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE IF NOT EXISTS account_holds (
      book_id uuid NOT NULL,
      id uuid NOT NULL,
      account_id uuid NOT NULL,
      currency text NOT NULL,
      status text NOT NULL CHECK (status IN ('open', 'captured', 'released', 'expired')),
      amount bigint NOT NULL CHECK (amount > 0),
      captured bigint NOT NULL CHECK (captured >= 0),
      released bigint NOT NULL CHECK (released >= 0),
      expires_at timestamptz(3),
      description text,
      external_id text,
      metadata jsonb,
      text_salt bytea,
      entry_ids jsonb NOT NULL,
      request_id uuid NOT NULL,
      version integer NOT NULL,
      due_at timestamptz(3),
      stuck_at timestamptz(3),
      stuck_error text,
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL,
      PRIMARY KEY (book_id, id),
      FOREIGN KEY (book_id, id) REFERENCES holds (book_id, id),
      FOREIGN KEY (book_id, account_id) REFERENCES accounts (book_id, id),
      CHECK (captured + released <= amount)
    );
    CREATE INDEX IF NOT EXISTS account_holds_by_account ON account_holds (book_id, account_id, id) WHERE account_id IS NOT NULL;
    CREATE INDEX IF NOT EXISTS account_holds_by_external_id ON account_holds (book_id, external_id, id) WHERE external_id IS NOT NULL;
    CREATE INDEX IF NOT EXISTS account_holds_by_created ON account_holds (book_id, created_at, id) WHERE created_at IS NOT NULL;
    CREATE INDEX IF NOT EXISTS account_holds_appointments ON account_holds (book_id, expires_at, id)
      WHERE status = 'open' AND expires_at IS NOT NULL AND stuck_at IS NULL;
    CREATE INDEX IF NOT EXISTS account_holds_due ON account_holds (due_at) WHERE due_at IS NOT NULL AND stuck_at IS NULL;
    CREATE INDEX IF NOT EXISTS account_holds_due_by_book ON account_holds (status, book_id, due_at)
      WHERE due_at IS NOT NULL AND stuck_at IS NULL;
    CREATE INDEX IF NOT EXISTS account_holds_stuck ON account_holds (stuck_at) WHERE stuck_at IS NOT NULL;
  `);
  for (const { name, on } of INDEXES) {
    await knex.raw(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
    await knex.raw(`CREATE INDEX CONCURRENTLY ${name} ON ${on} WHERE created_at IS NOT NULL`);
  }
}

export async function down(knex: Knex): Promise<void> {
  for (const { name } of INDEXES) await knex.raw(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
  await knex.raw('DROP TABLE IF EXISTS account_holds');
}
