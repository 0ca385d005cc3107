/** Holds on accounts as the API shows them: one by id, with what was captured and released, and the list of an account. */

import type { Page, PageRequest } from '../../db/page.ts';
import type { Queryable } from '../../db/pool.ts';
import type { Walk } from '../../db/walk.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Hold, HoldStatus } from '../../ledger/hold/hold.ts';
import { holds } from '../../ledger/hold/hold-table.ts';
import { listRows } from '../../ledger/resources/list-rows.ts';
import type { Instant } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';
import type { AccountHold } from './account-hold.ts';
import { accountHolds } from './account-hold-table.ts';

export interface FoundHold {
  readonly hold: Hold;
  /** Undefined for a hold that a resource made. */
  readonly placed: AccountHold | undefined;
  readonly captured: bigint;
  readonly released: bigint;
}

/** Indexes: holds_pkey, account_holds_pkey, hold_steps_pkey. */
export async function findHold(db: Queryable, bookId: BookId, id: Uuid): Promise<FoundHold | undefined> {
  const [hold, placed] = await Promise.all([holds.find(db, bookId, id), accountHolds.find(db, bookId, id)]);
  if (!hold) return undefined;
  if (placed) return { hold, placed, captured: placed.captured, released: placed.released };
  const { rows } = await db.query<{ captured: bigint; released: bigint }>({
    name: 'hold_steps.taken',
    text: `SELECT COALESCE(sum(amount) FILTER (WHERE kind = 'captured'), 0)::bigint AS captured,
        COALESCE(sum(amount) FILTER (WHERE kind = 'released'), 0)::bigint AS released
      FROM hold_steps WHERE book_id = $1 AND hold_id = $2`,
    values: [bookId, id],
  });
  return { hold, placed, ...rows[0]! };
}

export interface HoldFilter {
  readonly accountId: Uuid;
  readonly statuses?: readonly HoldStatus[] | undefined;
  readonly createdGte?: Instant | undefined;
  readonly createdLt?: Instant | undefined;
  readonly externalId?: string | undefined;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
}

/**
 * A page of the holds that were placed on an account. Indexes: account_holds_by_account, account_holds_by_status,
 * account_holds_by_external_id, account_holds_by_created, metadata_index. Throws ApiError `cursor_invalid` for a cursor that is no
 * hold that was placed on this account.
 */
export function listAccountHolds(
  db: Queryable,
  bookId: BookId,
  { accountId, statuses, createdGte, createdLt, externalId, metadata }: HoldFilter,
  page: PageRequest,
): Promise<Page<AccountHold>> {
  const among = { account_id: [accountId], external_id: externalId === undefined ? undefined : [externalId] };
  const filter = {
    among,
    equal: { status: statuses },
    walks: statuses?.length ? [walkOfStatuses(bookId, accountId, statuses)] : [],
    created: { gte: createdGte, lt: createdLt },
    metadata,
  };
  const owner = { account_id: accountId };
  return listRows(db, { table: accountHolds, object: 'hold' }, { bookId, owner, filter, page });
}

/** The few that are open are found among any number that have ended. */
function walkOfStatuses(bookId: BookId, accountId: Uuid, statuses: readonly HoldStatus[]): Walk {
  const equal = { book_id: bookId, account_id: accountId };
  return { table: accountHolds.name, id: 'id', equal, among: { column: 'status', values: statuses } };
}
