/** Changes a book's approval policy: one person proposes, another one approves or rejects. */
import type { Pool } from '../../db/pool.ts';
import { ApiError, type FieldError } from '../../errors/errors.ts';
import { isSameActor } from '../../exceptions/exception.ts';
import { type PersonsRequest, requirePerson } from '../../exceptions/handle-exception.ts';
import type { Stored } from '../../idempotency/idempotency-key.ts';
import type { Asked, UseCase } from '../../idempotency/use-case.ts';
import type { Command, Refusal } from '../../ledger/command/command.ts';
import { Draft } from '../../ledger/command/draft.ts';
import { differenceFrom, previousAttributes } from '../../ledger/events/previous-attributes.ts';
import { newId } from '../../values/ids.ts';
import { writeJson } from '../../values/json.ts';
import type { ApprovalPolicy } from './approval-policy.ts';
import { approvalPolicies, newPolicy, type StoredPolicy } from './approval-policy-table.ts';
import { actionsOf, policyView } from './approval-policy-view.ts';

type PersonAsked = Asked & Pick<PersonsRequest, 'ownerKind'>;

export interface ProposePolicy extends PersonAsked {
  readonly ifMatch?: number | undefined;
  /** A member that is left out stays as it is in force. */
  readonly change: { readonly [Member in keyof ApprovalPolicy]?: ApprovalPolicy[Member] | undefined };
}

interface PolicyRuntime {
  readonly rails: { all(): readonly { readonly name: string }[] };
}

/** A further proposal replaces the one before. Where nothing would change, nothing is proposed. */
export const requestPolicyProposal: UseCase<PolicyRuntime, ProposePolicy> = {
  keyFirst: true,
  prepare({ rails }, input) {
    requirePerson(input);
    const errors = policyErrors(input.change, ['book', ...rails.all().map(({ name }) => name)]);
    if (errors.length > 0) throw new ApiError(errors[0]!.code, { fieldErrors: errors });
    const command = onPolicy(input, 'approval_policy.propose', (draft, own) => {
      const row = own ?? newPolicy(draft.book.id, draft.moment.book);
      const given = Object.fromEntries(Object.entries(input.change).filter(([, value]) => value !== undefined));
      const change = differenceFrom(row.policy, given as Partial<ApprovalPolicy>);
      if (change === undefined) return answer(draft, own);
      const proposal = { policy: { ...row.policy, ...change }, proposedBy: input.actor, at: draft.moment.book };
      return answer(draft, put(draft, own, { row: { ...row, proposal }, event: 'approval_policy.proposed' }));
    });
    return Promise.resolve({ command });
  },
};

export interface JudgePolicy extends PersonAsked {
  readonly ifMatch?: number | undefined;
  /** The version that the person has looked at. */
  readonly version: number;
}

interface Judgement {
  readonly action: 'approve' | 'reject';
  readonly event: string;
  judged(row: StoredPolicy): StoredPolicy;
}

const APPROVAL: Judgement = {
  action: 'approve',
  event: 'approval_policy.approved',
  judged: (row) => ({ ...row, policy: row.proposal!.policy, proposal: null }),
};

const REJECTION: Judgement = {
  action: 'reject',
  event: 'approval_policy.rejected',
  judged: (row) => ({ ...row, proposal: null }),
};

export const requestPolicyApproval = judging(APPROVAL);
export const requestPolicyRejection = judging(REJECTION);

/** By the operator, in the place of a second person (scripts/ops-policy.ts). `version`: the one that was read. */
export function approvePolicy(input: Origin & { readonly version: number }): Command<Stored | Refusal> {
  return judgePolicy(APPROVAL, { ...input, ifMatch: input.version, param: '/version' });
}

/** By another one than who proposed it. */
function judgePolicy({ action, event, judged }: Judgement, input: OnPolicy): Command<Stored | Refusal> {
  return onPolicy(input, `approval_policy.${action}`, (draft, own) => {
    if (!own?.proposal)
      return {
        refused: 'state_conflict',
        detail: 'No change of the policy waits for a second person.',
        facts: { current_status: 'in_force', allowed_actions: actionsOf(own) },
      };
    if (isSameActor(own.proposal.proposedBy, input.actor))
      return {
        refused: 'self_approval_forbidden',
        detail: `Who proposed the policy does not ${action} it.`,
        facts: { current_status: 'proposed' },
      };
    return answer(draft, put(draft, own, { row: judged(own), event }));
  });
}

