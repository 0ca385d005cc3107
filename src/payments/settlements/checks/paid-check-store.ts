/** What was released to merchants and what acquirers paid, each with its entries. */

import { plainArray } from '../../../db/columns.ts';
import type { Pool } from '../../../db/pool.ts';
import { inSnapshot } from '../../../db/snapshot.ts';
import { type BookedStep, readStepsOf } from '../../../group/steps-store.ts';
import type { BookId } from '../../../ledger/book/book.ts';
import type { Uuid } from '../../../values/ids.ts';
import type { Settlement } from '../../paydays/settlement.ts';
import { settlements } from '../../paydays/settlement-table.ts';
import type { Release } from '../../shares/share.ts';
import { releases } from '../../shares/share-table.ts';

export interface ReleaseHistory {
  readonly release: Release;
  readonly hasShare: boolean;
  readonly entries: readonly BookedStep[];
}

type Page = { after: Uuid | undefined; limit: number };

const PAGE = "book_id = $1 AND id > COALESCE($2::uuid, '00000000-0000-0000-0000-000000000000') ORDER BY id LIMIT $3";
const BY_ID = 'book_id = $1 AND id = ANY ($2::uuid[])';

/** Indexes: payment_releases_pkey, payment_shares_pkey, entries' (book, resource, step). */
export function readReleases(pool: Pool, bookId: BookId, { after, limit }: Page): Promise<ReleaseHistory[]> {
  return withEntriesOfReleases(pool, bookId, { which: PAGE, values: [after ?? null, limit] });
}

/** By id. Ids of other resources are skipped. Indexes: as above. */
export function readReleasesById(pool: Pool, bookId: BookId, ids: readonly Uuid[]): Promise<ReleaseHistory[]> {
  return withEntriesOfReleases(pool, bookId, { which: BY_ID, values: [plainArray(ids)] });
}

function withEntriesOfReleases(
  pool: Pool,
  bookId: BookId,
  { which, values }: { which: string; values: readonly unknown[] },
): Promise<ReleaseHistory[]> {
  return inSnapshot(pool, async (trx) => {
    const { rows } = await trx.query<{ has_share: boolean }>(
      `SELECT ${releases.selected('r')}, EXISTS (
         SELECT FROM payment_shares s WHERE s.book_id = $1 AND s.id = r.share_id
       ) AS has_share FROM (SELECT * FROM payment_releases WHERE ${which}) AS r ORDER BY r.id`,
      [bookId, ...values],
    );
    const found = rows.map((row) => ({ release: releases.fromRow(row), hasShare: row.has_share }));
    const entries = await readStepsOf(
      trx,
      bookId,
      found.map(({ release }) => release.id),
    );
    return found.map((one) => ({ ...one, entries: entries.get(one.release.id) ?? [] }));
  });
}

export interface SettlementHistory {
  readonly settlement: Settlement;
  /** The sum of the lines that were booked. */
  readonly booked: bigint;
  readonly entries: readonly BookedStep[];
}

/** Lines of one page of settlements: a report may have 250,000 for one book. */
const LINES_OF_PAGE = 20_000;

/**
 * As many settlements as have LINES_OF_PAGE lines together, one at least: the page is short then, and a page of nothing ends the list.
 * Indexes: settlements_pkey, settlement_lines_by_settlement, entries' (book, resource, step).
 */
export function readSettlements(pool: Pool, bookId: BookId, { after, limit }: Page): Promise<SettlementHistory[]> {
  return withLines(pool, bookId, {
    which: `${PAGE}`,
    values: [after ?? null, limit],
    kept: `WHERE before < ${LINES_OF_PAGE}`,
  });
}

/** By id. Ids of other resources are skipped. Indexes: as above. */
export function readSettlementsById(pool: Pool, bookId: BookId, ids: readonly Uuid[]): Promise<SettlementHistory[]> {
  return withLines(pool, bookId, { which: BY_ID, values: [plainArray(ids)], kept: '' });
}

function withLines(
  pool: Pool,
  bookId: BookId,
  { which, values, kept }: { which: string; values: readonly unknown[]; kept: string },
): Promise<SettlementHistory[]> {
  return inSnapshot(pool, async (trx) => {
    const { rows } = await trx.query<{ booked: bigint }>(
      `SELECT ${settlements.selected('s')}, (
         SELECT coalesce(sum(l.amount), 0)::bigint FROM settlement_lines l
         WHERE l.book_id = $1 AND l.settlement_id = s.id AND l.exception_id IS NULL
       ) AS booked FROM (
         SELECT *, sum(lines) OVER (ORDER BY id) - lines AS before FROM (SELECT * FROM settlements WHERE ${which}) AS page
       ) AS s ${kept} ORDER BY s.id`,
      [bookId, ...values],
    );
    const found = rows.map((row) => ({ settlement: settlements.fromRow(row), booked: row.booked }));
    const entries = await readStepsOf(
      trx,
      bookId,
      found.map(({ settlement }) => settlement.id),
    );
    return found.map((one) => ({ ...one, entries: entries.get(one.settlement.id) ?? [] }));
  });
}
