/**
 * An exception about a dispute, for a person: a row, and an event. Each kind once a notice, since a notice is applied
 * once.
 */
import { openException } from '../../exceptions/open-exception.ts';
import type { Draft } from '../../ledger/command/draft.ts';
import type { Uuid } from '../../values/ids.ts';

export type DisputeExceptionKind =
  /** The payment was refunded already, at least in part: the merchant has lost it twice. */
  | 'dispute_on_refunded'
  /** The account is closed: the operator has to recover the amount. */
  | 'dispute_on_closed_account'
  /** The acquirer disputes a request to pay: its payer approved it, and no scheme gives it back. */
  | 'dispute_on_request'
  /** The acquirer takes more than was captured and is not disputed. */
  | 'dispute_exceeds_payment'
  /** The acquirer decides a dispute that it has not opened. */
  | 'dispute_unknown'
  /** The acquirer decides otherwise than before. */
  | 'dispute_contradicted'
  | 'acquirer_amount_mismatch'
  | 'acquirer_currency_mismatch';

export function raise(
  draft: Draft,
  about: {
    readonly kind: DisputeExceptionKind;
    readonly detail: string;
    readonly paymentId: Uuid;
    readonly disputeId?: Uuid;
  },
): void {
  const { kind, detail, paymentId, disputeId } = about;
  const subject =
    disputeId === undefined
      ? ({ resource: 'payment', resourceId: paymentId } as const)
      : ({ resource: 'dispute', resourceId: disputeId } as const);
  openException(draft, { id: draft.mintId(), kind, detail, ...subject });
}
