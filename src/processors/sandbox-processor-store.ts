/**
 * The sandbox processor's records, on its own connections: instructions, cards, numbers and notices. Each instruction
 * is one statement.
 * Next: sandbox-answers.ts (answers from records).
 */
import { plainArray } from '../db/columns.ts';
import type { Pool } from '../db/pool.ts';
import type { Instant } from '../values/clock.ts';
import type { Uuid } from '../values/ids.ts';
import type { CodedCard } from './card-sequence.ts';
import type {
  ProcessorCardState,
  ProcessorDecline,
  ProcessorInstructionKind,
  ProcessorNotice,
  StateInstruction,
  UnblockPinInstruction,
} from './processor.ts';
import type { CardholderScript } from './sandbox-cardholders.ts';

/** `never`: it was lost on its way, and will not be taken. */
export type RecordStatus = 'succeeded' | 'declined' | 'pending' | 'never';

export interface InstructionRecord {
  readonly originator: string;
  readonly reference: string;
  readonly kind: ProcessorInstructionKind;
  readonly ofCard: string | null;
  readonly status: RecordStatus;
  readonly code: ProcessorDecline | null;
  readonly processorReference: string;
  readonly script: CardholderScript;
  /** The card that it made. */
  readonly card: { cardReference: string; lastFour: string; expMonth: number; expYear: number } | null;
}

interface RecordRow {
  originator: string;
  reference: string;
  kind: ProcessorInstructionKind;
  of_card: string | null;
  status: RecordStatus;
  code: ProcessorDecline | null;
  processor_reference: string;
  script: CardholderScript;
  card_reference: string | null;
  last_four: string | null;
  exp_month: number | null;
  exp_year: number | null;
}

/** What was ordered and is pending is made at its moment, by the database's clock, which the parameter shifts. */
const recordSql = (
  clockAheadMs: string,
) => `i.originator, i.reference, i.kind, i.of_card, i.code, i.processor_reference, i.script,
  i.card_reference, i.last_four, i.exp_month, i.exp_year,
  CASE WHEN i.status = 'pending' AND i.decides_at <= clock_timestamp() + ${clockAheadMs}::bigint * interval '1 ms'
    THEN 'succeeded' ELSE i.status END AS status`;

const toRecord = (row: RecordRow): InstructionRecord => ({
  originator: row.originator,
  reference: row.reference,
  kind: row.kind,
  ofCard: row.of_card,
  status: row.status,
  code: row.code,
  processorReference: row.processor_reference,
  script: row.script,
  card:
    row.card_reference === null
      ? null
      : {
          cardReference: row.card_reference,
          lastFour: row.last_four!,
          expMonth: row.exp_month!,
          expYear: row.exp_year!,
        },
});

/** When an instruction is too late, by the database's clock: a process that was paused before its statement makes no card late. */
export interface TimeRule {
  readonly closesBeforeMs: number;
  readonly clockAheadMs: number;
}

/** The card that an instruction would make. */
export interface NewCard extends CodedCard {
  readonly counter: bigint;
  readonly lastFour: string;
  readonly state: ProcessorCardState;
  /** The sealed number; null where the card keeps the number of another one. */
  readonly numberSealed: Buffer | null;
}

export interface Making {
  readonly originator: string;
  readonly reference: string;
  readonly kind: 'issue' | 'replace';
  readonly ofCard: string | null;
  /** The status of the record if this is the first submission of its reference. */
  readonly status: RecordStatus;
  readonly code: ProcessorDecline | null;
  readonly processorReference: string;
  readonly script: CardholderScript;
  readonly notAfter: Instant;
  /** Absent where the status makes none. */
  readonly card?: NewCard;
  /** Of `pending`: how long, and the notice that reports its end. */
  readonly pendingMs: number;
  readonly noticeId: Uuid;
}

/**
 * Records what makes a card, once: a known reference is returned as it is, and makes nothing. The card's facts stand in the record too,
 * since of two at the same moment the second one does not see the first one's card. Index: instructions_pkey.
 */
