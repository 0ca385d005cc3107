/** What a person must look at about a payout: a row, and an event. */
import type { Pool } from '../../db/pool.ts';
import { isEnded } from '../../exceptions/exception.ts';
import { hasOpenException } from '../../exceptions/exception-store.ts';
import { exceptions } from '../../exceptions/exception-table.ts';
import { openException } from '../../exceptions/open-exception.ts';
import type { BookId } from '../../ledger/book.ts';
import type { Touch } from '../../ledger/command.ts';
import type { Draft } from '../../ledger/draft.ts';
import { deriveId, type Uuid } from '../../values/ids.ts';
import type { Payout } from './payout.ts';
import { MISMATCH_KINDS, type RailMismatch } from './rail-mismatch.ts';

/** Puts a contradiction before a person. */
export function raise(draft: Draft, payout: Payout, exception: { kind: string; detail: string }): void {
  open(draft, payout, { id: draft.mintId(), ...exception });
}

/**
 * Puts mismatches before a person, each kind once while the payout is open and once when it is final, however often the rail
 * repeats itself. The command declares `mismatchTouches`.
 */
export function raiseMismatches(draft: Draft, payout: Payout, mismatches: readonly RailMismatch[]): void {
  for (const { kind, detail } of mismatches) {
    const [whileOpen, whenFinal] = mismatchIds(payout, kind);
    const isOpen = payout.status === 'processing';
    const id = isOpen ? whileOpen : whenFinal;
    if (draft.get(exceptions, id)) continue;
    const whole = `${detail} ${isOpen ? 'Its outcome is unknown until the rail confirms the payout or a person resolves it.' : 'Nothing was booked.'}`;
    open(draft, payout, { id, kind, detail: whole });
  }
}

export function mismatchTouches(payout: Payout, mismatches: readonly RailMismatch[]): Touch[] {
  if (mismatches.length === 0) return [];
  return [{ table: exceptions, ids: mismatches.flatMap(({ kind }) => mismatchIds(payout, kind)) }];
}

/** Of every mismatch that may be open about a payout in processing. */
export function doubtTouches(payout: Payout): Touch[] {
  return [{ table: exceptions, ids: MISMATCH_KINDS.map((kind) => mismatchIds(payout, kind)[0]) }];
}

/** The rail has spoken of something else under this payout's id, and no second person has approved what became of it. The command declares `doubtTouches`. */
export function isDoubted(draft: Draft, payout: Payout): boolean {
  return MISMATCH_KINDS.some((kind) => {
    const exception = draft.get(exceptions, mismatchIds(payout, kind)[0]);
    return exception !== undefined && !isEnded(exception);
  });
}

/** The same, asked outside of a command. */
export function hasOpenMismatch(pool: Pool, bookId: BookId, payoutId: Uuid): Promise<boolean> {
  return hasOpenException(pool, bookId, { resource: 'payout', resourceId: payoutId, kinds: MISMATCH_KINDS });
}

function mismatchIds(payout: Payout, kind: RailMismatch['kind']): [whileOpen: Uuid, whenFinal: Uuid] {
  return [deriveId('exception', payout.id, kind), deriveId('exception', payout.id, kind, 'final')];
}

function open(draft: Draft, payout: Payout, exception: { id: Uuid; kind: string; detail: string }): void {
  openException(draft, { ...exception, resource: 'payout', resourceId: payout.id });
}
