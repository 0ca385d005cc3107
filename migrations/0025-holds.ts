/**
 * Holds that the API places on an account. The ledger's `holds` has what is reserved, as for every hold; `account_holds`,
 * under the same id, what its holder said of it, and when it expires: in the book's own time (`expires_at`), which is wall
 * time in live books (`due_at`, for the sweeper).
 *
 * `hold_steps.kind` may be `increased`. Release 0.2.0 writes no such step. The constraint is replaced in a moment, and the
 * rows that exist are checked without a lock that keeps writers waiting.
 */
import type { Knex } from 'knex';

export const config = { transaction: false };

const KINDS = ['created', 'increased', 'captured', 'released', 'expired'];

const listOf = (kinds: readonly string[]) => kinds.map((kind) => `'${kind}'`).join(', ');

const allow = (kinds: readonly string[]) =>
  `ALTER TABLE hold_steps DROP CONSTRAINT IF EXISTS hold_steps_kind_check,
     ADD CONSTRAINT hold_steps_kind_check CHECK (kind IN (${listOf(kinds)})) NOT VALID`;

const VALIDATE = 'ALTER TABLE hold_steps VALIDATE CONSTRAINT hold_steps_kind_check';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(allow(KINDS));
  await knex.raw(VALIDATE);
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
    -- Whoever asks for the open ones does not read the history of those that have ended.
    CREATE INDEX IF NOT EXISTS account_holds_by_status ON account_holds (book_id, account_id, status, id) WHERE status IS NOT NULL;
    CREATE INDEX IF NOT EXISTS account_holds_by_external_id ON account_holds (book_id, external_id, id) WHERE external_id IS NOT NULL;
    CREATE INDEX IF NOT EXISTS account_holds_by_created ON account_holds (book_id, created_at, id) WHERE created_at IS NOT NULL;
    CREATE INDEX IF NOT EXISTS account_holds_appointments ON account_holds (book_id, expires_at, id)
      WHERE status = 'open' AND expires_at IS NOT NULL AND stuck_at IS NULL;
    CREATE INDEX IF NOT EXISTS account_holds_due ON account_holds (due_at) WHERE due_at IS NOT NULL AND stuck_at IS NULL;
    CREATE INDEX IF NOT EXISTS account_holds_due_by_book ON account_holds (status, book_id, due_at)
      WHERE due_at IS NOT NULL AND stuck_at IS NULL;
    CREATE INDEX IF NOT EXISTS account_holds_stuck ON account_holds (stuck_at) WHERE stuck_at IS NOT NULL;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE IF EXISTS account_holds');
  await knex.raw(allow(KINDS.filter((kind) => kind !== 'increased')));
  await knex.raw(VALIDATE);
}
