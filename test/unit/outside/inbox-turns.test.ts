import { beforeEach, expect, test } from 'vitest';
import { INBOXES_AT_ONCE, InboxTurns } from '../../../src/outside/notices/inbox-turns.ts';
import type { Inbox } from '../../../src/outside/notices/notice.ts';

/** The inboxes in progress, and how to end each. */
let taking: Map<string, { end: (isUnfinished?: boolean) => void; fail: (error: Error) => void }>;
let enqueued: string[];
let turns: InboxTurns;

beforeEach(() => {
  taking = new Map();
  enqueued = [];
  turns = new InboxTurns({
    take: ({ bookId }) =>
      new Promise<{ isUnfinished: boolean }>((resolve, fail) => {
        taking.set(bookId, { end: (isUnfinished = false) => resolve({ isUnfinished }), fail });
      }).finally(() => taking.delete(bookId)),
    enqueue: ({ bookId }) => enqueued.push(bookId),
  });
});

const inbox = (bookId: string): Inbox => ({ bookId, party: 'sandbox' });

test('a job of an inbox in progress does not wait, and the inbox is enqueued again afterwards', async () => {
  const first = turns.take(inbox('busy'));
  await turns.take(inbox('busy'));
  await turns.take(inbox('busy'));
  expect(taking.size).toBe(1);
  expect(enqueued).toEqual([]);
  taking.get('busy')!.end();
  await first;
  expect(enqueued).toEqual(['busy']);
});

test('an inbox without another job is not enqueued', async () => {
  const first = turns.take(inbox('quiet'));
  taking.get('quiet')!.end();
  await first;
  expect(enqueued).toEqual([]);
});

test('an inbox whose job ends with due notices is enqueued again, behind the others', async () => {
  const first = turns.take(inbox('large'));
  taking.get('large')!.end(true);
  await first;
  expect(enqueued).toEqual(['large']);
});

test('busy inboxes leave places for the other jobs of the pool', async () => {
  const crowded = Array.from({ length: INBOXES_AT_ONCE }, (_, number) => turns.take(inbox(`crowded ${number}`)));
  await turns.take(inbox('one more'));
  expect([...taking.keys()]).not.toContain('one more');
  taking.get('crowded 3')!.end();
  await crowded[3];
  const next = turns.take(inbox('one more'));
  expect([...taking.keys()]).toContain('one more');
  for (const { end } of taking.values()) end();
  await Promise.all([...crowded, next]);
});

test('an inbox that fails is free again, and its job fails', async () => {
  const first = turns.take(inbox('broken'));
  taking.get('broken')!.fail(new Error('no database'));
  await expect(first).rejects.toThrow('no database');
  const second = turns.take(inbox('broken'));
  expect(taking.size).toBe(1);
  taking.get('broken')!.end();
  await second;
});
