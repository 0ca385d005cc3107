/** The command that takes the next lines of a part of a report, behind those that the book has taken. */
import type { Pool } from '../../db/pool.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Command, Touch } from '../../ledger/command/command.ts';
import type { Uuid } from '../../values/ids.ts';
import { findChargebacks, type NamedChargebacks } from '../disputes/dispute-store.ts';
import { findOperationsByReference } from '../operations/operation-store.ts';
import { captureReference, type PaymentOperation } from '../operations/payment-operation.ts';
import { LINES_PER_COMMAND, type Settlement } from '../paydays/settlement.ts';
import { settlements } from '../paydays/settlement-table.ts';
import type { PaymentShare } from '../shares/share.ts';
import { paymentShares } from '../shares/share-table.ts';
import type { ReadChargebacks } from './match-line.ts';
import { listPartLines, type PartLine, type ReportPart } from './report-store.ts';
import { lineTouches, type ReadLine } from './settle-line.ts';
import { settleLines } from './settle-lines.ts';

/** A command touches at most 1,000 rows: this many are left for what it touches beside its lines. */
const LINE_ROWS_MAX = 950;

/** Undefined where every line of the part has been taken. `last`: these are the last lines. */
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
  const chargebacks = await chargebacksOf(pool, bookId, named);
  const found = named.map((line, at) => ({ ...line, chargebacks: chargebacks[at] }));
  return { found, shares: await sharesOf(pool, bookId, found) };
}

/**
 * The dispute that each line about one settles; undefined for other lines. Of several lines of one amount each settles
 * a dispute of its own. For a line without a match, `unsettled` counts the disputes that the lines before it left.
 */
async function chargebacksOf(
  pool: Pool,
  bookId: BookId,
  lines: readonly { line: PartLine; operation: PaymentOperation | undefined }[],
): Promise<(ReadChargebacks | undefined)[]> {
  const named = new Map<string, NamedChargebacks & { readonly at: number[] }>();
  for (const [at, { line, operation }] of lines.entries()) {
    const { type, gross } = line;
    if (!operation || (type !== 'dispute' && type !== 'dispute_won')) continue;
    const { paymentId } = operation;
    const amount = gross < 0n ? -gross : gross;
    const key = `${paymentId} ${type} ${amount}`;
    const places = [...(named.get(key)?.at ?? []), at];
    named.set(key, { paymentId, type, amount, lines: places.length, at: places });
  }
  const read = new Array<ReadChargebacks | undefined>(lines.length);
  if (named.size === 0) return read;
  const all = [...named.values()];
  for (const [index, { ids, ...found }] of (await findChargebacks(pool, bookId, all)).entries())
    for (const [nth, at] of all[index]!.at.entries()) read[at] = { ...found, id: ids[nth] };
  const settled = new Map<string, number>();
  return read.map((one, at) => {
    const key = `${lines[at]!.operation?.paymentId} ${lines[at]!.line.type}`;
    const before = settled.get(key) ?? 0;
    if (one?.id !== undefined) settled.set(key, before + 1);
    return one && { ...one, unsettled: one.unsettled - before };
  });
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
