/** Test mode: instructs the sandbox rail how a payout ends, and applies the rail's notice at once. */

import { setTimeout as delay } from 'node:timers/promises';
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

/** States in which the rail can still report it: once final, it only contradicts itself. */
const POSSIBLE: Record<Simulation['action'], readonly Payout['status'][]> = {
  complete: ['processing', 'failed'],
  fail: ['processing', 'paid'],
  return: ['paid'],
};

/**
 * The rail is instructed before the commit. So a repeat is answered from its key, and instructs the rail of nothing.
 */
export const simulatePayout: UseCase<SimulationRuntime, SimulatePayout> = {
  keyFirst: true,
  answers: 'after_follow',
  async prepare(runtime, input) {
    const { sandbox } = runtime.rails;
    const payout = await payouts.find(runtime.pool, input.bookId, input.payoutId);
    if (!payout)
      throw new ApiError('resource_not_found', { detail: 'There is no such payout in this book.', param: 'id' });
    // The rail carries out an instruction even if the commit fails: none is sent that the commit would refuse.
    const book = await loadBook(runtime.pool, input.bookId);
    if (book) requireClockIdle(book);
    const notice = await instructRail(sandbox, payout, input);
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

async function instructRail(rail: Rails['sandbox'], payout: Payout, input: SimulatePayout): Promise<RailNotice> {
  const { simulation } = input;
  if (payout.rail !== rail.name || !POSSIBLE[simulation.action].includes(payout.status) || payout.sentAt === null)
    throw conflict(payout, simulation);
  if (simulation.action === 'return') return returned(rail, payout, input, simulation.amount);
  const id = simulatedNoticeId(input);
  const { bookId } = input;
  const instruct = () =>
    simulation.action === 'complete'
      ? rail.complete(bookId, payout.endToEndId, id)
      : rail.fail(bookId, payout.endToEndId, id, simulation.code);
  const notice = await onceAtRail(payout, instruct);
  if (notice) return notice;
  throw payout.status === 'processing' ? notAtRail(payout, simulation) : conflict(payout, simulation);
}

async function returned(
  rail: Rails['sandbox'],
  payout: Payout,
  input: SimulatePayout,
  asked: bigint | undefined,
): Promise<RailNotice> {
  const left = payout.amount - payout.amountReturned;
  const amount = asked ?? left;
  if (amount > left)
    throw new ApiError('amount_above_maximum', {
      param: '/amount',
      detail: `Only ${left} of the payout has not come back yet.`,
      facts: { limit: left },
    });
  const notice = await rail.return(input.bookId, payout.endToEndId, simulatedNoticeId(input), amount);
  // The rail judges under its own lock: of several at once, those that fit come back.
  if (!notice) throw conflict(payout, input.simulation, `Less than ${amount} of it is left at the rail.`);
  return notice;
}

/** A job brings a reserved payout to the rail in milliseconds, under load in a second or two. */
const AT_RAIL_MS = 5_000;
const REPEAT_EVERY_MS = 20;

/** A payout is `processing` from its reservation on, and the rail knows it a moment later: whoever saw the status may decide what becomes of it. */
async function onceAtRail(
  { status }: Payout,
  instruct: () => Promise<RailNotice | undefined>,
): Promise<RailNotice | undefined> {
  const until = performance.now() + AT_RAIL_MS;
  let notice = await instruct();
  while (!notice && status === 'processing' && performance.now() < until) {
    await delay(REPEAT_EVERY_MS);
    notice = await instruct();
  }
  return notice;
}

function notAtRail(payout: Payout, { action }: Simulation): ApiError {
  return new ApiError('state_conflict', {
    detail: `The rail cannot ${action} this payout yet: it has not reached the rail.`,
    retryable: true,
    headers: { 'Retry-After': '1' },
    facts: { current_status: payout.status, allowed_actions: allowedActions(payout) },
  });
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
