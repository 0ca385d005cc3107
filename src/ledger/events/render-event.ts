/**
 * Renders the text of a stored event: the same bytes as when it was written, except for personal text (rows/personal-text.ts). All
 * readers of events use this function: deliveries, lists, timelines, verification, proofs, erasures. Nothing is parsed: texts
 * of values are copied from the event, from the object's first event, and from the columns of the event's row.
 */
import { formatInstant, type Instant } from '../../values/clock.ts';
import { publicId, type Uuid } from '../../values/ids.ts';
import { endOfValue, inOnePiece, valuesOf } from '../../values/json.ts';
import { chartAccountId } from '../account/chart.ts';
import type { BookId } from '../book/book.ts';
import { ACCOUNTS_BY_PLACE, EVENT_FORMS, type EventForm, type Member, SHARED_MEMBERS } from './event-form.ts';

/** A row of events as `keptColumns` selects it (event-read-store.ts). */
export interface KeptEventRow {
  readonly book_id: BookId;
  readonly sequence: bigint;
  readonly id: Uuid;
  readonly type: string;
  readonly object_id: Uuid;
  readonly request_id: Uuid;
  readonly created_at: Instant;
  readonly payload: string;
  readonly text_references: string | null;
  /** Null: the payload is the text. */
  readonly form: number | null;
  /** Null in the object's first event. */
  readonly first_sequence: bigint | null;
  /** Of the object's first event. */
  readonly first_payload: string | null;
  readonly first_request_id: Uuid | null;
  readonly first_created_at: Instant | null;
}

/** The stored values do not fit the form, or the first event is missing: something other than the product wrote the rows. */
export class UnreadableEvent extends RangeError {
  override name = 'UnreadableEvent';
}

/** Throws UnreadableEvent. */
export function wholePayload(row: KeptEventRow): string {
  if (row.form === null && row.first_sequence === null) return row.payload;
  if (row.form === null) throw new UnreadableEvent(`Event ${row.id} names a first event, and is kept in no form`);
  const form = EVENT_FORMS.get(row.form);
  if (form === undefined)
    throw new UnreadableEvent(`Event ${row.id} is kept in form ${row.form}, which is unknown here`);
  return inOnePiece(render(layoutOf(form), row));
}

/** The object in the text of an event. No text of a client comes before it. */
export function objectIn(payload: string): string {
  const from = payload.indexOf(OBJECT) + OBJECT.length;
  return payload.slice(from, endOfValue(payload, from));
}
const OBJECT = '"data":{"object":';

/** The values before the members: object sequence, previous attributes, entries. */
const HEAD = 3;
const VALUES_OF_ENTRY = 4;
const VALUES_OF_POSTING = 7;

/** A member, with the positions of its value. */
interface Place extends Member {
  /** `"amount":`, with the comma before it. */
  readonly label: string;
  /** Among the values of the object's first event. */
  readonly inFirst: number;
  /** Among the values of a later event. Undefined for members that only the first event stores. */
  readonly inLater: number | undefined;
}

/** A form laid out for reading. */
interface Layout {
  readonly form: EventForm;
  readonly places: readonly Place[];
  readonly valuesOfFirst: number;
  readonly valuesOfLater: number;
  /** Positions in the first event of values that the text also shows outside the object. */
  readonly shared: Readonly<Record<(typeof SHARED_MEMBERS)[number], number>>;
}

const layouts = new Map<EventForm, Layout>();

function layoutOf(form: EventForm): Layout {
  let layout = layouts.get(form);
  if (layout === undefined) {
    layout = layOut(form);
    layouts.set(form, layout);
  }
  return layout;
}

function layOut(form: EventForm): Layout {
  let later = HEAD;
  const places = form.members.map((member, at) => ({
    ...member,
    label: `${at === 0 ? '' : ','}"${member.name}":`,
    inFirst: HEAD + at,
    inLater: member.keeping === 'first' ? undefined : later++,
  }));
  const shared = SHARED_MEMBERS.map((name) => [name, places.find((place) => place.name === name)!.inFirst]);
  return {
    form,
    places,
    valuesOfFirst: HEAD + places.length,
    valuesOfLater: later,
    shared: Object.fromEntries(shared) as Layout['shared'],
  };
}

