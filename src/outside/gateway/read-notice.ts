/**
 * Reads a partner's notice as it was stored. One that is not of the contract becomes a notice of the kind `unreadable`,
 * for which the inbox opens an exception.
 */
import { parsePublicId, type Uuid } from '../../values/ids.ts';
import type { JsonObject } from '../../values/json.ts';
import type { PartnerNotice } from '../party/partner.ts';
import type { PartyNotice } from '../party/party.ts';
import { momentOrNull, NotOfContract, REFERENCE_MAX, readObject, word } from './fields.ts';

export interface NoticeForm {
  /** The member with the owner of the notice: the public id of a book. */
  readonly owner: 'merchant' | 'program' | 'originator';
  /** The members of this kind of partner. Throws NotOfContract where one does not fit. */
  membersOf(body: JsonObject): Members;
  /** Notices that name no book. */
  readonly ofNobody?: {
    isOfNobody(body: JsonObject): boolean;
    /** `id` is that of the notice. */
    membersOf(body: JsonObject, id: Uuid): Members;
  };
}

type Members = Omit<PartyNotice, 'id' | 'originator' | 'createdAt' | 'dated'>;

/** None of the kinds that can be booked. */
const UNREADABLE = 'unreadable';

export function readNoticeOf(
  { owner, membersOf, ofNobody }: NoticeForm,
  { id, body, receivedAt }: PartnerNotice,
): PartyNotice {
  const nothing = {
    id,
    endToEndId: '',
    kind: UNREADABLE,
    amount: null,
    code: null,
    reference: '',
    createdAt: receivedAt,
  };
  let stored: JsonObject;
  try {
    stored = readObject(body);
  } catch (error) {
    if (!(error instanceof NotOfContract)) throw error;
    return { ...nothing, originator: '' };
  }
  try {
    const createdAt = momentOrNull(stored, 'created_at');
    const when = createdAt === null ? ({ createdAt: receivedAt, dated: false } as const) : { createdAt };
    if (ofNobody?.isOfNobody(stored)) return { id, originator: '', ...ofNobody.membersOf(stored, id), ...when };
    return { id, originator: bookOf(word(stored, owner, REFERENCE_MAX)), ...membersOf(stored), ...when };
  } catch (error) {
    if (!(error instanceof NotOfContract)) throw error;
    // Its owner may be readable all the same: then the exception is in the owner's book.
    const named = stored[owner];
    return { ...nothing, originator: typeof named === 'string' ? bookOf(named) : '' };
  }
}

/** An owner that is no book's id names no book: the inbox shows the notice to the operator as it came. */
function bookOf(owner: string): string {
  return parsePublicId('book', owner) ?? owner;
}
