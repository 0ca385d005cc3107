import type { IssuedCard, ProcessorAnswer, ProcessorDecline } from '../../processors/processor.ts';
import type { Uuid } from '../../values/ids.ts';

/** What a processor said about one operation, or that nobody knows what became of it. */
export interface ProcessorReport {
  readonly call: 'submit' | 'inquire' | 'notice';
  /** The processor's own id of a notice: told twice, it is taken in once. */
  readonly noticeId?: Uuid;
  readonly status: ProcessorAnswer['status'] | 'unknown';
  readonly code?: ProcessorDecline | undefined;
  readonly reference?: string | undefined;
  readonly card?: IssuedCard | undefined;
  readonly nextInquiryMs: number;
  /** The answer as it came. */
  readonly raw: unknown;
}
