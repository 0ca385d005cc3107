/** What would become of a file that is compared with an account of the book, and what rules would match of its lines. Nothing is written. */

import type { Account } from '../../ledger/account/account.ts';
import { readAccountLines } from '../../ledger/account/account-line-store.ts';
import { accounts } from '../../ledger/account/account-table.ts';
import { loadBook } from '../../ledger/book/book-store.ts';
import { operatorBooks } from '../../organisations/organisation-store.ts';
import type { Uuid } from '../../values/ids.ts';
import { comparedAccounts } from '../items/compared-account-table.ts';
import { itemOfLine, namedLines, type TakeLinesRuntime } from '../items/take-lines.ts';
import { matchItemOf, OPEN_MAX } from '../matches/match-set.ts';
import type { MatchItem } from '../matches/matching.ts';
import { bankStatements, statementIdentities } from '../statements/bank-statement-table.ts';
import { judgeCompared } from '../statements/judge-statement.ts';
import type { StatementSummary } from '../statements/receive-statement.ts';
import { comparedIdentity } from './compare-file.ts';
import type { BankFile } from './import-file.ts';
import { matchFile } from './match-file.ts';
import type { Judged, Rehearsal } from './rehearse-file.ts';

type RehearsalRuntime = Pick<TakeLinesRuntime, 'pool' | 'atBank' | 'lineNames'>;

export async function rehearseComparison(
  runtime: RehearsalRuntime,
  { bookId, checked, read, csv }: BankFile,
  comparedAccountId: Uuid,
): Promise<Rehearsal> {
  const { pool } = runtime;
  const account = (await accounts.find(pool, bookId, comparedAccountId))!;
  const judged: Judged[] = [];
  const posting = new Map<number, { readonly id: Uuid; readonly reversalIndicator: 'entry' }>();
  for (const summary of checked.statements) {
    const one = await judge(runtime, { bookId, account }, summary);
    judged.push(one);
    if (one.verdict === 'compared') posting.set(summary.place, { id: comparedAccountId, reversalIndicator: 'entry' });
  }
  const items = await newItems(runtime, bookId, account);
  const compared = { accountId: comparedAccountId, items };
  const matches = await matchFile(pool, { bookId, read, posting, profile: csv?.profile, compared });
  const ok = matches.left.length === 0 && judged.every(({ verdict }) => verdict !== 'rejected');
  return { judged, matches, ok, comparedAccountId };
}

interface Of {
  readonly bookId: string;
  readonly account: Account;
}

async function judge({ pool }: RehearsalRuntime, { bookId, account }: Of, summary: StatementSummary): Promise<Judged> {
  const { statement, sums } = summary;
  const stated = { account: statement.account, number: statement.number, lines: sums.booked };
  const here = await statementIdentities.find(pool, bookId, comparedIdentity(account.id, summary.identity));
  const before = here && (await bankStatements.find(pool, bookId, here.statementId));
  if (before !== undefined)
    return before.status === 'rejected'
      ? { ...stated, verdict: 'rejected', findings: before.findings }
      : { ...stated, verdict: 'known', findings: [] };
  const { status, findings } = judgeCompared(summary, account.currency);
  if (status === 'rejected') return { ...stated, verdict: 'rejected', findings };
  return { ...stated, verdict: statement.kind === 'statement' ? 'compared' : 'informs', findings };
}

/** Lines of the account that no run has taken yet, as far as a dry run looks. */
async function newItems(runtime: RehearsalRuntime, bookId: string, account: Account): Promise<MatchItem[]> {
  const { pool } = runtime;
  const behind = (await comparedAccounts.find(pool, bookId, account.id))?.line ?? 0n;
  const range = { after: behind, upTo: account.lines, limit: OPEN_MAX };
  const lines = await readAccountLines(pool, bookId, account.id, range);
  const { mode, timeZone } = (await loadBook(pool, bookId))!;
  const operatorBookId = (await operatorBooks(pool))[mode];
  const named = await namedLines(runtime, { bookId, operatorBookId, accountId: account.id }, lines);
  return named.map((one) => matchItemOf(itemOfLine({ bookId, account, timeZone }, one)));
}
