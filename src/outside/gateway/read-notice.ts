/**
 * A partner's notice as it was kept, read. One that says nothing that could be booked is passed on as it is: the inbox calls it unreadable.
 */
import { parsePublicId, type Uuid } from '../../values/ids.ts';
import type { JsonObject } from '../../values/json.ts';
import type { PartnerNotice } from '../party/partner.ts';
import type { PartyNotice } from '../party/party.ts';
import { momentOrNull, NotOfContract, REFERENCE_MAX, readObject, word } from './fields.ts';

export interface NoticeForm {
  /** The member that says whose the notice is, by the public id of a book. */
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
  let told: JsonObject;
  try {
    told = readObject(body);
  } catch (error) {
    if (!(error instanceof NotOfContract)) throw error;
    return { ...nothing, originator: '' };
  }
  try {
    const createdAt = momentOrNull(told, 'created_at');
    const when = createdAt === null ? ({ createdAt: receivedAt, dated: false } as const) : { createdAt };
    if (ofNobody?.isOfNobody(told)) return { id, originator: '', ...ofNobody.membersOf(told, id), ...when };
    return { id, originator: bookOf(word(told, owner, REFERENCE_MAX)), ...membersOf(told), ...when };
  } catch (error) {
    if (!(error instanceof NotOfContract)) throw error;
    // Whose it is may be known all the same: its book then has the exception.
    const named = told[owner];
    return { ...nothing, originator: typeof named === 'string' ? bookOf(named) : '' };
  }
}

/** What is no book's id is nobody's: the inbox shows it to the operator as it came. */
function bookOf(owner: string): string {
  return parsePublicId('book', owner) ?? owner;
}
