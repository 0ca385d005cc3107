/** An acquirer's notice as it was kept, read. */
import {
  amountOrNull,
  currencyOrNull,
  objectOrNull,
  positiveAmount,
  REFERENCE_MAX,
  word,
  wordOrNull,
} from '../../outside/gateway/fields.ts';
import { type NoticeForm, readNoticeOf } from '../../outside/gateway/read-notice.ts';
import type { PartnerNotice } from '../../outside/party/partner.ts';
import type { PartyNotice } from '../../outside/party/party.ts';

const KIND_MAX = 32;
const CODE_MAX = 64;

export function readNotice(notice: PartnerNotice): PartyNotice {
  return readNoticeOf(FORM, notice);
}

const FORM: NoticeForm = {
  owner: 'merchant',
  membersOf(body) {
    const kind = word(body, 'kind', KIND_MAX);
    const isOfDispute = kind.startsWith('dispute_');
    const confirmed = objectOrNull(body, 'confirmed');
    const amount = confirmed && amountOrNull(confirmed, 'amount');
    const currency = confirmed && currencyOrNull(confirmed, 'currency');
    return {
      endToEndId: word(body, 'reference', REFERENCE_MAX),
      kind,
      amount: isOfDispute ? positiveAmount(body, 'amount') : amountOrNull(body, 'amount'),
      code: wordOrNull(body, 'code', CODE_MAX),
      // What follows of a dispute names it: without its reference each message would be another one.
      reference: isOfDispute
        ? word(body, 'acquirer_reference', REFERENCE_MAX)
        : (wordOrNull(body, 'acquirer_reference', REFERENCE_MAX) ?? ''),
      confirmed: { ...(amount === null ? {} : { amount }), ...(currency === null ? {} : { currency }) },
    };
  },
};
