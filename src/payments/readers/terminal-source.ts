/** A reader: the payment's first commit asks it for a card, and nothing else until that has ended. */
import { ApiError } from '../../errors/errors.ts';
import { unkept } from '../../ledger/resources/change-of.ts';
import { advance } from '../../ledger/resources/resource.ts';
import { newId, publicId, type Uuid } from '../../values/ids.ts';
import type { Source } from '../sources/source.ts';
import { READER_ACTION_MS, type Reader, type ReaderAction } from './reader.ts';
import { readerResource } from './reader-resource.ts';
import { findReader } from './reader-store.ts';
import { readerActions, readers } from './reader-table.ts';

export interface TerminalSource {
  readonly type: 'terminal';
  readonly readerId: Uuid;
}

const param = '/source/reader';

export const terminalSource: Source<TerminalSource> = {
  async prepare({ pool }, { readerId }, { bookId }) {
    const known = await findReader(pool, bookId, readerId);
    if (!known) throw new ApiError('resource_not_found', { param, detail: 'There is no such reader in this book.' });
    const actionId = newId();
    return {
      card: null,
      token: null,
      nextAction: null,
      facts: { readerId, actionId },
      expiresAfterMs: READER_ACTION_MS,
      touches: [
        { table: readers, ids: [readerId] },
        { table: readerActions, ids: [actionId] },
      ],
      begin(draft, payment) {
        const reader = draft.get(readers, readerId);
        if (reader?.status !== 'registered')
          return { refused: 'resource_not_found', param, detail: 'The reader was removed.' };
        if (reader.actionId !== null) throw readerBusy(reader, '/source/reader');
        const action: ReaderAction = {
          id: actionId,
          readerId,
          paymentId: payment.id,
          status: 'in_progress',
          amount: payment.amount,
          currency: payment.currency,
          entryMode: null,
          failure: null,
          expiresAt: payment.expiresAt!,
          requestId: payment.requestId,
          version: 1,
          createdAt: draft.moment.book,
          updatedAt: draft.moment.book,
        };
        draft.put(readerActions, actionId, action);
        advance(draft, readerResource, reader, { actionId });
        return undefined;
      },
    };
  },
};

/** One thing at a time. Not kept: the same request may succeed once the action has ended. */
export function readerBusy({ actionId }: Pick<Reader, 'actionId'>, param?: string): ApiError {
  return unkept({ refused: 'reader_busy', param, facts: { reader_action: publicId('readerAction', actionId!) } });
}
