/**
 * The payments pool's jobs of cards: submit operations to their processor and apply its answers. The processor is
 * called between two commits, under a reference that is the same on every attempt. Without an answer the outcome is
 * unknown, until an inquiry resolves it.
 */
import type { Pool } from '../../db/pool.ts';
import type { SecretBox } from '../../db/secret-box.ts';
import type { RowFailed } from '../../group/moved-rows.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Committer } from '../../ledger/commit/committer.ts';
import { retryStaleReads } from '../../ledger/commit/stale-read.ts';
import type { RowLoads } from '../../ledger/rows/row-loads.ts';
import { inquireAtParty } from '../../outside/calls/ask-party.ts';
import type { InTurn } from '../../outside/calls/called-party.ts';
import { callForEach, type OutsideCalls } from '../../outside/calls/job-calls.ts';
import { inquiryPauseMs } from '../../outside/instructions/inquiry.ts';
import {
  inquireInstruction,
  type Sender,
  type SendOutcome,
  submitInstruction,
} from '../../outside/instructions/send-instruction.ts';
import { failpoint } from '../../process/failpoints.ts';
import type { Processor, ProcessorAnswer, ProcessorInstruction } from '../../processors/processor.ts';
import type { Clock, Instant } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';
import { cards, type StoredCard } from '../card/card-table.ts';
import { openCardholder, openShipping } from '../card/cardholder.ts';
import { readLine } from '../lines/line-store.ts';
import type { CardOperation } from '../operations/card-operation.ts';
import { movedCardOperations } from '../operations/moved-card-operations.ts';
import type { ProcessorReport } from '../operations/processor-report.ts';
import { applyProcessorReport } from './apply-processor-report.ts';
import { inquireProcessor } from './inquire-processor.ts';

export interface CardSendRuntime {
  readonly pool: Pool;
  readonly cards: Pick<RowLoads<StoredCard>, 'load'>;
  readonly cardOperations: Pick<RowLoads<CardOperation>, 'load'>;
  readonly committer: Committer;
  readonly clock: Clock;
  readonly secretBox: SecretBox;
  processor(name: string): Processor & InTurn<Processor>;
  readonly calls: OutsideCalls;
  readonly rowFailed: RowFailed;
}

/** An operation with its card. */
interface Sent {
  readonly id: Uuid;
  readonly operation: CardOperation;
  readonly card: StoredCard;
  readonly inquiries: number;
  /** In whose turn it is sent. */
  readonly processor: Processor;
}

/** First job after an operation's commit: submits it to the processor at once. */
export function submitCardOperations(runtime: CardSendRuntime, bookId: BookId, ids: readonly Uuid[]): Promise<void> {
  const sender = operationSender(runtime, bookId);
  return eachOpen(runtime, { bookId, ids, behind: false }, (sent) => submitInstruction(sender, sent));
}

/** For operations whose outcome no answer has reported. */
export function inquireCardOperations(runtime: CardSendRuntime, bookId: BookId, ids: readonly Uuid[]): Promise<void> {
  const sender = operationSender(runtime, bookId);
  return eachOpen(runtime, { bookId, ids, behind: true }, (sent) =>
    sent.operation.kind === 'state'
      ? inquireState(sender, sent)
      : inquireInstruction(sender, sent, () => runtime.clock.now()),
  );
}

/** A state that has not arrived is sent again, however late: the newest counts, in whatever order they come. */
async function inquireState(sender: Sender<Sent, ProcessorAnswer>, sent: Sent): Promise<void> {
  const answer = await inquireAtParty(sent.operation.reference, () => sender.inquire(sent));
  if (answer.result === 'not_found') return submitInstruction(sender, sent);
  await sender.take(sent, { call: 'inquire', ...answer });
}

