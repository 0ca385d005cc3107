/** The command that takes the next lines of a part of a report: read from where the book has come, however it got there. */
import type { Pool } from '../../db/pool.ts';
import type { Uuid } from '../../ids.ts';
import type { BookId } from '../../ledger/book.ts';
import type { Command, Touch } from '../../ledger/command.ts';
import { listChargebacks } from '../disputes/dispute-store.ts';
import { findOperationsByReference } from '../operation-store.ts';
import { captureReference, type PaymentOperation } from '../payment-operation.ts';
import type { PaymentShare } from '../share.ts';
import { paymentShares } from '../share-table.ts';
import { listPartLines, type PartLine, type ReportPart } from './report-store.ts';
import { lineTouches, type ReadLine } from './settle-line.ts';
import { settleLines } from './settle-lines.ts';
import { LINES_PER_COMMAND, type Settlement } from './settlement.ts';
import { settlements } from './settlement-table.ts';

/** A command touches at most 1,000 rows: this many are left for what it touches beside its lines. */
const LINE_ROWS_MAX = 950;

/** Undefined where every line of the part has been taken. `last`: none is left behind these. */
export async function nextLines(
  pool: Pool,
  part: ReportPart,
): Promise<{ command: Command<Settlement>; last: boolean } | undefined> {
  const behind = (await settlements.find(pool, part.ofBook, part.id))?.taken ?? 0;
  if (behind === part.lines) return undefined;
  const read = await listPartLines(pool, part, { behind, limit: LINES_PER_COMMAND });
  const { found, shares } = await readLines(pool, part.ofBook, read);
  const lines = withinLimit(part.ofBook, found, shares);
  const command = settleLines(part.ofBook, { part, behind, lines, shares });
  return { command, last: behind + lines.length === part.lines };
}

/** What lines name in the book. */
export async function readLines(
  pool: Pool,
  bookId: BookId,
  lines: readonly PartLine[],
): Promise<{ found: ReadLine[]; shares: Map<Uuid, PaymentShare> }> {
  const operations = await operationsOf(pool, bookId, lines);
  const named = lines.map((line) => ({ line, operation: operations(line) }));
  const disputed = named.filter(({ line }) => line.type === 'dispute' || line.type === 'dispute_won');
  const paymentIds = [...new Set(disputed.flatMap(({ operation }) => operation?.paymentId ?? []))];
  const chargebacks =
    paymentIds.length === 0 ? new Map<Uuid, Uuid[]>() : await listChargebacks(pool, bookId, paymentIds);
  const found = named.map(({ line, operation }) => ({
    line,
    operation,
    chargebacks: (operation && chargebacks.get(operation.paymentId)) ?? [],
  }));
  return { found, shares: await sharesOf(pool, bookId, found) };
}

/**
 * A capture that came with its authorization is known to the acquirer by the authorization's reference, and to us by that and a C
 * behind it (captureReference).
 */
async function operationsOf(pool: Pool, bookId: BookId, lines: readonly PartLine[]) {
  const references = lines.flatMap(({ type, reference }) =>
    type === 'capture' ? [reference, captureReference(reference)] : [reference],
  );
  const found = await findOperationsByReference(pool, bookId, [...new Set(references)]);
  return ({ type, reference }: PartLine): PaymentOperation | undefined => {
    const named = found.get(reference);
    return type === 'capture' && named?.kind === 'authorize'
      ? (found.get(captureReference(reference)) ?? named)
      : named;
  };
}

function sharesOf(pool: Pool, bookId: BookId, lines: readonly ReadLine[]): Promise<Map<Uuid, PaymentShare>> {
  const ids = lines.flatMap(({ operation }) =>
    operation?.kind === 'capture' ? operation.portions.map(({ shareId }) => shareId) : [],
  );
  return paymentShares.load(pool, bookId, [...new Set(ids.filter((id) => id !== null))]);
}

/** As many as a command may touch the rows of. */
function withinLimit(
  bookId: BookId,
  lines: readonly ReadLine[],
  shares: ReadonlyMap<Uuid, PaymentShare>,
): readonly ReadLine[] {
  const rows = new Set<string>();
  const add = ({ table, ids }: Touch) => ids.forEach((id) => void rows.add(`${table.name} ${id}`));
  for (const [at, line] of lines.entries()) {
    lineTouches(bookId, line, shares).forEach(add);
    if (rows.size > LINE_ROWS_MAX) return lines.slice(0, at);
  }
  return lines;
}
