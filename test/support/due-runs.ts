/** Carries out runs as the reports pool does, without its queue. */
import { RunsInHand } from '../../src/reconciliation/runs/carry-out-runs.ts';
import type { ImportRuntime } from '../../src/reconciliation/runs/import-file.ts';
import { systemClock } from '../../src/values/clock.ts';
import type { Uuid } from '../../src/values/ids.ts';
import { NO_ARRIVALS, NO_RETURNS, type OperatorsBank } from './bank-statements.ts';
import { TEST_SECRET_BOX } from './secret-box.ts';

type Others = Partial<Pick<ImportRuntime, 'committer' | 'mirror' | 'arrivals' | 'returnAtBank'>>;

export function carryOutRuns(bank: OperatorsBank, ids: readonly Uuid[], others: Others = {}): Promise<void> {
  const hand = new RunsInHand({
    ...{ ...bank.taker, secretBox: TEST_SECRET_BOX, clock: systemClock, atBank: [], lineNames: [] },
    ...{ mirror: () => Promise.resolve(), arrivals: NO_ARRIVALS, returnAtBank: NO_RETURNS, ...others },
    rowFailed: (_, __, error) => Promise.reject(error),
  });
  return hand.carryOut(bank.book.id, ids);
}

/** Those that somebody must still act on: the sweeper enqueues them where their job was lost. */
export async function dueRuns(bank: OperatorsBank): Promise<Uuid[]> {
  const rows = await bank.book.rows<{ id: Uuid }>(
    'SELECT id FROM reconciliations WHERE book_id = $1 AND due_at IS NOT NULL ORDER BY id',
  );
  return rows.map(({ id }) => id);
}
