import { SANDBOX_ACQUIRER } from '../../acquirers/acquirer-names.ts';
import { ApiError } from '../../errors/errors.ts';
import { allowedActions, type Payment } from './payment.ts';

/** Simulations speak for the sandbox. Elsewhere somebody's gateway holds the payment, in test mode too, and would know nothing of it. */
export function requireAtSandbox(payment: Payment): void {
  if (payment.acquirer === SANDBOX_ACQUIRER) return;
  throw new ApiError('state_conflict', {
    detail: `The payment is at ${payment.acquirer}: simulations are about payments at ${SANDBOX_ACQUIRER}.`,
    facts: { current_status: payment.status, allowed_actions: allowedActions(payment) },
  });
}
