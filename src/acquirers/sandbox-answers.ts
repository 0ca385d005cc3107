/** Decides instructions for the sandbox acquirer, and makes answers from its records. */
import { randomBytes } from 'node:crypto';
import type { Instant } from '../values/clock.ts';
import { deriveId, newId } from '../values/ids.ts';
import { type AcquirerAnswer, AcquirerUnreachable, type AuthorizeInstruction, type Verified } from './acquirer.ts';
import { DECLINES, type DeclineCode } from './decline-codes.ts';
import type { AddressCheck, Authorization, InstructionRecord, RecordStatus } from './sandbox-acquirer-store.ts';
import type { VaultCard } from './sandbox-vault-store.ts';
import type { CardScript } from './test-cards.ts';

/** How long a payer has for a challenge, as with most issuers. */
export const CHALLENGE_MS = 15 * 60_000;

/** The answer for a record. Throws AcquirerUnreachable for a lost instruction. */
export function answerOf(record: InstructionRecord, publicUrl: string): AcquirerAnswer {
  const { status, reference, code, amount, currency, kind, script, cvcCheck, avsCheck, brand } = record;
  if (status === 'never') throw new AcquirerUnreachable('The instruction was lost on its way, as the card asks');
  const networkCode = code === null ? '00' : DECLINES[code].networkCode;
  const { challenge, challengeExpiresAt } = record;
  const isChallenged = script === 'challenge' || script === 'challenge_declined';
  return {
    status,
    endToEndId: reference,
    reference: record.acquirerReference,
    ...(code === null ? {} : { code }),
    networkCode,
    confirmed: { amount, currency },
    ...(kind === 'authorize' && status === 'succeeded'
      ? {
          authorization: {
            code: record.acquirerReference.slice(-6),
            network: brand,
            networkReference: `NTW${record.acquirerReference.slice(3)}`,
            avs: avsCheck,
            cvc: cvcCheck,
            eci: isChallenged ? '05' : null,
            threeDSecure: isChallenged ? 'authenticated' : null,
          },
        }
      : {}),
    ...(status === 'requires_action' && challenge !== null && challengeExpiresAt !== null
      ? {
          challenge: {
            url: `${publicUrl}/sandbox/challenges/${challenge}`,
            expiresAt: challengeExpiresAt,
          },
        }
      : {}),
    raw: { reference, kind, result: status, response_code: networkCode, amount: String(amount), currency },
  };
}

export function acquirerReference(originator: string, reference: string): string {
  return `SBA${deriveId('sandbox-acquirer', originator, reference).replaceAll('-', '').slice(0, 21).toUpperCase()}`;
}

export function refused(reference: string, code: DeclineCode): AcquirerAnswer {
  const { networkCode } = DECLINES[code];
  return {
    status: 'declined',
    endToEndId: reference,
    reference: '',
    code,
    networkCode,
    raw: { reference, result: 'declined', response_code: networkCode },
  };
}

export function authorizationOf(
  { instruction, card }: { instruction: AuthorizeInstruction; card: VaultCard },
  now: Instant,
): Authorization {
  const { originator, reference, amount, currency, capture, notAfter } = instruction;
  const { status, code } = judged(card.script, instruction);
  return {
    originator,
    reference,
    token: card.token,
    amount,
    currency,
    captures: capture,
    status,
    code,
    acquirerReference: acquirerReference(originator, reference),
    challenge: status === 'requires_action' ? randomBytes(24).toString('base64url') : null,
    challengeExpiresAt: status === 'requires_action' ? now + CHALLENGE_MS : null,
    notAfter,
    avsCheck: addressCheckOf(instruction),
    disputeNotice: card.script === 'disputed' ? newId() : null,
  };
}

/** The published postal code that no issuer knows. */
const UNKNOWN_POSTAL_CODE = '00000';

/** The address itself is not stored. */
function addressCheckOf({ billing }: Pick<AuthorizeInstruction, 'billing'>): AddressCheck | null {
  if (!billing?.address) return null;
  return billing.address.postalCode === UNKNOWN_POSTAL_CODE ? 'no_match' : 'match';
}

/** An issuer's answer to an account verification. Undefined: it gives no answer. */
export function verifiedOf({ token, originator, script, cvcCheck }: VaultCard): Verified | undefined {
  if (script === 'lost' || script === 'unanswered') return undefined;
  const networkReference = `NTW${acquirerReference(originator, token).slice(3)}`;
  const { status, code } = judged(script, { initiator: 'merchant', returnUrl: null });
  if (status === 'declined' && code !== null)
    return { status, code, networkCode: DECLINES[code].networkCode, cvc: null, networkReference: null };
  return { status: 'succeeded', networkCode: '00', cvc: cvcCheck, networkReference };
}

/** A merchant-initiated payment is never challenged: the payer is absent, and the issuer decides without. */
function judged(
  script: CardScript,
  { initiator, returnUrl }: Pick<AuthorizeInstruction, 'initiator' | 'returnUrl'>,
): { status: RecordStatus; code: DeclineCode | null } {
  switch (script) {
    case 'approved':
    case 'unanswered':
    case 'disputed':
    case 'refund_fails':
      return { status: 'succeeded', code: null };
    case 'lost':
      return { status: 'never', code: null };
    case 'challenge':
    case 'challenge_declined':
      if (initiator === 'merchant') return { status: 'succeeded', code: null };
      if (returnUrl === null) return { status: 'declined', code: 'authentication_required' };
      return { status: 'requires_action', code: null };
    default:
      return { status: 'declined', code: script };
  }
}
