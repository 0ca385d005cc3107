import { plainArray } from '../db/columns.ts';
import { existsSql } from '../db/keyed-table.ts';
import type { Queryable } from '../db/pool.ts';
import type { BookId } from '../ledger/book/book.ts';
import type { HoldStatus, HoldStepKind } from '../ledger/hold/hold.ts';
import type { DeclaredResource } from '../ledger/resources/declared-resource.ts';
import type { Uuid } from '../values/ids.ts';

export interface HoldWithSteps {
  readonly id: Uuid;
  readonly accountId: Uuid;
  readonly currency: string;
  readonly amount: bigint;
  readonly remaining: bigint;
  readonly status: HoldStatus;
  readonly steps: number;
  readonly resource: string;
  readonly resourceId: Uuid;
  readonly stepsFound: bigint;
  readonly lastOrdinal: number | null;
  readonly firstKind: HoldStepKind | null;
  readonly lastKind: HoldStepKind | null;
  readonly created: bigint;
  readonly increased: bigint;
  readonly taken: bigint;
  /** Null when there is no such account. */
  readonly accountCurrency: string | null;
  readonly hasResource: boolean;
}

interface HoldColumns {
  id: string;
  account_id: string;
  currency: string;
  amount: bigint;
  remaining: bigint;
  status: HoldStatus;
  steps: number;
  resource: string;
  resource_id: string;
  steps_found: bigint;
  last_ordinal: number | null;
  first_kind: HoldStepKind | null;
  last_kind: HoldStepKind | null;
  created: bigint;
  increased: bigint;
  taken: bigint;
  account_currency: string | null;
  has_resource: boolean;
}

/**
 * Reads a page of holds, each with the totals of its steps. One statement and so one moment. Indexes: holds_pkey,
 * hold_steps_pkey, accounts_pkey, those of the resources.
 */
export async function readHolds(
  db: Queryable,
  bookId: BookId,
  page: { after: Uuid | undefined; limit: number; resources: readonly DeclaredResource[] },
): Promise<HoldWithSteps[]> {
  const { rows } = await db.query<HoldColumns>({
    name: 'verify.holds',
    text: withSteps(
      page.resources,
      "book_id = $1 AND id > COALESCE($2::uuid, '00000000-0000-0000-0000-000000000000') ORDER BY id LIMIT $3",
    ),
    values: [bookId, page.after ?? null, page.limit],
  });
  return rows.map(holdFromRow);
}

/** Reads holds by id, each with the totals of its steps. Indexes: as above. */
export async function readHoldsById(
  db: Queryable,
  bookId: BookId,
  { ids, resources }: { ids: readonly Uuid[]; resources: readonly DeclaredResource[] },
): Promise<HoldWithSteps[]> {
  const { rows } = await db.query<HoldColumns>({
    name: 'verify.holds_by_id',
    text: withSteps(resources, 'book_id = $1 AND id = ANY ($2::uuid[])'),
    values: [bookId, plainArray(ids)],
  });
  return rows.map(holdFromRow);
}

function withSteps(resources: readonly DeclaredResource[], which: string): string {
  return `SELECT h.id, h.account_id, h.currency, h.amount, h.remaining, h.status, h.steps, h.resource, h.resource_id,
        s.steps_found, s.last_ordinal, s.first_kind, s.last_kind, s.created, s.increased, s.taken, a.currency AS account_currency,
        COALESCE(${existsSql(resources, { name: 'h.resource', id: 'h.resource_id' })}, true) AS has_resource
      FROM (SELECT * FROM holds WHERE ${which}) h
      CROSS JOIN LATERAL (
        SELECT count(*) AS steps_found, max(ordinal) AS last_ordinal,
          (array_agg(kind ORDER BY ordinal))[1] AS first_kind, (array_agg(kind ORDER BY ordinal DESC))[1] AS last_kind,
          COALESCE(sum(amount) FILTER (WHERE kind = 'created'), 0) AS created,
          COALESCE(sum(amount) FILTER (WHERE kind = 'increased'), 0) AS increased,
          COALESCE(sum(amount) FILTER (WHERE kind NOT IN ('created', 'increased')), 0) AS taken
        FROM hold_steps WHERE book_id = h.book_id AND hold_id = h.id
      ) s
      LEFT JOIN accounts a ON a.book_id = h.book_id AND a.id = h.account_id
      ORDER BY h.id`;
}

function holdFromRow(row: HoldColumns): HoldWithSteps {
  return {
    id: row.id,
    accountId: row.account_id,
    currency: row.currency,
    amount: row.amount,
    remaining: row.remaining,
    status: row.status,
    steps: row.steps,
    resource: row.resource,
    resourceId: row.resource_id,
    stepsFound: row.steps_found,
    lastOrdinal: row.last_ordinal,
    firstKind: row.first_kind,
    lastKind: row.last_kind,
    created: row.created,
    increased: row.increased,
    taken: row.taken,
    accountCurrency: row.account_currency,
    hasResource: row.has_resource,
  };
}