export async function recordMaking(pool: Pool, given: Making, rule: TimeRule): Promise<InstructionRecord> {
  const { card } = given;
  const { rows } = await pool.query<RecordRow>(
    `WITH moment AS MATERIALIZED (
       SELECT now, $9::timestamptz - $2::bigint * interval '1 ms' < now AS late
       FROM (SELECT clock_timestamp() + $1::bigint * interval '1 ms' AS now) AS m
     ), judged AS (
       SELECT now, CASE WHEN late THEN 'declined' ELSE $10 END AS status, CASE WHEN late THEN 'too_late' ELSE $11 END AS code,
         NOT late AND $12::text IS NOT NULL AS makes
       FROM moment
     ), taken AS (
       INSERT INTO sandbox_processor.instructions AS i
         (originator, reference, kind, of_card, status, code, processor_reference, script, card_reference, last_four, exp_month,
          exp_year, decides_at, submissions, received_at)
       SELECT $3, $4, $5, $6, status, code, $7, $8, CASE WHEN makes THEN $12 END, CASE WHEN makes THEN $13 END,
         CASE WHEN makes THEN $14::integer END, CASE WHEN makes THEN $15::integer END,
         CASE WHEN status = 'pending' THEN now + $19::bigint * interval '1 ms' END, 1, now
       FROM judged
       ON CONFLICT (originator, reference) DO UPDATE SET submissions = i.submissions + 1
       RETURNING i.*, xmax = 0 AS fresh
     ), numbered AS (
       INSERT INTO sandbox_processor.numbers (counter, sealed)
       SELECT $16::bigint, $17::bytea FROM taken WHERE fresh AND card_reference IS NOT NULL AND $17::bytea IS NOT NULL
     ), made AS (
       INSERT INTO sandbox_processor.cards
         (card_reference, originator, counter, exp_month, exp_year, code_attempt, script, state, state_version, created_at)
       SELECT card_reference, originator, $16::bigint, exp_month, exp_year, $18::integer, script, $20, 0, received_at
       FROM taken WHERE fresh AND card_reference IS NOT NULL
     ), told AS (
       INSERT INTO sandbox_processor.notices (id, originator, reference, kind, code, created_at)
       SELECT $21::uuid, originator, reference, 'succeeded', NULL, decides_at FROM taken WHERE fresh AND decides_at IS NOT NULL
     )
     SELECT ${recordSql('$1')} FROM taken AS i`,
    [
      rule.clockAheadMs,
      rule.closesBeforeMs,
      given.originator,
      given.reference,
      given.kind,
      given.ofCard,
      given.processorReference,
      given.script,
      new Date(given.notAfter),
      given.status,
      given.code,
      card?.cardReference ?? null,
      card?.lastFour ?? null,
      card?.expMonth ?? null,
      card?.expYear ?? null,
      card?.counter ?? null,
      card?.numberSealed ?? null,
      card?.codeAttempt ?? null,
      given.pendingMs,
      card?.state ?? null,
      given.noticeId,
    ],
  );
  return toRecord(rows[0]!);
}

export interface Change {
  readonly instruction: StateInstruction | UnblockPinInstruction;
  readonly processorReference: string;
}

/**
 * Records a state of a card, or that its PIN is unblocked, under the card's lock: once, and a state of an older version than the card has
 * changes nothing. Indexes: cards_pkey, instructions_pkey.
 */
export async function recordChange(
  pool: Pool,
  { instruction, processorReference }: Change,
  rule: TimeRule,
): Promise<InstructionRecord> {
  const { originator, reference, kind, of } = instruction;
  const stateChange = instruction.kind === 'state' ? instruction : null;
  const notAfter = instruction.kind === 'state' ? null : new Date(instruction.notAfter);
  const { rows } = await pool.query<RecordRow>(
    `WITH moment AS MATERIALIZED (
       SELECT now, coalesce($7::timestamptz - $2::bigint * interval '1 ms' < now, false) AS late
       FROM (SELECT clock_timestamp() + $1::bigint * interval '1 ms' AS now) AS m
     ), card AS MATERIALIZED (
       SELECT * FROM sandbox_processor.cards WHERE card_reference = $6 AND originator = $3 FOR UPDATE
     ), judged AS (
       SELECT now, coalesce(script, 'made') AS script, CASE
           WHEN card_reference IS NULL THEN 'card_unknown'
           WHEN late THEN 'too_late'
           WHEN script = 'changes_refused' THEN 'refused'
           WHEN state = 'closed' AND $5 = 'unblock_pin' THEN 'card_closed'
           WHEN state = 'closed' AND $8 <> 'closed' AND $9::integer > state_version THEN 'card_closed'
         END AS code
       FROM moment LEFT JOIN card ON true
     ), taken AS (
       INSERT INTO sandbox_processor.instructions AS i
         (originator, reference, kind, of_card, status, code, processor_reference, script, submissions, received_at)
       SELECT $3, $4, $5, $6, CASE WHEN code IS NULL THEN 'succeeded' ELSE 'declined' END, code, $10, script, 1, now FROM judged
       ON CONFLICT (originator, reference) DO UPDATE SET submissions = i.submissions + 1
       RETURNING i.*, xmax = 0 AS fresh
     ), moved AS (
       UPDATE sandbox_processor.cards AS c SET state = $8, state_version = $9::integer FROM taken AS t
       WHERE c.card_reference = t.of_card AND c.originator = t.originator AND t.fresh AND t.status = 'succeeded'
         AND t.kind = 'state' AND c.state_version < $9::integer
     )
     SELECT ${recordSql('$1')} FROM taken AS i`,
    [
      rule.clockAheadMs,
      rule.closesBeforeMs,
      originator,
      reference,
      kind,
      of,
      notAfter,
      stateChange?.state ?? null,
      stateChange?.version ?? null,
      processorReference,
    ],
  );
  return toRecord(rows[0]!);
}

