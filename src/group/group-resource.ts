/**
 * A resource as its group declares it: what entries, holds, keys, exceptions and events name, and where its rows are. How
 * its row moves from step to step is in ledger/rows/resource.ts.
 */

import type { KeyedTable, OnlyRows } from '../db/keyed-table.ts';
import type { Queryable } from '../db/pool.ts';
import type { BookId } from '../ledger/book.ts';
import type { ResourceName, Uuid } from '../values/ids.ts';
import type { Appointment } from './appointment.ts';

export interface GroupResource {
  readonly name: ResourceName;
  /** A row with the resource's id as its key is there as long as the resource is. */
  readonly table: KeyedTable;
  /** Of a table with rows of several resources: which are its own. */
  readonly only?: OnlyRows;
  /** The resource that it belongs to, where it is a child. */
  readonly parent: ResourceName | null;
  /** The names of its events, each with its group. All of them are in the document. */
  readonly events: readonly string[];
  /** What falls due in the book's own time. */
  readonly appointments: readonly Appointment[];
  /** Why an operator changed it, as its timeline shows it beside those of its events that an operator made. */
  readonly operatorReason?: (db: Queryable, bookId: BookId, id: Uuid) => Promise<object | undefined>;
}
