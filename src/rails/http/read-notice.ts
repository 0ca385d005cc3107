/** A rail's notice as it was kept, read. */
import { objectOrNull, positiveAmount, REFERENCE_MAX, word, wordOrNull } from '../../outside/gateway/fields.ts';
import { type NoticeForm, readNoticeOf } from '../../outside/gateway/read-notice.ts';
import type { PartnerNotice } from '../../outside/party/partner.ts';
import type { RailNotice } from '../rail.ts';
import { CODE_MAX, confirmationOf } from './read-answers.ts';
import { CREDIT, readCredit } from './read-credit.ts';

const KIND_MAX = 32;

export function readNotice(notice: PartnerNotice): RailNotice {
  // Of another kind, too: the inbox reports what it cannot book.
  return readNoticeOf(FORM, notice) as RailNotice;
}

const FORM: NoticeForm = {
  owner: 'originator',
  ofNobody: {
    isOfNobody: ({ kind }) => kind === CREDIT,
    membersOf: (body, id) => ({
      ...{ endToEndId: '', kind: CREDIT, amount: null, code: null, reference: '' },
      credit: readCredit(body, { place: id }),
    }),
  },
  membersOf(body) {
    const kind = word(body, 'kind', KIND_MAX);
    const confirmed = objectOrNull(body, 'confirmed');
    return {
      endToEndId: word(body, 'reference', REFERENCE_MAX),
      kind,
      // What came back of a payout; every other notice is about the whole.
      amount: kind === 'returned' ? positiveAmount(body, 'amount') : null,
      code: wordOrNull(body, 'code', CODE_MAX),
      reference: wordOrNull(body, 'rail_reference', REFERENCE_MAX) ?? '',
      ...(confirmed === null ? {} : { confirmed: confirmationOf(confirmed) }),
    };
  },
};
