/** A bank account is closed with nothing of it open, and posts nothing more. */
import { expect, test } from 'vitest';
import { StaleRead } from '../../../src/ledger/commit/stale-read.ts';
import { requestClosing } from '../../../src/reconciliation/accounts/close-bank-account.ts';
import { requestUndoing } from '../../../src/reconciliation/matches/handle-match.ts';
import { findFollowing } from '../../../src/reconciliation/statements/bank-statement-store.ts';
import { encodeActor } from '../../../src/values/actor.ts';
import { BEFORE_ALL_IDS, newId, type Uuid } from '../../../src/values/ids.ts';
import { camt, type OperatorsBank } from '../../support/bank-statements.ts';
import { eachBank } from '../../support/each-bank.ts';
import { matchByHand } from '../../support/matched-bank.ts';

let bank: OperatorsBank;
eachBank((opened) => {
  ({ bank } = opened);
});

async function prepared(bankAccountId: Uuid) {
  const asked = { bookId: bank.book.id, requestId: newId(), actor: 'test', bankAccountId, ifMatch: undefined };
  const { command } = await requestClosing.prepare({ pool: bank.pool } as never, asked as never);
  return command;
}

const close = async (bankAccountId: Uuid) => bank.book.submit(await prepared(bankAccountId));

/** By one person, as the API does it. */
async function undo(matchId: Uuid): Promise<void> {
  const actor = encodeActor({ type: 'person', id: newId(), keyId: newId() });
  const asked = { bookId: bank.book.id, requestId: newId(), actor, ownerKind: 'person', reason: 'Wrong', matchId };
  const { command } = await requestUndoing.prepare({ pool: bank.pool } as never, asked as never);
  expect(await bank.book.submit(command)).toMatchObject({ status: 200 });
}

const lineIds = async () =>
  (await bank.book.rows<{ id: Uuid }>('SELECT id FROM bank_lines WHERE book_id = $1 ORDER BY id')).map(({ id }) => id);

test('not with lines that nothing explains, even where they come to nothing', async () => {
  const account = await bank.account();
  const entries = [
    { amount: 5_000, reference: 'S1' },
    { amount: -5_000, reference: 'S2' },
  ];
  await bank.take(camt([{ opening: 0, entries }]));
  expect(await close(account)).toMatchObject({
    ...{ refused: 'state_conflict', facts: { current_status: 'open', allowed_actions: [] } },
    detail: expect.stringContaining('Open lines: 2. Held statements: 0.'),
  });
  await matchByHand(bank, { lines: await lineIds() });
  expect(await close(account)).toMatchObject({ status: 200 });
});

test('not with a statement that is held: one that is accepted is posted, one that is rejected is out of the way', async () => {
  const account = await bank.account();
  await bank.take(camt([{ opening: 5_000, entries: [{ amount: 50, reference: 'S1' }] }]));
  const [held] = await bank.statements();
  expect(await close(account)).toMatchObject({
    refused: 'state_conflict',
    detail: expect.stringContaining('Open lines: 0. Held statements: 1.'),
  });
  await bank.propose(held!.id, 'accept');
  expect(await bank.approve(held!.id)).toMatchObject({ status: 200 });
  await expect(close(account)).rejects.toMatchObject({ code: 'state_conflict', retryable: true });
  await bank.post(held!.id);
  expect(await close(account)).toMatchObject({ refused: 'state_conflict' });
  await bank.take(camt([{ number: '2', on: '2026-11-03', opening: 9_000, entries: [] }], { id: 'M2' }));
  const [, second] = await bank.statements();
  await bank.decide(second!.id, 'reject');
  await matchByHand(bank, { lines: await lineIds(), differenceTo: 'differences' });
  expect(await close(account)).toMatchObject({ refused: 'state_conflict', detail: expect.stringContaining('at zero') });
});

test('what is held or undone behind the count is counted again: nothing of it is left on a closed account', async () => {
  const account = await bank.account();
  const beforeHeld = await prepared(account);
  await bank.take(camt([{ opening: 0, closing: 70, entries: [{ amount: 50, reference: 'S1' }] }]));
  await expect(bank.book.submit(beforeHeld)).rejects.toThrow(StaleRead);
  expect(await close(account)).toMatchObject({ refused: 'state_conflict' });
  const [held] = await bank.statements();
  await bank.decide(held!.id, 'reject');
  const entries = [
    { amount: 5_000, reference: 'S1' },
    { amount: -5_000, reference: 'S2' },
  ];
  await bank.take(camt([{ number: '2', opening: 0, entries }], { id: 'M2' }));
  const open = await bank.book.rows<{ id: Uuid }>("SELECT id FROM bank_lines WHERE book_id = $1 AND status = 'open'");
  const matchId = await matchByHand(bank, { lines: open.map(({ id }) => id) });
  const beforeUndone = await prepared(account);
  await undo(matchId);
  await expect(bank.book.submit(beforeUndone)).rejects.toThrow(StaleRead);
  expect(await close(account)).toMatchObject({
    refused: 'state_conflict',
    detail: expect.stringContaining('Open lines: 2. Held statements: 0.'),
  });
});

test('one that was held when its account was closed, by an earlier release, is accepted by nobody, followed by nothing, and rejected', async () => {
  const account = await bank.account();
  const file = [{ opening: 0, closing: 70, entries: [{ amount: 50, reference: 'S1' }] }];
  await bank.take(camt(file));
  const [held] = await bank.statements();
  const before = { bookId: BEFORE_ALL_IDS, bankAccountId: BEFORE_ALL_IDS, id: BEFORE_ALL_IDS };
  expect(await findFollowing(bank.pool, { after: before, limit: 10 })).toHaveLength(1);
  await bank.propose(held!.id, 'accept');
  await bank.pool.query("UPDATE bank_accounts SET status = 'closed' WHERE id = $1", [account]);
  expect(await findFollowing(bank.pool, { after: before, limit: 10 })).toEqual([]);
  expect(await bank.approve(held!.id)).toMatchObject({ refused: 'state_conflict' });
  expect(await bank.asks(held!.id, 'accept')).toMatchObject({
    ...{ refused: 'state_conflict', facts: { allowed_actions: ['reject'] } },
  });
  expect(await bank.balances()).toEqual({});
  await bank.decide(held!.id, 'reject');
  expect((await bank.statement(held!.id)).status).toBe('rejected');
});