async function eachOpen(
  runtime: CardSendRuntime,
  { bookId, ids, behind }: { bookId: BookId; ids: readonly Uuid[]; behind: boolean },
  act: (sent: Sent) => Promise<void>,
): Promise<void> {
  const operations = [...(await runtime.cardOperations.load(bookId, ids)).values()];
  const open = operations.filter(({ status }) => status === 'pending');
  const ofCards = await runtime.cards.load(bookId, [...new Set(open.map(({ cardId }) => cardId))]);
  await callForEach<CardOperation, Processor>(
    runtime,
    {
      ...{ bookId, moved: movedCardOperations, rows: open, isBehind: () => behind },
      partyOf: (operation) => runtime.processor(operation.processor),
    },
    (operation, processor) => {
      const { id, inquiries } = operation;
      return act({ id, inquiries, operation, card: ofCards.get(operation.cardId)!, processor });
    },
  );
}

function operationSender(runtime: CardSendRuntime, bookId: BookId): Sender<Sent, ProcessorAnswer> {
  return {
    party: ({ processor }) => processor,
    endToEndId: ({ operation }) => operation.reference,
    sentAt: ({ operation }) => operation.sentAt,
    async submit(sent, notAfter) {
      const instruction = await instructionOf(runtime, bookId, { sent, notAfter });
      failpoint('processor.submit.before');
      const answer = await sent.processor.submit(instruction);
      failpoint('processor.submit.after');
      return answer;
    },
    inquire: ({ processor, operation }) => inquireProcessor(processor, bookId, operation.reference),
    maySendAgain: () => Promise.resolve(true),
    async take(sent, outcome) {
      await takeReport(runtime, bookId, sent.operation, reportOf(sent, outcome));
    },
  };
}

async function instructionOf(
  { pool, secretBox }: Pick<CardSendRuntime, 'pool' | 'secretBox'>,
  bookId: BookId,
  { sent: { operation, card }, notAfter }: { sent: Sent; notAfter: Instant },
): Promise<ProcessorInstruction> {
  const { reference, kind, state } = operation;
  const any = { originator: bookId, reference };
  if (kind === 'state')
    return {
      ...any,
      kind,
      of: card.cardReference!,
      state: state!,
      version: operation.stateVersion!,
      reason: operation.closedReason,
    };
  if (kind === 'unblock_pin') return { ...any, kind, of: card.cardReference!, notAfter };
  const cardholder = openCardholder(secretBox, card, bookId);
  // Both are kept as long as an order may have to be sent again.
  if (cardholder === null || state === null || state === 'closed')
    throw new Error(`The order of card ${card.id} is incomplete`);
  const shipping = openShipping(secretBox, card, bookId);
  const made = { ...any, notAfter, cardholder, shipping, state, orderedAt: card.createdAt };
  if (kind === 'issue')
    return { ...made, kind, form: card.type === 'physical' ? 'physical' : 'virtual', currency: card.currency };
  const replaced = await cards.find(pool, bookId, card.replacementFor!);
  return { ...made, kind, of: replaced!.cardReference!, reason: card.replacementReason! };
}

/** Applies a report, in a commit. */
export async function takeReport(
  { pool, committer }: Pick<CardSendRuntime, 'pool' | 'committer'>,
  bookId: BookId,
  operation: CardOperation,
  report: ProcessorReport,
): Promise<CardOperation> {
  return retryStaleReads(async () => {
    const line = await readLine(pool, bookId, operation.cardId);
    if (!line) throw new Error(`Card ${operation.cardId} does not exist`);
    return committer.submit(bookId, applyProcessorReport({ operation, report, line }));
  });
}

function reportOf(sent: Sent, outcome: SendOutcome<ProcessorAnswer>): ProcessorReport {
  const any = { call: outcome.call, nextInquiryMs: inquiryPauseMs(sent.processor, sent) };
  if (outcome.result === 'unknown') return { ...any, status: 'unknown', raw: outcome.raw };
  if (outcome.result === 'not_found')
    return outcome.never
      ? { ...any, status: 'declined', code: 'too_late', raw: outcome.answer.raw }
      : { ...any, status: 'pending', raw: outcome.answer.raw };
  const { status, code, reference, card, raw } = outcome.answer;
  return { ...any, status, code, reference, card, raw };
}