/** The parts of a stored event: texts of its values, and of columns of its row. All of them are JSON. */
interface Parts {
  readonly values: readonly string[];
  readonly requestId: string;
  readonly createdAt: string;
}

/** The rows and values that the texts of members and entries are rendered from. */
interface Known {
  readonly layout: Layout;
  readonly row: KeptEventRow;
  readonly objectId: string;
  readonly own: Parts;
  /** Of the object's first event, which this may be. */
  readonly first: Parts;
  /** Ids of the entries that the event carries. */
  readonly entryIds: string[];
}

function partsOf(payload: string, requestId: Uuid, createdAt: Instant): Parts {
  return {
    values: valuesOf(payload),
    requestId: `"${publicId('request', requestId)}"`,
    createdAt: `"${formatInstant(createdAt)}"`,
  };
}

function render(layout: Layout, row: KeptEventRow): string {
  const isFirst = row.first_sequence === null;
  const own = partsOf(row.payload, row.request_id, row.created_at);
  const first = isFirst ? own : firstParts(row);
  const expected = isFirst ? layout.valuesOfFirst : layout.valuesOfLater;
  if (own.values.length !== expected || first.values.length !== layout.valuesOfFirst)
    throw new UnreadableEvent(`Event ${row.id}, or the first one of its object, is not kept as its form says`);
  const objectId = `"${publicId(layout.form.idKind, row.object_id)}"`;
  const known: Known = { layout, row, objectId, own, first, entryIds: [] };
  const [objectSequence, previous, entries] = own.values;
  const journal = valuesOf(entries!).map((entry) => renderEntry(known, entry));
  let object = '';
  for (const place of layout.places) object += place.label + renderMember(known, place, isFirst);
  const id = publicId('event', row.id);
  const livemode = first.values[layout.shared.livemode];
  return (
    `{"id":"${id}","object":"event","type":"${row.type}","sequence":${row.sequence},"object_sequence":${objectSequence},` +
    `"created_at":${own.createdAt},"livemode":${livemode},"request_id":${own.requestId},` +
    `"data":{"object":{${object}},"previous_attributes":${renderPrevious(known, previous!, isFirst)}},"journal_entries":[${journal.join(',')}]}`
  );
}

function renderPrevious(known: Known, kept: string, isFirst: boolean): string {
  if (kept.startsWith('{')) return kept;
  const { layout, row } = known;
  const values = valuesOf(kept);
  let previous = '';
  for (let at = 0; at < values.length; at += 2) {
    const place = layout.places[Number(values[at])];
    const value = values[at + 1];
    if (place === undefined || value === undefined)
      throw new UnreadableEvent(`Event ${row.id} says of its object before what is no member of it`);
    previous += `${previous === '' ? '' : ','}"${place.name}":${renderBefore(known, place, { value, isFirst })}`;
  }
  return `{${previous}}`;
}

function renderBefore(known: Known, place: Place, { value, isFirst }: { value: string; isFirst: boolean }): string {
  if (place.copyOf === 'entries') {
    const now = valuesOf(renderMember(known, place, isFirst));
    return `[${now.slice(0, Number(value)).join(',')}]`;
  }
  return value === '0' ? renderValue(known, known.first, place, known.first.values[place.inFirst]!) : value;
}

function firstParts(row: KeptEventRow): Parts {
  if (row.first_payload === null)
    throw new UnreadableEvent(`The first event of the object of event ${row.id} is not there`);
  return partsOf(row.first_payload, row.first_request_id!, row.first_created_at!);
}

