/**
 * Expected items: what banks will show, as the operator's book mirrors it from all books. They are found by their references, and by the clearing
 * account on which those that are not matched stand. The table is new, so nothing waits.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE expected_items (
      -- Of the operator's.
      book_id uuid NOT NULL,
      id uuid NOT NULL,
      -- The rail, acquirer or processor. Null where anybody may pay in.
      party text,
      clearing text NOT NULL CHECK (clearing IN ('rail_clearing', 'acquirer_clearing', 'unallocated')),
      clearing_account_id uuid NOT NULL,
      direction text NOT NULL CHECK (direction IN ('in', 'out')),
      amount bigint NOT NULL CHECK (amount > 0),
      amount_open bigint NOT NULL,
      currency text NOT NULL,
      expected_on text NOT NULL,
      status text NOT NULL CHECK (status IN ('open', 'partly_matched', 'matched')),
      bank_account_id uuid,
      of_book uuid NOT NULL,
      resource text NOT NULL,
      resource_id uuid NOT NULL,
      pool_line bigint,
      end_to_end_id text,
      bank_reference text,
      document_reference text,
      batch_id text,
      entry_id uuid NOT NULL,
      opening_entry_id uuid,
      created_at timestamptz(3) NOT NULL,
      PRIMARY KEY (book_id, id),
      CHECK (amount_open BETWEEN 0 AND amount),
      CHECK ((status = 'matched') = (amount_open = 0) AND (status = 'open') = (amount_open = amount))
    ) WITH (fillfactor = 80);
    CREATE INDEX expected_items_by_party ON expected_items (book_id, party, id) WHERE party IS NOT NULL;
    -- What waits for its line, in the order in which a bank will show it.
    CREATE INDEX expected_items_open ON expected_items (book_id, clearing_account_id, expected_on, id)
      WHERE status <> 'matched' AND clearing_account_id IS NOT NULL;
    CREATE INDEX expected_items_by_resource ON expected_items (book_id, resource_id, id) WHERE resource_id IS NOT NULL;
    -- A bank cuts references: their beginnings are looked up too.
    CREATE INDEX expected_items_by_end_to_end_id ON expected_items (book_id, end_to_end_id text_pattern_ops, id)
      WHERE end_to_end_id IS NOT NULL;
    CREATE INDEX expected_items_by_bank_reference ON expected_items (book_id, bank_reference text_pattern_ops, id)
      WHERE bank_reference IS NOT NULL;
    CREATE INDEX expected_items_by_document ON expected_items (book_id, document_reference text_pattern_ops, id)
      WHERE document_reference IS NOT NULL;
    CREATE INDEX expected_items_by_batch ON expected_items (book_id, batch_id, id) WHERE batch_id IS NOT NULL;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE expected_items');
}
