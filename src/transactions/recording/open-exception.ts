/** Puts before people what a message leaves to them. */
import { openException } from '../../exceptions/open-exception.ts';
import type { Draft } from '../../ledger/command/draft.ts';
import type { Uuid } from '../../values/ids.ts';
import type { MessageException } from '../purchase/message-exception.ts';

export const EXCEPTION_DETAILS: Readonly<Record<MessageException['kind'], string>> = {
  clearing_account_closed: 'A purchase was booked although its account is closed: the account owes it.',
  clearing_repeated:
    'A clearing that stands came again under another reference. It is booked twice until one is reversed.',
  clearing_after_decline: 'A purchase cleared that was declined. The merchant may have had no right to it.',
  clearing_after_reversal: 'A purchase cleared whose authorization was reversed.',
  clearing_exceeds_authorization:
    'More stands cleared than was authorized and the tolerance of the merchant category allows.',
  refund_account_closed: 'A refund was booked although its account is closed.',
  refund_exceeds_cleared: 'More is refunded than stands cleared.',
  reversal_unmatched: 'What a reversal takes back has not come until the transaction expired: ',
};

/** What it is about, for `waitInClosed` as well. */
export function exceptionAbout(exception: MessageException, transactionId: Uuid) {
  const { kind } = exception;
  const detail =
    kind === 'reversal_unmatched'
      ? `${EXCEPTION_DETAILS[kind]}${exception.references.join(', ')}.`
      : EXCEPTION_DETAILS[kind];
  return { kind, resource: 'transaction', resourceId: transactionId, detail } as const;
}

export function openMessageException(draft: Draft, exception: MessageException, transactionId: Uuid): void {
  openException(draft, { id: draft.mintId(), ...exceptionAbout(exception, transactionId) });
}
