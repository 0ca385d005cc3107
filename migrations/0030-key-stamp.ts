/**
 * A stamp that every change of an API key moves, in the same database transaction. Processes that remember keys read it
 * (src/organisations/key-stamp.ts): what was read under another stamp no longer counts. The stamp is random and not a number
 * that counts: a database restored from a backup would count up to a number that processes have seen, for other keys.
 *
 * A trigger moves it, so that no change is forgotten: those of release 0.2.0 and those by hand move it too. It fires once a
 * statement, after all rows of the statement are locked. The columns are all but `last_used_at`, which every use writes and
 * nobody is let in by; a test asks for those that are added later. The owner's rights, because the application's role may
 * change keys but not the installation's row: it cannot put an earlier stamp back. Each statement can be run again.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE installation ADD COLUMN IF NOT EXISTS key_stamp uuid NOT NULL DEFAULT gen_random_uuid();

    CREATE OR REPLACE FUNCTION move_key_stamp() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
    BEGIN
      UPDATE public.installation SET key_stamp = gen_random_uuid() WHERE id = 1;
      RETURN NULL;
    END $$;
    REVOKE EXECUTE ON FUNCTION move_key_stamp() FROM PUBLIC;

    CREATE OR REPLACE TRIGGER api_keys_move_stamp
      AFTER INSERT OR DELETE OR TRUNCATE OR UPDATE OF book_id, id, name, hash, prefix, last_four, scopes, allowed_ips,
        writes_per_second, reads_per_second, expires_at, revoked_at, created_at, owner_id
      ON api_keys FOR EACH STATEMENT EXECUTE FUNCTION move_key_stamp();
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TRIGGER api_keys_move_stamp ON api_keys;
    DROP FUNCTION move_key_stamp();
    ALTER TABLE installation DROP COLUMN key_stamp;
  `);
}
