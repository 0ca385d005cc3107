/**
 * Ends a close, by the second of its two commands. Between the two, what came since the last close is verified up to the period's last
 * entry, and the trial balance is folded: both read what never changes again, so a worker that takes over finds the same.
 */
import type { Pool } from '../../db/pool.ts';
import type { Finding } from '../../group/finding.ts';
import type { LeftOpen } from '../../group/group.ts';
import type { RowFailed } from '../../group/moved-rows.ts';
import { FigureContradicted } from '../../ledger/balances/totals/folded-accounts.ts';
import { TrialBalance } from '../../ledger/balances/trial-balance.ts';
import { readBalances } from '../../ledger/balances/trial-balance-store.ts';
import type { BookId } from '../../ledger/book/book.ts';
import { loadBook } from '../../ledger/book/book-store.ts';
import type { Command } from '../../ledger/command/command.ts';
import { Draft } from '../../ledger/command/draft.ts';
import type { Committer } from '../../ledger/commit/committer.ts';
import { advance } from '../../ledger/resources/resource.ts';
import { failpoint } from '../../process/failpoints.ts';
import { newId, publicId, type Uuid } from '../../values/ids.ts';
import { movedPeriods } from './moved-periods.ts';
import { FINDINGS_MAX, type OpenItems, type Period, type PeriodFinding } from './period.ts';
import { periodResource } from './period-resource.ts';
import { findHash } from './period-store.ts';
import { periods } from './period-table.ts';

/** What is verified: the entries and events of a period, behind those of the one before. */
export interface VerifiedRange {
  readonly bookId: BookId;
  readonly entries: { readonly after: bigint; readonly upTo: bigint };
  readonly events: { readonly after: bigint; readonly upTo: bigint };
  readonly onFinding: (finding: Finding) => void;
}

export interface EndRuntime {
  readonly pool: Pool;
  readonly committer: Pick<Committer, 'submit'>;
  readonly rowFailed: RowFailed;
  /** What is listed with a close, of every group. */
  readonly leftOpen: readonly LeftOpen[];
  /** Verification knows all groups: it is handed in. */
  verify(range: VerifiedRange): Promise<void>;
}

/** A period that is no longer pending is left alone. */
export async function endCloses(runtime: EndRuntime, bookId: BookId, ids: readonly Uuid[]): Promise<void> {
  for (const id of ids) {
    try {
      const period = await periods.find(runtime.pool, bookId, id);
      if (period?.status !== 'pending') continue;
      const verdict = await examine(runtime, bookId, period);
      failpoint('period.verified');
      await runtime.committer.submit(bookId, endClose(period, verdict));
    } catch (error) {
      await runtime.rowFailed(movedPeriods, { bookId, id }, error);
    }
  }
}

export interface Verdict {
  readonly digest: string;
  readonly findings: readonly PeriodFinding[];
  readonly findingsTotal: number;
  readonly openItems: readonly OpenItems[];
}

async function examine(runtime: EndRuntime, bookId: BookId, period: Period): Promise<Verdict> {
  const findings: PeriodFinding[] = [];
  let findingsTotal = 0;
  const report = ({ check, ids, expected, actual, detail }: PeriodFinding) => {
    if (++findingsTotal <= FINDINGS_MAX) findings.push({ check, ids, expected, actual, detail });
  };
  await runtime.verify({
    bookId,
    entries: { after: period.sinceSequence, upTo: period.throughSequence },
    events: { after: period.sinceEvent, upTo: period.throughEvent },
    onFinding: report,
  });
  await compareHead(runtime.pool, bookId, period, report);
  const digest = await foldBalances(runtime.pool, bookId, period, report);
  const openItems: OpenItems[] = [];
  for (const { type, count } of runtime.leftOpen) openItems.push({ type, count: await count(runtime.pool, bookId) });
  return { digest, findings, findingsTotal, openItems };
}

async function compareHead(
  pool: Pool,
  bookId: BookId,
  { id, throughSequence, chainHash }: Period,
  report: (finding: PeriodFinding) => void,
): Promise<void> {
  if (throughSequence === 0n) return;
  const found = await findHash(pool, bookId, throughSequence);
  if (found === chainHash) return;
  report({
    check: 'period.chain_hash',
    ids: { period: publicId('period', id), sequence: `${throughSequence}` },
    expected: chainHash,
    actual: found ?? 'no entry',
    detail: 'The last entry of the period is not the one that was there when its days were closed.',
  });
}

async function foldBalances(
  pool: Pool,
  bookId: BookId,
  { id, through, throughSequence }: Period,
  report: (finding: PeriodFinding) => void,
): Promise<string> {
  const { timeZone } = (await loadBook(pool, bookId))!;
  const trial = new TrialBalance();
  try {
    for await (const page of readBalances(pool, bookId, { day: through, timeZone, throughSequence, axis: 'effective' }))
      for (const row of page) trial.add(row);
  } catch (error) {
    if (!(error instanceof FigureContradicted)) throw error;
    report({
      check: 'period.totals',
      ids: { period: publicId('period', id) },
      expected: 'totals that are what the lines of the journal come to',
      actual: error.message,
      detail: 'Totals behind the journal contradict its lines, so the days have no trial balance.',
    });
  }
  for (const [currency, { debit, credit }] of trial.totals) {
    if (debit === credit) continue;
    report({
      check: 'period.balanced',
      ids: { period: publicId('period', id), currency },
      expected: `credits of ${debit}`,
      actual: `credits of ${credit}`,
      detail: `In ${currency}, the trial balance does not balance.`,
    });
  }
  return trial.digest();
}

/** pending → closed, or refused: then the days are as they were before. Answers whether the period was pending. Its event names the request. */
export function endClose(
  { id, requestId }: Pick<Period, 'id' | 'requestId'>,
  { digest, findings, findingsTotal, openItems }: Verdict,
): Command<boolean> {
  const origin = { id: newId(), requestId, actor: 'worker:ledger' };
  return {
    ...origin,
    name: 'period.end',
    touches: [{ table: periods, ids: [id] }],
    decide(state, moment) {
      const draft = new Draft(state, origin, moment);
      const period = draft.get(periods, id);
      if (period?.status !== 'pending') return draft.finish(false);
      const found = { findings, findingsTotal, openItems, dueAt: null };
      if (findingsTotal === 0) {
        const closed = { ...found, status: 'closed', trialBalanceDigest: digest } as const;
        advance(draft, periodResource, period, closed, { event: 'period.closed' });
        return draft.finish(true);
      }
      advance(draft, periodResource, period, { ...found, status: 'refused' }, { event: 'period.refused' });
      const outcome = draft.finish(true);
      return { ...outcome, book: { ...outcome.book, closedThrough: period.closedBefore } };
    },
  };
}
