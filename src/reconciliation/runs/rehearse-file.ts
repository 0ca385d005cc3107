/** What would become of each statement of a file, one behind the other, and what rules would match of its lines. Nothing is written. */

import type { Pool } from '../../db/pool.ts';
import type { BookId } from '../../ledger/book/book.ts';
import { plainIdentifier } from '../../outside/credits/credited-account-store.ts';
import { systemClock } from '../../values/clock.ts';
import { newId, type Uuid } from '../../values/ids.ts';
import type { BankAccount } from '../accounts/bank-account.ts';
import { bankAccountIdentifiers, bankAccounts } from '../accounts/bank-account-table.ts';
import { isLeft, type StatementFinding } from '../statements/bank-statement.ts';
import { bankStatements, statementIdentities } from '../statements/bank-statement-table.ts';
import { judgeStatement } from '../statements/judge-statement.ts';
import type { StatementSummary } from '../statements/receive-statement.ts';
import { waitsForAccount } from '../statements/take-up-statement.ts';
import { type BankFile, besideOf, pagesOf } from './import-file.ts';
import { type FileMatches, matchFile } from './match-file.ts';
import { FINDINGS_SHOWN, NOTHING_YET, type Reconciliation } from './reconciliation.ts';
import { reconciliationView } from './reconciliation-resource.ts';
import { RehearsedChain } from './rehearsed-chain.ts';

export const VERDICTS = ['posts', 'compared', 'informs', 'known', 'held', 'rejected'] as const;

export interface Judged {
  readonly account: string;
  readonly number: string | null;
  readonly verdict: (typeof VERDICTS)[number];
  readonly lines: number;
  readonly findings: readonly StatementFinding[];
}

export interface Rehearsal {
  readonly judged: readonly Judged[];
  readonly matches: FileMatches;
  /** Whether nothing would be left to a person. */
  readonly ok: boolean;
  /** Of a book's own comparison. */
  readonly comparedAccountId?: Uuid;
}

export async function rehearseFile(pool: Pool, { bookId, checked, read, csv }: BankFile): Promise<Rehearsal> {
  const judged: Judged[] = [];
  const posting = new Map<number, BankAccount>();
  const days = checked.statements.flatMap(({ statement: { to } }) => to ?? []).sort();
  const books: Books = { bookId, posting, chains: new Map(), from: days[0] ?? null };
  for (const summary of checked.statements) {
    judged.push(await judge(pool, books, summary));
    // Its place is that in the file, from 1.
    for (const place of released(books)) judged[place - 1] = { ...judged[place - 1]!, verdict: 'posts', findings: [] };
  }
  const matches = await matchFile(pool, { bookId, read, posting, profile: csv?.profile });
  const ok = matches.left.length === 0 && judged.every(({ verdict }) => verdict !== 'held' && verdict !== 'rejected');
  return { judged, matches, ok };
}

/** Of a file with more statements. */
const VERDICTS_SHOWN = 100;

/** The run as it would be, as far as the file alone shows. Its id is nobody's. */
export function rehearsalView(file: BankFile, rehearsal: Rehearsal, livemode: boolean) {
  const { judged, matches, ok } = rehearsal;
  const all = judged.flatMap(({ findings }) => findings);
  const findings = all.slice(0, FINDINGS_SHOWN).map((finding) => ({ ...finding, bank_statement: null }));
  const run = reconciliationView(rehearsedRun(file, rehearsal), livemode);
  const verdicts = judged
    .slice(0, VERDICTS_SHOWN)
    .map(({ account, number, verdict, lines }) => ({ account, number, verdict, lines }));
  return { ...run, findings, findings_total: all.length, dry_run: true, ok, verdicts, left: matches.left };
}

function rehearsedRun(
  { checked, name, csv }: BankFile,
  { judged, matches, comparedAccountId }: Rehearsal,
): Reconciliation {
  const now = systemClock.now();
  return {
    ...NOTHING_YET,
    ...{ id: newId(), status: 'pending', sha256: checked.sha256, name, format: checked.format, through: null },
    ...{ bytes: BigInt(checked.bytes), bankAccountId: csv?.bankAccountId ?? null, profileId: csv?.profileId ?? null },
    comparedAccountId: comparedAccountId ?? null,
    statements: checked.statements.length,
    known: judged.filter(({ verdict }) => verdict === 'known').length,
    lines: judged.reduce(
      (sum, { verdict, lines }) => sum + (verdict === 'posts' || verdict === 'compared' ? lines : 0),
      0,
    ),
    ...{ matched: matches.matched, byRule: matches.byRule, proposed: matches.proposed },
    openLines: matches.left.reduce((sum, { lines }) => sum + lines, 0) + matches.beyond,
    ...{ requestId: newId(), version: 1, dueAt: null, createdAt: now, updatedAt: now },
  };
}

interface Books {
  readonly bookId: BookId;
  /** The first day on which a statement of the file ends. */
  readonly from: string | null;
  /** Of each account, as statements before it in the file would leave it. */
  readonly chains: Map<Uuid, RehearsedChain>;
  /** Statements that would be posted, by their place in the file. */
  readonly posting: Map<number, BankAccount>;
}

/** Places of statements of the file that what came behind them would release. */
function released({ chains, posting }: Books): number[] {
  return [...chains.values()].flatMap((chain) => {
    const places = chain.release();
    for (const place of places) posting.set(place, chain.account);
    return places;
  });
}

async function chainOfAccount(
  pool: Pool,
  { bookId, chains, from }: Books,
  account: BankAccount,
): Promise<RehearsedChain> {
  const chain = chains.get(account.id) ?? (await RehearsedChain.read(pool, bookId, { account, from }));
  chains.set(account.id, chain);
  return chain;
}

async function judge(pool: Pool, books: Books, summary: StatementSummary): Promise<Judged> {
  const { bookId } = books;
  const { statement, sums, identity } = summary;
  const stated = { account: statement.account, number: statement.number, lines: sums.booked };
  const here = await statementIdentities.find(pool, bookId, identity);
  const before = here && (await bankStatements.find(pool, bookId, here.statementId));
  const identifier = await bankAccountIdentifiers.find(pool, bookId, plainIdentifier(statement.account));
  const known = identifier && (await bankAccounts.find(pool, bookId, identifier.bankAccountId));
  // One that waits for its account is taken up once that is made.
  if (before !== undefined && !(known !== undefined && waitsForAccount(before))) {
    const verdict = before.status === 'rejected' ? 'rejected' : isLeft(before) ? 'held' : 'known';
    return { ...stated, verdict, findings: verdict === 'known' ? [] : before.findings };
  }
  if (known !== undefined && statement.kind !== known.booksFrom) return { ...stated, verdict: 'informs', findings: [] };
  const chain = known && (await chainOfAccount(pool, books, known));
  const of = known && { bookId, bankAccountId: known.id, summary };
  const isRestated = of !== undefined && (await besideOf(pool, of)).some(({ status }) => status === 'posted');
  const pages = of === undefined ? [] : await pagesOf(pool, of);
  const { status, findings } = judgeStatement({ statement, sums, account: chain?.account, isRestated, pages });
  if (status === 'held') chain?.hold(summary, findings, pages);
  if (status !== 'received') return { ...stated, verdict: status, findings };
  books.posting.set(summary.place, chain!.account);
  chain!.post(summary);
  return { ...stated, verdict: 'posts', findings };
}
