/** The sandbox acquirer's records of instructions, on its own connections. Next: sandbox-vault-store.ts, sandbox-notice-store.ts. */

import { instantArray, plainArray, textArray } from '../db/columns.ts';
import type { Pool } from '../db/pool.ts';
import type { Instant } from '../values/clock.ts';
import type { Uuid } from '../values/ids.ts';
import type { FollowingInstruction, InstructionKind } from './acquirer.ts';
import type { CardBrand } from './card.ts';
import type { DeclineCode } from './decline-codes.ts';
import { disputeIdSql } from './sandbox-notice-store.ts';
import type { CardScript } from './test-cards.ts';

export type RecordStatus = 'succeeded' | 'declined' | 'requires_action' | 'pending' | 'canceled' | 'never';

export type AddressCheck = 'match' | 'no_match';

export interface InstructionRecord {
  readonly originator: string;
  readonly reference: string;
  readonly kind: InstructionKind;
  readonly ofReference: string | null;
  readonly amount: bigint;
  readonly currency: string;
  readonly status: RecordStatus;
  readonly code: DeclineCode | null;
  readonly acquirerReference: string;
  readonly challenge: string | null;
  readonly challengeExpiresAt: Instant | null;
  /** Of the card behind an authorization: null for what follows one. */
  readonly script: CardScript | null;
  readonly cvcCheck: 'match' | null;
  readonly avsCheck: AddressCheck | null;
  readonly brand: CardBrand | null;
}

/** A record as Postgres returns it. */
export interface RecordRow {
  originator: string;
  reference: string;
  kind: InstructionKind;
  of_reference: string | null;
  amount: bigint;
  currency: string;
  status: RecordStatus;
  code: DeclineCode | null;
  acquirer_reference: string;
  challenge: string | null;
  challenge_expires_at: Instant | null;
  script: CardScript | null;
  cvc_check: 'match' | null;
  avs_check: AddressCheck | null;
  brand: CardBrand | null;
}

/** The code of a reusable card is checked by the first authorization, and not stored. */
export const RECORD = `i.originator, i.reference, i.kind, i.of_reference, i.amount, i.currency, i.status, i.code,
  i.acquirer_reference, i.challenge, i.challenge_expires_at, i.avs_check, c.script, c.brand,
  CASE WHEN NOT c.reusable OR c.used_by IS NULL OR c.used_by = i.reference THEN c.cvc_check END AS cvc_check`;

export const toRecord = (row: RecordRow): InstructionRecord => ({
  originator: row.originator,
  reference: row.reference,
  kind: row.kind,
  ofReference: row.of_reference,
  amount: row.amount,
  currency: row.currency,
  status: row.status,
  code: row.code,
  acquirerReference: row.acquirer_reference,
  challenge: row.challenge,
  challengeExpiresAt: row.challenge_expires_at,
  script: row.script,
  cvcCheck: row.cvc_check,
  avsCheck: row.avs_check,
  brand: row.brand,
});

export interface Authorization {
  readonly originator: string;
  readonly reference: string;
  readonly token: string;
  readonly amount: bigint;
  readonly currency: string;
  readonly captures: boolean;
  /** The status of the record if this is the first submission of its reference. */
  readonly status: RecordStatus;
  readonly code: DeclineCode | null;
  readonly acquirerReference: string;
  readonly challenge: string | null;
  readonly challengeExpiresAt: Instant | null;
  readonly notAfter: Instant;
  readonly avsCheck: AddressCheck | null;
  /** The id of the notice by which the payer disputes the capture. */
  readonly disputeNotice: Uuid | null;
}

/**
 * Records a batch of authorizations, each reference once, in the order of references, so that two processes cannot
 * deadlock. A known reference is returned unchanged; one that was canceled first stays canceled. A late one is declined
 * by the database's clock (shifted by `clockAheadMs`), so that a process paused before this statement cannot charge
 * late. A one-time token that another reference has used is declined.
 */
