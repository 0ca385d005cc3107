/** What a processor's notice means for an operation: the cards' part of the inbox (outside/notices/take-notices.ts). */
import { openOnce } from '../../exceptions/open-exception.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Committer } from '../../ledger/commit/committer.ts';
import type { InTurn } from '../../outside/calls/called-party.ts';
import { inquiryPauseMs } from '../../outside/instructions/inquiry.ts';
import type { Inbox } from '../../outside/notices/notice.ts';
import {
  type NoticeRuntime,
  type NoticeTaker,
  type TakenNotices,
  takeNotices,
} from '../../outside/notices/take-notices.ts';
import {
  type IssuedCard,
  PROCESSOR_DECLINES,
  type Processor,
  type ProcessorDecline,
  type ProcessorNotice,
} from '../../processors/processor.ts';
import { JsonText } from '../../values/json.ts';
import { type CardOperation, makesCard } from '../operations/card-operation.ts';
import { findCardOperationsByReference } from '../operations/card-operation-store.ts';
import { inquireProcessor } from './inquire-processor.ts';
import { takeReport } from './send-operations.ts';

export interface ProcessorNoticeRuntime extends Omit<NoticeRuntime, 'party' | 'openException'> {
  readonly committer: Committer;
  processor(name: string): Processor & InTurn<Processor>;
}

/** Books what the inbox holds of one book and processor. */
export function takeProcessorNotices(runtime: ProcessorNoticeRuntime, inbox: Inbox): Promise<TakenNotices> {
  const notices: NoticeRuntime = {
    ...runtime,
    party: (name) => runtime.processor(name),
    openException: (bookId, exception) => runtime.committer.submit(bookId, openOnce(exception)),
  };
  return takeNotices(notices, operationTaker(runtime), inbox);
}

function operationTaker(runtime: ProcessorNoticeRuntime): NoticeTaker<CardOperation> {
  return {
    noun: 'card',
    async find({ bookId, party }, references) {
      const found = await findCardOperationsByReference(runtime.pool, bookId, references);
      return new Map([...found].filter(([, { processor }]) => processor === party));
    },
    async book({ bookId }, operation, { notice, evidence }) {
      const { id, kind, code, reference } = notice as ProcessorNotice;
      const processor = runtime.processor(operation.processor);
      return takeReport(runtime, bookId, operation, {
        call: 'notice',
        noticeId: id,
        status: kind,
        code: kind === 'declined' ? declineOf(code) : undefined,
        reference,
        card: await readCard(processor, bookId, operation, kind),
        nextInquiryMs: inquiryPauseMs(processor, operation),
        raw: new JsonText(evidence),
      });
    },
    isTooEarly: () => false,
  };
}

/** A notice has no card in it: the processor is asked for the card that it has made. */
async function readCard(
  processor: Processor & InTurn<Processor>,
  bookId: BookId,
  operation: CardOperation,
  kind: ProcessorNotice['kind'],
): Promise<IssuedCard | undefined> {
  if (kind !== 'succeeded' || operation.status !== 'pending' || !makesCard(operation)) return undefined;
  const answer = await processor.inTurn(bookId, (its) => inquireProcessor(its, bookId, operation.reference), 'job');
  const isAbout = answer.endToEndId === operation.reference && answer.status === 'succeeded';
  return isAbout && 'card' in answer ? answer.card : undefined;
}

function declineOf(code: string | null): ProcessorDecline | undefined {
  return PROCESSOR_DECLINES.find((known) => known === code);
}
