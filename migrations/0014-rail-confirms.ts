/**
 * A rail's report is compared with the payout, and a person ends a payout that the rail leaves unknown. Keeps that
 * person's evidence, and when an exception was resolved. `says_wrong` makes the sandbox rail confirm something else
 * than its record has, for tests.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE exceptions ADD COLUMN resolved_at timestamptz(3);

    -- One row for each payout that a person ended. Append-only.
    CREATE TABLE payout_resolutions (
      book_id uuid NOT NULL,
      payout_id uuid NOT NULL,
      outcome text NOT NULL CHECK (outcome IN ('paid', 'failed')),
      actor text NOT NULL,
      evidence_name text NOT NULL,
      evidence_sha256 bytea NOT NULL CHECK (octet_length(evidence_sha256) = 32),
      evidence bytea NOT NULL CHECK (octet_length(evidence) <= 262144),
      created_at timestamptz(3) NOT NULL,
      PRIMARY KEY (book_id, payout_id),
      FOREIGN KEY (book_id, payout_id) REFERENCES payouts (book_id, id)
    );

    ALTER TABLE sandbox_rail.instructions ADD COLUMN says_wrong text CHECK (says_wrong IN ('amount', 'currency', 'payee'));
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE sandbox_rail.instructions DROP COLUMN says_wrong;
    DROP TABLE payout_resolutions;
    ALTER TABLE exceptions DROP COLUMN resolved_at;
  `);
}
