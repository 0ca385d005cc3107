/**
 * Payouts that wait: for the approval of people, and for their time. `approval` has why it needs one, who gave it, and who may not.
 * `unheld` says that nothing is held for the payout: before its release, and for good where it ended before. `hold_id` is the id that
 * its hold has, or would have had. `paused_at` is set and cleared by workers while an operator's pause keeps a payout back.
 *
 * Release 0.2.0 writes none of these, and reads no payout in a new status: none is written before the contract (src/db/forms.ts). The
 * constraint on the status is replaced without a scan, and validated beside writers. Columns with a constant default change the
 * catalog alone; indexes are built beside the running product. Every statement can be run again.
 */
import type { Knex } from 'knex';

export const config = { transaction: false };

const BEFORE = ['pending', 'processing', 'paid', 'failed', 'canceled', 'returned'];
const STATUSES = ['requires_approval', 'scheduled', ...BEFORE, 'rejected'];

const INDEXES = {
  // In the order of the book's own time (src/group/appointment.ts).
  payouts_appointments: `payouts (book_id, scheduled_for, id) WHERE status = 'scheduled' AND scheduled_for IS NOT NULL AND stuck_at IS NULL`,
  // They keep their account open, as those of payouts_in_flight do.
  payouts_waiting: `payouts (book_id, account_id, id) WHERE status IN ('requires_approval', 'scheduled')`,
  payouts_paused: 'payouts (book_id, id) WHERE paused_at IS NOT NULL',
};

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE payouts
      ADD COLUMN IF NOT EXISTS remittance text,
      ADD COLUMN IF NOT EXISTS purpose_code text,
      ADD COLUMN IF NOT EXISTS reason text,
      ADD COLUMN IF NOT EXISTS approval jsonb,
      ADD COLUMN IF NOT EXISTS scheduled_for timestamptz(3),
      ADD COLUMN IF NOT EXISTS unheld boolean NOT NULL DEFAULT false,
      ADD COLUMN IF NOT EXISTS paused_at timestamptz(3);
    ${withStatuses(STATUSES)};

    CREATE TABLE IF NOT EXISTS approval_policies (
      book_id uuid NOT NULL,
      id uuid NOT NULL CHECK (id = book_id),
      -- In force, and proposed by one person until another one approves it.
      policy jsonb NOT NULL,
      proposal jsonb,
      version integer NOT NULL,
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL,
      PRIMARY KEY (book_id, id)
    );

    -- Of the installation. \`name\` is empty for all, else a rail, or the id of an organisation or a book.
    CREATE TABLE IF NOT EXISTS pauses (
      scope text NOT NULL CHECK (scope IN ('all', 'rail', 'organisation', 'book')),
      name text NOT NULL,
      paused_by text NOT NULL,
      paused_at timestamptz(3) NOT NULL,
      PRIMARY KEY (scope, name)
    );
  `);
  await knex.raw('ALTER TABLE payouts VALIDATE CONSTRAINT payouts_status_check');
  for (const [name, on] of Object.entries(INDEXES)) {
    await knex.raw(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
    await knex.raw(`CREATE INDEX CONCURRENTLY ${name} ON ${on}`);
  }
}

export async function down(knex: Knex): Promise<void> {
  for (const name of Object.keys(INDEXES)) await knex.raw(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
  await knex.raw(`
    DROP TABLE IF EXISTS pauses, approval_policies;
    ${withStatuses(BEFORE)};
    ALTER TABLE payouts DROP COLUMN IF EXISTS remittance, DROP COLUMN IF EXISTS purpose_code, DROP COLUMN IF EXISTS reason,
      DROP COLUMN IF EXISTS approval, DROP COLUMN IF EXISTS scheduled_for, DROP COLUMN IF EXISTS unheld,
      DROP COLUMN IF EXISTS paused_at;
  `);
}

function withStatuses(statuses: readonly string[]): string {
  const list = statuses.map((status) => `'${status}'`).join(', ');
  return `ALTER TABLE payouts DROP CONSTRAINT IF EXISTS payouts_status_check,
    ADD CONSTRAINT payouts_status_check CHECK (status IN (${list})) NOT VALID`;
}