export async function recordAuthorizations(
  pool: Pool,
  given: readonly Authorization[],
  rule: { closesBeforeMs: number; clockAheadMs: number },
): Promise<InstructionRecord[]> {
  const { rows } = await pool.query<RecordRow>(
    `WITH given AS MATERIALIZED (
       SELECT g.*, moment.now, g.not_after - $2::bigint * interval '1 ms' < moment.now AS late
       FROM (SELECT clock_timestamp() + $1::bigint * interval '1 ms' AS now) AS moment,
         unnest($3::text[], $4::text[], $5::text[], $6::bigint[], $7::text[], $8::boolean[], $9::text[], $10::text[],
                $11::text[], $12::text[], $13::timestamptz[], $14::timestamptz[], $15::uuid[], $16::text[])
           AS g (originator, reference, token, amount, currency, captures, status, code, acquirer_reference, challenge,
                 challenge_expires_at, not_after, dispute_notice, avs_check)
     ), used AS (
       UPDATE sandbox_acquirer.cards AS c SET used_by = g.reference FROM given AS g
       WHERE c.token = g.token AND c.used_by IS NULL
       RETURNING c.token, c.used_by
     ), judged AS (
       SELECT g.*, CASE
           WHEN g.late THEN 'declined'
           WHEN NOT c.reusable AND coalesce(u.used_by, c.used_by) <> g.reference THEN 'declined'
           ELSE g.status END AS becomes,
         CASE WHEN g.late OR (NOT c.reusable AND coalesce(u.used_by, c.used_by) <> g.reference) THEN 'processing_error'
           ELSE g.code END AS says
       FROM given AS g JOIN sandbox_acquirer.cards AS c USING (token) LEFT JOIN used AS u USING (token)
     ), taken AS (
       INSERT INTO sandbox_acquirer.instructions AS i
         (originator, reference, kind, token, amount, currency, status, code, captures, authorized, captured, challenge,
          challenge_expires_at, avs_check, acquirer_reference, submissions, received_at)
       SELECT originator, reference, 'authorize', token, amount, currency, becomes, says, captures,
              CASE WHEN becomes = 'succeeded' THEN amount ELSE 0 END,
              CASE WHEN becomes = 'succeeded' AND captures THEN amount ELSE 0 END,
              CASE WHEN becomes = 'requires_action' THEN challenge END,
              CASE WHEN becomes = 'requires_action' THEN challenge_expires_at END, avs_check, acquirer_reference, 1, now
       FROM judged
       ON CONFLICT (originator, reference) DO UPDATE SET submissions = i.submissions + 1
       RETURNING i.*, xmax = 0 AS fresh
     ), told AS (
       INSERT INTO sandbox_acquirer.notices (id, originator, reference, kind, amount, code, dispute, created_at)
       SELECT g.dispute_notice, t.originator, t.reference, 'dispute_chargeback', t.captured, 'fraudulent',
              ${disputeIdSql('g.dispute_notice')}, t.received_at
       FROM taken AS t JOIN given AS g USING (originator, reference)
       WHERE t.fresh AND t.captured > 0 AND g.dispute_notice IS NOT NULL
       RETURNING *
     ), disputed AS (
       INSERT INTO sandbox_acquirer.disputes (originator, dispute, reference, stage, status, amount, reason, created_at)
       SELECT originator, dispute, reference, 'chargeback', 'open', amount, code, created_at FROM told
     )
     SELECT ${RECORD} FROM taken AS i LEFT JOIN sandbox_acquirer.cards AS c USING (token)`,
    [
      rule.clockAheadMs,
      rule.closesBeforeMs,
      textArray(given.map((row) => row.originator)),
      textArray(given.map((row) => row.reference)),
      textArray(given.map((row) => row.token)),
      plainArray(given.map((row) => row.amount)),
      textArray(given.map((row) => row.currency)),
      plainArray(given.map((row) => row.captures)),
      textArray(given.map((row) => row.status)),
      textArray(given.map((row) => row.code)),
      textArray(given.map((row) => row.acquirerReference)),
      textArray(given.map((row) => row.challenge)),
      instantArray(given.map((row) => row.challengeExpiresAt)),
      instantArray(given.map((row) => row.notAfter)),
      plainArray(given.map((row) => row.disputeNotice)),
      textArray(given.map((row) => row.avsCheck)),
    ],
  );
  return rows.map(toRecord);
}

export interface Following {
  readonly originator: string;
  readonly reference: string;
  readonly kind: FollowingInstruction['kind'];
  readonly of: string;
  readonly amount: bigint;
  readonly currency: string;
  readonly final: boolean;
  readonly acquirerReference: string;
  readonly noticeId: Uuid;
}

/**
 * Records what follows an authorization, under its row's lock: its totals decide whether it can be carried out, and
 * change with it. A known reference is returned unchanged. Undefined without such an authorization.
 */
