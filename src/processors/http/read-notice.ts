/**
 * Reads a processor's notice as it was stored. It reports that an instruction is decided; an inquiry reads the card.
 */
import { REFERENCE_MAX, word, wordOrNull } from '../../outside/gateway/fields.ts';
import { type NoticeForm, readNoticeOf } from '../../outside/gateway/read-notice.ts';
import type { PartnerNotice } from '../../outside/party/partner.ts';
import type { ProcessorNotice } from '../processor.ts';

const KIND_MAX = 32;
const CODE_MAX = 64;

export function readNotice(notice: PartnerNotice): ProcessorNotice {
  // Of another kind, too: the inbox opens an exception for a notice that it cannot book.
  return readNoticeOf(FORM, notice) as ProcessorNotice;
}

const FORM: NoticeForm = {
  owner: 'program',
  membersOf: (body) => ({
    endToEndId: word(body, 'reference', REFERENCE_MAX),
    kind: word(body, 'kind', KIND_MAX),
    amount: null,
    code: wordOrNull(body, 'code', CODE_MAX),
    reference: wordOrNull(body, 'processor_reference', REFERENCE_MAX) ?? '',
  }),
};
