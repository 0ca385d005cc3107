/**
 * The parts of a book that the audit checks, a page at a time, with the checks of `npm run verify`. A page is small
 * enough to run beside the posting: some tens of milliseconds of one connection, no lock, and no snapshot beyond its
 * own statements.
 */

import type { BookBounds, CheckContext } from '../group/check-context.ts';
import type { Group } from '../group/group.ts';
import type { RowCheck } from '../group/row-check.ts';
import { behindNewIds, type Until } from '../group/until.ts';
import { checkAccounts } from '../verify/account-window.ts';
import { bookCheck } from '../verify/book-check.ts';
import { checkEntryWindow, type Window } from '../verify/entry-window.ts';
import { checkEventWindow } from '../verify/event-window.ts';
import { checkHold } from '../verify/hold-check.ts';
import { readHolds } from '../verify/hold-check-store.ts';
import { checkStepReference, reportOddStep } from '../verify/hold-step-check.ts';
import { readOddSteps, readStepReferences, type StepReference } from '../verify/hold-step-store.ts';
import { orphanCheck } from '../verify/orphan-check.ts';
import { rowChecksOf } from '../verify/tied-rows.ts';
import { readNewestLines } from '../verify/window-store.ts';

/**
 * Checks the page that begins at `place`. Resolves to where the next page begins, or to undefined at the end of the
 * part.
 */
type Turn<Place> = (context: CheckContext, place: Place | undefined, until: Until) => Promise<Place | undefined>;

interface Part {
  readonly name: string;
  readonly turn: Turn<unknown>;
}

/** Entries or events in one page. An entry comes with its postings, an event with a payload of two kilobytes. */
const WINDOW = 500n;
/** Rows in one page, each with the rows that belong to it. */
const ROWS = 500;
const NO_ID = '00000000-0000-0000-0000-000000000000';

export function partsOf(groups: readonly Group[]): Part[] {
  const eventChecks = groups.flatMap((group) => group.eventChecks ?? []);
  return [
    part(
      'entries',
      windows(({ entrySequence }) => entrySequence, checkEntryWindow),
    ),
    part<string>('accounts', async (context, after = NO_ID, until) => {
      const accounts = await readNewestLines(context.pool, context.book.id, { after, limit: ROWS });
      await checkAccounts(context, accounts);
      return accounts.length < ROWS ? undefined : behindNewIds(accounts.at(-1)!.id, until);
    }),
    part<string>(
      'holds',
      pages({
        read: ({ pool, book, resources }, page) => readHolds(pool, book.id, { ...page, resources }),
        check: checkHold,
        placeOf: ({ id }, until) => behindNewIds(id, until),
      }),
    ),
    part<string>('steps of holds', async (context, after, until) => {
      const { last, odd } = await readOddSteps(context.pool, context.book.id, { after, limit: ROWS });
      for (const step of odd) reportOddStep(context, step);
      return last && behindNewIds(last, until);
    }),
    part<StepReference>(
      'holds of steps',
      pages({
        read: ({ pool, book }, page) => readStepReferences(pool, book.id, page),
        check: checkStepReference,
        placeOf(step, until) {
          const holdId = behindNewIds(step.holdId, until);
          return holdId === step.holdId ? step : { ...step, holdId, ordinal: 0 };
        },
      }),
    ),
    part(
      'events',
      windows(
        ({ eventSequence }) => eventSequence,
        (context, window) => checkEventWindow(context, window, eventChecks),
      ),
    ),
    ...groups.flatMap(rowChecksOf).map((check) => part(check.name, pages(check))),
    part('book', async (context) => void (await bookCheck.run(context))),
    part('orphan rows', async (context) => void (await orphanCheck.run(context))),
  ];
}

function part<Place>(name: string, turn: Turn<Place>): Part {
  return { name, turn: turn as Turn<unknown> };
}

/** Pages through rows that are numbered without a gap: WINDOW sequences at a time, up to the head of the book. */
function windows(
  headOf: (book: BookBounds) => bigint,
  check: (context: CheckContext, window: Window) => Promise<unknown>,
): Turn<bigint> {
  return async (context, after = 0n, until) => {
    // A restore may have set the book back meanwhile.
    const [now, opened] = [headOf(context.book), headOf(until.head)];
    const head = now < opened ? now : opened;
    const upTo = after + WINDOW < head ? after + WINDOW : head;
    if (upTo > after) await check(context, { after, upTo });
    return upTo < head ? upTo : undefined;
  };
}

/** Pages through rows that are read in the order of a key. */
function pages<Row, Place>({
  read,
  check,
  placeOf,
  mayBeShort,
}: Pick<RowCheck<Row, Place>, 'read' | 'check' | 'placeOf' | 'mayBeShort'>): Turn<Place> {
  return async (context, after, until) => {
    const rows = await read(context, { after, limit: ROWS, until });
    for (const row of rows) check(context, row);
    context.advance(rows.length);
    const last = rows.at(-1);
    return last === undefined || (rows.length < ROWS && !mayBeShort) ? undefined : placeOf(last, until);
  };
}