function judging(judgement: Judgement): UseCase<{ pool: Pool }, JudgePolicy> {
  return {
    keyFirst: true,
    async prepare({ pool }, input) {
      requirePerson(input);
      const { ifMatch = input.version, version } = input;
      if (ifMatch !== version) {
        const own = await approvalPolicies.find(pool, input.bookId, input.bookId);
        throw new ApiError('version_mismatch', {
          param: '/version',
          detail: 'If-Match names another one.',
          facts: { version: own?.version ?? 1 },
        });
      }
      return { command: judgePolicy(judgement, { ...input, ifMatch, param: '/version' }) };
    },
  };
}

type Origin = Pick<Asked, 'bookId' | 'requestId' | 'actor'>;

interface OnPolicy extends Origin {
  readonly ifMatch?: number | undefined;
  /** Where the request names the version. */
  readonly param?: string;
}

/** `own`: undefined where the book has no row yet. */
function onPolicy(
  { bookId, requestId, actor, ifMatch, param = 'If-Match' }: OnPolicy,
  name: string,
  decide: (draft: Draft, own: StoredPolicy | undefined) => Stored | Refusal,
): Command<Stored | Refusal> {
  const origin = { id: newId(), requestId, actor };
  return {
    ...origin,
    name,
    touches: [{ table: approvalPolicies, ids: [bookId] }],
    decide(state, moment) {
      const draft = new Draft(state, origin, moment);
      const own = draft.get(approvalPolicies, bookId);
      const version = own?.version ?? 1;
      const isStale = ifMatch !== undefined && ifMatch !== version;
      const decided = isStale ? versionMismatch(version, param) : decide(draft, own);
      return decided.refused ? new Draft(state, origin, moment).finish(decided) : draft.finish(decided);
    },
  };
}

function versionMismatch(version: number, param: string): Refusal {
  return { refused: 'version_mismatch', param, detail: `The policy is at version ${version}.`, facts: { version } };
}

/** Puts the next version of the row and announces it. */
function put(
  draft: Draft,
  own: StoredPolicy | undefined,
  { row, event }: { row: StoredPolicy; event: string },
): StoredPolicy {
  const version = (own?.version ?? 1) + 1;
  const next: StoredPolicy = { ...row, version, updatedAt: draft.moment.book };
  draft.put(approvalPolicies, next.id, next);
  const object = policyView(next, draft.book);
  const before = policyView(own, draft.book);
  draft.emit({
    type: event,
    objectId: next.id,
    objectSequence: version,
    object,
    previousAttributes: previousAttributes(before, object),
  });
  return next;
}

function answer(draft: Draft, own: StoredPolicy | undefined): Stored {
  return {
    status: 200,
    body: writeJson(policyView(own, draft.book)),
    resource: 'book',
    resourceId: draft.book.id,
  };
}

/** Of two rules for one amount it would be uncertain which is meant; a rail that does not exist would never match. */
function policyErrors({ above = [], rails = [] }: ProposePolicy['change'], known: readonly string[]): FieldError[] {
  const twice = above.flatMap(({ currency, amount }, place) =>
    above.findIndex((rule) => rule.currency === currency && rule.amount === amount) < place
      ? [at(`/above/${place}/amount`, `${amount} ${currency} stands in it twice.`)]
      : [],
  );
  const unknown = rails.flatMap((rail, place) => {
    if (!known.includes(rail)) return [at(`/rails/${place}`, `Expects a rail: ${known.join(', ')}.`)];
    return rails.indexOf(rail) < place ? [at(`/rails/${place}`, `${rail} stands in it twice.`)] : [];
  });
  return [...twice, ...unknown];
}

function at(param: string, detail: string): FieldError {
  return { code: 'parameter_invalid', param, detail };
}
