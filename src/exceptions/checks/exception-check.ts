/** Checks exceptions: events, entries and the resource of each agree with its row, and two people ended it. */

import type { CheckContext } from '../../group/check-context.ts';
import { equationOf } from '../../group/equation.ts';
import type { Rule } from '../../group/finding.ts';
import type { RowCheck } from '../../group/row-check.ts';
import { parseActor } from '../../values/actor.ts';
import { publicId, resourceReference } from '../../values/ids.ts';
import { booksTarget, type Exception, isAtBank, isSameActor } from '../exception.ts';
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

/** What two persons moved from the bank. Moves between accounts of customers touch no account of the chart (checkMoved). */
export const exceptionEquation = equationOf({
  rows: exceptionCheck,
  resources: ['exception'],
  codes: ['pool'],
  balancesOf: ({ exception, own: entries }) => {
    const { id, waiting, targetAccountId, status } = exception;
    if (waiting === null || !isAtBank(exception)) return [];
    const isBooked = booksTarget(exception);
    const amount = status === 'approved' && isBooked ? waiting.amount : 0n;
    const customers = isBooked ? ([[targetAccountId!, amount]] as const) : [];
    return [
      { ...{ resource: 'exception', id, currency: waiting.currency, entries }, chart: { pool: -amount }, customers },
    ];
  },
});

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

/** An exception that ended before exceptions had stages has no event of it, and names its operator alone. */
function hasEndEvent({ status, handledBy, approvedBy }: Exception): boolean {
  return status === 'approved' && handledBy !== null && approvedBy !== null;
}

function checkEvents({ exception, events }: ExceptionHistory, expect: Expect): void {
  const counted = (type: string) => events.filter((event) => event.type === type).length;
  const ended = hasEndEvent(exception);
  expect(
    'exception.event',
    `opened ${exception.announced ? 1 : 0}, resolved ${ended ? 1 : 0}`,
    `opened ${counted('exception.opened')}, resolved ${counted('exception.resolved')}`,
    'The events of the exception are not those of its row.',
  );
  const last = events.at(-1);
  if (last === undefined || (exception.status === 'approved' && !ended)) return;
  const shown = shownIn(last.payload);
  expect(
    'exception.status',
    exception.status,
    String(shown?.status ?? 'unreadable'),
    'Its last event shows another status than the row.',
  );
  expect(
    'exception.waiting',
    String(exception.waiting?.amount ?? 'nothing'),
    String(shown?.waiting?.amount ?? 'nothing'),
    'Its last event shows that another amount waits than the row.',
  );
}

/** What an event shows of the exception; undefined where the event cannot be read. */
function shownIn(payload: string): { status?: unknown; waiting?: { amount?: unknown } | null } | undefined {
  try {
    const { data } = JSON.parse(payload) as { data?: { object?: { status?: unknown } } };
    return data?.object;
  } catch {
    return undefined;
  }
}

function checkEntries({ exception, own, named }: ExceptionHistory, expect: Expect): void {
  const { id, resource, resourceId, waiting, status } = exception;
  const isAhead = isAtBank(exception);
  const ids = namedIds(exception);
  const strangers = ids.filter((entryId) => {
    const of = named.get(entryId);
    // A line that is booked after all is a message of its transaction.
    if (resource === 'clearing_line' && of?.resource === 'transaction_message') return false;
    return of === undefined || ![id, resourceId].includes(of.resourceId);
  });
  const missing = own.map((entry) => entry.id).filter((entryId) => !ids.includes(entryId));
  expect(
    'exception.entries',
    'no other entries than its own and those of what it is about',
    strangers.length + missing.length === 0
      ? 'no other entries than its own and those of what it is about'
      : [...strangers, ...missing].map((entryId) => publicId('entry', entryId)).join(', '),
    'The row names entries that are not its own, or leaves some out.',
  );
  // What waits at the bank is booked by the approval.
  if (status === 'adjusted' && ids.length === 0 && !isAhead)
    expect('exception.entries', 'an entry', 'none', 'The exception is adjusted, and no entry says how.');
  if (isAhead) checkMovedFromBank(exception, own, expect);
  else checkMoved(waiting, own, expect);
}

/** All of it from the pool to the account that one person named and another approved. */
function checkMovedFromBank(exception: Exception, own: ExceptionHistory['own'], expect: Expect): void {
  const { waiting, status, targetAccountId } = exception;
  const isMoved = status === 'approved' && booksTarget(exception);
  const expected = isMoved ? `moved to ${targetAccountId} ${waiting!.amount} ${waiting!.currency}` : 'nothing';
  const moved = own.flatMap(({ step, postings }) =>
    postings.map(({ creditAccountId, amount, currency }) => `${step} to ${creditAccountId} ${amount} ${currency}`),
  );
  expect('exception.moved', expected, moved.join(', ') || 'nothing', 'What was moved is not what two persons decided.');
}

/** All that waited or, where another entry had taken a part of it, the rest of the account. */
function checkMoved(waiting: Exception['waiting'], own: ExceptionHistory['own'], expect: Expect): void {
  const lines = own.flatMap(({ step, postings }) => postings.map((posting) => ({ step, ...posting })));
  if (lines.length === 0) return;
  const isRight = ({ step, debitAccountId, amount, currency, debitBalanceAfter }: (typeof lines)[number]) =>
    step === 'moved' &&
    debitAccountId === waiting?.accountId &&
    currency === waiting.currency &&
    (amount === waiting.amount || (amount < waiting.amount && debitBalanceAfter === 0n));
  const expected = `moved ${waiting?.accountId} ${waiting?.amount} ${waiting?.currency}, or what was left of it`;
  const moved = lines.map((line) => `${line.step} ${line.debitAccountId} ${line.amount} ${line.currency}`).join(', ');
  const isOne = lines.length === 1 && lines.every(isRight);
  expect('exception.moved', expected, isOne ? expected : moved, 'What was moved is not what waited.');
}

/** An operator ends exceptions alone, by evidence. */
function checkPersons({ handledBy, approvedBy }: Exception, expect: Expect): void {
  if (handledBy === null || approvedBy === null) return;
  // Evidence ends an exception without a second person: an operator's, or the file that was missing.
  const { type } = parseActor(approvedBy);
  if (type === 'operator' || type === 'system') return;
  expect(
    'exception.second_person',
    'another person',
    isSameActor(handledBy, approvedBy) ? 'the same person' : 'another person',
    'Who approved is who explained it or moved its money.',
  );
}
