/**
 * Changes the time zone of a book until its first entry: from then on, days of entries are counted by it. Both the time zone
 * and the number of entries are in the book's row, so the committer's order decides between the change and a first entry.
 */
import type { Stored } from '../idempotency/idempotency-key.ts';
import type { Command, Refusal } from '../ledger/command/command.ts';
import { Draft } from '../ledger/command/draft.ts';
import { newId, type Uuid } from '../values/ids.ts';
import { writeJson } from '../values/json.ts';
import { journalView } from './journal-view.ts';

export function changeTimeZone(input: {
  readonly timeZone: string;
  readonly requestId: Uuid;
  readonly actor: string;
}): Command<Stored | Refusal> {
  const { timeZone, requestId, actor } = input;
  const origin = { id: newId(), requestId, actor };
  return {
    ...origin,
    name: 'journal.update',
    touches: [],
    decide(state, moment) {
      const draft = new Draft(state, origin, moment);
      if (state.book.entrySequence > 0n)
        return draft.finish<Refusal>({
          refused: 'state_conflict',
          param: '/time_zone',
          detail: `The first entry has fixed the time zone: ${state.book.timeZone}.`,
          facts: { current_status: 'fixed', allowed_actions: [] },
        });
      const book = { ...state.book, timeZone };
      const answer = {
        status: 200,
        body: writeJson(journalView(book)),
        resource: 'book' as const,
        resourceId: book.id,
      };
      return { ...draft.finish<Stored>(answer), book };
    },
  };
}
