/**
 * Writes an event in a form: only what is stored nowhere else. The result is a JSON array: the object's sequence, the
 * previous attributes, the entries, then the members that the event stores, in the order of the form. Pure.
 *
 * The previous attributes are an array of pairs: the member's position in the form, and its previous value. The value is 0 if
 * the object's first event has it, and for a list of entries the previous number of entries. Previous attributes that cannot
 * be written so are stored as an object.
 *
 * An entry is an array: step, sequence, the distance of its id before the event's, hash (base64url), and seven values for each
 * posting: debit account, its line and balance, the same of the credit account, amount. An account is its position in
 * ACCOUNTS_BY_PLACE, or the public id of a customer's account. An entry that cannot be written so is stored as its view.
 */
import { formatInstant } from '../../values/clock.ts';
import { publicId, type Uuid } from '../../values/ids.ts';
import { ApartText, keptJson } from '../../values/json.ts';
import { chartAccountId } from '../account/chart.ts';
import type { Entry, Posting } from '../entry/entry.ts';
import { journalEntryView } from '../entry/entry-view.ts';
import { ACCOUNTS_BY_PLACE, type Derivation, type EventForm, type Member, type ShownMembers } from './event-form.ts';
import type { EventFacts, EventRequest } from './event-payload.ts';

export interface DerivedEvent {
  readonly text: string;
  /** Personal text that the rendered text shows and that is stored apart. */
  readonly apart: readonly ApartText[];
}

/** The facts that members and entries are compared with. */
interface Known {
  readonly form: EventForm;
  readonly event: EventRequest;
  readonly facts: EventFacts;
  readonly shown: ShownMembers;
  readonly createdAt: string;
  readonly entries: readonly Entry[];
  /** Ids of the entries, as the API shows them. */
  readonly entryIds: readonly string[];
}

const NO_ENTRIES: readonly Entry[] = [];

/** Undefined if the view has other members than the form: such an event is stored as its whole text. */
export function deriveEvent(
  { form, firstSequence, shown }: Derivation,
  event: EventRequest,
  facts: EventFacts,
): DerivedEvent | undefined {
  if (!hasMembers(form, shown) || shown.livemode !== facts.livemode) return undefined;
  const entries = event.entries ?? NO_ENTRIES;
  const known: Known = {
    form,
    event,
    facts,
    shown,
    createdAt: formatInstant(facts.moment),
    entries,
    entryIds: entries.map(({ id }) => publicId('entry', id)),
  };
  // Texts are listed in the order in which the whole event shows them: the object comes first there.
  const apart: ApartText[] = [];
  const behind: ApartText[] = [];
  let text = `[${event.objectSequence},${previousText(known, firstSequence, behind)},[`;
  for (let index = 0; index < entries.length; index++)
    text += (index === 0 ? '' : ',') + entryText(known, entries[index]!, behind);
  text += ']';
  for (const member of form.members) {
    const value = shown[member.name];
    if (firstSequence === null || member.keeping === 'each') text += `,${memberText(known, member, value, apart)}`;
    else if (member.keeping === 'text') text += `,${firstText(value, apart)}`;
  }
  if (behind.length > 0) apart.push(...behind);
  return { text: `${text}]`, apart };
}

function previousText({ form, event, shown }: Known, firstSequence: bigint | null, apart: ApartText[]): string {
  const previous = event.previousAttributes;
  if (previous === undefined) return '{}';
  // The second version follows the first, whose values the object's first event shows.
  const isOfFirst = firstSequence !== null && event.objectSequence === 2;
  let text = '';
  for (const name in previous) {
    const place = form.members.findIndex((member) => member.name === name);
    const kept = previousValue(form.members[place], previous[name], { now: shown[name], isOfFirst, apart });
    if (kept === undefined) return keptJson(previous, apart);
    text += `${text === '' ? '' : ','}${place},${kept}`;
  }
  return text === '' ? '{}' : `[${text}]`;
}

/** Undefined if the previous attributes must be stored as an object. */
function previousValue(
  member: Member | undefined,
  value: unknown,
  { now, isOfFirst, apart }: { now: unknown; isOfFirst: boolean; apart: ApartText[] },
): string | undefined {
  if (member === undefined) return undefined;
  if (member.copyOf === 'entries') return countBefore(value as readonly string[], now as readonly string[]);
  // Every event that shows personal text stores the reference to it.
  if (isOfFirst && !(value instanceof ApartText)) return '0';
  const text = keptJson(value, apart);
  return text === '0' ? undefined : text;
}

