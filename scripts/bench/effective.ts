/**
 * Part of bench `growth`: the balance of an account at the end of a day of effect, of which a hundredth, and all, of a million lines take effect on
 * another day than they were posted on.
 */
import { addDays, dayOf } from '../../src/calendar/day.ts';
import { accounts } from '../../src/ledger/account/account-table.ts';
import { findBalanceAt } from '../../src/ledger/balances/balance-at-store.ts';
import { loadEffectiveChanges } from '../../src/ledger/balances/balances-at.ts';
import { loadBook } from '../../src/ledger/book/book-store.ts';
import { endOfDay } from '../../src/ledger/clock/finish-day.ts';
import { foldBook } from '../../src/reports/totals/fold-totals.ts';
import { say } from '../harness/progress.ts';
import { type BenchBook, createCommitter, openBookWithAccounts } from './book.ts';
import { backdated, submitAll } from './ledger-load.ts';
import type { Stage } from './stage.ts';
import { percentile, round } from './statistics.ts';

const LINES_MAX = 1_000_000;
const PARTS = [0.01, 1];
const DAYS = 365;
const ACCOUNTS = 100;
const CALLERS = 2_000;
const READS = 300;
const BAR_MS = 20;

export interface ByEffect {
  readonly fields: Readonly<Record<string, number>>;
  readonly missed: readonly string[];
}

export async function readByEffect(stage: Stage, entries: number): Promise<ByEffect> {
  const lines = Math.min(entries, LINES_MAX);
  const times: number[][] = [];
  for (const part of PARTS) {
    const book = await openBookWithAccounts(stage.pool, { name: `Backdated ${part}`, accounts: ACCOUNTS });
    const account = book.accounts[0]!;
    const committer = createCommitter(stage.pool);
    await submitAll(committer, backdated(book, { account, part, days: DAYS }), { count: lines, callers: CALLERS });
    await committer.close();
    say(`${lines} lines of an account, of which ${part * 100} % take effect on other days`);
    times.push(await timesOf(stage, book));
  }
  const slowest = round(Math.max(...times.map((of) => percentile(of, 99))), 1);
  return {
    fields: {
      ...{ effective_lines: lines, at_effective_p99_ms: slowest },
      at_effective_p50_ms: round(Math.max(...times.map((of) => percentile(of, 50))), 1),
    },
    missed: slowest > BAR_MS ? [`a balance by effect took ${slowest} ms, of ${BAR_MS}`] : [],
  };
}

/** Of days of the year before and today, as the route reads them. */
async function timesOf({ pool }: Stage, book: BenchBook): Promise<number[]> {
  const { lastPostedAt, timeZone, entrySequence } = (await loadBook(pool, book.id))!;
  await foldBook(pool, { id: book.id, head: entrySequence });
  const today = dayOf(lastPostedAt, timeZone);
  const id = book.accounts[0]!;
  const times: number[] = [];
  for (let read = 0; read < READS; read++) {
    const day = addDays(today, -Math.floor(Math.random() * (DAYS + 1)));
    const began = performance.now();
    const account = (await accounts.find(pool, book.id, id))!;
    const { line, posted } = await findBalanceAt(pool, book.id, account, endOfDay(day, { timeZone }) - 1);
    const { entrySequence: sequence } = (await loadBook(pool, book.id))!;
    await loadEffectiveChanges(pool, book.id, { day, sequence }, [{ id, line, posted }]);
    times.push(performance.now() - began);
  }
  return times;
}
