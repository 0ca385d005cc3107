import { SANDBOX_ACQUIRER } from '../../acquirers/acquirer-names.ts';
import { ApiError } from '../../errors/errors.ts';
import { allowedActions, type Payment } from './payment.ts';

/**
 * Simulations act at the sandbox acquirer. Any other acquirer is a partner's gateway, in test mode too, and would not
 * know of them.
 */
export function requireAtSandbox(payment: Payment): void {
  if (payment.acquirer === SANDBOX_ACQUIRER) return;
  throw new ApiError('state_conflict', {
    detail: `The payment is at ${payment.acquirer}: simulations are about payments at ${SANDBOX_ACQUIRER}.`,
    facts: { current_status: payment.status, allowed_actions: allowedActions(payment) },
  });
}
