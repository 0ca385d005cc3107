/**
 * API keys that are made over the API. `owner_kind` is beside `owner_id`, null where that is. Release 0.2.0 makes keys without both,
 * and at version 1. `made_over_api`: what such a key's `*` stands for is less (src/organisations/api-key.ts). The stamp of all keys
 * moves with the new columns too. An update of a catalog default rewrites no row.
 */
import type { Knex } from 'knex';

const COLUMNS = `book_id, id, name, hash, prefix, last_four, scopes, allowed_ips, writes_per_second, reads_per_second, expires_at,
  revoked_at, created_at, owner_id`;
const trigger = (columns: string) => `
  DROP TRIGGER api_keys_move_stamp ON api_keys;
  CREATE TRIGGER api_keys_move_stamp AFTER INSERT OR DELETE OR TRUNCATE OR UPDATE OF ${columns}
    ON api_keys FOR EACH STATEMENT EXECUTE FUNCTION move_key_stamp();`;

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE api_keys
      ADD COLUMN owner_kind text CHECK (owner_kind IN ('person', 'service')),
      ADD COLUMN made_over_api boolean NOT NULL DEFAULT false,
      ADD COLUMN version integer NOT NULL DEFAULT 1,
      ADD COLUMN updated_at timestamptz(3) NOT NULL DEFAULT now();
    UPDATE api_keys SET updated_at = api_keys.created_at, owner_kind = people.kind
      FROM books, people
     WHERE books.id = api_keys.book_id AND people.organisation_id = books.organisation_id AND people.id = api_keys.owner_id;
    ${trigger(`${COLUMNS}, owner_kind, made_over_api, version, updated_at`)}
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    ${trigger(COLUMNS)}
    ALTER TABLE api_keys
      DROP COLUMN owner_kind,
      DROP COLUMN made_over_api,
      DROP COLUMN version,
      DROP COLUMN updated_at;
  `);
}
