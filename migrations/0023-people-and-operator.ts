/**
 * People and services, to whom API keys belong, and the organisation of the operator.
 *
 * `people`: a person or a service of an organisation. A service is known by its name. `api_keys.owner_id` may be null:
 * release 0.2.0 makes keys without an owner, and such a key belongs to the service of the key's name
 * (src/organisations/person.ts), which gets its row at the next `npm run migrate` or `npm run keys -- list`.
 *
 * `organisations.kind`: at most one organisation is the operator's. Its two books hold what belongs to no customer.
 * `foreign_notices.book_id` is one of them; null in rows of release 0.2.0, until the next `npm run migrate`.
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
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE foreign_notices DROP COLUMN book_id;
    ALTER TABLE organisations DROP COLUMN kind;
    ALTER TABLE api_keys DROP COLUMN owner_id;
    DROP TABLE people;
  `);
}
