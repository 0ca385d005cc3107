/**
 * The sandbox processor's own records: cards and their numbers, instructions, what it tells. It plays the outside world: its tables are
 * not keyed by book or joined with ours, and are reached over connections of their own. Card numbers are sealed, security codes are
 * computed from a sealed secret, and both stand here alone. Everything is new, so nothing waits.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE SCHEMA sandbox_processor;

    -- 32 bytes, sealed: made with the first card, and never another. Numbers and codes are made with it.
    CREATE TABLE sandbox_processor.secrets (
      id smallint PRIMARY KEY CHECK (id = 1),
      sealed bytea NOT NULL
    );

    -- Of which every number is made. It never goes back, not even where nothing is made in the end.
    CREATE TABLE sandbox_processor.counter (
      id smallint PRIMARY KEY CHECK (id = 1),
      next bigint NOT NULL CHECK (next >= 0)
    ) WITH (fillfactor = 10);
    INSERT INTO sandbox_processor.counter (id, next) VALUES (1, 0);

    -- Each counter has one number: the key is what keeps a number from coming twice.
    CREATE TABLE sandbox_processor.numbers (
      counter bigint PRIMARY KEY,
      sealed bytea NOT NULL
    );

    -- A renewed card has the number of the one before it.
    CREATE TABLE sandbox_processor.cards (
      card_reference text PRIMARY KEY,
      originator text NOT NULL,
      counter bigint NOT NULL,
      exp_month integer NOT NULL CHECK (exp_month BETWEEN 1 AND 12),
      exp_year integer NOT NULL,
      -- Counts up where an attempt gave the security code of the card before.
      code_attempt integer NOT NULL,
      script text NOT NULL,
      state text NOT NULL CHECK (state IN ('pending_activation', 'active', 'frozen', 'closed')),
      state_version integer NOT NULL,
      created_at timestamptz(3) NOT NULL
    );

    -- One row for each instruction however often it was submitted: the pair is what the processor is idempotent by.
    CREATE TABLE sandbox_processor.instructions (
      originator text NOT NULL,
      reference text NOT NULL,
      kind text NOT NULL CHECK (kind IN ('issue', 'replace', 'state', 'unblock_pin')),
      -- The card that it is about.
      of_card text,
      -- never: it never arrived, and will not be taken. pending: until decides_at, and succeeded from then on.
      status text NOT NULL CHECK (status IN ('succeeded', 'declined', 'pending', 'never')),
      code text,
      decides_at timestamptz(3),
      processor_reference text NOT NULL,
      script text NOT NULL,
      -- The card that it makes.
      card_reference text,
      last_four text,
      exp_month integer,
      exp_year integer,
      submissions integer NOT NULL,
      received_at timestamptz(3) NOT NULL,
      PRIMARY KEY (originator, reference)
    );
    CREATE UNIQUE INDEX instructions_by_card ON sandbox_processor.instructions (card_reference) WHERE card_reference IS NOT NULL;

    -- What it tells unasked. One of an order that is pending is written with it, and told when its moment has come.
    CREATE TABLE sandbox_processor.notices (
      id uuid PRIMARY KEY,
      originator text NOT NULL,
      reference text NOT NULL,
      kind text NOT NULL CHECK (kind IN ('succeeded', 'declined')),
      code text,
      acknowledged_at timestamptz(3),
      created_at timestamptz(3) NOT NULL
    );
    CREATE INDEX notices_open ON sandbox_processor.notices (id) WHERE acknowledged_at IS NULL;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP SCHEMA sandbox_processor CASCADE');
}
