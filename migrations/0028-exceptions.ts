/**
 * Exceptions as a resource: who handles one, who explained it or moved its money, who approved, with evidence and a version.
 *
 * `stage` is the status that the API shows. `status` keeps the two words of release 0.2.0, which reads and writes it:
 * `open` until the exception is approved, `resolved` from then on. So either release sees what the other left, and nothing
 * has to be contracted. A row that 0.2.0 resolves counts as approved; the next `npm run migrate` says by whom.
 *
 * `place` orders lists: an id may be derived from others, and then says nothing about time. `announced` is true where
 * `exception.opened` told of the row. `account_id`, `amount` and `currency` say what money waits, and where.
 *
 * The table is rewritten under its lock for `place`. It has a row for what a person must look at, so it is short.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE exceptions
      ADD COLUMN place bigint GENERATED ALWAYS AS IDENTITY,
      ADD COLUMN stage text NOT NULL DEFAULT 'open'
        CHECK (stage IN ('open', 'assigned', 'explained', 'adjusted', 'approved')),
      ADD COLUMN assignee_id uuid,
      -- Null once erased.
      ADD COLUMN reason text,
      ADD COLUMN text_salt bytea,
      ADD COLUMN evidence jsonb NOT NULL DEFAULT '[]',
      ADD COLUMN entry_ids jsonb NOT NULL DEFAULT '[]',
      ADD COLUMN account_id uuid,
      ADD COLUMN amount bigint CHECK (amount > 0),
      ADD COLUMN currency text,
      -- Actors, as src/actor.ts writes them.
      ADD COLUMN handled_by text,
      ADD COLUMN approved_by text,
      ADD COLUMN announced boolean NOT NULL DEFAULT false,
      ADD COLUMN version integer NOT NULL DEFAULT 1,
      ADD COLUMN updated_at timestamptz(3),
      ADD CHECK ((account_id IS NULL) = (amount IS NULL) AND (account_id IS NULL) = (currency IS NULL));

    CREATE UNIQUE INDEX exceptions_in_order ON exceptions (book_id, place);
    CREATE INDEX exceptions_by_stage ON exceptions (book_id, stage, place);
    CREATE INDEX exceptions_by_kind ON exceptions (book_id, kind, place);
    CREATE INDEX exceptions_of_resource ON exceptions (book_id, resource_id, place);

    ALTER TABLE foreign_notices
      ADD COLUMN settled_at timestamptz(3),
      ADD COLUMN settled_by text,
      ADD COLUMN settled_reason text;
    CREATE INDEX foreign_notices_open ON foreign_notices (created_at) WHERE settled_at IS NULL;
    CREATE INDEX rail_notices_taken ON rail_notices (book_id, updated_at) WHERE status = 'taken';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP INDEX rail_notices_taken, foreign_notices_open;
    ALTER TABLE foreign_notices DROP COLUMN settled_at, DROP COLUMN settled_by, DROP COLUMN settled_reason;
    ALTER TABLE exceptions
      DROP COLUMN place, DROP COLUMN stage, DROP COLUMN assignee_id, DROP COLUMN reason, DROP COLUMN text_salt,
      DROP COLUMN evidence, DROP COLUMN entry_ids, DROP COLUMN account_id, DROP COLUMN amount, DROP COLUMN currency,
      DROP COLUMN handled_by, DROP COLUMN approved_by, DROP COLUMN announced, DROP COLUMN version,
      DROP COLUMN updated_at;
  `);
}
