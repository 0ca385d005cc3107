/**
 * The sandbox acquirer's own records: cards of its vault, instructions, disputes, what it tells, what it has paid. It plays the outside
 * world: its tables are not keyed by book or joined with ours, and are reached over connections of their own. It keeps no card number:
 * a number decides the script when it is tokenized, and only the script is stored. Everything is new, so nothing waits.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE SCHEMA sandbox_acquirer;

    -- Cards of the vault. A reusable one has no security code.
    CREATE TABLE sandbox_acquirer.cards (
      token text PRIMARY KEY,
      originator text NOT NULL,
      script text NOT NULL,
      brand text NOT NULL,
      last_four text NOT NULL,
      exp_month integer NOT NULL,
      exp_year integer NOT NULL,
      -- match, no_match, or null where none was given.
      cvc_check text,
      reusable boolean NOT NULL,
      -- The reference that a one-time token authorized.
      used_by text,
      created_at timestamptz(3) NOT NULL
    );

    -- One row for each instruction however often it was submitted: the pair is what the acquirer is idempotent by.
    CREATE TABLE sandbox_acquirer.instructions (
      originator text NOT NULL,
      reference text NOT NULL,
      kind text NOT NULL CHECK (kind IN ('authorize', 'increment', 'capture', 'void', 'refund', 'evidence', 'accept_dispute')),
      of_reference text,
      token text,
      amount bigint NOT NULL,
      currency text NOT NULL,
      -- never: it never arrived, and will not be taken.
      status text NOT NULL CHECK (status IN ('succeeded', 'declined', 'requires_action', 'pending', 'canceled', 'never')),
      code text,
      captures boolean NOT NULL DEFAULT false,
      -- Of an authorization: what became of it.
      authorized bigint NOT NULL DEFAULT 0,
      captured bigint NOT NULL DEFAULT 0 CHECK (captured <= authorized),
      refunded bigint NOT NULL DEFAULT 0 CHECK (refunded >= 0),
      closed boolean NOT NULL DEFAULT false,
      -- What the check of the billing address said.
      avs_check text,
      challenge text,
      challenge_expires_at timestamptz(3),
      acquirer_reference text NOT NULL,
      submissions integer NOT NULL,
      settled_by text,
      received_at timestamptz(3) NOT NULL,
      PRIMARY KEY (originator, reference)
    );
    CREATE UNIQUE INDEX instructions_challenge ON sandbox_acquirer.instructions (challenge) WHERE challenge IS NOT NULL;
    CREATE INDEX instructions_unsettled ON sandbox_acquirer.instructions (originator, received_at)
      WHERE settled_by IS NULL AND status = 'succeeded';
    CREATE INDEX instructions_settled ON sandbox_acquirer.instructions (settled_by) WHERE settled_by IS NOT NULL;

    CREATE TABLE sandbox_acquirer.notices (
      id uuid PRIMARY KEY,
      originator text NOT NULL,
      reference text NOT NULL,
      kind text NOT NULL,
      dispute text,
      amount bigint CHECK (amount > 0),
      code text,
      settled_by text,
      acknowledged_at timestamptz(3),
      created_at timestamptz(3) NOT NULL
    );
    CREATE INDEX notices_open ON sandbox_acquirer.notices (id) WHERE acknowledged_at IS NULL;
    CREATE INDEX notices_unsettled ON sandbox_acquirer.notices (originator) WHERE settled_by IS NULL;
    CREATE INDEX notices_settled ON sandbox_acquirer.notices (settled_by) WHERE settled_by IS NOT NULL;
    CREATE INDEX notices_refund_failed ON sandbox_acquirer.notices (originator, reference) WHERE kind = 'refund_failed';
    CREATE INDEX notices_by_dispute ON sandbox_acquirer.notices (originator, dispute) WHERE dispute IS NOT NULL;

    -- What payers dispute, as the acquirer has it. Of evidence it keeps the names of the fields: the texts are the merchant's.
    CREATE TABLE sandbox_acquirer.disputes (
      originator text NOT NULL,
      dispute text NOT NULL,
      -- The instruction that was disputed.
      reference text NOT NULL,
      stage text NOT NULL CHECK (stage IN ('inquiry', 'chargeback')),
      status text NOT NULL CHECK (status IN ('open', 'evidence', 'accepted', 'won', 'lost')),
      amount bigint NOT NULL CHECK (amount > 0),
      reason text NOT NULL,
      evidence text[] NOT NULL DEFAULT '{}',
      created_at timestamptz(3) NOT NULL,
      PRIMARY KEY (originator, dispute)
    );
    -- A payday pays once.
    CREATE TABLE sandbox_acquirer.settlements (
      key text PRIMARY KEY,
      originator text NOT NULL,
      made_at timestamptz(3) NOT NULL
    );
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP SCHEMA sandbox_acquirer CASCADE');
}
