/** The sandbox rail's records: all SQL of its schema, on its own connections. */

import { instantArray, plainArray, textArray } from '../db/columns.ts';
import type { Pool } from '../db/pool.ts';
import type { Confirmation } from '../outside/party/party.ts';
import type { Instant } from '../values/clock.ts';
import type { Uuid } from '../values/ids.ts';
import type { RailNotice } from './rail.ts';

export type InstructionStatus = 'pending' | 'paid' | 'rejected';

/** The fact that the rail confirms wrongly, where the alias asks for it. */
export type WrongFact = 'amount' | 'currency' | 'payee';

export interface InstructionRecord {
  readonly originator: string;
  readonly endToEndId: string;
  readonly amount: bigint;
  readonly currency: string;
  readonly confirmsWrong: WrongFact | null;
  readonly status: InstructionStatus;
  readonly code: string | null;
  readonly reference: string;
}

export interface Submission {
  readonly originator: string;
  readonly endToEndId: string;
  readonly amount: bigint;
  readonly currency: string;
  /** The status of the record if this is the first submission of its id. */
  readonly status: InstructionStatus;
  readonly code: string | null;
  readonly reference: string;
  readonly notAfter: Instant;
  /** Submissions of this id in one batch. */
  readonly submissions: number;
  readonly confirmsWrong: WrongFact | null;
  readonly returned: { readonly noticeId: Uuid; readonly amount: bigint } | null;
}

interface InstructionRow {
  originator: string;
  end_to_end_id: string;
  amount: bigint;
  currency: string;
  says_wrong: WrongFact | null;
  status: InstructionStatus;
  code: string | null;
  reference: string;
}

const INSTRUCTION_COLUMNS = 'originator, end_to_end_id, amount, currency, says_wrong, status, code, reference';

const toRecord = (row: InstructionRow): InstructionRecord => ({
  originator: row.originator,
  endToEndId: row.end_to_end_id,
  amount: row.amount,
  currency: row.currency,
  confirmsWrong: row.says_wrong,
  status: row.status,
  code: row.code,
  reference: row.reference,
});

/**
 * Records a batch of instructions, each id once, in the order of ids, so that two processes cannot deadlock. For a
 * known id only the submission count changes, and the record is returned as it is. A late instruction is recorded as
 * rejected. The database's clock decides (shifted by `clockAheadMs`), so that a process paused between its decision and
 * this statement cannot submit late. The notice of a return is written in the same statement.
 */
export async function recordSubmissions(
  pool: Pool,
  submissions: readonly Submission[],
  rule: { refusedCode: string; closesBeforeMs: number; clockAheadMs: number },
): Promise<InstructionRecord[]> {
  const { rows } = await pool.query<InstructionRow>(
    `WITH submitted AS MATERIALIZED (
       SELECT given.*, moment.now, given.not_after - $2::bigint * interval '1 ms' < moment.now AS late
       FROM (SELECT clock_timestamp() + $1::bigint * interval '1 ms' AS now) AS moment,
         unnest($4::text[], $5::text[], $6::bigint[], $7::text[], $8::text[], $9::text[], $10::text[], $11::timestamptz[],
                $12::integer[], $13::uuid[], $14::bigint[], $15::text[])
           AS given (originator, end_to_end_id, amount, currency, status, code, reference, not_after,
                     submissions, notice_id, returned, says_wrong)
     ), taken AS (
       INSERT INTO sandbox_rail.instructions AS known
         (originator, end_to_end_id, amount, currency, status, code, reference, amount_returned, submissions, received_at,
          says_wrong)
       SELECT originator, end_to_end_id, amount, currency,
              CASE WHEN late THEN 'rejected' ELSE status END, CASE WHEN late THEN $3 ELSE code END, reference,
              CASE WHEN late THEN 0 ELSE coalesce(returned, 0) END, submissions, now, says_wrong
       FROM submitted
       ON CONFLICT (originator, end_to_end_id) DO UPDATE SET submissions = known.submissions + EXCLUDED.submissions
       RETURNING ${INSTRUCTION_COLUMNS}, xmax = 0 AS fresh
     ), told AS (
       INSERT INTO sandbox_rail.notices (id, originator, end_to_end_id, kind, amount, reference, created_at)
       SELECT notice_id, originator, end_to_end_id, 'returned', returned, taken.reference, now
       FROM taken JOIN submitted USING (originator, end_to_end_id)
       WHERE fresh AND NOT late AND returned IS NOT NULL
     )
     SELECT ${INSTRUCTION_COLUMNS} FROM taken`,
    [
      rule.clockAheadMs,
      rule.closesBeforeMs,
      rule.refusedCode,
      textArray(submissions.map((row) => row.originator)),
      textArray(submissions.map((row) => row.endToEndId)),
      plainArray(submissions.map((row) => row.amount)),
      textArray(submissions.map((row) => row.currency)),
      textArray(submissions.map((row) => row.status)),
      textArray(submissions.map((row) => row.code)),
      textArray(submissions.map((row) => row.reference)),
      instantArray(submissions.map((row) => row.notAfter)),
      plainArray(submissions.map((row) => row.submissions)),
      plainArray(submissions.map((row) => row.returned?.noticeId ?? null)),
      plainArray(submissions.map((row) => row.returned?.amount ?? null)),
      textArray(submissions.map((row) => row.confirmsWrong)),
    ],
  );
  return rows.map(toRecord);
}