export interface Found {
  readonly record: InstructionRecord | undefined;
  /** The start of the query, by the database's clock. */
  readonly asOf: Instant;
}

/** Index: instructions_pkey. */
export async function findInstruction(
  pool: Pool,
  { originator, reference }: { originator: string; reference: string },
  { clockAheadMs }: Pick<TimeRule, 'clockAheadMs'>,
): Promise<Found> {
  const { rows } = await pool.query<RecordRow & { as_of: Instant }>(
    `SELECT ${recordSql('$1')}, statement_timestamp() AS as_of
     FROM (VALUES (1)) AS asked LEFT JOIN sandbox_processor.instructions AS i ON i.originator = $2 AND i.reference = $3`,
    [clockAheadMs, originator, reference],
  );
  const row = rows[0]!;
  return { record: row.reference === null ? undefined : toRecord(row), asOf: row.as_of };
}

export interface StoredCard extends CodedCard {
  readonly counter: bigint;
  readonly lastFour: string;
  readonly script: CardholderScript;
  readonly state: ProcessorCardState;
  readonly numberSealed: Buffer;
}

/**
 * A card of this originator; undefined if it does not exist. Indexes: cards_pkey, numbers_pkey, instructions_by_card.
 */
export async function findCard(
  pool: Pool,
  { originator, cardReference }: { originator: string; cardReference: string },
): Promise<StoredCard | undefined> {
  const { rows } = await pool.query<{
    counter: bigint;
    exp_month: number;
    exp_year: number;
    code_attempt: number;
    script: CardholderScript;
    state: ProcessorCardState;
    sealed: Buffer;
    last_four: string;
  }>(
    `SELECT c.counter, c.exp_month, c.exp_year, c.code_attempt, c.script, c.state, n.sealed, i.last_four
     FROM sandbox_processor.cards AS c JOIN sandbox_processor.numbers AS n USING (counter)
     JOIN sandbox_processor.instructions AS i USING (card_reference)
     WHERE c.card_reference = $1 AND c.originator = $2`,
    [cardReference, originator],
  );
  const row = rows[0];
  return (
    row && {
      cardReference,
      counter: row.counter,
      lastFour: row.last_four,
      expMonth: row.exp_month,
      expYear: row.exp_year,
      codeAttempt: row.code_attempt,
      script: row.script,
      state: row.state,
      numberSealed: row.sealed,
    }
  );
}

/** Takes the next counter, for good: one that makes no card is never used. */
export async function nextCounter(pool: Pool): Promise<bigint> {
  const { rows } = await pool.query<{ counter: bigint }>(
    'UPDATE sandbox_processor.counter SET next = next + 1 WHERE id = 1 RETURNING next - 1 AS counter',
  );
  return rows[0]!.counter;
}

/** The sealed secret; undefined before the first card. */
export async function readSecret(pool: Pool): Promise<Buffer | undefined> {
  const { rows } = await pool.query<{ sealed: Buffer }>('SELECT sealed FROM sandbox_processor.secrets WHERE id = 1');
  return rows[0]?.sealed;
}

/** Keeps the first secret that anybody keeps. */
export async function keepSecret(pool: Pool, sealed: Buffer): Promise<void> {
  await pool.query('INSERT INTO sandbox_processor.secrets (id, sealed) VALUES (1, $1) ON CONFLICT DO NOTHING', [
    sealed,
  ]);
}

interface NoticeRow {
  id: Uuid;
  originator: string;
  reference: string;
  kind: ProcessorNotice['kind'];
  code: string | null;
  processor_reference: string;
  created_at: Instant;
}

/** Oldest first: ids are time-ordered. Notices whose time has not come are left out. Index: notices_open. */
export async function openNotices(
  pool: Pool,
  { limit, behind, clockAheadMs }: { limit: number; behind: Uuid; clockAheadMs: number },
): Promise<ProcessorNotice[]> {
  const { rows } = await pool.query<NoticeRow>(
    `SELECT n.id, n.originator, n.reference, n.kind, n.code, i.processor_reference, n.created_at
     FROM sandbox_processor.notices AS n JOIN sandbox_processor.instructions AS i USING (originator, reference)
     WHERE n.acknowledged_at IS NULL AND n.id > $2 AND n.created_at <= clock_timestamp() + $3::bigint * interval '1 ms'
     ORDER BY n.id LIMIT $1`,
    [limit, behind, clockAheadMs],
  );
  return rows.map((row) => ({
    id: row.id,
    originator: row.originator,
    endToEndId: row.reference,
    kind: row.kind,
    amount: null,
    code: row.code,
    reference: row.processor_reference,
    createdAt: row.created_at,
  }));
}

export async function acknowledgeNotices(pool: Pool, ids: readonly Uuid[], at: Instant): Promise<void> {
  await pool.query(
    'UPDATE sandbox_processor.notices SET acknowledged_at = $2 WHERE id = ANY ($1::uuid[]) AND acknowledged_at IS NULL',
    [plainArray(ids), new Date(at)],
  );
}
