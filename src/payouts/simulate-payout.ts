/** Test mode: tells the sandbox rail what becomes of a payout, and takes its notice in at once. */

import type { Pool } from '../db/pool.ts';
import type { SecretBox } from '../db/secret-box.ts';
import { ApiError } from '../errors.ts';
import type { Stored } from '../idempotency/idempotency-key.ts';
import { idempotencyKeys } from '../idempotency/idempotency-table.ts';
import type { OnceAnswer } from '../idempotency/once.ts';
import { type OnceRuntime, runOnce } from '../idempotency/run-once.ts';
import { deriveId, newId, type Uuid } from '../ids.ts';
import { writeJson } from '../json.ts';
import type { BookId } from '../ledger/book.ts';
import type { Command, Refusal } from '../ledger/command.ts';
import type { RailNotice } from '../rails/rail.ts';
import type { SandboxRail } from '../rails/sandbox-rail.ts';
import { allowedActions, type Payout } from './payout.ts';
import { payouts } from './payout-table.ts';
import { payoutView } from './payout-view.ts';
import { compareNotice, noticeCommand } from './take-notices.ts';

export type Simulation =
  | { action: 'complete' }
  | { action: 'fail'; code?: string }
  | { action: 'return'; amount?: bigint };

export interface SimulationRuntime extends OnceRuntime {
  pool: Pool;
  secretBox: SecretBox;
  rails: { sandbox: SandboxRail };
}

export interface SimulatePayout {
  bookId: BookId;
  payoutId: Uuid;
  simulation: Simulation;
  idempotencyKey: string | null;
  fingerprint: Buffer;
  requestId: Uuid;
}

/** States in which the rail can still say it: what is final there it only contradicts. */
const POSSIBLE: Record<Simulation['action'], readonly Payout['status'][]> = {
  complete: ['processing', 'failed'],
  fail: ['processing', 'paid'],
  return: ['paid'],
};

export async function simulatePayout(runtime: SimulationRuntime, input: SimulatePayout): Promise<OnceAnswer> {
  const payout = (await payouts.load(runtime.pool, input.bookId, [input.payoutId])).get(input.payoutId);
  if (!payout)
    throw new ApiError('resource_not_found', { detail: 'There is no such payout in this book.', param: 'id' });
  const run = (command: Command<Stored | Refusal>) =>
    runOnce(runtime, {
      bookId: input.bookId,
      key: input.idempotencyKey,
      fingerprint: input.fingerprint,
      requestId: input.requestId,
      command,
    });
  // A repeat is answered from its key and tells the rail nothing.
  if (input.idempotencyKey !== null && (await idempotencyKeys.find(runtime.pool, input.bookId, input.idempotencyKey)))
    return run(neverDecided(input.requestId));

  const notice = await tellRail(runtime.rails.sandbox, payout, input);
  const compared = compareNotice({ ...runtime, rail: () => runtime.rails.sandbox }, payout, notice);
  const command = noticeCommand(input.bookId, payout, notice, compared);
  const answer = await run({
    ...command,
    decide(state, moment) {
      const outcome = command.decide(state, moment);
      const body = writeJson(payoutView(outcome.answer, state.book.mode === 'live'));
      return { ...outcome, answer: { status: 200, body, resource: 'payout', resourceId: payout.id } };
    },
  });
  await runtime.rails.sandbox.acknowledge([notice.id]);
  return answer;
}

async function tellRail(
  rail: SandboxRail,
  payout: Payout,
  { bookId, simulation, idempotencyKey }: SimulatePayout,
): Promise<RailNotice> {
  if (payout.rail !== rail.name || !POSSIBLE[simulation.action].includes(payout.status) || payout.sentAt === null)
    throw conflict(payout, simulation);
  // The same key tells the rail the same thing, however often.
  const id = idempotencyKey === null ? newId() : deriveId('notice', bookId, idempotencyKey);
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
  }
  if (!notice) throw conflict(payout, simulation);
  return notice;
}

function conflict(payout: Payout, simulation: Simulation): ApiError {
  return new ApiError('state_conflict', {
    detail: `The rail cannot ${simulation.action} this payout now: it is ${payout.status}${payout.rail === 'book' ? ' and no rail carries it' : ''}.`,
    facts: { current_status: payout.status, allowed_actions: allowedActions(payout) },
  });
}

function neverDecided(requestId: Uuid): Command<Stored | Refusal> {
  return {
    id: newId(),
    name: 'payout.simulate',
    requestId,
    touches: [],
    decide() {
      throw new Error('The key was known a moment ago');
    },
  };
}
