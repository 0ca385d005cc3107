import type { Draft } from '../../ledger/command/draft.ts';
import { keepEvidence } from '../../outside/evidence/evidence.ts';
import type { RailWarning } from '../../rails/rail.ts';
import type { Uuid } from '../../values/ids.ts';
import type { FailureCode, Payout } from './payout.ts';
import type { RailMismatch } from './rail-mismatch.ts';

/** A rail's report about one payout. */
export interface RailReport {
  call: 'submit' | 'inquire' | 'notice';
  /** The rail's own id of a notice: received twice, it is applied once. */
  noticeId?: Uuid;
  status: 'paid' | 'rejected' | 'pending';
  failureCode?: FailureCode | undefined;
  railCode?: string | undefined;
  railReference?: string | undefined;
  /** When to ask again about a payout that is still pending at the rail, or about which nobody can be sure. */
  nextInquiryMs: number;
  /** The rail does not know the payout's id: no report about what became of it. */
  idUnknown?: boolean;
  /** Facts in which the report is not about this payout: with any, it does not change its status. */
  mismatches?: readonly RailMismatch[];
  /** Of what is pending: what a person sees, once. */
  warning?: RailWarning | undefined;
  /** The answer as it came. */
  raw: unknown;
}

/** Keeps a rail's answer about a payout. False when it is kept already (outside/evidence/evidence.ts). */
export function keepAnswer(
  draft: Draft,
  payout: Pick<Payout, 'id'>,
  { id, call, raw }: { id: Uuid; call: RailReport['call']; raw: unknown },
): boolean {
  return keepEvidence(draft, { id, resource: 'payout', resourceId: payout.id, call, answer: raw });
}
