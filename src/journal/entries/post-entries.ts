/** Posts entries that were asked for by API: one, or several that are booked all together or not at all. */

import { accountTouches } from '../../accounts/account/account-resource.ts';
import { resultingBalances } from '../../accounts/account/resulting-balances.ts';
import { accountHolds } from '../../accounts/holds/account-hold-table.ts';
import type { Stored } from '../../idempotency/idempotency-key.ts';
import { accounts } from '../../ledger/account/account-table.ts';
import type { Command, Refusal, Touch } from '../../ledger/command/command.ts';
import { Draft } from '../../ledger/command/draft.ts';
import { holds } from '../../ledger/hold/hold-table.ts';
import { hasText, newSalt } from '../../ledger/rows/personal-text.ts';
import { newId, type Uuid } from '../../values/ids.ts';
import { writeJson } from '../../values/json.ts';
import { type BookedEntry, bookEntry } from './book-entry.ts';
import type { EntryCommand, EntryInput, PostEntries } from './entry-command.ts';
import { entryView } from './entry-view.ts';

export function postEntry(input: PostEntries, entry: EntryInput): Command<Stored | Refusal> {
  return commandOf(input, [{ ...entry, ...saltOf(entry), place: '' }], 'entry.post', ([posted]) => posted!);
}

/** Shown as a list; the key of the request stands for the first one. */
export function postEntryBatch(input: PostEntries, entries: readonly EntryInput[]): Command<Stored | Refusal> {
  const commands = entries.map((entry, at) => ({ ...entry, ...saltOf(entry), place: `/entries/${at}` }));
  return commandOf(input, commands, 'entry.post_batch', (posted) => ({
    object: 'journal_entry_batch',
    entries: posted,
  }));
}

/** One salt an entry: of the digest in the chain, and of the references to its texts. */
function saltOf(entry: EntryInput): Pick<EntryCommand, 'textSalt'> {
  return { textSalt: hasText(entry) ? newSalt() : null };
}

function commandOf(
  { bookId: _, requestId, actor, dryRun }: PostEntries,
  entries: readonly EntryCommand[],
  name: string,
  bodyOf: (posted: readonly object[]) => object,
): Command<Stored | Refusal> {
  const origin = { id: newId(), requestId, actor };
  return {
    ...origin,
    name,
    touches: touchesOf(entries),
    decide(state, moment) {
      const draft = new Draft(state, origin, moment);
      const booked: BookedEntry[] = [];
      for (const entry of entries) {
        const result = bookEntry(draft, entry, actor);
        if ('refused' in result) return new Draft(state, origin, moment).finish<Refusal>(result);
        booked.push(result);
      }
      const codeOf = (accountId: Uuid) => draft.account(accountId).code;
      const shown = booked.map(({ entry, ...facts }) =>
        entryView(entry, { codeOf, ...facts, reversedBy: null, livemode: draft.livemode }),
      );
      const [first] = booked;
      if (dryRun) {
        const moved = [...new Set(booked.flatMap(({ entry }) => accountsIn(entry.postings)))];
        const balances = moved.flatMap((id) => resultingBalances(draft.account(id)));
        const body = writeJson({ ...bodyOf(shown), dry_run: true, resulting_balances: balances });
        return new Draft(state, origin, moment).finish<Stored>({ status: 200, body });
      }
      return draft.finish<Stored>({
        status: 201,
        body: writeJson(bodyOf(shown)),
        resource: 'entry',
        resourceId: first!.entry.id,
      });
    },
  };
}

function accountsIn(postings: readonly { readonly debitAccountId: Uuid; readonly creditAccountId: Uuid }[]): Uuid[] {
  return postings.flatMap(({ debitAccountId, creditAccountId }) => [debitAccountId, creditAccountId]);
}

/** The accounts, with the profiles of those that are credited, and the holds. At most 100 entries of 200 postings: within 1,000 rows. */
function touchesOf(entries: readonly EntryCommand[]): Touch[] {
  const postings = entries.flatMap((entry) => entry.postings);
  const expected = entries.flatMap(({ expect }) => expect.map(({ account }) => account));
  const held = postings.flatMap(({ hold }) => (hold === undefined ? [] : [hold]));
  const touches: Touch[] = postings.flatMap(({ credit, currency }) => accountTouches({ accountId: credit, currency }));
  touches.push({ table: accounts, ids: [...postings.map(({ debit }) => debit), ...expected] });
  if (held.length > 0) touches.push({ table: holds, ids: held }, { table: accountHolds, ids: held });
  return touches;
}
