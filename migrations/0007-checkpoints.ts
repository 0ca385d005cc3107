/**
 * Checkpoints of a book's journal: signed roots of two Merkle trees (RFC 6962), one over its entries and one over its
 * events. Each checkpoint also keeps the peaks of both trees, from which a later checkpoint continues.
 *
 * `tree_nodes` keeps perfect subtrees of 256 leaves and more, two rows for 256 leaves. A proof about any entry of any
 * checkpoint reads one row for each power of two above that, and the leaves of two blocks of 256. Leaves themselves
 * follow from the journal. Both tables are append-only, like the journal.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE checkpoints (
      book_id uuid NOT NULL REFERENCES books (id),
      tree_size bigint NOT NULL CHECK (tree_size >= 0),
      event_tree_size bigint NOT NULL CHECK (event_tree_size >= 0),
      id uuid NOT NULL,
      root_hash bytea NOT NULL CHECK (length(root_hash) = 32),
      chain_hash bytea NOT NULL CHECK (length(chain_hash) = 32),
      event_root_hash bytea NOT NULL CHECK (length(event_root_hash) = 32),
      peaks bytea NOT NULL CHECK (length(peaks) % 32 = 0),
      event_peaks bytea NOT NULL CHECK (length(event_peaks) % 32 = 0),
      public_key bytea NOT NULL CHECK (length(public_key) = 32),
      signature bytea NOT NULL CHECK (length(signature) = 64),
      created_at timestamptz(3) NOT NULL,
      -- Of two processes that make the same one, the first has made it.
      PRIMARY KEY (book_id, tree_size, event_tree_size)
    );
    CREATE UNIQUE INDEX checkpoints_book_id_id_key ON checkpoints (book_id, id) WHERE id IS NOT NULL;

    CREATE TABLE tree_nodes (
      book_id uuid NOT NULL REFERENCES books (id),
      tree text NOT NULL CHECK (tree IN ('entries', 'events')),
      level smallint NOT NULL CHECK (level > 0),
      position bigint NOT NULL CHECK (position >= 0),
      hash bytea NOT NULL CHECK (length(hash) = 32),
      PRIMARY KEY (book_id, tree, level, position)
    );
    ${['checkpoints', 'tree_nodes']
      .map(
        (table) => `
    CREATE TRIGGER ${table}_append_only BEFORE UPDATE OR DELETE ON ${table}
      FOR EACH ROW EXECUTE FUNCTION refuse_journal_change();
    CREATE TRIGGER ${table}_no_truncate BEFORE TRUNCATE ON ${table}
      FOR EACH STATEMENT EXECUTE FUNCTION refuse_journal_change();`,
      )
      .join('\n')}
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE tree_nodes, checkpoints');
}
