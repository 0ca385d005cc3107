/**
 * A resource: an object of the API whose row moves from step to step. Each is declared once, in its folder
 * (`payout-resource.ts`); what every step of any of them does is written here, once.
 * Next: declared-resource.ts (what everybody may know of it), change-of.ts (the command of an action on one object).
 */
import type { Queryable } from '../../db/pool.ts';
import type { Instant } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';
import { type WrittenJson, writeJson } from '../../values/json.ts';
import type { BookId } from '../book/book.ts';
import type { Draft } from '../command/draft.ts';
import type { Entry } from '../entry/entry.ts';
import type { KeptEvent } from '../events/event.ts';
import type { EventForm, ShownMembers } from '../events/event-form.ts';
import { AnnouncedObject, type EventRequest } from '../events/event-payload.ts';
import { previousAttributes } from '../events/previous-attributes.ts';
import type { DeclaredTable } from '../rows/table-of.ts';
import type { DeclaredResource } from './declared-resource.ts';

/** For each status, those that may follow. */
export type Transitions<Status extends string = string> = Readonly<Record<Status, readonly Status[]>>;

/** The row of a resource. */
export interface Versioned {
  readonly version: number;
  readonly updatedAt: Instant;
  readonly status?: string;
  /** The entries that it is booked by, where the resource keeps them. */
  readonly entryIds?: readonly Uuid[];
  /**
   * The sequence of its first event, where later ones are stored without the members of that one. Null: they are stored
   * whole.
   */
  readonly firstEvent?: bigint | null;
  /**
   * The form of that event: later ones take from it in the same form alone. Null in rows of versions that had form 1
   * alone.
   */
  readonly firstForm?: number | null;
}

/** What a view needs beside the row. */
export interface Shown {
  readonly livemode: boolean;
  /** The time of the world, for what ends by it and not by the book's time. */
  readonly wall: Instant;
}

/**
 * A resource with its view. Rows of some never change: they have neither versions nor steps. `Context` is `Shown` where the
 * row contains all that the view shows, and the draft where other rows are read as well.
 */
export interface ShownResource<Row, Context = Shown> extends DeclaredResource {
  readonly table: DeclaredTable<Row>;
  /** As the API and events show it. */
  view(row: Row, context: Context): unknown;
  /** A row that is kept and never shown again. */
  isGone?(row: Row): boolean;
}

/** A row of the resource that may be shown. */
export async function findShown<Row>(
  { table, only, isGone }: Pick<ShownResource<Row, never>, 'table' | 'only' | 'isGone'>,
  { db, bookId, id }: { db: Queryable; bookId: BookId; id: Uuid },
): Promise<Row | undefined> {
  const row = await table.find(db, bookId, id);
  if (row === undefined || isGone?.(row)) return undefined;
  return only && valueIn(table, only.column, row) !== only.value ? undefined : row;
}

/** The id of the object that a child's row belongs to. */
export function parentOf<Row>({ table, parent }: Pick<ShownResource<Row, never>, 'table' | 'parent'>, row: Row): Uuid {
  return valueIn(table, parent!.column, row) as Uuid;
}

function valueIn<Row>({ columns }: DeclaredTable<Row>, column: string, row: Row): unknown {
  return columns.find(({ name }) => name === column)!.read(row);
}

export interface Resource<Row extends Versioned, Context = Draft> extends ShownResource<Row, Context> {
  /**
   * `(row, change) => ({ ...row, ...change })`, written by each resource: in one function for the rows of many resources V8
   * takes ten times as long for the copy (4.6 µs instead of 0.4 for thirty members).
   */
  changed(row: Row, change: Partial<Row>): Row;
  /** How its events are kept, where its rows have a place for the first one. Left out: whole. */
  readonly eventForm?: EventForm;
  /** Left out where the row has no status of its own. */
  readonly transitions?: Transitions;
  /** Statuses in which `Prefer: wait` still holds the answer. */
  readonly firstStatuses?: readonly string[];
  /**
   * The members of the view that steps may change, in its order, for resources with many events: their previous values
   * are announced without a second view of the whole. Left out: all of them.
   */
  changingMembers?(row: Row, context: Context): ShownMembers;
  /** Actions that the row allows now. */
  allowedActions?(row: Row, context: Context): readonly string[];
  /** Actions that every status allows and `allowed_actions` does not list. */
  readonly unlistedActions?: readonly string[];
  /** The status, where it is that of another row. */
  statusOf?(row: Row, context: Context): string;
  /** Why an action is refused now. By default what the status is. */
  whyNot?(row: Row, action: string): string;
  /** Whether what stands in the way of an action ends by itself: its refusal is not kept, and the same request may succeed later. */
  passes?(row: Row, action: string): boolean;
  /** The resource in a sentence, where it is not its name. */
  readonly noun?: string;
}

export interface Step {
  /** The type of the event that announces the step. Left out: no event. */
  readonly event?: string;
  /** Entries that the step booked: the event carries them, and the row keeps the ids of its own where it has a place for them. */
  readonly entries?: readonly Entry[];
  /**
   * The object as its view showed it before, for `previous_attributes`. By default the view of the row; given where
   * other rows that the view reads change with the step, or where a step before it emitted no event.
   */
  readonly before?: ShownMembers;
  /** The step changes members that later events leave out: its event has them all, and those take from it from then on. */
  readonly restates?: true;
}

