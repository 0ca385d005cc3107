/** A processor's notice as it was kept, read. It says that an instruction is decided; the card is asked for. */
import { REFERENCE_MAX, word, wordOrNull } from '../../outside/gateway/fields.ts';
import { type NoticeForm, readNoticeOf } from '../../outside/gateway/read-notice.ts';
import type { PartnerNotice } from '../../outside/party/partner.ts';
import type { ProcessorNotice } from '../processor.ts';

const KIND_MAX = 32;
const CODE_MAX = 64;

export function readNotice(notice: PartnerNotice): ProcessorNotice {
  // Of another kind, too: the inbox tells what it cannot book.
  return readNoticeOf(FORM, notice) as ProcessorNotice;
}

const FORM: NoticeForm = {
  owner: 'program',
  membersOf: (told) => ({
    endToEndId: word(told, 'reference', REFERENCE_MAX),
    kind: word(told, 'kind', KIND_MAX),
    amount: null,
    code: wordOrNull(told, 'code', CODE_MAX),
    reference: wordOrNull(told, 'processor_reference', REFERENCE_MAX) ?? '',
  }),
};
