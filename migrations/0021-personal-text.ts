/**
 * Personal text apart from what is kept for long. Events and stored answers hold a reference in its place
 * (src/ledger/personal-text.ts), which release 0.2.0 cannot read: it is written after the contract. Until then all new
 * columns but the salts stay null.
 *
 * `text_salt` hides the texts of an object behind their references. `text_references` names what a row may be filled with.
 * `events.leaf` keeps the leaf of an event whose readable payload the owner has replaced, so that trees and checkpoints
 * stand. `erasures` says who erased what, and when it was finished. `evidence_sealed` takes the place of `evidence`.
 *
 * What may be null from now on is null once it is erased. Each statement changes the catalog alone, holds one table's lock
 * for a moment, and can be run again.
 */
import type { Knex } from 'knex';

export const config = { transaction: false };

/** Columns that may not be null in 0.2.0. */
const ERASABLE: readonly [table: string, column: string][] = [
  ['account_profiles', 'name'],
  ['account_profiles', 'metadata'],
  ['payouts', 'metadata'],
  ['webhook_endpoints', 'metadata'],
  ['payout_resolutions', 'evidence'],
];

const NEW_COLUMNS: readonly [table: string, column: string, type: string][] = [
  ['payouts', 'text_salt', 'bytea'],
  ['account_profiles', 'text_salt', 'bytea'],
  ['webhook_endpoints', 'text_salt', 'bytea'],
  ['idempotency_keys', 'text_references', 'text'],
  ['events', 'text_references', 'text'],
  ['events', 'leaf', 'bytea'],
  ['payout_resolutions', 'evidence_sealed', 'bytea'],
];

export async function up(knex: Knex): Promise<void> {
  for (const [table, column, type] of NEW_COLUMNS)
    await knex.raw(`ALTER TABLE ${table} ADD COLUMN IF NOT EXISTS ${column} ${type}`);
  for (const [table, column] of ERASABLE) await knex.raw(`ALTER TABLE ${table} ALTER COLUMN ${column} DROP NOT NULL`);
  await knex.raw(`
    CREATE TABLE IF NOT EXISTS personal_texts (
      book_id uuid NOT NULL,
      reference bytea NOT NULL CHECK (length(reference) = 32),
      object text NOT NULL,
      object_id uuid NOT NULL,
      -- The member of the view.
      field text NOT NULL,
      salt bytea NOT NULL,
      -- JSON.
      text text NOT NULL,
      PRIMARY KEY (book_id, reference)
    );
    CREATE INDEX IF NOT EXISTS personal_texts_by_object ON personal_texts (book_id, object_id) WHERE object_id IS NOT NULL;

    CREATE TABLE IF NOT EXISTS erasures (
      book_id uuid NOT NULL,
      id uuid NOT NULL,
      object text NOT NULL,
      object_id uuid NOT NULL,
      actor text NOT NULL,
      fields text[] NOT NULL,
      begun_at timestamptz(3) NOT NULL,
      finished_at timestamptz(3),
      PRIMARY KEY (book_id, id)
    );
    CREATE INDEX IF NOT EXISTS erasures_by_object ON erasures (book_id, object_id) WHERE object_id IS NOT NULL;
  `);
  await knex.raw(`
    -- The one change that an event may see, by the owner's role, since no other may update the table: members of its object
    -- become null, and its leaf is kept. The leaf is that of the row as it was, worked out here as
    -- src/proofs/event-digest.ts works it out.
    CREATE OR REPLACE FUNCTION refuse_event_change() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE
      was jsonb := OLD.payload::jsonb;
      now_is jsonb := NEW.payload::jsonb;
      part text;
      allowed boolean := OLD.leaf IS NULL AND OLD.text_references IS NULL
        AND to_jsonb(NEW) - 'payload' - 'leaf' = to_jsonb(OLD) - 'payload' - 'leaf'
        AND was #- '{data,object}' #- '{data,previous_attributes}' = now_is #- '{data,object}' #- '{data,previous_attributes}'
        AND NEW.leaf IS NOT DISTINCT FROM sha256(convert_to(format(
          '{"actor":%s,"book_id":"%s","created_at":"%s","id":"%s","object_id":"%s","payload":%s,"request_id":"%s","sequence":"%s","type":%s}',
          to_json(OLD.actor), OLD.book_id, to_char(OLD.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), OLD.id,
          OLD.object_id, to_json(OLD.payload), OLD.request_id, OLD.sequence, to_json(OLD.type)), 'UTF8'));
    BEGIN
      FOREACH part IN ARRAY ARRAY['object', 'previous_attributes'] LOOP
        allowed := allowed AND NOT EXISTS (
          SELECT FROM jsonb_each(was #> ARRAY['data', part]) AS old_member
          FULL JOIN jsonb_each(now_is #> ARRAY['data', part]) AS new_member USING (key)
          WHERE new_member.value IS DISTINCT FROM old_member.value AND new_member.value IS DISTINCT FROM 'null'::jsonb);
      END LOOP;
      IF allowed THEN RETURN NEW; END IF;
      RAISE EXCEPTION 'events is append-only: % refused', TG_OP
        USING ERRCODE = 'insufficient_privilege', HINT = 'Personal text is erased by npm run ops -- erase.';
    END $$;
    CREATE OR REPLACE TRIGGER events_append_only BEFORE UPDATE ON events
      FOR EACH ROW EXECUTE FUNCTION refuse_event_change();
    CREATE OR REPLACE TRIGGER events_no_delete BEFORE DELETE ON events
      FOR EACH ROW EXECUTE FUNCTION refuse_journal_change();
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TRIGGER events_no_delete ON events;
    CREATE OR REPLACE TRIGGER events_append_only BEFORE UPDATE OR DELETE ON events
      FOR EACH ROW EXECUTE FUNCTION refuse_journal_change();
    DROP FUNCTION refuse_event_change;
    DROP TABLE erasures, personal_texts;
  `);
  for (const [table, column] of ERASABLE) await knex.raw(`ALTER TABLE ${table} ALTER COLUMN ${column} SET NOT NULL`);
  for (const [table, column] of NEW_COLUMNS) await knex.raw(`ALTER TABLE ${table} DROP COLUMN ${column}`);
}