/**
 * Finds the records of all ids in one query. `asOf` is the start of the query by the database's clock, before any
 * record was read. Unknown ids are absent. Index: instructions_pkey.
 */
export async function findInstructions(
  pool: Pool,
  asked: readonly { originator: string; endToEndId: string }[],
): Promise<{ records: InstructionRecord[]; asOf: Instant }> {
  const { rows } = await pool.query<InstructionRow & { as_of: Instant }>(
    `SELECT ${INSTRUCTION_COLUMNS}, statement_timestamp() AS as_of
     FROM unnest($1::text[], $2::text[]) AS asked (originator, end_to_end_id)
     LEFT JOIN sandbox_rail.instructions USING (originator, end_to_end_id)`,
    [textArray(asked.map((row) => row.originator)), textArray(asked.map((row) => row.endToEndId))],
  );
  return { records: rows.filter(({ status }) => status !== null).map(toRecord), asOf: rows[0]!.as_of };
}

/** The script of a test card by its token at the sandbox acquirer. Index: cards_pkey. */
export async function findCardScript(pool: Pool, token: string): Promise<string | undefined> {
  const { rows } = await pool.query<{ script: string }>(
    'SELECT script FROM sandbox_acquirer.cards WHERE token = $1 LIMIT 1',
    [token],
  );
  return rows[0]?.script;
}

interface NoticeRow {
  id: Uuid;
  originator: string;
  end_to_end_id: string;
  kind: RailNotice['kind'];
  amount: bigint | null;
  code: string | null;
  reference: string;
  created_at: Instant;
  /** The amount of the instruction; null without an instruction. */
  confirmed_amount: bigint | null;
  confirmed_currency: string | null;
  says_wrong: WrongFact | null;
}

/** The columns of a notice and of the confirmation in its instruction. */
const NOTICE_COLUMNS = `n.id, n.originator, n.end_to_end_id, n.kind, n.amount, n.code, n.reference, n.created_at,
  i.amount AS confirmed_amount, i.currency AS confirmed_currency, i.says_wrong`;
const NOTICES = `sandbox_rail.notices AS n
  LEFT JOIN sandbox_rail.instructions AS i ON i.originator = n.originator AND i.end_to_end_id = n.end_to_end_id`;

const toNotice = (row: NoticeRow): RailNotice => ({
  id: row.id,
  originator: row.originator,
  endToEndId: row.end_to_end_id,
  kind: row.kind,
  amount: row.amount,
  code: row.code,
  reference: row.reference,
  ...(row.confirmed_amount === null || row.confirmed_currency === null
    ? {}
    : {
        confirmed: confirmationOf({
          amount: row.confirmed_amount,
          currency: row.confirmed_currency,
          confirmsWrong: row.says_wrong,
        }),
      }),
  createdAt: row.created_at,
});

/** What the rail confirms of an instruction. It stores no alias, so it reports a payee only to report a wrong one. */
export function confirmationOf({
  amount,
  currency,
  confirmsWrong,
}: Pick<InstructionRecord, 'amount' | 'currency' | 'confirmsWrong'>): Confirmation {
  return {
    amount: confirmsWrong === 'amount' ? amount + 1n : amount,
    currency: confirmsWrong === 'currency' ? 'XTS' : currency,
    ...(confirmsWrong === 'payee' ? { payeeDigest: 'another payee' } : {}),
  };
}

export interface Simulated {
  readonly noticeId: Uuid;
  readonly originator: string;
  readonly endToEndId: string;
  readonly at: Instant;
}

