/** Matches open lines, a page at a time and then together, and confirms what rules find. Of bank accounts, and of accounts that a book compares. */
import type { Pool } from '../../db/pool.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Committer } from '../../ledger/commit/committer.ts';
import { BEFORE_ALL_IDS, type Uuid } from '../../values/ids.ts';
import { elsewhere } from '../../values/progress.ts';
import type { BankLine } from '../lines/bank-line.ts';
import { awaitedBy, type CreditsOfLines, readCreditsOfLines } from '../lines/credit-of-line-store.ts';
import { MATCH_PARTS_MAX } from '../matches/bank-match.ts';
import { type LinePlace, readFilesOf } from '../matches/candidate-store.ts';
import { confirmMatches, inCommands, type RuleMatch } from '../matches/confirm-matches.ts';
import { matchLines } from '../matches/match-lines.ts';
import { openLineOf, readSet } from '../matches/match-set.ts';
import type { LeftLine, Matched, MatchInput, MatchingRules } from '../matches/matching.ts';
import { confirmLargeMatch, isLarge } from '../matches/move-large-match.ts';

export interface FoundRuntime {
  readonly pool: Pool;
  readonly committer: Pick<Committer, 'submit'>;
}

/** What a run is limited to. Rules look at all open lines whatever it is, so that the same set gives the same matches. */
export interface Scope {
  /** Of a bank account, or of an account that its book compares. */
  readonly accountId: Uuid;
  /** The last booking day. Null: all days. */
  readonly through: string | null;
}

export interface MatchingRun {
  readonly bookId: BookId;
  readonly requestId: Uuid;
  readonly actor: string;
  /** Left out: the whole book. */
  readonly scope?: Scope | undefined;
  /** Of a book's own comparison. Left out in the operator's books. */
  readonly comparedAccountId?: Uuid;
}

/** A match is confirmed where the account is one of its own, and no line is later. */
export function isMatchedIn(scope: Scope | undefined, lines: readonly BankLine[]): boolean {
  return (
    scope === undefined ||
    (lines.some((line) => accountOf(line) === scope.accountId) &&
      lines.every(({ bookedOn }) => scope.through === null || bookedOn <= scope.through))
  );
}

const accountOf = ({ bankAccountId, comparedAccountId }: BankLine) => (bankAccountId ?? comparedAccountId)!;

/** Lines at once. */
const PAGE = 1_000;
export const BEFORE_ALL: LinePlace = { bookedOn: '', id: BEFORE_ALL_IDS };

/** Open lines of one account behind a place. */
export type ListOpen = (of: { readonly after: LinePlace; readonly limit: number }) => Promise<BankLine[]>;

/** By what lines name, page by page. */
export async function matchNamed(
  runtime: FoundRuntime,
  run: MatchingRun,
  { list, rules }: { readonly list: ListOpen; readonly rules: MatchingRules },
): Promise<void> {
  const { bookId, comparedAccountId } = run;
  for (let after = BEFORE_ALL; ; ) {
    const lines = await list({ after, limit: PAGE });
    const last = lines.at(-1);
    if (last === undefined) return;
    const credits = await readCreditsOfLines(runtime.pool, bookId, lines);
    const set = { bookId, lines: openLinesOf(lines, credits), rules, whole: false };
    const input = await readSet(runtime.pool, {
      ...set,
      ...(comparedAccountId !== undefined && { comparedAccountId }),
    });
    await confirm(runtime, run, { lines, credits, input, matched: matchLines(input, 'named') });
    after = elsewhere('the open lines of an account', after, { bookedOn: last.bookedOn, id: last.id });
  }
}

interface Together {
  readonly lines: readonly BankLine[];
  readonly rules: MatchingRules;
}

/** By all rules, which compare lines with each other. Resolves to what they leave. */
export async function matchTogether(
  runtime: FoundRuntime,
  run: MatchingRun,
  { lines, rules }: Together,
): Promise<readonly LeftLine[]> {
  if (lines.length === 0) return [];
  const { bookId, comparedAccountId } = run;
  const credits = await readCreditsOfLines(runtime.pool, bookId, lines);
  const set = { bookId, lines: openLinesOf(lines, credits), rules, whole: true };
  const input = await readSet(runtime.pool, { ...set, ...(comparedAccountId !== undefined && { comparedAccountId }) });
  const matched = matchLines(input);
  await confirm(runtime, run, { lines, credits, input, matched });
  return matched.left;
}

const openLinesOf = (lines: readonly BankLine[], credits: CreditsOfLines) =>
  lines.map((line) => openLineOf(line, awaitedBy(credits, line.id)));

interface Confirming {
  readonly lines: readonly BankLine[];
  readonly credits: CreditsOfLines;
  readonly input: MatchInput;
  readonly matched: Matched;
}

async function confirm(runtime: FoundRuntime, run: MatchingRun, confirming: Confirming): Promise<void> {
  const { lines, credits, input, matched } = confirming;
  const byId = new Map(lines.map((line) => [line.id, line]));
  const itemOf = new Map(input.items.map((item) => [item.id, item]));
  const files = await readFilesOf(runtime.pool, run.bookId, [...new Set(lines.map(({ statementId }) => statementId))]);
  const evidence = new Map(lines.map(({ id, statementId }) => [id, files.get(statementId)!]));
  const inScope = matched.matches.filter((match) =>
    isMatchedIn(
      run.scope,
      match.lines.map(({ id }) => byId.get(id)!),
    ),
  );
  const matches = inScope.map((match): RuleMatch => {
    const first = byId.get(match.lines[0]!.id)!;
    return {
      ...match,
      ...{ currency: first.currency, comparedAccountId: first.comparedAccountId },
      rulesVersion: input.rules.accounts.get(accountOf(first))!.version,
      accountIds: match.items.map(({ id }) => itemOf.get(id)!.clearingAccountId),
    };
  });
  const within = matches.filter((match) => match.lines.length + match.items.length <= MATCH_PARTS_MAX);
  for (const some of inCommands(within)) {
    const exceptionIds = some.flatMap((match) => [
      ...match.lines.flatMap(({ id }) => byId.get(id)!.exceptionId ?? []),
      ...match.items.flatMap(({ id }) => itemOf.get(id)!.exceptionId ?? []),
    ]);
    const command = { ...run, matches: some, exceptionIds, evidence, credits };
    await runtime.committer.submit(run.bookId, confirmMatches(command));
  }
  for (const match of matches.filter(isLarge)) await confirmLargeMatch(runtime, run, match);
}