export async function recordFollowing(pool: Pool, given: Following): Promise<InstructionRecord | undefined> {
  const { rows } = await pool.query<RecordRow>(
    `WITH known AS (
       UPDATE sandbox_acquirer.instructions AS i SET submissions = submissions + 1
       WHERE originator = $1 AND reference = $2 RETURNING i.*
     ), base AS (
       SELECT a.*, c.script FROM sandbox_acquirer.instructions AS a LEFT JOIN sandbox_acquirer.cards AS c USING (token)
       WHERE a.originator = $1 AND a.reference = $4 AND a.kind = 'authorize' AND NOT EXISTS (SELECT FROM known)
       FOR UPDATE OF a
     ), judged AS (
       SELECT b.*, b.status = 'succeeded' AND b.currency = $6 AND CASE $3::text
         WHEN 'increment' THEN NOT b.closed AND b.captured = 0 AND $5 > b.authorized
         WHEN 'capture' THEN NOT b.closed AND b.captured + $5 <= b.authorized
         WHEN 'void' THEN NOT b.closed
         -- What a refund gave that fails later came back.
         WHEN 'refund' THEN CASE WHEN b.script = 'refund_fails' THEN 0 ELSE b.refunded END + $5 <= b.captured END AS taken
       FROM base AS b
     ), moved AS (
       UPDATE sandbox_acquirer.instructions AS a SET
         authorized = CASE WHEN $3 = 'increment' THEN $5 ELSE a.authorized END,
         captured = a.captured + CASE WHEN $3 = 'capture' THEN $5 ELSE 0 END,
         refunded = a.refunded + CASE WHEN $3 = 'refund' THEN $5 ELSE 0 END,
         closed = a.closed OR $3 = 'void' OR ($3 = 'capture' AND ($7 OR a.captured + $5 = a.authorized))
       FROM judged AS j WHERE j.taken AND a.originator = j.originator AND a.reference = j.reference
       RETURNING a.reference
     ), written AS (
       INSERT INTO sandbox_acquirer.instructions AS i
         (originator, reference, kind, of_reference, amount, currency, status, code, acquirer_reference, submissions, received_at)
       SELECT $1, $2, $3, $4, $5, $6, CASE WHEN j.taken THEN 'succeeded' ELSE 'declined' END,
              CASE WHEN j.taken THEN NULL ELSE 'processing_error' END, $8, 1, clock_timestamp()
       FROM judged AS j RETURNING i.*
     ), told AS (
       INSERT INTO sandbox_acquirer.notices (id, originator, reference, kind, amount, code, dispute, created_at)
       SELECT $9, $1, n.reference, n.kind, n.amount, n.code, n.dispute, clock_timestamp() FROM (
         SELECT $2::text AS reference, 'refund_failed' AS kind, NULL::bigint AS amount, 'processing_error' AS code, NULL AS dispute
         FROM judged WHERE taken AND $3 = 'refund' AND script = 'refund_fails'
         UNION ALL
         SELECT $4, 'dispute_chargeback', $5, 'fraudulent', ${disputeIdSql('$9::uuid')}
         FROM judged WHERE taken AND $3 = 'capture' AND script = 'disputed'
       ) AS n
       RETURNING *
     ), disputed AS (
       INSERT INTO sandbox_acquirer.disputes (originator, dispute, reference, stage, status, amount, reason, created_at)
       SELECT originator, dispute, reference, 'chargeback', 'open', amount, code, created_at FROM told WHERE dispute IS NOT NULL
     )
     SELECT ${RECORD} FROM (SELECT * FROM known UNION ALL SELECT * FROM written) AS i
     LEFT JOIN sandbox_acquirer.cards AS c USING (token)`,
    [
      given.originator,
      given.reference,
      given.kind,
      given.of,
      given.amount,
      given.currency,
      given.final,
      given.acquirerReference,
      given.noticeId,
    ],
  );
  return rows[0] && toRecord(rows[0]);
}

/** Finds records by reference. `asOf` is the start of the query by the database's clock. Index: instructions_pkey. */
export async function findInstructions(
  pool: Pool,
  asked: readonly { originator: string; reference: string }[],
): Promise<{ records: InstructionRecord[]; asOf: Instant }> {
  const { rows } = await pool.query<RecordRow & { as_of: Instant }>(
    `SELECT ${RECORD}, statement_timestamp() AS as_of
     FROM unnest($1::text[], $2::text[]) AS asked (originator, reference)
     LEFT JOIN sandbox_acquirer.instructions AS i USING (originator, reference)
     LEFT JOIN sandbox_acquirer.cards AS c USING (token)`,
    [textArray(asked.map((row) => row.originator)), textArray(asked.map((row) => row.reference))],
  );
  const found = rows.filter((row) => row.status !== null);
  return { records: found.map(toRecord), asOf: rows[0]!.as_of };
}

/** One record. Index: instructions_pkey. */
export async function findRecord(
  pool: Pool,
  asked: { originator: string; reference: string },
): Promise<InstructionRecord | undefined> {
  return (await findInstructions(pool, [asked])).records[0];
}

/**
 * Ends an authorization: approved and not captured, it is voided; waiting for its payer, it is canceled; unknown, it is
 * recorded as canceled, so that it is never authorized afterwards. Returns its state after that.
 */
export async function cancelAuthorization(
  pool: Pool,
  given: { originator: string; reference: string; currency: string; acquirerReference: string },
): Promise<InstructionRecord> {
  const { rows } = await pool.query<RecordRow>(
    `WITH ended AS (
       INSERT INTO sandbox_acquirer.instructions AS i
         (originator, reference, kind, amount, currency, status, closed, acquirer_reference, submissions, received_at)
       VALUES ($1, $2, 'authorize', 0, $3, 'canceled', true, $4, 0, clock_timestamp())
       ON CONFLICT (originator, reference) DO UPDATE SET
         status = CASE WHEN i.status IN ('requires_action', 'pending') OR (i.status = 'succeeded' AND i.captured = 0)
           THEN 'canceled' ELSE i.status END,
         closed = i.closed OR i.captured = 0
       RETURNING i.*
     )
     SELECT ${RECORD} FROM ended AS i LEFT JOIN sandbox_acquirer.cards AS c USING (token)`,
    [given.originator, given.reference, given.currency, given.acquirerReference],
  );
  return toRecord(rows[0]!);
}
