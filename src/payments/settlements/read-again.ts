/**
 * A command about lines of a report is read outside its commit: what an acquirer answers meanwhile changes what the lines are about.
 * Nothing is decided on such a reading. The command is made anew.
 */
import { ApiError } from '../../errors.ts';
import type { BookId } from '../../ledger/book.ts';
import type { Command } from '../../ledger/command.ts';
import type { Committer } from '../../ledger/committer.ts';
import type { PaymentOperation } from '../payment-operation.ts';

/** An operation of a line has changed since it was read. Passes: a job that meets it is carried out again. */
export class OperationMoved extends ApiError {
  constructor() {
    super('service_unavailable', { detail: 'What a line of the report is about has moved meanwhile.' });
  }
}

/** A new answer comes in between only once or twice for an operation. */
const READINGS_MAX = 10;

/**
 * Throws OperationMoved where the operation has another status than was read, or where a capture that may be settled waits in shares
 * that were not read, and which the command does not declare. One that was settled meanwhile is a repeat, wherever it waits.
 */
export function requireAsRead(read: PaymentOperation, operation: PaymentOperation): void {
  if (operation.status !== read.status || (isUnsettledCapture(operation) && hasMoved(read, operation)))
    throw new OperationMoved();
}

function isUnsettledCapture({ kind, settledAt }: PaymentOperation): boolean {
  return kind === 'capture' && settledAt === null;
}

function hasMoved(read: PaymentOperation, { portions }: PaymentOperation): boolean {
  const shares = new Set(read.portions.map(({ shareId }) => shareId));
  return portions.some(({ shareId }) => shareId !== null && !shares.has(shareId));
}

/** Submits what `read` makes, and reads again where that has moved. Undefined where there is nothing to submit. */
export async function submitAsRead<Answer>(
  committer: Pick<Committer, 'submit'>,
  bookId: BookId,
  read: () => Promise<Command<Answer> | undefined>,
): Promise<Answer | undefined> {
  for (let reading = 1; ; reading++) {
    const command = await read();
    if (!command) return undefined;
    try {
      return await committer.submit(bookId, command);
    } catch (error) {
      if (!(error instanceof OperationMoved) || reading === READINGS_MAX) throw error;
    }
  }
}
