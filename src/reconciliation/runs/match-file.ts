/** What rules would make of the lines of a file that is not taken yet: nothing is written. */
import type { Pool } from '../../db/pool.ts';
import type { ReadParts } from '../../intake/read-twice.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Uuid } from '../../values/ids.ts';
import type { BankAccount } from '../accounts/bank-account.ts';
import { readOpenAccounts } from '../accounts/bank-account-table.ts';
import { movedAmount, movedDetails } from '../lines/bank-line.ts';
import { matchLines } from '../matches/match-lines.ts';
import { OPEN_MAX, readRules, readSet, rulesOfCompared } from '../matches/match-set.ts';
import {
  type LeftKind,
  type Match,
  type MatchInput,
  type MatchItem,
  type OpenLine,
  RULES,
} from '../matches/matching.ts';
import { oursAsIs } from '../matches/named-items.ts';
import type { BankFileLine } from '../reading/bank-file.ts';
import type { CsvProfile } from '../reading/read-csv.ts';
import { AnyReader } from '../reading/read-file.ts';
import type { RuleCount } from './reconciliation.ts';

export interface MatchFile {
  readonly bookId: BookId;
  readonly read: ReadParts;
  readonly profile?: CsvProfile | undefined;
  /** By the place of a statement in the file: the account that it would be posted on. */
  readonly posting: ReadonlyMap<number, Pick<BankAccount, 'id' | 'reversalIndicator'>>;
  /** Of a book's own comparison: lines of the account that are no items yet. */
  readonly compared?: { readonly accountId: Uuid; readonly items: readonly MatchItem[] };
}

export interface FileMatches {
  /** Lines that rules would match. */
  readonly matched: number;
  readonly byRule: readonly RuleCount[];
  /** How many of those that are left would have a proposal. */
  readonly proposed: number;
  readonly left: readonly { readonly kind: LeftKind; readonly lines: number }[];
  /** Lines beyond what a dry run looks at. */
  readonly beyond: number;
}

/** The lines of the file alone: what is open of other files is left out. */
export async function matchFile(pool: Pool, file: MatchFile): Promise<FileMatches> {
  const { lines, beyond } = await linesOf(file);
  if (lines.length === 0) return { matched: 0, byRule: [], proposed: 0, left: [], beyond };
  const { matches, left } = matchLines(await setOf(pool, file, lines));
  const currencyOf = new Map(lines.map(({ id, currency }) => [id, currency]));
  const byRule = RULES.flatMap((rule) =>
    countsOf(
      matches.filter((match) => match.rule === rule),
      currencyOf,
    ),
  );
  const kinds = [...new Set(left.map(({ kind }) => kind))].sort();
  return {
    matched: byRule.reduce((sum, one) => sum + one.lines, 0),
    byRule,
    proposed: left.filter(({ proposals }) => proposals.length > 0).length,
    left: kinds.map((kind) => ({ kind, lines: left.filter((one) => one.kind === kind).length })),
    beyond,
  };
}

async function setOf(pool: Pool, { bookId, compared }: MatchFile, lines: readonly OpenLine[]): Promise<MatchInput> {
  if (compared === undefined) {
    const rules = await readRules(pool, bookId, await readOpenAccounts(pool, bookId));
    return readSet(pool, { bookId, lines, rules, whole: true });
  }
  const rules = rulesOfCompared(compared.accountId);
  const set = await readSet(pool, { bookId, lines, rules, whole: true, comparedAccountId: compared.accountId });
  return { ...set, items: [...set.items, ...compared.items] };
}

/** Of matches of one rule. */
function countsOf(matches: readonly Match[], currencyOf: ReadonlyMap<Uuid, string>): RuleCount[] {
  const counts = new Map<string, RuleCount>();
  for (const { rule, lines } of matches) {
    const currency = currencyOf.get(lines[0]!.id)!;
    const known = counts.get(currency) ?? { rule, currency, lines: 0, amount: '0' };
    const sum = lines.reduce((all, { amount }) => all + (amount < 0n ? -amount : amount), BigInt(known.amount));
    counts.set(currency, { ...known, lines: known.lines + lines.length, amount: String(sum) });
  }
  return [...counts.values()];
}

async function linesOf({ read, profile, posting }: MatchFile): Promise<{
  readonly lines: readonly OpenLine[];
  readonly beyond: number;
}> {
  const reader = new AnyReader(profile);
  const lines: OpenLine[] = [];
  let [statement, place, beyond] = [1, 0, 0];
  const take = (reads: ReturnType<AnyReader['push']>) => {
    for (const one of reads) {
      if (one.is === 'statement') {
        statement += 1;
        place = 0;
        continue;
      }
      const account = posting.get(statement);
      if (account === undefined || one.line.standing !== 'booked') continue;
      place += 1;
      if (lines.length === OPEN_MAX) beyond += 1;
      else lines.push(openLine(one.line, { id: `${statement} ${place}`, place, account }));
    }
  };
  for await (const part of read()) take(reader.push(part));
  take(reader.end());
  return { lines, beyond };
}

interface OfFile {
  readonly id: Uuid;
  readonly place: number;
  readonly account: Pick<BankAccount, 'id' | 'reversalIndicator'>;
}

function openLine(line: BankFileLine, { id, place, account }: OfFile): OpenLine {
  return {
    ...{ ...line, id, place, bankAccountId: account.id, amount: movedAmount(line, account.reversalIndicator) },
    ...{ refs: line.references, batchId: line.batch?.id ?? null, batchTransactions: line.batch?.transactions ?? null },
    endToEndId: oursAsIs(line.endToEndId),
    charges: line.charges.map((charge) => ({ ...charge, amount: String(charge.amount) })),
    details: movedDetails(line, account.reversalIndicator),
  };
}
