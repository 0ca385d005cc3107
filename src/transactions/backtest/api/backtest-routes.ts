/** Back-tests of controls. The route stands under /v1/cards; what it reads are transactions. */
import { isLive } from '../../../api/answers.ts';
import { listAnswer, listQuery, OLDEST_FIRST, type PagingQuery, pageRequest } from '../../../api/pages.ts';
import { route, routesSince } from '../../../api/route.ts';
import { contentOf } from '../../../cards/controls/api/controls-schemas.ts';
import { subjectOf } from '../../../cards/controls/api/controls-subject.ts';
import { requireContent } from '../../../cards/controls/content-errors.ts';
import { readSubject } from '../../../cards/controls/request-controls.ts';
import type { PageRequest } from '../../../db/page.ts';
import { ApiError } from '../../../errors/errors.ts';
import { publicId } from '../../../values/ids.ts';
import { ruleView } from '../../message/stored-decision.ts';
import type { ChangedPurchase, Outcome } from '../fold.ts';
import { runBacktest } from '../run-backtest.ts';
import * as schemas from './backtest-schemas.ts';

const PATH = '/v1/cards/controls/backtest';

const backtest = route({
  method: 'post',
  path: PATH,
  operation: 'backtestControls',
  tag: 'Cards',
  summary: 'Back-test controls',
  description:
    'How past transactions would have come out had these controls been active in their scope all the time. Their limits are counted anew from what would have been approved; balances, cards, controls of other scopes and your decision endpoint stay as they were decided then. Nothing is written, and an Idempotency-Key is not looked at.',
  readsOnly: true,
  scope: 'cards:read',
  query: listQuery('transaction', {}, OLDEST_FIRST),
  body: schemas.backtestControls,
  bodyExample: schemas.backtestExample,
  responses: { 200: { description: 'Totals, and a page of what would have changed.', schema: schemas.backtest } },
  errors: [
    ...(['resource_not_found', 'limit_exceeded', 'service_unavailable', 'cursor_invalid'] as const),
    ...(['amount_not_integer', 'amount_below_minimum', 'amount_above_maximum'] as const),
  ],
  async handle({ runtime, principal, body, query }) {
    const { bookId } = principal;
    const { from, to, as_of_sequence: asOf } = body;
    if (from >= to) throw new ApiError('parameter_invalid', { param: '/to', detail: 'Expects a time behind `from`.' });
    const content = contentOf(body.controls);
    requireContent(content, '/controls');
    const { scope, subjectId } = await readSubject(runtime.pool, { bookId, subject: subjectOf(body) });
    const tested = await runBacktest(runtime.lists, {
      ...{ bookId, controls: { scope, subjectId, content }, from, to, wall: runtime.clock.now() },
      asOfSequence: asOf === undefined ? undefined : BigInt(asOf),
    });
    const { changed } = tested;
    const page = pageOfChanged(changed, pageRequest(query as PagingQuery));
    const { data, has_more, next_cursor } = listAnswer({
      data: page.rows.map(changedView),
      hasMore: page.hasMore,
      url: PATH,
      backwards: page.isBackwards,
      cursorOf: ({ transaction }) => transaction,
    });
    return {
      status: 200,
      json: {
        object: 'backtest',
        livemode: isLive(principal),
        as_of_sequence: tested.asOfSequence,
        balances: 'as_decided',
        ...{ transactions: tested.transactions, approved: tested.approved, would_approve: tested.wouldApprove },
        ...{ changed: changed.length, data, has_more, next_cursor },
      },
    };
  },
});

/** Throws ApiError `cursor_invalid` for a transaction that would not have changed. */
function pageOfChanged(changed: readonly ChangedPurchase[], { limit, startingAfter, endingBefore }: PageRequest) {
  const placeOf = (param: string, id: string) => {
    const place = changed.findIndex((one) => one.id === id);
    if (place >= 0) return place;
    throw new ApiError('cursor_invalid', {
      param,
      detail: 'It would not have changed. Pages of one back-test have the same body, and its `as_of_sequence`.',
    });
  };
  if (endingBefore !== undefined) {
    const end = placeOf('ending_before', endingBefore);
    const start = Math.max(0, end - limit);
    return { rows: changed.slice(start, end), hasMore: start > 0, isBackwards: true };
  }
  const start = startingAfter === undefined ? 0 : placeOf('starting_after', startingAfter) + 1;
  const end = start + limit;
  return { rows: changed.slice(start, end), hasMore: end < changed.length, isBackwards: false };
}

function changedView({ id, was, would, rule }: ChangedPurchase) {
  return {
    transaction: publicId('transaction', id),
    was: outcomeView(was),
    would_be: outcomeView(would),
    rule: rule && ruleView(rule),
  };
}

function outcomeView({ isApproved, amount }: Outcome) {
  return { decision: isApproved ? 'approved' : 'declined', approved_amount: amount };
}

/** A static path: before those with an id of a version. */
export const backtestRoutes = routesSince('0.4.0', [backtest]);
