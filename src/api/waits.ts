/**
 * What an answer may wait for, declared by a route: the resource that it shows leaves its first statuses. The pipeline
 * delays the answer (http/pipeline/prefer-wait.ts).
 */

import type { BookId } from '../ledger/book/book.ts';
import type { Resource, Shown, Versioned } from '../ledger/resources/resource.ts';
import type { DeclaredTable } from '../ledger/rows/table-of.ts';
import type { Instant } from '../values/clock.ts';
import type { Uuid } from '../values/ids.ts';
import type { Preference } from './request-headers.ts';
import type { Waiters } from './waiting.ts';

/** The waiters of the process, by table. */
export interface WaitersByTable {
  waitersOf<Row>(table: DeclaredTable<Row>): Waiters<Row>;
}

export interface WaitRequest {
  readonly bookId: BookId;
  readonly id: Uuid;
  readonly seconds: number;
  readonly livemode: boolean;
  readonly wall: Instant;
  /** Aborted when the client has disconnected. */
  readonly signal: AbortSignal;
}

export interface Waits {
  /** Of a request without the header. */
  readonly byDefault: Preference;
  /** The status of an answer whose object has left its first statuses, where it is not that of the stored answer. */
  readonly doneStatus?: number | undefined;
  /** The view of the object once it has left its first statuses or the time is over. Undefined if it was never loaded. */
  latest(waiters: WaitersByTable, request: WaitRequest): Promise<{ view: unknown; isDone: boolean } | undefined>;
}

/** For a route whose answer is one object of the resource: its handler names the object in `RouteAnswer.resourceId`. */
export function waitFor<Row extends Versioned>(
  resource: Resource<Row, Shown>,
  {
    defaultSeconds,
    doneStatus,
    isDone = ({ status = '' }) => !(resource.firstStatuses ?? []).includes(status),
  }: { defaultSeconds?: number; doneStatus?: number; isDone?: (row: Row) => boolean } = {},
): Waits {
  const { table } = resource;
  return {
    doneStatus,
    byDefault: { seconds: defaultSeconds, applied: undefined },
    async latest(waiters, { bookId, id, seconds, livemode, wall, signal }) {
      const row = await waiters.waitersOf(table).waitFor({ bookId, id, isDone, seconds, signal });
      return row && { view: resource.view(row, { livemode, wall }), isDone: isDone(row) };
    },
  };
}
