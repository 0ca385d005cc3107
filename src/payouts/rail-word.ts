import type { FailureCode } from './payout.ts';

/** What a rail said about one payout. */
export interface RailWord {
  call: 'submit' | 'inquire' | 'notice';
  status: 'paid' | 'rejected' | 'pending';
  failureCode?: FailureCode;
  railCode?: string;
  railReference?: string;
  /** When to ask again about a payout that is still pending at the rail. */
  nextInquiryMs: number;
  /** The answer as it came. */
  raw: unknown;
}
