/** The lines of an account: its side of every posting that touched it. */

import { cursorInvalid } from '../../db/cursor.ts';
import { build, type keyset, type Page, type PageRequest, pageOf, runBuilt } from '../../db/page.ts';
import type { Queryable } from '../../db/pool.ts';
import { CANDIDATES_MAX } from '../../db/walk.ts';
import type { Between, Instant } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';
import type { BookId } from '../book/book.ts';
import type { Direction } from './account.ts';
import { chartAccountId } from './chart.ts';

/** One line of an account: the account's side of a posting, and the balance after the line. */
export interface AccountLine {
  readonly line: bigint;
  readonly direction: Direction;
  readonly amount: bigint;
  readonly currency: string;
  readonly balanceAfter: bigint;
  /** What it is: the name of the resource, with `_fee` where the other account is what is due to the operator. */
  readonly kind: string;
  readonly counterAccountId: Uuid;
  readonly entryId: Uuid;
  /** The number of the posting within its entry. */
  readonly ordinal: number;
  readonly resource: string;
  readonly resourceId: Uuid;
  readonly step: string;
  readonly postedAt: Instant;
  readonly effectiveAt: Instant;
  /** The day that was asked for, where it was closed. */
  readonly occurredOn: string | null;
}

interface AccountLineRow {
  line: bigint;
  direction: Direction;
  amount: bigint;
  currency: string;
  balance_after: bigint;
  counter_account_id: string;
  entry_id: string;
  ordinal: number;
  resource: string;
  resource_id: string;
  step: string;
  posted_at: Instant;
  effective_at: Instant;
  occurred_on: string | null;
}

const FEE = '_fee';

/** Lines after the first, up to the second. */
export interface LineRange {
  readonly after?: bigint | undefined;
  readonly upTo?: bigint | undefined;
}

export interface LineFilter extends LineRange {
  readonly effective?: Between | undefined;
  readonly kind?: LineKind | undefined;
}

interface LineKind {
  readonly resource: string;
  /** Whether the other account is this one. */
  readonly isFee: boolean;
  readonly feeAccountId: Uuid;
}

/** A kind of lines of an account in a currency, from its name. */
export function lineKind(bookId: BookId, name: string, currency: string): LineKind {
  const isFee = name.endsWith(FEE);
  const resource = isFee ? name.slice(0, -FEE.length) : name;
  return { resource, isFee, feeAccountId: chartAccountId(bookId, 'due_operator', currency) };
}

/** A statement that is being built. */
type Query = ReturnType<typeof keyset>;
type Order = 'asc' | 'desc';

/**
 * A page of an account's lines, newest first; the cursor is the gapless line number. Each side has its own index (book,
 * account, line), of which one page is read, and the two are merged; where lines are compared, CANDIDATES_MAX of them. Throws
 * ApiError `cursor_invalid` for a line that the account does not have.
 */
export async function listAccountLines(
  db: Queryable,
  bookId: BookId,
  accountId: Uuid,
  page: PageRequest,
  filter: LineFilter = {},
): Promise<Page<AccountLine>> {
  await requireLine(db, { bookId, accountId }, page);
  const order = page.endingBefore === undefined ? 'desc' : 'asc';
  const isCompared = filter.effective !== undefined || filter.kind !== undefined;
  const most = isCompared ? CANDIDATES_MAX : page.limit + 1;
  const { merged } = mergedSides(bookId, accountId, { ...withCursor(filter, page), order, limit: most });
  const query = withEntries(bookId, merged.clone(), order).limit(page.limit + 1);
  compare(query, filter);
  const rows = await runBuilt<AccountLineRow>(db, query);
  const found = pageOf(
    rows.map((row) => lineFromRow(bookId, row)),
    page,
  );
  if (!isCompared || found.hasMore) return found;
  const [last] = await runBuilt<{ line: bigint }>(db, merged.offset(CANDIDATES_MAX - 1).limit(1));
  return last ? { ...found, hasMore: true, reached: String(last.line) } : found;
}

/** Lines of a range in their order, at most the limit. Indexes: as above. */
export async function readAccountLines(
  db: Queryable,
  bookId: BookId,
  accountId: Uuid,
  range: Required<LineRange> & { readonly limit: number },
): Promise<AccountLine[]> {
  const { merged } = mergedSides(bookId, accountId, { ...range, order: 'asc' });
  const rows = await runBuilt<AccountLineRow>(db, withEntries(bookId, merged, 'asc'));
  return rows.map((row) => lineFromRow(bookId, row));
}