const NO_ENTRIES: readonly Entry[] = [];

/** What every step sets. */
interface Changing {
  version: number;
  updatedAt: Instant;
  entryIds?: readonly Uuid[];
}

/**
 * Moves a row one step on: its version counts up, its entries are added, its event is emitted. Returns the new row. Throws
 * for a status that the transition table does not allow: that is a bug, never an answer.
 */
export function advance<Row extends Versioned>(
  draft: Draft,
  resource: Resource<Row>,
  row: Row,
  change: Partial<Row>,
  { event, entries = NO_ENTRIES, before, restates }: Step = {},
): Row {
  const { status } = change;
  if (status !== undefined) requireTransition(resource, row.status, status);
  const shownBefore = event === undefined ? undefined : (before ?? changingBy(draft, resource, row));
  // Members only change, none is added: the rows of a resource keep one hidden class (docs/decisions/hidden-classes.md).
  const next: Row & Changing = resource.changed(row, change);
  next.version = row.version + 1;
  next.updatedAt = draft.moment.book;
  const id = resource.table.idOf(next);
  if (entries.length > 0 && next.entryIds !== undefined) next.entryIds = withOwn(next.entryIds, id, entries);
  const kept = draft.put<Row>(resource.table, id, next);
  if (event === undefined) return kept;
  const announced = draft.emit(eventOf(draft, resource, kept, { event, entries, before: shownBefore, restates }));
  if (!restates || !kept.firstEvent) return kept;
  return draft.put(resource.table, id, resource.changed(kept, firstOf<Row>(announced)));
}

/** What a row has of the event that later ones take from. */
function firstOf<Row extends Versioned>({ form, sequence }: Pick<KeptEvent, 'form' | 'sequence'>): Partial<Row> {
  return { firstEvent: form === null ? null : sequence, firstForm: form } as Partial<Row>;
}

/** Entries of a child are the child's: the list of a row does not grow with its children. */
function withOwn(known: readonly Uuid[], id: Uuid, entries: readonly Entry[]): readonly Uuid[] {
  const own = entries.filter(({ resourceId }) => resourceId === id);
  return own.length === 0 ? known : [...known, ...own.map((entry) => entry.id)];
}

/** Puts the first row of an object and announces it. Returns its view, written once for the event and for the answer. */
export function begin<Row extends Versioned>(
  draft: Draft,
  resource: Resource<Row>,
  row: Row,
  event: string,
): AnnouncedObject {
  const { table, eventForm } = resource;
  const id = table.idOf(row);
  const kept = draft.put(table, id, row);
  const shown = shownBy(draft, resource, kept);
  const text = writeJson(shown);
  const derivation = eventForm && { form: eventForm, firstSequence: null, shown };
  const emitted = draft.emit({ type: event, objectId: id, objectSequence: row.version, object: text, derivation });
  // Later events refer to this one for the members that they leave out, if it has a form.
  if (emitted.form !== null) draft.put(table, id, resource.changed(kept, firstOf<Row>(emitted)));
  return new AnnouncedObject(text, emitted.sequence);
}

/** Emits an event about an object as it is in the draft. Returns its body, for an answer that shows it. */
export function announce<Row extends Versioned>(
  draft: Draft,
  resource: Resource<Row>,
  row: Row,
  step: Step & { readonly event: string },
): WrittenJson {
  return draft.emitShown(eventOf(draft, resource, row, step));
}

function eventOf<Row extends Versioned>(
  draft: Draft,
  resource: Resource<Row>,
  row: Row,
  { event, entries, before, restates }: Step & { readonly event: string },
): EventRequest {
  const shown = shownBy(draft, resource, row);
  const { eventForm } = resource;
  const known = row.firstForm === eventForm?.number ? (row.firstEvent ?? null) : null;
  const firstSequence = restates ? null : known;
  return {
    type: event,
    objectId: resource.table.idOf(row),
    objectSequence: row.version,
    object: shown,
    previousAttributes: before && previousAttributes(before, shown),
    entries,
    derivation: eventForm && known !== null ? { form: eventForm, firstSequence, shown } : undefined,
  };
}

/** An object as it is in the draft. */
export function shownBy<Row extends Versioned>(
  draft: Draft,
  { view }: Pick<Resource<Row>, 'view'>,
  row: Row,
): ShownMembers {
  return view(row, draft) as ShownMembers;
}

/** What a step of the object may show otherwise behind it. */
function changingBy<Row extends Versioned>(draft: Draft, resource: Resource<Row>, row: Row): ShownMembers {
  return resource.changingMembers?.(row, draft) ?? shownBy(draft, resource, row);
}

/** Throws for a status that cannot follow. The same status again is no transition. */
export function requireTransition(
  { name, transitions }: { readonly name: string; readonly transitions?: Transitions },
  from: string | undefined,
  to: string,
): void {
  if (from === to || (from !== undefined && transitions?.[from]?.includes(to))) return;
  throw new Error(`The ${name} does not go from ${from} to ${to}`);
}
