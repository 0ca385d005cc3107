/** A partner's notice as it was kept, read. One that says nothing that could be booked is passed on as it is: the inbox calls it unreadable. */

import type { PartnerNotice } from '../../outside/partner.ts';
import type { PartyNotice } from '../../outside/party.ts';
import { parsePublicId } from '../../values/ids.ts';
import type { JsonObject } from '../../values/json.ts';
import {
  amountOrNull,
  currencyOrNull,
  momentOrNull,
  NotOfContract,
  objectOrNull,
  positiveAmount,
  REFERENCE_MAX,
  readObject,
  word,
  wordOrNull,
} from './fields.ts';

const KIND_MAX = 32;
const CODE_MAX = 64;

export function readNotice({ id, body, receivedAt }: PartnerNotice): PartyNotice {
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
    return { id, ...membersOf(told), ...when };
  } catch (error) {
    if (!(error instanceof NotOfContract)) throw error;
    // Whose it is may be known all the same: its book then has the exception.
    const { merchant } = told;
    return { ...nothing, originator: typeof merchant === 'string' ? bookOf(merchant) : '' };
  }
}

/** None of the kinds that can be booked. */
const UNREADABLE = 'unreadable';

/** What is no book's id is nobody's: the inbox shows it to the operator as it came. */
function bookOf(merchant: string): string {
  return parsePublicId('book', merchant) ?? merchant;
}

function membersOf(told: JsonObject): Omit<PartyNotice, 'id' | 'createdAt'> {
  const kind = word(told, 'kind', KIND_MAX);
  const isOfDispute = kind.startsWith('dispute_');
  const confirmed = objectOrNull(told, 'confirmed');
  const amount = confirmed && amountOrNull(confirmed, 'amount');
  const currency = confirmed && currencyOrNull(confirmed, 'currency');
  return {
    originator: bookOf(word(told, 'merchant', REFERENCE_MAX)),
    endToEndId: word(told, 'reference', REFERENCE_MAX),
    kind,
    amount: isOfDispute ? positiveAmount(told, 'amount') : amountOrNull(told, 'amount'),
    code: wordOrNull(told, 'code', CODE_MAX),
    // What follows of a dispute names it: without its reference each message would be another one.
    reference: isOfDispute
      ? word(told, 'acquirer_reference', REFERENCE_MAX)
      : (wordOrNull(told, 'acquirer_reference', REFERENCE_MAX) ?? ''),
    confirmed: { ...(amount === null ? {} : { amount }), ...(currency === null ? {} : { currency }) },
  };
}
