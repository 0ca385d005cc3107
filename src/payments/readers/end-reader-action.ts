import type { Draft } from '../../ledger/command/draft.ts';
import { advance } from '../../ledger/resources/resource.ts';
import type { Payment } from '../payment/payment.ts';
import type { ReaderAction } from './reader.ts';
import { readerActionResource, readerResource } from './reader-resource.ts';
import { readerActions, readers } from './reader-table.ts';

/** Ends what the payment's reader is asked to do, if it is at one, and frees the reader. An action that has ended stays as it is. */
export function endReaderAction(
  draft: Draft,
  { sourceFacts }: Payment,
  end: { status: 'succeeded' | 'canceled' } | { status: 'failed'; failure: NonNullable<ReaderAction['failure']> },
): void {
  if (!sourceFacts?.actionId || !sourceFacts.readerId) return;
  const action = draft.get(readerActions, sourceFacts.actionId)!;
  if (action.status !== 'in_progress') return;
  advance(draft, readerActionResource, action, end, { event: `reader_action.${end.status}` });
  const reader = draft.get(readers, sourceFacts.readerId)!;
  advance(draft, readerResource, reader, { actionId: null });
}
