/** A payout whose outcome is open: when to ask its rail again, and that nobody knows until then. */

import type { BookId } from '../../ledger/book/book.ts';
import type { Command } from '../../ledger/command/command.ts';
import { Draft } from '../../ledger/command/draft.ts';
import { advance } from '../../ledger/resources/resource.ts';
import { evidenceTouch } from '../../outside/evidence/evidence.ts';
import { oneMoreInquiry } from '../../outside/instructions/inquiry.ts';
import { newId } from '../../values/ids.ts';
import { behindOthers, type Payout } from '../payout/payout.ts';
import { payoutResource } from '../payout/payout-resource.ts';
import { payouts } from '../payout/payout-table.ts';
import { payoutTouches } from '../payout/payout-touches.ts';
import { keepAnswer, type RailReport } from '../payout/rail-report.ts';

/** Nothing is decided yet: remembers when to ask again. */
export function keepWaiting(
  draft: Draft,
  payout: Payout,
  next: { outcome: 'unknown' | null; nextInquiryMs: number },
): Payout {
  const at = draft.moment.wall + next.nextInquiryMs;
  return advance(draft, payoutResource, payout, {
    outcome: next.outcome,
    inquiries: oneMoreInquiry(payout),
    nextInquiryAt: at,
    dueAt: at,
  });
}

/** The rail gave no answer that names our id: it may have taken the payout or not. Resolved by inquiry, never by guessing. */
export function recordUnknown(
  bookId: BookId,
  payout: Payout,
  facts: { call: RailReport['call']; nextInquiryMs: number; raw: unknown },
): Command<Payout> {
  const id = newId();
  const actor = `rail:${payout.rail}`;
  return {
    id,
    name: 'payout.unknown',
    requestId: payout.requestId,
    actor,
    touches: [...payoutTouches(bookId, payout), evidenceTouch(id)],
    ...behindOthers(payout),
    decide(state, moment) {
      const draft = new Draft(state, { id, requestId: payout.requestId, actor }, moment);
      const current = draft.get(payouts, payout.id);
      if (!current) throw new Error(`Payout ${payout.id} does not exist`);
      const kept = keepAnswer(draft, current, { id, call: facts.call, raw: facts.raw });
      if (!kept || current.status !== 'processing') return draft.finish(current);
      return draft.finish(keepWaiting(draft, current, { outcome: 'unknown', nextInquiryMs: facts.nextInquiryMs }));
    },
  };
}
