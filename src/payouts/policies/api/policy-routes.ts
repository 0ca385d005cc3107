/** The approval policy of a book. */
import { found } from '../../../api/answers.ts';
import { route, routesSince } from '../../../api/route.ts';
import { askedBy, runUseCase } from '../../../api/run-use-case.ts';
import { loadBook } from '../../../ledger/book/book-store.ts';
import { approvalPolicies } from '../approval-policy-table.ts';
import { policyView } from '../approval-policy-view.ts';
import { requestPolicyApproval, requestPolicyProposal, requestPolicyRejection } from '../change-policy.ts';
import * as schemas from './policy-schemas.ts';

const path = '/v1/payouts/approval_policy';
const tag = 'Payouts';

const read = route({
  method: 'get',
  path,
  operation: 'getApprovalPolicy',
  tag,
  summary: 'Retrieve the approval policy',
  description: 'Which payouts of the book wait for people. A book that never changed it asks for no approval.',
  scope: 'payouts:read',
  responses: { 200: { description: 'As it is now.', schema: schemas.policy } },
  async handle({ runtime, principal: { bookId } }) {
    const book = found(await loadBook(runtime.pool, bookId));
    return { status: 200, json: policyView(await approvalPolicies.find(runtime.pool, bookId, bookId), book) };
  },
});

const propose = route({
  method: 'patch',
  path,
  operation: 'proposeApprovalPolicy',
  tag,
  summary: 'Propose an approval policy',
  description:
    'With the key of a person. The policy before stays in force until another person approves the change, which `pending` shows; a further proposal replaces it. Payouts that were made before keep their reasons.',
  scope: 'payouts:policy',
  ifMatch: true,
  body: schemas.proposePolicy,
  bodyExample: schemas.proposePolicyExample,
  responses: { 200: { description: 'Proposed.', schema: schemas.policy } },
  errors: ['currency_unsupported', 'amount_not_integer', 'amount_below_minimum', 'amount_above_maximum'],
  handle(request) {
    const { ownerKind } = request.principal;
    const change = schemas.changeOf(request.body);
    return runUseCase(request, requestPolicyProposal, {
      ...askedBy(request),
      ownerKind,
      ifMatch: request.ifMatch,
      change,
    });
  },
});

const approve = route({
  method: 'post',
  path: `${path}/approve`,
  operation: 'approveApprovalPolicy',
  tag,
  summary: 'Approve an approval policy',
  description: 'By another person than the one who proposed it. From then on it is in force.',
  scope: 'payouts:policy',
  ifMatch: true,
  body: schemas.judgePolicy,
  bodyExample: { version: 2 },
  responses: { 200: { description: 'In force.', schema: schemas.policy } },
  errors: ['state_conflict', 'self_approval_forbidden', 'version_mismatch'],
  handle(request) {
    const { ownerKind } = request.principal;
    const { version } = request.body;
    const input = { ...askedBy(request), ownerKind, ifMatch: request.ifMatch, version };
    return runUseCase(request, requestPolicyApproval, input);
  },
});

const reject = route({
  method: 'post',
  path: `${path}/reject`,
  operation: 'rejectApprovalPolicy',
  tag,
  summary: 'Reject an approval policy',
  description: 'By another person than the one who proposed it. The policy in force stays.',
  scope: 'payouts:policy',
  ifMatch: true,
  body: schemas.judgePolicy,
  bodyExample: { version: 2 },
  responses: { 200: { description: 'Rejected.', schema: schemas.policy } },
  errors: ['state_conflict', 'self_approval_forbidden', 'version_mismatch'],
  handle(request) {
    const { ownerKind } = request.principal;
    const { version } = request.body;
    const input = { ...askedBy(request), ownerKind, ifMatch: request.ifMatch, version };
    return runUseCase(request, requestPolicyRejection, input);
  },
});

/** Static paths: before those with an id of a payout. */
export const approvalPolicyRoutes = routesSince('0.4.0', [read, propose, approve, reject]);
