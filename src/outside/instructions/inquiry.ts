/** The rules of inquiries: when a party is asked again, and what follows when it does not know an id. */
import type { Instant } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';
import type { NotFound, Party } from '../party/party.ts';
import { growingPauseMs } from './growing-pause.ts';

/** An instruction that was submitted to a party and has no final outcome. */
export interface OpenInstruction {
  readonly id: Uuid;
  /** Inquiries so far. */
  readonly inquiries: number;
}

/** The most that a row's column takes. A party that is asked every five minutes for a third of a year has been asked often enough to count. */
const INQUIRIES_COUNTED = 32_767;

/** Inquiries of a row, with one more. */
export function oneMoreInquiry({ inquiries }: Pick<OpenInstruction, 'inquiries'>): number {
  return Math.min(inquiries + 1, INQUIRIES_COUNTED);
}

/** A worker takes up what is to be sent within milliseconds. When its job was lost, the sweeper enqueues another after this. */
export const SENT_WITHIN_MS = 5_000;

/** The party's own delays; then each pause is twice the previous one, up to a day. */
export function inquiryPauseMs(party: Pick<Party, 'inquiryDelaysMs'>, { id, inquiries }: OpenInstruction): number {
  return growingPauseMs(party.inquiryDelaysMs, inquiries, id);
}

/** The party accepts nothing after this instant whose first attempt was at `sentAt`. */
export function finalAfter({ notFoundFinalAfterMs }: Pick<Party, 'notFoundFinalAfterMs'>, sentAt: Instant): Instant {
  return sentAt + notFoundFinalAfterMs;
}

export type AfterNotFound =
  /** The party will never accept the id: nothing was moved, and nothing will be. */
  | 'never_received'
  /** It is submitted again, under the same id. */
  | 'send_again'
  /** The party is not idempotent, so nothing is resent: it is asked again until its answer is final. */
  | 'ask_again';

/**
 * "Not found" fails nothing by itself: a paused worker may still be about to submit. It is final once the party itself
 * would refuse the id, by the party's clock where it reports the time, else by `now`.
 */
export function afterNotFound(
  party: Pick<Party, 'idempotent' | 'notFoundFinalAfterMs'>,
  { asOf }: Pick<NotFound, 'asOf'>,
  { sentAt, now }: { sentAt: Instant; now: Instant },
): AfterNotFound {
  if ((asOf ?? now) > finalAfter(party, sentAt)) return 'never_received';
  return party.idempotent ? 'send_again' : 'ask_again';
}
