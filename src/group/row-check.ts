/**
 * A check of rows, one by one, as `npm run verify` (all rows, or what came since), the audit and the fault scenarios run
 * it. It is declared with the group whose rows it reads.
 */

import type { LedgerEvent } from '../ledger/events/event.ts';
import type { Instant } from '../values/clock.ts';
import type { Uuid } from '../values/ids.ts';
import type { CheckContext } from './check-context.ts';
import type { Until } from './until.ts';

export interface RowCheck<Row = unknown, Place = unknown> {
  /** The rows that it reads, shown with its progress. */
  readonly name: string;
  /** A page may be shorter than it was asked for: an empty one ends the list. */
  readonly mayBeShort?: true;
  /** Rows in one page of a whole verification. The audit reads fewer. */
  readonly pageRows: number;
  /**
   * A page in order of key: each row with all that must agree with it, as of one moment. A round of the audit sets how
   * far it goes, for keys that do not contain when they were made.
   */
  read(
    context: CheckContext,
    page: { after: Place | undefined; limit: number; until?: Until | undefined },
  ): Promise<readonly Row[]>;
  /** Rows that these objects of events are, or that change with them. Left out where no event announces a change. */
  readByIds?(context: CheckContext, ids: readonly Uuid[]): Promise<readonly Row[]>;
  /**
   * A page in order of key of the rows that were changed since a moment of the book's time, for changes that emit no event and post no
   * entry, and for rows that are too dear to read with every page of events. Its places are those of `read`.
   */
  readSince?(
    context: CheckContext,
    page: { since: Instant; after: Place | undefined; limit: number },
  ): Promise<readonly Row[]>;
  /** Holds that change with the row. */
  holdsOf?(row: Row): readonly Uuid[];
  check(context: CheckContext, row: Row): void;
  /** Where the page behind the row begins. A round of the audit leaves out what came after it began. */
  placeOf(row: Row, until: Until | undefined): Place;
}

/** A check of events, window by window, against rows of a group. */
export interface EventCheck {
  readonly name: string;
  /** Called before the events are read, so that rows that come meanwhile are not missed. */
  begin(context: CheckContext): Promise<(events: readonly LedgerEvent[]) => Promise<void>>;
}
