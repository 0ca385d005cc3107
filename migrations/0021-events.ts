/**
 * Events without readable personal text, and in forms. None of it is written until `npm run migrate -- --contract`, since release 0.2.0
 * reads whole texts alone; rows of before keep theirs.
 *
 * `text_references` names the personal texts that a payload is filled with (0020). `leaf` keeps the leaf of an event whose readable
 * payload the owner has replaced, so that trees and checkpoints stand. `form` is the number of the event's form
 * (src/ledger/events/event-form.ts), and `first_sequence` the object's first event, from which the text is made as well: null in that event
 * itself, and both in an event whose payload is its text. A payout's row says which event is its first one. One that does has the ids
 * of its entries in `packed_entry_ids`, 16 bytes each, and null in `entry_ids`.
 *
 * Each statement changes the catalog alone, holds one table's lock for a moment, and can be run again.
 */
import type { Knex } from 'knex';

export const config = { transaction: false };

const NEW_COLUMNS: readonly [table: string, column: string, type: string][] = [
  ['events', 'text_references', 'text'],
  ['events', 'leaf', 'bytea'],
  ['events', 'first_sequence', 'bigint'],
  ['events', 'form', 'smallint'],
  ['payouts', 'first_event', 'bigint'],
  ['payouts', 'packed_entry_ids', 'bytea'],
];

/**
 * A batch changes all rows of a page at once: a page that has room for a second version of each keeps them, and one that has
 * not sends them elsewhere and stays half empty. [table, from now on, before]
 */
const FILLED_TO: readonly [table: string, percent: number, before: number][] = [
  ['payouts', 45, 60],
  ['holds', 50, 70],
];

export async function up(knex: Knex): Promise<void> {
  for (const [table, column, type] of NEW_COLUMNS)
    await knex.raw(`ALTER TABLE ${table} ADD COLUMN IF NOT EXISTS ${column} ${type}`);
  await knex.raw('ALTER TABLE payouts ALTER COLUMN entry_ids DROP NOT NULL');
  for (const [table, percent] of FILLED_TO) await knex.raw(`ALTER TABLE ${table} SET (fillfactor = ${percent})`);
  await knex.raw(`
    -- The one change that an event may see, by the owner's role, since no other may update the table: members of its object
    -- become null, and its leaf is kept. The leaf is that of the row as it was, worked out here as
    -- src/proofs/event-digest.ts works it out. An event in a form holds no personal text, and others are made from it.
    CREATE OR REPLACE FUNCTION refuse_event_change() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE
      was jsonb := OLD.payload::jsonb;
      now_is jsonb := NEW.payload::jsonb;
      part text;
      allowed boolean := OLD.leaf IS NULL AND OLD.text_references IS NULL AND OLD.form IS NULL
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
  `);
  await knex.raw('ALTER TABLE payouts ALTER COLUMN entry_ids SET NOT NULL');
  for (const [table, , before] of FILLED_TO) await knex.raw(`ALTER TABLE ${table} SET (fillfactor = ${before})`);
  for (const [table, column] of NEW_COLUMNS) await knex.raw(`ALTER TABLE ${table} DROP COLUMN ${column}`);
}
