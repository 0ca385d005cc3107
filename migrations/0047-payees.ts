/**
 * Payees, payouts to them and to further destinations, and who read a destination in clear. The columns of payouts are null in every
 * row that there is: release 0.2.0 neither reads nor writes them, and the statements change the catalog alone.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE payees (
      book_id uuid NOT NULL,
      id uuid NOT NULL,
      status text NOT NULL CHECK (status IN ('active', 'disabled')),
      disabled_reason text CHECK (disabled_reason IN ('requested', 'returned', 'failed')),
      -- Null once it is erased.
      name text,
      destination_type text NOT NULL,
      destination_account_id uuid,
      destination_sealed bytea,
      destination_masked text,
      destination_provider text,
      destination_details jsonb,
      destination_version integer NOT NULL CHECK (destination_version > 0),
      approved_version integer CHECK (approved_version <= destination_version),
      external_id text,
      metadata jsonb,
      text_salt bytea,
      request_id uuid NOT NULL,
      version integer NOT NULL,
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL,
      PRIMARY KEY (book_id, id),
      CHECK ((status = 'disabled') = (disabled_reason IS NOT NULL)),
      CHECK ((destination_type = 'account') = (destination_account_id IS NOT NULL))
    );
    CREATE INDEX payees_by_status ON payees (book_id, status, id) WHERE status IS NOT NULL;
    CREATE INDEX payees_by_external_id ON payees (book_id, external_id, id) WHERE external_id IS NOT NULL;
    CREATE INDEX payees_by_created ON payees (book_id, created_at, id) WHERE created_at IS NOT NULL;

    -- Append-only.
    CREATE TABLE destination_reads (
      book_id uuid NOT NULL,
      id uuid NOT NULL,
      object text NOT NULL CHECK (object IN ('payout', 'payee')),
      object_id uuid NOT NULL,
      actor text NOT NULL,
      address text NOT NULL,
      created_at timestamptz(3) NOT NULL,
      PRIMARY KEY (book_id, id)
    );

    ALTER TABLE payouts
      ADD COLUMN destination_details jsonb,
      ADD COLUMN destination_account_sealed bytea,
      ADD COLUMN payee_id uuid,
      ADD COLUMN payee_version integer;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE payouts
      DROP COLUMN destination_details,
      DROP COLUMN destination_account_sealed,
      DROP COLUMN payee_id,
      DROP COLUMN payee_version;
    DROP TABLE destination_reads, payees;
  `);
}
