/**
 * A note on a payout: what people tell each other about it. It moves no money, and is kept as long as the payout is.
 * Next: payout-note-resource.ts (its declaration), write-note.ts and withdraw-note.ts (its steps).
 */
import type { Transitions } from '../../ledger/resources/resource.ts';
import type { Instant } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';

export type PayoutNoteStatus =
  /** Written, and not taken back. */
  | 'open'
  /** Taken back by the API. It is still shown. */
  | 'withdrawn';

export interface PayoutNote {
  readonly id: Uuid;
  readonly payoutId: Uuid;
  readonly status: PayoutNoteStatus;
  /** Null once it is erased. */
  readonly text: string | null;
  /** Hides the text behind its reference (ledger/rows/personal-text.ts). Null once it is erased. */
  readonly textSalt: Buffer | null;
  readonly requestId: Uuid;
  readonly version: number;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

export const PAYOUT_NOTE_TRANSITIONS: Transitions<PayoutNoteStatus> = { open: ['withdrawn'], withdrawn: [] };

export type PayoutNoteAction = 'withdraw';

export function allowedActions({ status }: Pick<PayoutNote, 'status'>): readonly PayoutNoteAction[] {
  return status === 'open' ? ['withdraw'] : [];
}
