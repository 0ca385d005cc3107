/** Test mode: tells the sandbox rail what becomes of a payout, and takes its notice in at once. */

import type { Pool } from '../../db/pool.ts';
import type { SecretBox } from '../../db/secret-box.ts';
import { ApiError } from '../../errors/errors.ts';
import type { Stored } from '../../idempotency/idempotency-key.ts';
import { requireClockIdle } from '../../idempotency/once.ts';
import type { OnceRuntime } from '../../idempotency/run-once.ts';
import type { Asked, UseCase } from '../../idempotency/use-case.ts';
import { loadBook } from '../../ledger/book/book-store.ts';
import type { Command } from '../../ledger/command/command.ts';
import { simulatedNoticeId } from '../../outside/notices/simulated-notice.ts';
import type { RailNotice } from '../../rails/rail.ts';
import type { Rails } from '../../rails/rails.ts';
import type { Uuid } from '../../values/ids.ts';
import { writeJson } from '../../values/json.ts';
import { allowedActions, type Payout } from '../payout/payout.ts';
import { payouts } from '../payout/payout-table.ts';
import { payoutView } from '../payout/payout-view.ts';
import { compareNotice, noticeCommand } from './rail-notices.ts';

export type Simulation =
  | { action: 'complete' }
  | { action: 'fail'; code?: string }
  | { action: 'return'; amount?: bigint };

export interface SimulationRuntime extends OnceRuntime {
  pool: Pool;
  secretBox: SecretBox;
  rails: Pick<Rails, 'sandbox'>;
}

export interface SimulatePayout extends Asked {
  payoutId: Uuid;
  simulation: Simulation;
}

/** States in which the rail can still say it: what is final there it only contradicts. */
const POSSIBLE: Record<Simulation['action'], readonly Payout['status'][]> = {
  complete: ['processing', 'failed'],
  fail: ['processing', 'paid'],
  return: ['paid'],
};

/** The rail is told before the commit. So a repeat is answered from its key, and tells the rail nothing. */
export const simulatePayout: UseCase<SimulationRuntime, SimulatePayout> = {
  keyFirst: true,
  answers: 'after_follow',
  async prepare(runtime, input) {
    const { sandbox } = runtime.rails;
    const payout = await payouts.find(runtime.pool, input.bookId, input.payoutId);
    if (!payout)
      throw new ApiError('resource_not_found', { detail: 'There is no such payout in this book.', param: 'id' });
    // What the rail is told happens, whatever the commit says: nothing is told that the commit would refuse.
    const book = await loadBook(runtime.pool, input.bookId);
    if (book) requireClockIdle(book);
    const notice = await tellRail(sandbox, payout, input);
    const compared = compareNotice({ ...runtime, rail: () => sandbox }, payout, notice);
    return {
      command: showPayout(noticeCommand(input.bookId, payout, notice, compared)),
      follow: () => sandbox.acknowledge([notice.id]),
    };
  },
};

/** The command with the payout after it as its answer. */
function showPayout(command: Command<Payout>): Command<Stored> {
  return {
    ...command,
    decide(state, moment) {
      const outcome = command.decide(state, moment);
      const body = writeJson(payoutView(outcome.answer, state.book.mode === 'live'));
      const answer: Stored = { status: 200, body, resource: 'payout', resourceId: outcome.answer.id };
      return { ...outcome, answer };
    },
  };
}

async function tellRail(rail: Rails['sandbox'], payout: Payout, input: SimulatePayout): Promise<RailNotice> {
  const { bookId, simulation } = input;
  if (payout.rail !== rail.name || !POSSIBLE[simulation.action].includes(payout.status) || payout.sentAt === null)
    throw conflict(payout, simulation);
  const id = simulatedNoticeId(input);
  let notice: RailNotice | undefined;
  if (simulation.action === 'complete') notice = await rail.complete(bookId, payout.endToEndId, id);
  else if (simulation.action === 'fail') notice = await rail.fail(bookId, payout.endToEndId, id, simulation.code);
  else {
    const left = payout.amount - payout.amountReturned;
    const amount = simulation.amount ?? left;
    if (amount > left)
      throw new ApiError('amount_above_maximum', {
        param: '/amount',
        detail: `Only ${left} of the payout has not come back yet.`,
        facts: { limit: left },
      });
    notice = await rail.return(bookId, payout.endToEndId, id, amount);
    // The rail judges under its own lock: of several at once, those that fit come back.
    if (!notice) throw conflict(payout, simulation, `Less than ${amount} of it is left at the rail.`);
  }
  if (!notice) throw conflict(payout, simulation);
  return notice;
}

function conflict(
  payout: Payout,
  simulation: Simulation,
  detail = `The rail cannot ${simulation.action} this payout now: it is ${payout.status}${payout.rail === 'book' ? ' and no rail carries it' : ''}.`,
): ApiError {
  return new ApiError('state_conflict', {
    detail,
    facts: { current_status: payout.status, allowed_actions: allowedActions(payout) },
  });
}
