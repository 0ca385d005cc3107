import type { DecidedRequest } from '../message/message.ts';

/** Whether an approved request holds more than its answer's amount: a fuel dispenser asks before the fuel is pumped. */
export function isStatusCheck({ decision }: Pick<DecidedRequest, 'decision'>): boolean {
  return decision.isApproved && decision.authorized > decision.amount;
}
