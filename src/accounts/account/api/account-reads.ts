/** Reads of an account's balance and lines, by whatever resource shows the account. */
import { z } from 'zod';
import { isLive } from '../../../api/answers.ts';
import { type ApiResource, findOne, type Listed } from '../../../api/api-resource.ts';
import { type Days, daysFilter, momentsOf } from '../../../api/days-filter.ts';
import { instant, readList } from '../../../api/pages.ts';
import { childrenRoute } from '../../../api/read-routes.ts';
import { type RouteRequest, route } from '../../../api/route.ts';
import { day } from '../../../api/schemas/fields.ts';
import { accountEntry } from '../../../api/schemas/journal.ts';
import type { Queryable } from '../../../db/pool.ts';
import { ApiError } from '../../../errors/errors.ts';
import type { Account } from '../../../ledger/account/account.ts';
import { type LineFilter, lineKind, listAccountLines } from '../../../ledger/account/account-line-store.ts';
import { accounts } from '../../../ledger/account/account-table.ts';
import { findBalanceAt } from '../../../ledger/balances/balance-at-store.ts';
import type { Book } from '../../../ledger/book/book.ts';
import { loadBook } from '../../../ledger/book/book-store.ts';
import { momentOf } from '../../../ledger/commit/batch.ts';
import { formatInstant, type Instant } from '../../../values/clock.ts';
import { publicId, type Uuid } from '../../../values/ids.ts';
import { lineView, type ShownLine, withTexts } from '../../lines/account-line-view.ts';
import { balanceView } from '../account-profile.ts';
import * as schemas from './account-schemas.ts';
import { balanceOfDay } from './balance-of-day.ts';

/** The balance of an account, by whatever resource shows it. */
export function balanceRoute<Row>(
  resource: ApiResource<Row>,
  { operation, summary, accountOf }: { operation: string; summary: string; accountOf: (row: Row) => Account },
) {
  return route({
    method: 'get',
    path: `${resource.path}/:id/balance`,
    operation,
    tag: resource.tag,
    summary,
    scope: resource.scopes.read,
    description:
      'As it is now; with `at` as it was at a moment: every line posted until then counts; or with `on` as it was at the end of a day, by the day on which lines take effect or, with `axis=posted`, were posted.',
    params: { id: 'account' },
    query: balanceQuery,
    responses: { 200: { description: 'As it is, or was.', schema: schemas.balance } },
    async handle(request) {
      const { principal, query } = request;
      const account = accountOf(await findOne(resource, request));
      const head = { object: 'balance', livemode: isLive(principal), account: publicId('account', account.id) };
      const now = { sequence: account.lines, ...balanceView(account) };
      const { at, on, axis = 'effective' } = query;
      if (on !== undefined) {
        const then = await balanceOfDay(request, { accountId: account.id, day: on, axis });
        const json = { ...head, at: null, on, axis, ...now, ...then, held: null, available: null };
        return { status: 200, json };
      }
      const noDay = { on: null, axis: null };
      if (at === undefined) return { status: 200, json: { ...head, at: null, ...noDay, ...now } };
      await refuseFuture(request, at);
      const { line, posted } = await readList(request, (db) => findBalanceAt(db, principal.bookId, account, at));
      const then = { sequence: line, posted, held: null, available: null };
      return { status: 200, json: { ...head, at: formatInstant(at), ...noDay, ...now, ...then } };
    },
  });
}

const balanceQuery = z
  .strictObject({
    at: instant.optional().meta({ description: 'A moment of the past.' }),
    on: day.optional().meta({ description: "A day of the book that has begun, in the book's time zone." }),
    axis: z.enum(schemas.AXES).optional().meta({
      description:
        'Of `on`: whether lines count by the day on which they take effect, or were posted. `effective` without it.',
    }),
  })
  .check(({ value, issues }) => {
    const { at, on, axis } = value;
    const refuse = (path: string, message: string) =>
      issues.push({ code: 'custom', input: value, path: [path], message });
    if (at !== undefined && on !== undefined) refuse('on', 'Cannot be combined with `at`.');
    if (axis !== undefined && on === undefined) refuse('axis', 'Expects `on` beside it.');
  });

/** Later lines would change the answer. The book's own time counts, which may be ahead of the world's. */
async function refuseFuture({ runtime, principal }: RouteRequest, at: Instant): Promise<void> {
  if (at <= runtime.clock.now()) return;
  const book = await loadBook(runtime.pool, principal.bookId);
  if (book && at <= momentOf(runtime.clock, book).book) return;
  throw new ApiError('parameter_invalid', { param: 'at', detail: 'Expects a moment that is not in the future.' });
}

/** The lines of an account, by whatever resource shows it. */
export function linesRoute<Row>(
  resource: ApiResource<Row>,
  { operation, summary }: { operation: string; summary: string },
) {
  const lines: Listed<ShownLine> = {
    path: `${resource.path}/:id/entries`,
    type: 'AccountEntry',
    cursor: 'sequence',
    declared: null,
    schema: accountEntry,
    view: lineView,
  };
  return childrenRoute(resource as ApiResource<unknown>, lines, {
    operation,
    summary,
    description: 'One for each posting that touched it, with the balance after. Cursors are sequence numbers.',
    filters: {
      posted_on: daysFilter('Posted'),
      effective_on: daysFilter('Of effect'),
      kind: z
        .string()
        .regex(/^[a-z][a-z_]{0,63}$/, { error: 'Expects a kind of lines, such as payout_fee.' })
        .optional()
        .meta({ description: 'Lines of this kind.', example: 'payout_fee' }),
    },
    async rows(db, { bookId, parentId, page, query, runtime }) {
      const book = (await loadBook(db, bookId))!;
      const filter = await filterOf(db, { book, accountId: parentId }, query);
      const { rows, ...end } = await listAccountLines(db, bookId, parentId, page, filter);
      return { rows: await withTexts(runtime.lineTexts, { db, book }, rows), ...end };
    },
  });
}

interface LineQuery {
  readonly posted_on?: Days | undefined;
  readonly effective_on?: Days | undefined;
  readonly kind?: string | undefined;
}

async function filterOf(
  db: Queryable,
  { book, accountId }: { readonly book: Book; readonly accountId: Uuid },
  { posted_on, effective_on, kind }: LineQuery,
): Promise<LineFilter> {
  if (posted_on === undefined && kind === undefined) return { effective: momentsOf(effective_on, book) };
  const account = (await accounts.find(db, book.id, accountId))!;
  const posted = momentsOf(posted_on, book);
  const lineBefore = async (moment: Instant) => (await findBalanceAt(db, book.id, account, moment - 1)).line;
  return {
    after: posted?.from === undefined ? undefined : await lineBefore(posted.from),
    upTo: posted?.before === undefined ? undefined : await lineBefore(posted.before),
    effective: momentsOf(effective_on, book),
    kind: kind === undefined ? undefined : lineKind(book.id, kind, account.currency),
  };
}
