/**
 * Forms in which events are stored. The text of an event shows its whole object, so a payout is shown three times in its
 * life. Most of that text is stored elsewhere already: in the object's first event, in other columns of the event's row, in
 * the chart of accounts. An event in a form stores only the remainder. Its text is rendered from all of these, byte for byte
 * the same.
 *
 * A form is frozen once a release has written it: leaves of checkpoints hash the text, and receivers compare it. When a view
 * gains a member or shows an entry differently, it gets a form with a new number, and events in the earlier form are rendered
 * as before. test/unit/ledger/event-form.test.ts has the bytes of each form.
 *
 * Next: derive-event.ts (writing), render-event.ts (reading), docs/decisions/bytes.md.
 */
import type { IdKind, ResourceName } from '../../values/ids.ts';
import type { ChartCode } from '../account/account-code.ts';

/** Which events of an object store a member. */
export type Keeping =
  /** Only the first: the member is set with the object and never changes. */
  | 'first'
  /** The same for personal text. Once it is erased, later events store null. */
  | 'text'
  /** Every one. */
  | 'each';

/**
 * The part of the event's row that a member's value usually copies. Then 0 is stored instead, a value that no such
 * member has.
 */
export type RowPart =
  /** The resource's name. */
  | 'object'
  | 'object_id'
  | 'object_sequence'
  | 'created_at'
  | 'request_id'
  /** A list of entry ids: those of the event's own entries are stored as their positions in the event. */
  | 'entries';

export interface Member {
  readonly name: string;
  readonly keeping: Keeping;
  readonly copyOf?: RowPart;
  /** For a member without `copyOf`, its usual value as JSON: 0 is stored instead of that, too. */
  readonly usual?: string;
}

export interface EventForm {
  /** The value of `events.form`. */
  readonly number: number;
  /** The resource whose events are stored in this form. */
  readonly object: ResourceName;
  readonly idKind: IdKind;
  /** Every member of the object's view, in its order. */
  readonly members: readonly Member[];
}

/** The members of a view, by name. */
export type ShownMembers = Readonly<Record<string, unknown>>;

/** How an event may be stored. */
export interface Derivation {
  readonly form: EventForm;
  /** The object's first event in this form; null in that event itself. */
  readonly firstSequence: bigint | null;
  readonly shown: ShownMembers;
}

/** Members whose values the rendered text also shows outside the object. Every form has them, stored by the first event. */
export const SHARED_MEMBERS = ['livemode', 'account', 'currency', 'currency_exponent'] as const;

/** Accounts that postings name by their position in this list. 0 is the object's own account. Part of every form. */
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

const first = (name: string, copyOf?: RowPart): Member => ({ name, keeping: 'first', copyOf });
const each = (name: string, copyOf?: RowPart): Member => ({ name, keeping: 'each', copyOf });
const usually = (usual: string, member: Member): Member => ({ ...member, usual });
const text = (name: string): Member => usually('null', { name, keeping: 'text' });

/** Payouts, in the first form. Metadata is in the caller's order in the first event, and in the order of its column later. */
const PAYOUT_EVENTS_1: EventForm = {
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

/**
 * Payouts. What only an approval, a release or an update changes is set by the event of that step, which has all members again
 * (Step.restates). Metadata as in the first form.
 */
export const PAYOUT_EVENTS: EventForm = {
  number: 2,
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
    usually('null', first('reason')),
    first('end_to_end_id'),
    usually('null', each('rail_reference')),
    first('expected_arrival', 'created_at'),
    usually('null', first('configuration')),
    text('remittance'),
    usually('null', first('purpose_code')),
    usually('null', first('scheduled_for')),
    usually('[]', first('approval_reasons')),
    usually('[]', first('approvals')),
    first('approvals_required'),
    usually('null', first('batch')),
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
export const EVENT_FORMS: ReadonlyMap<number, EventForm> = new Map(
  [PAYOUT_EVENTS_1, PAYOUT_EVENTS].map((form) => [form.number, form]),
);