function withCursor({ after, upTo }: LineRange, { startingAfter, endingBefore }: PageRequest): LineRange {
  const before = startingAfter === undefined ? undefined : BigInt(startingAfter) - 1n;
  const behind = endingBefore === undefined ? undefined : BigInt(endingBefore);
  return {
    after: after !== undefined && behind !== undefined ? (after > behind ? after : behind) : (after ?? behind),
    upTo: upTo !== undefined && before !== undefined ? (upTo < before ? upTo : before) : (upTo ?? before),
  };
}

/** Within an object: a builder that is awaited runs. */
function mergedSides(
  bookId: BookId,
  accountId: Uuid,
  { after, upTo, order, limit }: LineRange & { readonly order: Order; readonly limit: number },
): { readonly merged: Query } {
  const within = (query: Query, column: string): Query => {
    if (after !== undefined) query.where(column, '>', String(after));
    if (upTo !== undefined) query.where(column, '<=', String(upTo));
    return query.orderBy(column, order).limit(limit);
  };
  const side = (direction: Direction) => {
    const counter = direction === 'debit' ? 'credit' : 'debit';
    const query = build('postings')
      .select(
        build.raw(`${direction}_line AS line, '${direction}' AS direction, amount, currency, ${direction}_balance_after AS balance_after,
          ${counter}_account_id AS counter_account_id, entry_sequence, ordinal`),
      )
      .where('book_id', bookId)
      .where(`${direction}_account_id`, accountId);
    return within(query, `${direction}_line`);
  };
  const sides = build.from(build.unionAll([side('debit'), side('credit')], true).as('sides')).select('*');
  return { merged: within(sides, 'line') };
}

function withEntries(bookId: BookId, merged: Query, order: Order): Query {
  return build
    .select(
      build.raw(
        'l.line, l.direction, l.amount, l.currency, l.balance_after, l.counter_account_id, l.ordinal, e.id AS entry_id, e.resource, e.resource_id, e.step, e.posted_at, e.effective_at, e.occurred_on',
      ),
    )
    .from(merged.as('l'))
    .joinRaw('JOIN entries e ON e.book_id = ? AND e.sequence = l.entry_sequence', [bookId])
    .orderBy('l.line', order);
}

function compare(query: Query, { effective, kind }: LineFilter): void {
  if (effective?.from !== undefined) query.where('e.effective_at', '>=', new Date(effective.from).toISOString());
  if (effective?.before !== undefined) query.where('e.effective_at', '<', new Date(effective.before).toISOString());
  if (kind === undefined) return;
  query.where('e.resource', kind.resource);
  query.where('l.counter_account_id', kind.isFee ? '=' : '<>', kind.feeAccountId);
}

function lineFromRow(bookId: BookId, row: AccountLineRow): AccountLine {
  const isFee = row.counter_account_id === chartAccountId(bookId, 'due_operator', row.currency);
  return {
    line: row.line,
    direction: row.direction,
    amount: row.amount,
    currency: row.currency,
    balanceAfter: row.balance_after,
    kind: isFee ? `${row.resource}${FEE}` : row.resource,
    counterAccountId: row.counter_account_id,
    entryId: row.entry_id,
    ordinal: row.ordinal,
    resource: row.resource,
    resourceId: row.resource_id,
    step: row.step,
    postedAt: row.posted_at,
    effectiveAt: row.effective_at,
    occurredOn: row.occurred_on,
  };
}

/** A line is on one of the two sides. Indexes: as above. */
async function requireLine(
  db: Queryable,
  { bookId, accountId }: { bookId: BookId; accountId: Uuid },
  page: PageRequest,
): Promise<void> {
  const line = page.startingAfter ?? page.endingBefore;
  if (line === undefined) return;
  const { rows } = await db.query<{ known: boolean }>({
    name: 'postings.line',
    text: `SELECT EXISTS (SELECT FROM postings WHERE book_id = $1 AND debit_account_id = $2 AND debit_line = $3)
      OR EXISTS (SELECT FROM postings WHERE book_id = $1 AND credit_account_id = $2 AND credit_line = $3) AS known`,
    values: [bookId, accountId, line],
  });
  if (!rows[0]!.known) throw cursorInvalid(page, `The account has no line ${line}.`);
}
