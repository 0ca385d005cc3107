/** Books what a message and those that waited for it have posted: an entry each. Nothing stops what the network has decided. */
import { isLeftInClosed, waitInClosed } from '../../exceptions/wait-in-closed.ts';
import type { Draft } from '../../ledger/command/draft.ts';
import type { Entry } from '../../ledger/entry/entry.ts';
import type { Uuid } from '../../values/ids.ts';
import type { BookRole, MessageEntry, RolePosting } from '../booking/book-posting.ts';
import type { MessageEvent } from '../purchase/message-event.ts';
import type { MessageException } from '../purchase/message-exception.ts';
import { exceptionAbout, openMessageException } from './open-exception.ts';

export interface Posting {
  readonly transactionId: Uuid;
  readonly accountId: Uuid;
  readonly currency: string;
  readonly entries: readonly MessageEntry[];
  readonly events: readonly MessageEvent[];
  readonly exception: MessageException | null;
  /** The id of a message of the purchase, by its reference. */
  idOf(reference: string): Uuid;
}

/** By the reference of the message that each is of. Opens the exception. */
export function postMessage(draft: Draft, posting: Posting): ReadonlyMap<string, Entry> {
  const { entries, events, exception, transactionId, idOf } = posting;
  const booked = new Map<string, Entry>();
  let isAnnounced = exception === null;
  for (const { reference, postings } of entries) {
    const name = events.find((event) => event.reference === reference)!.name;
    booked.set(
      reference,
      draft.post({
        ...({ resource: 'transaction_message', step: name } as const),
        resourceId: idOf(reference),
        postings: postings.map((one) => inAccounts(draft, posting, one)),
        ...{ overrideFloor: true, allowFrozen: true, debitClosed: true },
        creditClosed: waitInClosed(draft, exceptionAbout(exception ?? CREDITED, transactionId)),
      }),
    );
    // What an entry leaves in a closed account has opened it already, with what may be moved.
    isAnnounced ||= exception?.kind === 'refund_account_closed' && isLeftInClosed(draft.account(posting.accountId));
  }
  if (!isAnnounced) openMessageException(draft, exception!, transactionId);
  return booked;
}

/** A credit of a closed account is always an exception. */
const CREDITED: MessageException = { kind: 'refund_account_closed', movable: 0n };

function inAccounts(
  draft: Draft,
  { accountId, currency }: Pick<Posting, 'accountId' | 'currency'>,
  { debit, credit, amount }: RolePosting,
) {
  const of = (role: BookRole) => (role === 'customer' ? accountId : draft.chart(role, currency).id);
  return { debit: of(debit), credit: of(credit), amount };
}
