/** The PIN of a card: only its status and the wrong ones in a row are known here. */
import type { Card } from './card.ts';

export type CheckResult = 'match' | 'no_match' | 'not_checked';

/** The third wrong PIN in a row blocks it, as issuers do. */
const PIN_ATTEMPTS = 3;

type Pin = Pick<Card, 'pinStatus' | 'pinFailures'>;

export function pinAttemptsLeft({ pinFailures }: Pin): number {
  return Math.max(0, PIN_ATTEMPTS - pinFailures);
}

/** A PIN was entered: right or wrong. */
export function isPinEntered(result: CheckResult | null): boolean {
  return result === 'match' || result === 'no_match';
}

/**
 * The PIN after a request, whatever else decides the request: a wrong PIN counts, a right one sets the count to 0, and a blocked one stays
 * as it is.
 */
export function afterPinEntry({ pinStatus, pinFailures }: Pin, result: CheckResult | null): Pin {
  if (pinStatus === 'blocked' || !isPinEntered(result)) return { pinStatus, pinFailures };
  if (result === 'match') return { pinStatus, pinFailures: 0 };
  const failures = pinFailures + 1;
  return { pinStatus: failures >= PIN_ATTEMPTS ? 'blocked' : 'ok', pinFailures: failures };
}

export const UNBLOCKED_PIN: Pin = { pinStatus: 'ok', pinFailures: 0 };
