/**
 * The own time of a test book. `clock_offset_ms` is how far it is ahead of the world; it never falls, so that what the book
 * has dated stays in the past. While a book is being advanced, `clock_target` is where to, and `clock_at` the due moment that it
 * stands at (src/journal/advance-clock.ts). Processes of release 0.2.0 leave all three as they are.
 *
 * The columns change when a clock is advanced and in no other commit, so the indexes keep a book's updates HOT.
 *
 * `release_schedule` says when captures of the book are released. Null stands for the installation's, so that release 0.2.0 can
 * still make books.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE books
      ADD COLUMN clock_offset_ms bigint NOT NULL DEFAULT 0 CHECK (clock_offset_ms >= 0),
      ADD COLUMN clock_target timestamptz(3),
      ADD COLUMN clock_at timestamptz(3),
      ADD COLUMN release_schedule jsonb,
      ADD CONSTRAINT books_clock CHECK (mode = 'test' OR (clock_offset_ms = 0 AND clock_target IS NULL)),
      ADD CONSTRAINT books_clock_way CHECK ((clock_target IS NULL) = (clock_at IS NULL));

    CREATE FUNCTION refuse_clock_backwards() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      RAISE EXCEPTION 'the clock of book % is % ms ahead and does not go back to %', OLD.id, OLD.clock_offset_ms, NEW.clock_offset_ms
        USING ERRCODE = 'check_violation';
    END $$;
    CREATE TRIGGER books_clock_forward BEFORE UPDATE OF clock_offset_ms ON books
      FOR EACH ROW WHEN (NEW.clock_offset_ms < OLD.clock_offset_ms) EXECUTE FUNCTION refuse_clock_backwards();

    CREATE INDEX books_advancing ON books (id) WHERE clock_target IS NOT NULL;
    CREATE INDEX books_ahead ON books (id) WHERE clock_offset_ms > 0;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP INDEX books_ahead, books_advancing;
    DROP TRIGGER books_clock_forward ON books;
    DROP FUNCTION refuse_clock_backwards;
    ALTER TABLE books DROP CONSTRAINT books_clock_way, DROP CONSTRAINT books_clock, DROP COLUMN clock_at, DROP COLUMN clock_target,
      DROP COLUMN clock_offset_ms, DROP COLUMN release_schedule;
  `);
}
