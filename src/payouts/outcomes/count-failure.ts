/** Counts payouts that failed by the word of their rail, for whoever watches the rails: what is the operator's own to mend fails every payout. */
import type { Payout } from '../payout/payout.ts';

export interface RailFailures {
  failed(rail: string, code: string): void;
}

/** `before`: as it was loaded. A word that comes twice finds it failed, and counts once. */
export function countFailure(failures: RailFailures, before: Pick<Payout, 'status'>, after: Payout): void {
  if (before.status === 'processing' && after.status === 'failed') failures.failed(after.rail, after.failureCode!);
}
