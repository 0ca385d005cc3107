/** A party's notice as the inbox stores it. It is parsed once, and compared and booked later. */
import { toUSVString } from 'node:util';
import type { SealedPlace } from '../../db/secret-box.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Instant } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';
import { toJson } from '../../values/json.ts';
import type { Confirmation, PartyNotice } from '../party/party.ts';

/** The notices of one party about one book. Every key begins with both. */
export interface Inbox {
  readonly bookId: BookId;
  readonly party: string;
}

export interface StoredNotice {
  /** The party's own id. */
  readonly id: Uuid;
  readonly endToEndId: string;
  /** `unreadable` where the notice cannot be booked. */
  readonly kind: string;
  readonly amount: bigint | null;
  readonly code: string | null;
  readonly reference: string;
  readonly confirmedAmount: bigint | null;
  readonly confirmedCurrency: string | null;
  /** Sealed, because a short alias can be guessed from its digest. */
  readonly confirmedPayeeSealed: Buffer | null;
  /** The notice as received, without the payee's digest: JSON. */
  readonly evidence: string;
  readonly status: /** Copied; its attempts are due. The pool that calls its party moves it. */
    | 'waiting'
    /** Booked: the command of its subject is committed. */
    | 'taken'
    /** It cannot be booked; an exception waits for a person. */
    | 'exception';
  readonly attempts: number;
  readonly stuckAt: Instant | null;
  /** When the party sent the notice: the order of its notices about one instruction. */
  readonly sentAt: Instant;
}

/** Where the payee's digest is sealed: in this column, for its party and id (payeePlace). */
export const PAYEE_PLACE = { table: 'rail_notices', column: 'confirmed_payee_sealed' } as const;

export function payeePlace({ bookId, party }: Inbox, id: Uuid): SealedPlace {
  return { bookId, ...PAYEE_PLACE, rowId: `${party} ${id}` };
}

/** The largest bigint of Postgres. */
const GREATEST_AMOUNT = 2n ** 63n - 1n;
/** Several times the longest code or reference of ISO 20022. */
const LONGEST_TEXT = 1_000;
/** Ours have 35 characters. An index entry takes 2,704 bytes at most, and a character up to three. */
const LONGEST_END_TO_END_ID = 255;

/** The kinds of notices that can be booked, and whether they are about a part: only such a notice names an amount. */
export type NoticeKinds = Readonly<Record<string, 'whole' | 'part'>>;

/** Parses a notice, whatever it contains: one that cannot be booked is stored as `unreadable` and never refused. */
export function storedNotice(
  notice: PartyNotice,
  { kinds, now, seal }: { kinds: NoticeKinds; now: Instant; seal: (text: string) => Buffer },
): StoredNotice {
  const { amount, code, reference, endToEndId, confirmed } = notice;
  const readable =
    isKind(kinds, notice.kind) &&
    isEndToEndId(endToEndId) &&
    isText(reference) &&
    (code === null || isText(code)) &&
    (amount === null ? true : kinds[notice.kind] === 'part' && isAmount(amount)) &&
    (confirmed?.amount === undefined || isAmount(confirmed.amount)) &&
    (confirmed?.currency === undefined || isText(confirmed.currency)) &&
    (confirmed?.payeeDigest === undefined || isText(confirmed.payeeDigest));
  return {
    id: notice.id,
    endToEndId: isEndToEndId(endToEndId) ? endToEndId : '',
    kind: readable ? notice.kind : 'unreadable',
    amount: readable ? amount : null,
    code: readable ? code : null,
    reference: readable ? reference : '',
    confirmedAmount: (readable && confirmed?.amount) || null,
    confirmedCurrency: (readable && confirmed?.currency) || null,
    confirmedPayeeSealed: readable && confirmed?.payeeDigest !== undefined ? seal(confirmed.payeeDigest) : null,
    evidence: evidenceOf(notice),
    status: 'waiting',
    attempts: 0,
    stuckAt: null,
    sentAt: isMoment(notice.createdAt) ? notice.createdAt : now,
  };
}

/** A notice as received, as JSON that Postgres can store: without the payee's digest, NUL and lone surrogates. */
export function evidenceOf(notice: PartyNotice): string {
  const { confirmed, ...rest } = notice;
  const { payeeDigest, ...named } = confirmed ?? {};
  return toJson(storable({ ...rest, ...(confirmed === undefined ? {} : { confirmed: named }) }));
}

/** The party's notice from its stored row. `payeeDigest` is unsealed. */
export function noticeOfRow(
  bookId: string,
  stored: StoredNotice,
  open: (sealed: Buffer) => string,
): PartyNotice & { readonly confirmed: Confirmation } {
  const { id, endToEndId, amount, code, reference, confirmedAmount, confirmedCurrency, confirmedPayeeSealed } = stored;
  return {
    id,
    originator: bookId,
    endToEndId,
    kind: stored.kind,
    amount,
    code,
    reference,
    confirmed: {
      ...(confirmedAmount === null ? {} : { amount: confirmedAmount }),
      ...(confirmedCurrency === null ? {} : { currency: confirmedCurrency }),
      ...(confirmedPayeeSealed === null ? {} : { payeeDigest: open(confirmedPayeeSealed) }),
    },
    createdAt: stored.sentAt,
  };
}

function isKind(kinds: NoticeKinds, kind: unknown): kind is string {
  return typeof kind === 'string' && Object.hasOwn(kinds, kind);
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.length <= LONGEST_TEXT && !value.includes('\u0000');
}

function isEndToEndId(value: unknown): value is string {
  return isText(value) && value.length <= LONGEST_END_TO_END_ID;
}

/** Whether the date is within the years that all our parsers accept. */
function isMoment(value: unknown): boolean {
  return Number.isInteger(value) && (value as number) > 0 && (value as number) < Date.UTC(9999, 0);
}

function isAmount(value: unknown): boolean {
  return typeof value === 'bigint' && value > 0n && value <= GREATEST_AMOUNT;
}

/** jsonb accepts neither NUL nor a lone surrogate, which a text may contain or be cut to. */
function storable(value: unknown): unknown {
  if (typeof value === 'string') return toUSVString(value.replaceAll('\u0000', '').slice(0, LONGEST_TEXT));
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.slice(0, 100).map(storable);
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [storable(name), storable(member)]));
}
