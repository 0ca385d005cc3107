/** Writes a note on a payout, whatever the payout's status. */
import type { Stored } from '../../idempotency/idempotency-key.ts';
import type { Command, Refusal } from '../../ledger/command/command.ts';
import { Draft } from '../../ledger/command/draft.ts';
import type { Change } from '../../ledger/resources/change-of.ts';
import { begin } from '../../ledger/resources/resource.ts';
import { newSalt } from '../../ledger/rows/personal-text.ts';
import { newId, type Uuid } from '../../values/ids.ts';
import { payouts } from '../payout/payout-table.ts';
import type { PayoutNote } from './payout-note.ts';
import { payoutNoteResource } from './payout-note-resource.ts';

export function writeNote({
  payoutId,
  text,
  requestId,
  actor,
}: Pick<Change, 'requestId' | 'actor'> & { readonly payoutId: Uuid; readonly text: string }): Command<
  Stored | Refusal
> {
  const origin = { id: newId(), requestId, actor };
  const id = newId();
  const textSalt = newSalt();
  return {
    ...origin,
    name: 'payout_note.write',
    touches: [{ table: payouts, ids: [payoutId] }],
    decide(state, moment) {
      const draft = new Draft(state, origin, moment);
      if (!draft.get(payouts, payoutId)) return draft.finish<Refusal>({ refused: 'resource_not_found', param: 'id' });
      const { book } = moment;
      const note: PayoutNote = {
        id,
        payoutId,
        status: 'open',
        text,
        textSalt,
        requestId,
        version: 1,
        createdAt: book,
        updatedAt: book,
      };
      const body = begin(draft, payoutNoteResource, note, 'payout_note.written');
      return draft.finish<Stored>({ status: 201, body, resource: 'payout_note', resourceId: id });
    },
  };
}
