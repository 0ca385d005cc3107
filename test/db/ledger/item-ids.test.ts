/** Commands over several items, and attempts of them after the answer to a commit was lost. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { accountProfiles } from '../../../src/accounts/account/account-profile-table.ts';
import { accountResource, accountTouches } from '../../../src/accounts/account/account-resource.ts';
import { postOpenings } from '../../../src/inbound/openings/post-openings.ts';
import type { Command } from '../../../src/ledger/command/command.ts';
import { Draft } from '../../../src/ledger/command/draft.ts';
import { advance } from '../../../src/ledger/resources/resource.ts';
import { newId, type Uuid } from '../../../src/values/ids.ts';
import { openBook, type TestBook } from '../../support/book.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';

let database: TestDatabase;
let book: TestBook;

beforeAll(async () => {
  database = await createTestDatabase();
  book = await openBook({ database: database.applicationUrl });
});

afterAll(async () => {
  await book?.close();
  await database?.drop();
});

/** More events than any step of an appointment emits. */
const EVENTS_EACH = 10;

/** Renames the accounts that have `due` as their name, and emits so many events for each. */
function renameDue(ids: readonly Uuid[]): Command<number> {
  const origin = { id: newId(), requestId: newId() };
  return {
    ...origin,
    name: 'test.rename_due',
    touches: ids.flatMap((accountId) => accountTouches({ accountId, currency: 'EUR' })),
    decide(state, moment) {
      const draft = new Draft(state, origin, moment);
      let renamed = 0;
      for (const id of draft.each(ids)) {
        let profile = draft.get(accountProfiles, id)!;
        if (profile.name !== 'due') continue;
        for (let event = 0; event < EVENTS_EACH; event++)
          profile = advance(draft, accountResource, profile, { name: 'done' }, { event: 'account.updated' });
        renamed++;
      }
      return draft.finish(renamed);
    },
  };
}

test('an attempt after a lost answer finds another item due, and gives it no id of the first one', async () => {
  const [first, second] = [await book.account(), await book.account()];
  const makeDue = (id: Uuid) =>
    book.rows("UPDATE account_profiles SET name = 'due' WHERE book_id = $1 AND account_id = $2", id);
  await makeDue(first);
  const command = renameDue([first, second]);
  expect(await book.submit(command)).toBe(1);
  await makeDue(second);
  // The answer to the commit was lost: the same command again.
  expect(await book.submit(command)).toBe(1);
  expect(book.errors).toEqual([]);
  const events = await book.rows<{ objectId: Uuid }>(
    `SELECT object_id AS "objectId" FROM events WHERE book_id = $1 AND request_id = $2 ORDER BY sequence`,
    command.requestId,
  );
  expect(events.map(({ objectId }) => objectId)).toEqual([
    ...Array<Uuid>(EVENTS_EACH).fill(first),
    ...Array<Uuid>(EVENTS_EACH).fill(second),
  ]);
});

test('an opening balance refused by an attempt, and booked by the next, has ids of its own', async () => {
  const [first, second] = [await book.account(), await book.account()];
  const setStatus = (status: 'open' | 'closed') =>
    book.rows('UPDATE accounts SET status = $3 WHERE book_id = $1 AND id = $2', first, status);
  const command = postOpenings({
    ...{ bookId: book.id, openingId: newId(), actor: 'test' },
    lines: [first, second].map((accountId, index) => ({
      ...{ row: index + 1, transferId: newId(), accountId, currency: 'EUR', amount: 1_000n },
    })),
  });
  await setStatus('closed');
  const refused = [{ row: 1, code: 'account_closed' }];
  expect(await book.submit(command)).toEqual({ posted: 1, known: 0, refused });
  await setStatus('open');
  // The answer to the commit was lost: the same command again.
  expect(await book.submit(command)).toEqual({ posted: 1, known: 1, refused: [] });
  expect(book.errors).toEqual([]);
  const entries = await book.rows<{ accountId: Uuid }>(
    `SELECT t.account_id AS "accountId" FROM inbound_transfers t JOIN entries e ON e.book_id = t.book_id AND e.id = t.entry_id
     WHERE t.book_id = $1 AND t.opening_id IS NOT NULL ORDER BY e.sequence`,
  );
  expect(entries.map(({ accountId }) => accountId)).toEqual([second, first]);
});
