/** Matches of lines with expected items: those of rules, and those that people make. */
import { type ApiResource, apiOf, type Listed } from '../../../api/api-resource.ts';
import { oneOrMore } from '../../../api/pages.ts';
import { childrenRoute, listRoute, readRoute, timelineRoute } from '../../../api/read-routes.ts';
import { type RouteRequest, routesSince } from '../../../api/route.ts';
import { askedBy, runUseCase } from '../../../api/run-use-case.ts';
import { actionRoute, createRoute } from '../../../api/write-routes.ts';
import { publicId } from '../../../values/ids.ts';
import { bankMatchResource } from '../bank-match-resource.ts';
import { bankMatches, listBankMatches } from '../bank-match-table.ts';
import { requestMatchApproval, requestMatchRejection, requestProposal, requestUndoing } from '../handle-match.ts';
import { type MatchPart, pageOfParts } from '../match-parts.ts';
import * as schemas from './bank-match-schemas.ts';

export const bankMatchApi = apiOf(bankMatchResource, {
  path: '/v1/transactions/matches',
  tag: 'Reconciliation',
  type: 'BankMatch',
  names: { types: 'BankMatches', one: 'a match', many: 'matches' },
  schema: schemas.bankMatch,
  scopes: { read: 'reconciliations:read', write: 'reconciliations:write' },
});

const propose = createRoute(bankMatchApi, {
  summary: 'Propose a match',
  description:
    'Lines that no rule explains, and the items that they show. Nothing is booked until another person approves. With the key of a person.',
  body: schemas.proposeMatch,
  bodyExample: {
    lines: ['bln_01kec2v7qwf15vsgqhawh0d2r1'],
    items: ['xit_01kec2v7qwf15vsgqhawh0d2r2'],
    difference_to: 'differences',
    reason: 'The acquirer confirms the deduction by telephone.',
  },
  responses: { 201: { description: 'Proposed.', schema: schemas.bankMatch } },
  errors: ['card_number_not_allowed', 'currency_mismatch', 'resource_not_found', 'state_conflict'],
  handle(request) {
    const { body } = request;
    return runUseCase(request, requestProposal, {
      ...askedBy(request),
      ownerKind: request.principal.ownerKind,
      lineIds: [...new Set(body.lines)],
      itemIds: [...new Set(body.items)],
      differenceTo: body.difference_to,
      reason: body.reason,
    });
  },
});

const list = listRoute(bankMatchApi, {
  filters: { status: oneOrMore(schemas.BANK_MATCH_STATUSES, 'Matches in any of these states.') },
  rows: (db, { bookId, query, page }) => listBankMatches(db, { bookId, statuses: query.status }, page),
});

const partsOf = (kind: 'line' | 'item'): Listed<MatchPart> => ({
  path: `/v1/transactions/matches/:id/${kind}s`,
  type: kind === 'line' ? 'BankMatchLine' : 'BankMatchItem',
  schema: kind === 'line' ? schemas.lineOfMatch : schemas.itemOfMatch,
  cursor: 'sequence',
  declared: null,
  view: ({ sequence, id, amount }) => ({
    sequence,
    [kind]: publicId(kind === 'line' ? 'bankLine' : 'expectedItem', id),
    amount: BigInt(amount),
  }),
});

const lines = childrenRoute(bankMatchApi as ApiResource<unknown>, partsOf('line'), {
  operation: 'listBankMatchLines',
  summary: 'List lines of a match',
  description: 'All of them, the last first.',
  filters: {},
  async rows(db, { bookId, parentId, page }) {
    return pageOfParts((await bankMatches.find(db, bookId, parentId))!.lines, page);
  },
});

const items = childrenRoute(bankMatchApi as ApiResource<unknown>, partsOf('item'), {
  operation: 'listBankMatchItems',
  summary: 'List items of a match',
  description: 'All of them, the last first.',
  filters: {},
  async rows(db, { bookId, parentId, page }) {
    return pageOfParts((await bankMatches.find(db, bookId, parentId))!.items, page);
  },
});

const asked = (request: RouteRequest) => ({
  ...askedBy(request),
  matchId: request.params.id!,
  ifMatch: request.ifMatch,
  ownerKind: request.principal.ownerKind,
});

const approve = actionRoute(bankMatchApi, 'approve', {
  summary: 'Approve a match',
  description: 'By another person than the one who proposed it. It is booked. With the key of a person.',
  scope: 'reconciliations:approve',
  body: schemas.approveMatch,
  bodyExample: { version: 1 },
  errors: ['self_approval_forbidden', 'version_mismatch'],
  handle: (request) => runUseCase(request, requestMatchApproval, { ...asked(request), version: request.body.version }),
});

const reject = actionRoute(bankMatchApi, 'reject', {
  summary: 'Reject a match',
  description: 'One that was proposed. Nothing is booked. With the key of a person.',
  scope: 'reconciliations:approve',
  handle: (request) => runUseCase(request, requestMatchRejection, asked(request)),
});

const undo = actionRoute(bankMatchApi, 'undo', {
  summary: 'Undo a match',
  description: 'An entry books it back, and its lines are exceptions again. With the key of a person.',
  scope: 'reconciliations:approve',
  body: schemas.undoMatch,
  bodyExample: { reason: 'The line is of another payout.' },
  errors: ['card_number_not_allowed'],
  handle: (request) => runUseCase(request, requestUndoing, { ...asked(request), reason: request.body.reason }),
});

/** Static paths: before those with an id of a transaction. */
export const bankMatchRoutes = routesSince('0.4.0', [
  propose,
  list,
  readRoute(bankMatchApi),
  lines,
  items,
  timelineRoute(bankMatchApi),
  approve,
  reject,
  undo,
]);
