import type { EventDocument } from '../../../api/event-document.ts';
import { POLICY_EVENTS } from '../approval-policy.ts';
import { policy } from './policy-schemas.ts';

export const approvalPolicyEvents: EventDocument = {
  names: POLICY_EVENTS,
  object: policy,
  schemaName: 'ApprovalPolicyEvent',
  summary: {
    'approval_policy.proposed': 'An approval policy was proposed',
    'approval_policy.approved': 'An approval policy was approved',
    'approval_policy.rejected': 'An approval policy was rejected',
  },
  when: {
    'approval_policy.proposed': 'A person has proposed a change. The policy before stays in force.',
    'approval_policy.approved': 'Another person has approved the change, which is in force from now on.',
    'approval_policy.rejected': 'Another person has rejected the change.',
  },
};
