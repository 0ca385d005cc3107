/** Notices of the rail, and the simulation of one. */
import type { Stored } from '../../../../src/idempotency/idempotency-key.ts';
import type { Command, Refusal } from '../../../../src/ledger/command/command.ts';
import { noticeCommand } from '../../../../src/payouts/notices/rail-notices.ts';
import type { Payout } from '../../../../src/payouts/payout/payout.ts';
import { payoutView } from '../../../../src/payouts/payout/payout-view.ts';
import { newId } from '../../../../src/values/ids.ts';
import { writeJson } from '../../../../src/values/json.ts';
import type { MemoryBook } from '../../../support/memory-book.ts';

export const ALIAS = {
  type: 'cliq',
  sealed: Buffer.from('sealed'),
  masked: 'A**N',
  details: null,
  accountSealed: null,
  provider: null,
} as const;
export const NEXT_INQUIRY_MS = 1_000;

/** A report that matches the payout. */
export const COMPARED = { mismatches: [], nextInquiryMs: NEXT_INQUIRY_MS, evidence: '{}' };

/** The command of simulate-payout.ts after the rail has reported. */
export function simulation(memory: MemoryBook, payout: Payout, word: 'paid' | 'rejected'): Command<Stored | Refusal> {
  const command = noticeCommand(memory.book.id, payout, noticeOf(payout, word, newId(), null), COMPARED);
  return {
    ...command,
    decide(state, moment) {
      const outcome = command.decide(state, moment);
      const body = writeJson(payoutView(outcome.answer, false));
      return { ...outcome, answer: { status: 200, body, resource: 'payout', resourceId: payout.id } };
    },
  };
}

export function noticeOf(payout: Payout, kind: 'paid' | 'rejected' | 'returned', id: string, amount: bigint | null) {
  const { endToEndId } = payout;
  return { id, originator: '', endToEndId, kind, amount, code: null, reference: 'R', createdAt: 0 };
}
