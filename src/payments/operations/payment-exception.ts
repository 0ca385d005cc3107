/** What a person must look at about a payment: a row, and an event. Each kind once an operation, however often the acquirer repeats itself. */
import type { Pool } from '../../db/pool.ts';
import { isEnded } from '../../exceptions/exception.ts';
import { hasOpenException } from '../../exceptions/exception-store.ts';
import { exceptions } from '../../exceptions/exception-table.ts';
import { openException } from '../../exceptions/open-exception.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Touch } from '../../ledger/command/command.ts';
import type { Draft } from '../../ledger/command/draft.ts';
import { deriveId, type Uuid } from '../../values/ids.ts';
import { type AcquirerMismatch, MISMATCH_KINDS } from './acquirer-report.ts';
import type { PaymentOperation } from './payment-operation.ts';

/** What contradicts the books about an operation, once of each kind. */
const CONTRADICTIONS = ['succeeded_after_failed', 'failed_after_succeeded'] as const;

type ExceptionKind = AcquirerMismatch['kind'] | (typeof CONTRADICTIONS)[number];

/** Of every exception that a report may open about the operation. */
export function exceptionTouches({ id }: Pick<PaymentOperation, 'id'>): Touch[] {
  return [{ table: exceptions, ids: [...MISMATCH_KINDS, ...CONTRADICTIONS].map((kind) => exceptionId(id, kind)) }];
}

/** Puts a contradiction before a person. The command declares `exceptionTouches`. */
export function raise(
  draft: Draft,
  { id, paymentId }: Pick<PaymentOperation, 'id' | 'paymentId'>,
  { kind, detail }: { kind: ExceptionKind; detail: string },
): void {
  const exception = exceptionId(id, kind);
  if (draft.get(exceptions, exception)) return;
  openException(draft, { id: exception, kind, detail, resource: 'payment', resourceId: paymentId });
}

/** A report had another amount or currency than the operation, and no second person has approved a resolution yet. */
export function isMismatched(draft: Draft, { id }: Pick<PaymentOperation, 'id'>): boolean {
  return MISMATCH_KINDS.some((kind) => {
    const exception = draft.get(exceptions, exceptionId(id, kind));
    return exception !== undefined && !isEnded(exception);
  });
}

/** The same, asked outside of a command. */
export function hasOpenMismatch(pool: Pool, bookId: BookId, paymentId: Uuid): Promise<boolean> {
  return hasOpenException(pool, bookId, { resource: 'payment', resourceId: paymentId, kinds: MISMATCH_KINDS });
}

const exceptionId = (operationId: Uuid, kind: ExceptionKind) => deriveId('exception', operationId, kind);
