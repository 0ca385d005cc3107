/** Takes a note on a payout back. */
import type { Stored } from '../../idempotency/idempotency-key.ts';
import { storedView } from '../../idempotency/stored-view.ts';
import type { Command, Refusal } from '../../ledger/command/command.ts';
import { type Change, changeOf } from '../../ledger/resources/change-of.ts';
import { advance } from '../../ledger/resources/resource.ts';
import type { Uuid } from '../../values/ids.ts';
import { payoutNoteResource } from './payout-note-resource.ts';

export function withdrawNote(input: Change & { readonly noteId: Uuid }): Command<Stored | Refusal> {
  return changeOf(payoutNoteResource, { ...input, id: input.noteId, action: 'withdraw' }, (draft, note) => {
    const event = 'payout_note.withdrawn';
    return storedView(
      draft,
      payoutNoteResource,
      advance(draft, payoutNoteResource, note, { status: 'withdrawn' }, { event }),
    );
  });
}
