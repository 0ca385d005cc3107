import type { Queryable } from '../db/pool.ts';
import type { BookId } from '../ledger/book/book.ts';
import type { HoldStepKind } from '../ledger/hold/hold.ts';
import type { Instant } from '../values/clock.ts';
import type { Uuid } from '../values/ids.ts';

export interface OddStep {
  readonly holdId: Uuid;
  readonly ordinal: number;
  readonly kind: HoldStepKind;
  readonly createdAt: Instant;
  /** An event of the hold, or of the hold's resource, has the step's time. */
  readonly matched: boolean;
  /** The kind is allowed at this ordinal, and the ordinals up to here run from 1 without a gap. */
  readonly possible: boolean;
}

/**
 * Reads a page of holds, and those of their steps that no event matches or whose kind their place does not allow. One
 * statement and so one moment. Indexes: holds_pkey, hold_steps_pkey, events_by_object, payouts_pkey.
 */
export async function readOddSteps(
  db: Queryable,
  bookId: BookId,
  page: { after: Uuid | undefined; limit: number },
): Promise<{ last: Uuid | undefined; odd: OddStep[] }> {
  const { rows } = await db.query<{
    hold_id: string;
    ordinal: number | null;
    kind: HoldStepKind;
    created_at: Instant;
    announced: boolean;
    possible: boolean;
  }>({
    name: 'verify.odd_steps',
    text: `SELECT h.id AS hold_id, s.ordinal, s.kind, s.created_at, s.announced, s.possible
      FROM (SELECT * FROM holds WHERE book_id = $1 AND id > COALESCE($2::uuid, '00000000-0000-0000-0000-000000000000') ORDER BY id LIMIT $3) h
      LEFT JOIN LATERAL (
        SELECT * FROM (
          SELECT ordinal, kind, created_at,
            -- Two events of a payout may have one moment, or the next: which is of which step is certain all the same.
            COALESCE(CASE
              -- What a batch gives its payouts is announced by their events. Its own check knows what its hold still has to have.
              WHEN h.resource = 'payout_batch' AND kind = 'released' THEN true
              WHEN h.resource <> 'payout' THEN bool_or(type IS NOT NULL) OVER moment
              WHEN ordinal = 1
                THEN bool_or(type NOT IN ('payout.processing', 'payout.paid', 'payout.failed', 'payout.canceled', 'payout.returned')) OVER moment
              WHEN ordinal = 2 AND kind = 'captured' THEN bool_or(type = 'payout.processing') OVER moment
              ELSE bool_or(type IN ('payout.paid', 'payout.failed', 'payout.canceled')) OVER moment END, false) AS announced,
            -- A payout's hold is captured in steps; what gives back gives all that is left.
            (h.resource <> 'payout' OR kind IN ('created', 'captured') OR (ordinal = h.steps AND h.status <> 'open'))
              AND ordinal = row_number() OVER in_order
              -- A hold that has nothing left has ended, and is not increased.
              AND (kind <> 'increased' OR sum(CASE WHEN kind IN ('created', 'increased') THEN amount ELSE -amount END)
                OVER in_order > amount)
              -- What takes from a hold leaves more available. Only card networks decide beyond what is available; what a payout of a batch
              -- holds was held before, for the batch.
              AND (NOT floor_overridden OR h.resource = 'transaction' AND kind IN ('created', 'increased')
                OR h.resource = 'payout' AND kind = 'created' AND EXISTS (SELECT FROM payouts p
                  WHERE p.book_id = $1 AND p.id = h.resource_id AND p.batch_id IS NOT NULL)) AS possible
          -- Steps and events sorted together: a hold may have ten thousand of each, and a join might compare all with all.
          FROM (
            SELECT ordinal, kind, amount, floor_overridden, created_at, NULL AS type FROM hold_steps
              WHERE book_id = $1 AND hold_id = h.id
            UNION ALL
            SELECT NULL, NULL, NULL, NULL, created_at, type FROM events WHERE book_id = $1 AND object_id IN (h.resource_id, h.id)
          ) both_kinds
          WINDOW moment AS (PARTITION BY created_at), in_order AS (ORDER BY ordinal NULLS LAST)
        ) judged WHERE ordinal IS NOT NULL
      ) s ON NOT (s.announced AND s.possible)
      ORDER BY h.id, s.ordinal`,
    values: [bookId, page.after ?? null, page.limit],
  });
  const odd = rows.filter(({ ordinal }) => ordinal !== null);
  return {
    last: rows.at(-1)?.hold_id,
    odd: odd.map((row) => ({
      holdId: row.hold_id,
      ordinal: row.ordinal!,
      kind: row.kind,
      createdAt: row.created_at,
      matched: row.announced,
      possible: row.possible,
    })),
  };
}

export interface StepReference {
  readonly holdId: Uuid;
  readonly ordinal: number;
  readonly hasHold: boolean;
}

/** Reads steps, with whether their hold exists. One statement and so one moment. Index: hold_steps_pkey. */
export async function readStepReferences(
  db: Queryable,
  bookId: BookId,
  page: { after: StepReference | undefined; limit: number },
): Promise<StepReference[]> {
  const { rows } = await db.query<{ hold_id: string; ordinal: number; has_hold: boolean }>({
    name: 'verify.step_references',
    text: `SELECT s.hold_id, s.ordinal, h.id IS NOT NULL AS has_hold
      FROM (SELECT book_id, hold_id, ordinal FROM hold_steps
        WHERE book_id = $1 AND (hold_id, ordinal) > ($2, $3) ORDER BY hold_id, ordinal LIMIT $4) s
      LEFT JOIN holds h ON h.book_id = s.book_id AND h.id = s.hold_id
      ORDER BY s.hold_id, s.ordinal`,
    values: [
      bookId,
      page.after?.holdId ?? '00000000-0000-0000-0000-000000000000',
      page.after?.ordinal ?? 0,
      page.limit,
    ],
  });
  return rows.map((row) => ({ holdId: row.hold_id, ordinal: row.ordinal, hasHold: row.has_hold }));
}
