/** Notes on payouts. The table is new, so nothing waits. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE payout_notes (
      book_id uuid NOT NULL,
      id uuid NOT NULL,
      payout_id uuid NOT NULL,
      status text NOT NULL CHECK (status IN ('open', 'withdrawn')),
      -- Null once it is erased.
      text text,
      text_salt bytea,
      request_id uuid NOT NULL,
      version integer NOT NULL,
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL,
      PRIMARY KEY (book_id, id),
      FOREIGN KEY (book_id, payout_id) REFERENCES payouts (book_id, id)
    );
    CREATE INDEX payout_notes_by_payout ON payout_notes (book_id, payout_id, id) WHERE payout_id IS NOT NULL;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE payout_notes');
}