function renderMember(known: Known, place: Place, isFirst: boolean): string {
  const { own, first } = known;
  const value = place.inLater === undefined ? undefined : own.values[place.inLater];
  const isOfFirst = isFirst || value === undefined || (place.keeping === 'text' && value === '0');
  return isOfFirst
    ? renderValue(known, first, place, first.values[place.inFirst]!)
    : renderValue(known, own, place, value);
}

/** `parts`: of the event that keeps the value. */
function renderValue(known: Known, parts: Parts, { copyOf, usual }: Member, value: string): string {
  if (copyOf === 'entries')
    return `[${valuesOf(value)
      .map((item) => entryId(known, item))
      .join(',')}]`;
  if (value !== '0') return value;
  switch (copyOf) {
    case undefined:
      return usual ?? value;
    case 'object':
      return `"${known.layout.form.object}"`;
    case 'object_id':
      return known.objectId;
    case 'object_sequence':
      return parts.values[0]!;
    case 'created_at':
      return parts.createdAt;
    case 'request_id':
      return parts.requestId;
  }
}

/** An id is kept as it is, or as the place of an entry that the event carries. */
function entryId({ entryIds, row }: Known, item: string): string {
  if (item.startsWith('"')) return item;
  const id = entryIds[Number(item)];
  if (id === undefined) throw new UnreadableEvent(`Event ${row.id} names an entry that it does not carry`);
  return id;
}

function renderEntry(known: Known, kept: string): string {
  const { layout, row, objectId, own, entryIds } = known;
  if (kept.startsWith('{')) {
    entryIds.push(kept.slice('{"id":'.length, endOfValue(kept, '{"id":'.length)));
    return kept;
  }
  const values = valuesOf(kept);
  const [step, sequence, distance, hash] = values;
  const id = `"${publicId('entry', idBefore(row.id, Number(distance)))}"`;
  entryIds.push(id);
  let postings = '';
  for (let at = VALUES_OF_ENTRY; at < values.length; at += VALUES_OF_POSTING)
    postings += (postings === '' ? '' : ',') + renderPosting(known, values.slice(at, at + VALUES_OF_POSTING));
  return (
    `{"id":${id},"object":"journal_entry","sequence":${sequence},"resource":"${layout.form.object}","resource_id":${objectId},` +
    `"step":${step},"posted_at":${own.createdAt},"effective_at":${own.createdAt},"request_id":${own.requestId},` +
    `"floor_overridden":false,"hash":"${Buffer.from(hash!, 'base64url').toString('hex')}","postings":[${postings}]}`
  );
}

/** The id that comes so far before another in a command's sequence (idSequence). */
function idBefore(id: Uuid, distance: number): Uuid {
  const tail = (Number.parseInt(id.slice(-4), 16) - distance) & 0xffff;
  return id.slice(0, -4) + tail.toString(16).padStart(4, '0');
}

function renderPosting(
  known: Known,
  [debit, debitLine, debitBalance, credit, creditLine, creditBalance, amount]: string[],
) {
  const { values } = known.first;
  const { currency, currency_exponent: exponent } = known.layout.shared;
  return (
    `{"debit":${renderLine(known, debit!)},"sequence":${debitLine},"balance_after":${debitBalance}},` +
    `"credit":${renderLine(known, credit!)},"sequence":${creditLine},"balance_after":${creditBalance}},` +
    `"amount":${amount},"currency":${values[currency]},"currency_exponent":${values[exponent]}}`
  );
}

/** Account and code, up to where the line's number follows. */
function renderLine({ layout, row, first }: Known, account: string): string {
  if (account.startsWith('"')) return `{"account":${account},"code":"customer"`;
  const place = Number(account);
  if (place === 0) return `{"account":${first.values[layout.shared.account]},"code":"customer"`;
  const code = ACCOUNTS_BY_PLACE[place];
  if (code === undefined) throw new UnreadableEvent(`Event ${row.id} names account ${account}, which no chart has`);
  const currency = first.values[layout.shared.currency]!.slice(1, -1);
  return `{"account":"${publicId('account', chartAccountId(row.book_id, code, currency))}","code":"${code}"`;
}
