/** Holds on accounts in a book in memory: what is decided of one that is over, and a visit that comes again. */
import { beforeEach, expect, test } from 'vitest';
import type { AccountHold } from '../../../src/accounts/holds/account-hold.ts';
import { accountHolds } from '../../../src/accounts/holds/account-hold-table.ts';
import { increaseHold, releaseHold } from '../../../src/accounts/holds/change-hold.ts';
import { expireHolds } from '../../../src/accounts/holds/expire-holds.ts';
import { placeAccountHold } from '../../../src/accounts/holds/place-hold.ts';
import { accounts } from '../../../src/ledger/account/account-table.ts';
import { newAccount } from '../../../src/ledger/account/chart.ts';
import type { Refusal } from '../../../src/ledger/command/command.ts';
import { newId } from '../../../src/values/ids.ts';
import { MemoryBook, START } from '../../support/memory-book.ts';

const BY = { requestId: newId(), actor: 'api_key:key_1' };

let memory: MemoryBook;
let accountId: string;
beforeEach(() => {
  memory = new MemoryBook();
  accountId = newId();
  memory.put(accounts, accountId, { ...newAccount(accountId, 'customer', 'EUR'), postedCredits: 1_000n });
});

function placed(livesMs: number): AccountHold {
  const text = { description: null, externalId: null, metadata: {} };
  const answer = memory.answer(
    placeAccountHold({ accountId, amount: 100n, expiresAt: memory.now + livesMs, ...text, ...BY }),
  );
  return memory.get(accountHolds, (answer as { resourceId: string }).resourceId);
}

const told = () => memory.events.map(({ type, objectId }) => [type, objectId]);

test('a visit that comes again after a lost answer expires what is over since, and tells of each once', () => {
  const holds = [placed(2_000), placed(1_000), placed(9_000)];
  const visit = expireHolds(holds);
  memory.now = START + 1_000;
  expect(memory.answer(visit)).toBe(1);
  memory.now = START + 2_000;
  expect(memory.answer(visit)).toBe(1);
  expect(memory.answer(visit)).toBe(0);
  expect(told().slice(3)).toEqual([
    ['hold.expired', holds[1]!.id],
    ['hold.expired', holds[0]!.id],
  ]);
  expect(new Set(memory.events.map(({ id }) => id)).size).toBe(5);
  expect(memory.account(accountId).heldDebits).toBe(100n);
});

test.each`
  action        | ifMatch      | answer
  ${'release'}  | ${undefined} | ${{ refused: 'state_conflict', facts: { current_status: 'expired' } }}
  ${'release'}  | ${1}         | ${{ refused: 'version_mismatch', facts: { version: 2 } }}
  ${'release'}  | ${2}         | ${{ refused: 'state_conflict', facts: { current_status: 'expired' } }}
  ${'increase'} | ${undefined} | ${{ refused: 'state_conflict', facts: { current_status: 'expired' } }}
  ${'increase'} | ${1}         | ${{ refused: 'version_mismatch', facts: { version: 2 } }}
`('a hold that is over answers $action with If-Match $ifMatch alike, visited or not', ({ action, ifMatch, answer }) => {
  for (const isVisited of [true, false]) {
    const hold = placed(1_000);
    memory.now += 1_000;
    if (isVisited) memory.answer(expireHolds([hold]));
    const change =
      action === 'release'
        ? releaseHold(hold, { ifMatch, ...BY })
        : increaseHold(hold, { ifMatch, amount: 200n, ...BY });
    expect(memory.answer(change) as Refusal, isVisited ? 'visited' : 'not visited').toMatchObject(answer);
    expect(memory.get(accountHolds, hold.id)).toMatchObject({ status: 'expired', version: 2, dueAt: null });
    expect(told().slice(-2)).toEqual([
      ['hold.created', hold.id],
      ['hold.expired', hold.id],
    ]);
  }
});