/**
 * Changes the status of a record and writes its notice, in one statement. Undefined without such a record. Repeated
 * under the same notice id, nothing changes and the first notice is returned.
 */
export function changeOutcome(
  pool: Pool,
  simulated: Simulated & { kind: 'paid' | 'rejected'; code: string | null },
): Promise<RailNotice | undefined> {
  return recordOnce(pool, simulated, {
    sql: `WITH changed AS (
       UPDATE sandbox_rail.instructions SET status = $4, code = $5, moved_at = $6
       WHERE originator = $2 AND end_to_end_id = $3 AND NOT EXISTS (SELECT FROM sandbox_rail.notices WHERE id = $1)
       RETURNING originator, end_to_end_id, reference, amount, currency, says_wrong
     ), n AS (
       INSERT INTO sandbox_rail.notices (id, originator, end_to_end_id, kind, code, reference, created_at)
       SELECT $1, $2, $3, $4, $5, reference, $6 FROM changed RETURNING *
     )
     SELECT ${NOTICE_COLUMNS} FROM n CROSS JOIN changed AS i`,
    values: [simulated.kind, simulated.code, new Date(simulated.at)],
  });
}

/** Returns part of a paid amount. Undefined without such a record, when it is not paid, or when less is left of it. */
export function returnAmount(pool: Pool, simulated: Simulated & { amount: bigint }): Promise<RailNotice | undefined> {
  return recordOnce(pool, simulated, {
    sql: `WITH changed AS (
       UPDATE sandbox_rail.instructions SET amount_returned = amount_returned + $4
       WHERE originator = $2 AND end_to_end_id = $3 AND status = 'paid' AND amount_returned + $4 <= amount
         AND NOT EXISTS (SELECT FROM sandbox_rail.notices WHERE id = $1)
       RETURNING originator, end_to_end_id, reference, amount, currency, says_wrong
     ), n AS (
       INSERT INTO sandbox_rail.notices (id, originator, end_to_end_id, kind, amount, reference, created_at)
       SELECT $1, $2, $3, 'returned', $4, reference, $5 FROM changed RETURNING *
     )
     SELECT ${NOTICE_COLUMNS} FROM n CROSS JOIN changed AS i`,
    values: [simulated.amount, new Date(simulated.at)],
  });
}

/**
 * Handles two concurrent calls with one notice id. The second waits for the row, does not see the first notice, and
 * fails on the notice's key. Nothing of the second is written, and both return the first notice.
 */
async function recordOnce(
  pool: Pool,
  simulated: Simulated,
  { sql, values }: { sql: string; values: unknown[] },
): Promise<RailNotice | undefined> {
  try {
    const { rows } = await pool.query<NoticeRow>(sql, [
      simulated.noticeId,
      simulated.originator,
      simulated.endToEndId,
      ...values,
    ]);
    if (rows[0]) return toNotice(rows[0]);
  } catch (error) {
    if ((error as { code?: unknown }).code !== UNIQUE_VIOLATION) throw error;
  }
  return findNotice(pool, simulated);
}

const UNIQUE_VIOLATION = '23505';

async function findNotice(
  pool: Pool,
  { noticeId, originator, endToEndId }: Simulated,
): Promise<RailNotice | undefined> {
  const { rows } = await pool.query<NoticeRow>(
    `SELECT ${NOTICE_COLUMNS} FROM ${NOTICES} WHERE n.id = $1 AND n.originator = $2 AND n.end_to_end_id = $3`,
    [noticeId, originator, endToEndId],
  );
  return rows[0] && toNotice(rows[0]);
}

/** Sorts before every id. */
const NIL: Uuid = '00000000-0000-0000-0000-000000000000';

/** Oldest first: ids are time-ordered. Index: notices_open. */
export async function openNotices(pool: Pool, limit: number, behind: Uuid = NIL): Promise<RailNotice[]> {
  const { rows } = await pool.query<NoticeRow>(
    `SELECT ${NOTICE_COLUMNS} FROM ${NOTICES} WHERE n.acknowledged_at IS NULL AND n.id > $2 ORDER BY n.id LIMIT $1`,
    [limit, behind],
  );
  return rows.map(toNotice);
}

export async function acknowledgeNotices(pool: Pool, ids: readonly Uuid[], at: Instant): Promise<void> {
  await pool.query(
    'UPDATE sandbox_rail.notices SET acknowledged_at = $2 WHERE id = ANY ($1::uuid[]) AND acknowledged_at IS NULL',
    [plainArray(ids), new Date(at)],
  );
}
