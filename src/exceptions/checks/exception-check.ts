/** Checks exceptions: events, entries and the thing that each is about agree with its row, and two people settled it. */
import { parseActor } from '../../actor.ts';
import type { CheckContext } from '../../checks/check-context.ts';
import type { Rule } from '../../checks/finding.ts';
import type { RowCheck } from '../../checks/row-check.ts';
import { publicId, resourceReference } from '../../ids.ts';
import { type Exception, isSameActor } from '../exception.ts';
import {
  type ExceptionHistory,
  namedIds,
  readExceptionHistories,
  readExceptionHistoriesById,
} from './exception-check-store.ts';

export const exceptionCheck: RowCheck<ExceptionHistory, bigint> = {
  name: 'exceptions',
  pageRows: 200,
  read: readExceptionHistories,
  readByIds: readExceptionHistoriesById,
  check: checkException,
  placeOf: ({ place }) => place,
};

type Expect = (check: Rule, expected: string, actual: string, detail: string) => void;

function checkException({ report }: CheckContext, history: ExceptionHistory): void {
  const { exception } = history;
  const ids = {
    exception: publicId('exception', exception.id),
    resource: resourceReference(exception.resource, exception.resourceId),
  };
  const expect: Expect = (check, expected, actual, detail) => {
    if (expected !== actual) report({ check, ids, expected, actual, detail });
  };
  expect(
    'exception.resource',
    exception.resource,
    history.resourceExists ? exception.resource : 'nothing',
    'What the exception is about does not exist.',
  );
  checkEvents(history, expect);
  checkEntries(history, expect);
  checkPersons(exception, expect);
}

/** Release 0.2.0 ends an exception without an event, and names nobody. The next migration names the operator alone. */
function isToldOfEnd({ status, handledBy, approvedBy }: Exception): boolean {
  return status === 'approved' && handledBy !== null && approvedBy !== null;
}

function checkEvents({ exception, events }: ExceptionHistory, expect: Expect): void {
  const counted = (type: string) => events.filter((event) => event.type === type).length;
  const ended = isToldOfEnd(exception);
  expect(
    'exception.event',
    `opened ${exception.announced ? 1 : 0}, resolved ${ended ? 1 : 0}`,
    `opened ${counted('exception.opened')}, resolved ${counted('exception.resolved')}`,
    'The events of the exception are not those of its row.',
  );
  const last = events.at(-1);
  if (last === undefined || (exception.status === 'approved' && !ended)) return;
  expect(
    'exception.status',
    exception.status,
    statusIn(last.payload),
    'Its last event shows another status than the row.',
  );
}

function statusIn(payload: string): string {
  try {
    const { data } = JSON.parse(payload) as { data?: { object?: { status?: unknown } } };
    return String(data?.object?.status);
  } catch {
    return 'unreadable';
  }
}

function checkEntries({ exception, own, named }: ExceptionHistory, expect: Expect): void {
  const { id, resourceId, waiting, status } = exception;
  const ids = namedIds(exception);
  const strangers = ids.filter((entryId) => ![id, resourceId].includes(named.get(entryId) ?? ''));
  const missing = own.map((entry) => entry.id).filter((entryId) => !ids.includes(entryId));
  expect(
    'exception.entries',
    'no other entries than its own and those of what it is about',
    strangers.length + missing.length === 0
      ? 'no other entries than its own and those of what it is about'
      : [...strangers, ...missing].map((entryId) => publicId('entry', entryId)).join(', '),
    'The row names entries that are not its own, or leaves some out.',
  );
  if (status === 'adjusted' && ids.length === 0)
    expect('exception.entries', 'an entry', 'none', 'The exception is adjusted, and no entry says how.');
  checkMoved(waiting, own, expect);
}

/** Less than waited, where something else has taken the rest. */
function checkMoved(waiting: Exception['waiting'], own: ExceptionHistory['own'], expect: Expect): void {
  const lines = own.flatMap(({ step, postings }) => postings.map((posting) => ({ step, ...posting })));
  if (lines.length === 0) return;
  const isOfWaiting = ({ step, debitAccountId, amount, currency }: (typeof lines)[number]) =>
    step === 'moved' &&
    debitAccountId === waiting?.accountId &&
    currency === waiting.currency &&
    amount <= waiting.amount;
  const expected = `moved at most ${waiting?.amount} ${waiting?.currency} of ${waiting?.accountId}, once`;
  const moved = lines.map(
    ({ step, debitAccountId, amount, currency }) => `${step} ${amount} ${currency} of ${debitAccountId}`,
  );
  const isRight = lines.length === 1 && lines.every(isOfWaiting);
  expect('exception.moved', expected, isRight ? expected : moved.join(', '), 'What was moved is not what waited.');
}

/** An operator ends exceptions alone, by evidence. */
function checkPersons({ handledBy, approvedBy }: Exception, expect: Expect): void {
  if (handledBy === null || approvedBy === null || parseActor(approvedBy).type === 'operator') return;
  expect(
    'exception.second_person',
    'another person',
    isSameActor(handledBy, approvedBy) ? 'the same person' : 'another person',
    'Who approved is who explained it or moved its money.',
  );
}
