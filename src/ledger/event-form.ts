/**
 * Forms in which events are kept. The text of an event shows its object in full, three times in the life of a payout, and
 * most of it stands somewhere else already: in the object's first event, in the other columns of the event's row, in the
 * chart of accounts. An event in a form keeps the rest, and its text is rendered from all of them, the same to the byte.
 *
 * A form is frozen once a release has written it: leaves of checkpoints hash the text, and receivers compare it. A view that
 * gains a member, or an entry that is shown otherwise, gets a form under a new number, and events of this one are rendered as
 * before. test/unit/ledger/event-form.test.ts has the bytes of each form.
 *
 * Next: derive-event.ts (writing), render-event.ts (reading), docs/decisions/bytes.md.
 */
import type { IdKind, ResourceName } from '../ids.ts';
import type { ChartCode } from './account-code.ts';

/** Which events of an object keep a member. */
export type Keeping =
  /** The first one alone: the member is set with the object and never changes. */
  | 'first'
  /** The same for personal text. Once it is erased, the events that follow keep null. */
  | 'text'
  /** Every one. */
  | 'each';

/**
 * Where the value of a member usually stands already: in the row of the event that keeps it. Then 0 is kept in its place: no such
 * member has that value itself.
 */
export type Source =
  /** The resource's name. */
  | 'object'
  | 'object_id'
  | 'object_sequence'
  | 'created_at'
  | 'request_id'
  /** A list of entries: those that the event carries are kept as their places in it. */
  | 'entries';

export interface Member {
  readonly name: string;
  readonly keeping: Keeping;
  readonly source?: Source;
  /** JSON, where the member has no source: 0 is kept in place of this value, too. */
  readonly usual?: string;
}

export interface EventForm {
  /** As `events.form` has it. */
  readonly number: number;
  /** The resource whose events are kept in it. */
  readonly object: ResourceName;
  readonly idKind: IdKind;
  /** Every member of the object's view, in its order. */
  readonly members: readonly Member[];
}

/** The members of a view, by name. */
export type ShownMembers = Readonly<Record<string, unknown>>;

/** How an event may be kept. */
export interface Derivation {
  readonly form: EventForm;
  /** The object's first event in this form; null in that event itself. */
  readonly firstSequence: bigint | null;
  readonly shown: ShownMembers;
}

/** Members that events take more from than their own value. A form has all of them, each kept by the first event. */
export const SHARED_MEMBERS = ['livemode', 'account', 'currency', 'currency_exponent'] as const;

/** Accounts that postings name by their place in this list. 0 is the object's own account. Part of every form. */
export const ACCOUNTS_BY_PLACE: readonly (ChartCode | undefined)[] = [
  undefined,
  'pool',
  'acquirer',
  'payouts_in_transit',
  'refunds_in_transit',
  'merchant_pending',
  'scheme_settlement',
  'due_operator',
  'fx_position',
];

const first = (name: string, source?: Source): Member => ({ name, keeping: 'first', source });
const each = (name: string, source?: Source): Member => ({ name, keeping: 'each', source });
const usually = (usual: string, member: Member): Member => ({ ...member, usual });
const text = (name: string): Member => usually('null', { name, keeping: 'text' });

/** Payouts, as of release 0.3.0. Metadata is shown in the caller's order first, and in that of its column from then on. */
export const PAYOUT_EVENTS: EventForm = {
  number: 1,
  object: 'payout',
  idKind: 'payout',
  members: [
    first('id', 'object_id'),
    first('object', 'object'),
    first('livemode'),
    each('status'),
    each('waiting_on'),
    first('amount'),
    first('fee'),
    each('amount_returned'),
    first('currency'),
    first('currency_exponent'),
    first('account'),
    first('destination'),
    text('description'),
    usually('null', first('external_id')),
    usually('{}', each('metadata')),
    first('rail'),
    usually('null', each('outcome')),
    usually('null', each('next_inquiry_at')),
    each('sent_at', 'created_at'),
    usually('null', each('failure')),
    first('end_to_end_id'),
    usually('null', each('rail_reference')),
    first('expected_arrival', 'created_at'),
    text('remittance'),
    first('hold'),
    each('journal_entries', 'entries'),
    each('allowed_actions'),
    first('request_id', 'request_id'),
    each('version', 'object_sequence'),
    first('created_at', 'created_at'),
    each('updated_at', 'created_at'),
  ],
};

/** By their numbers. */
export const EVENT_FORMS: ReadonlyMap<number, EventForm> = new Map([PAYOUT_EVENTS].map((form) => [form.number, form]));