/** The previous length of a list of entries, to which entries are only ever added. Undefined if it is no prefix. */
function countBefore(before: readonly string[], now: readonly string[]): string | undefined {
  return before.every((id, at) => id === now[at]) ? String(before.length) : undefined;
}

function hasMembers({ members }: EventForm, shown: ShownMembers): boolean {
  const names = Object.keys(shown);
  return names.length === members.length && names.every((name, at) => name === members[at]!.name);
}

/** Text that is not erased is the same as in the first event. The event stores its own reference to it. */
function firstText(value: unknown, apart: ApartText[]): string {
  const text = keptJson(value, apart);
  return value instanceof ApartText ? '0' : text;
}

function memberText(known: Known, { copyOf, usual }: Member, value: unknown, apart: ApartText[]): string {
  if (copyOf === 'entries') return entryList(known, value as readonly string[]);
  if (copyOf !== undefined && value === valueAt(known, copyOf)) return '0';
  const text = keptJson(value, apart);
  return text === usual ? '0' : text;
}

function valueAt(
  { form, event, facts, createdAt }: Known,
  copyOf: Exclude<Member['copyOf'], 'entries' | undefined>,
): unknown {
  switch (copyOf) {
    case 'object':
      return form.object;
    case 'object_id':
      return publicId(form.idKind, event.objectId);
    case 'object_sequence':
      return event.objectSequence;
    case 'created_at':
      return createdAt;
    case 'request_id':
      return publicId('request', facts.requestId);
  }
}

function entryList({ entryIds }: Known, listed: readonly string[]): string {
  const items = listed.map((id) => {
    const place = entryIds.indexOf(id);
    return place === -1 ? `"${id}"` : place;
  });
  return `[${items.join(',')}]`;
}

function entryText(known: Known, entry: Entry, apart: ApartText[]): string {
  return shortEntry(known, entry) ?? keptJson(journalEntryView(entry, known.facts.codeOf), apart);
}

/** Undefined for an entry whose resource, times or request are not those of its event, or whose accounts need their view. */
function shortEntry({ form, event, facts, shown }: Known, entry: Entry): string | undefined {
  const distance = distanceBefore(facts.id, entry.id);
  if (
    distance === undefined ||
    entry.resource !== form.object ||
    entry.resourceId !== event.objectId ||
    entry.postedAt !== facts.moment ||
    entry.effectiveAt !== facts.moment ||
    entry.requestId !== facts.requestId ||
    entry.floorOverridden
  )
    return undefined;
  const hash = Buffer.from(entry.hash, 'hex').toString('base64url');
  let text = `["${entry.step}",${entry.sequence},${distance},"${hash}"`;
  for (const posting of entry.postings) {
    if (posting.currency !== shown.currency) return undefined;
    const debit = accountText(facts, shown, posting, posting.debitAccountId);
    const credit = accountText(facts, shown, posting, posting.creditAccountId);
    if (debit === undefined || credit === undefined) return undefined;
    text += `,${debit},${posting.debitLine},${posting.debitBalanceAfter}`;
    text += `,${credit},${posting.creditLine},${posting.creditBalanceAfter},${posting.amount}`;
  }
  return `${text}]`;
}

/** How many ids of the command's sequence (idSequence) lie between entry and event. Undefined for ids of two commands. */
function distanceBefore(eventId: Uuid, entryId: Uuid): number | undefined {
  if (eventId.slice(0, -4) !== entryId.slice(0, -4)) return undefined;
  return (Number.parseInt(eventId.slice(-4), 16) - Number.parseInt(entryId.slice(-4), 16)) & 0xffff;
}

function accountText(
  { bookId, codeOf }: EventFacts,
  shown: ShownMembers,
  { currency }: Posting,
  accountId: Uuid,
): string | undefined {
  const code = codeOf(accountId);
  if (code === 'customer') {
    const id = publicId('account', accountId);
    return id === shown.account ? '0' : `"${id}"`;
  }
  if (code === 'own') return undefined;
  const place = ACCOUNTS_BY_PLACE.indexOf(code);
  return place > 0 && chartAccountId(bookId, code, currency) === accountId ? String(place) : undefined;
}
