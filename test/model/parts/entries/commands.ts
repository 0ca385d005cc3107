/** The command of an entry of any postings, with the row of a manual entry: the rules of the API for such entries are not asked. */

import { MANUAL } from '../../../../src/journal/entries/manual-entry.ts';
import { manualEntries } from '../../../../src/journal/entries/manual-entry-table.ts';
import { accounts } from '../../../../src/ledger/account/account-table.ts';
import type { Command } from '../../../../src/ledger/command/command.ts';
import type { PostingDraft } from '../../../../src/ledger/entry/entry.ts';
import { newId } from '../../../../src/values/ids.ts';
import { type Answer, command, stored, touchAccounts } from '../../test-command.ts';

export function postEntry(postings: readonly PostingDraft[]): Command<Answer> {
  const resourceId = newId();
  const ids = postings.flatMap(({ debit, credit }) => [debit, credit]);
  return command('post', [touchAccounts(...ids)], (begin) => {
    const draft = begin();
    if (ids.some((id) => !draft.get(accounts, id))) return draft.finish({ refused: 'resource_not_found' });
    const entry = draft.tryPost({ id: resourceId, ...MANUAL, resourceId, postings });
    if (!('hash' in entry)) return begin().finish({ refused: entry.code });
    draft.append(manualEntries, {
      id: entry.id,
      sequence: entry.sequence,
      actor: 'system',
      externalId: null,
      metadata: {},
      textSalt: null,
      createdAt: entry.postedAt,
    });
    return draft.finish(stored(201, MANUAL.resource, resourceId));
  });
}
