import type { IssuedCard, ProcessorAnswer, ProcessorDecline } from '../../processors/processor.ts';
import type { Uuid } from '../../values/ids.ts';

/** A processor's report about one operation, or that its outcome is unknown. */
export interface ProcessorReport {
  readonly call: 'submit' | 'inquire' | 'notice';
  /** The processor's own id of a notice: received twice, it is applied once. */
  readonly noticeId?: Uuid;
  readonly status: ProcessorAnswer['status'] | 'unknown';
  readonly code?: ProcessorDecline | undefined;
  readonly reference?: string | undefined;
  readonly card?: IssuedCard | undefined;
  readonly nextInquiryMs: number;
  /** The answer as it came. */
  readonly raw: unknown;
}
