/**
 * People and services, to whom API keys belong, the stamp of the keys, and the organisation of the operator.
 *
 * `people`: a person or a service of an organisation. A service is known by its name. `api_keys.owner_id` may be null:
 * release 0.2.0 makes keys without an owner, and such a key belongs to the service of the key's name
 * (src/organisations/person.ts), which gets its row at the next `npm run migrate` or `npm run keys -- list`.
 *
 * `organisations.kind`: at most one organisation is the operator's. Its two books hold what belongs to no customer.
 * `foreign_notices.book_id` is one of them; null in rows of release 0.2.0, until the next `npm run migrate`.
 *
 * `installation.key_stamp`: every change of an API key moves it, in the same database transaction. Processes that remember keys read it
 * (src/organisations/key-stamp.ts): what was read under another stamp no longer counts. The stamp is random and not a number
 * that counts: a database restored from a backup would count up to a number that processes have seen, for other keys.
 *
 * A trigger moves it, so that no change is forgotten: those of release 0.2.0 and those by hand move it too. It fires once a
 * statement, after all rows of the statement are locked. The columns are all but `last_used_at`, which every use writes and
 * nobody is let in by; a test asks for those that are added later. The owner's rights, because the application's role may
 * change keys but not the installation's row: it cannot put an earlier stamp back.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  // In the order in which the look-up of a key locks the tables, so that neither waits for the other.
  await knex.raw(`
    CREATE TABLE people (
      organisation_id uuid NOT NULL REFERENCES organisations (id),
      id uuid NOT NULL,
      kind text NOT NULL CHECK (kind IN ('person', 'service')),
      -- Of a person: null once erased.
      name text CHECK (kind = 'person' OR name IS NOT NULL),
      created_at timestamptz(3) NOT NULL,
      ended_at timestamptz(3),
      PRIMARY KEY (organisation_id, id)
    );
    CREATE UNIQUE INDEX people_services ON people (organisation_id, name) WHERE kind = 'service';

    ALTER TABLE api_keys ADD COLUMN owner_id uuid;

    ALTER TABLE organisations ADD COLUMN kind text NOT NULL DEFAULT 'customer' CHECK (kind IN ('customer', 'operator'));
    CREATE UNIQUE INDEX organisations_operator ON organisations (kind) WHERE kind = 'operator';

    ALTER TABLE foreign_notices ADD COLUMN book_id uuid;

    ALTER TABLE installation ADD COLUMN key_stamp uuid NOT NULL DEFAULT gen_random_uuid();

    CREATE FUNCTION move_key_stamp() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
    BEGIN
      UPDATE public.installation SET key_stamp = gen_random_uuid() WHERE id = 1;
      RETURN NULL;
    END $$;
    REVOKE EXECUTE ON FUNCTION move_key_stamp() FROM PUBLIC;

    CREATE TRIGGER api_keys_move_stamp
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
    ALTER TABLE foreign_notices DROP COLUMN book_id;
    ALTER TABLE organisations DROP COLUMN kind;
    ALTER TABLE api_keys DROP COLUMN owner_id;
    DROP TABLE people;
  `);
}
