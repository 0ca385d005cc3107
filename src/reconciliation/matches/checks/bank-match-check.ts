/** Checks matches: their lines come to their items and their difference, and confirmed ones are counted by their lines. */
import type { CheckContext } from '../../../group/check-context.ts';
import { equationOf } from '../../../group/equation.ts';
import type { RowCheck } from '../../../group/row-check.ts';
import { behindNewIds } from '../../../group/until.ts';
import type { ChartCode } from '../../../ledger/account/account-code.ts';
import { chartAccountId } from '../../../ledger/account/chart.ts';
import { publicId, type Uuid } from '../../../values/ids.ts';
import { DIFFERENCE_TO } from '../../rules/bank-account-rules.ts';
import { isBooked } from '../bank-match.ts';
import { movedByMatch } from '../match-postings.ts';
import { type MatchHistory, readMatchHistories, readMatchHistoriesById } from './bank-match-check-store.ts';

const matchCheck: RowCheck<MatchHistory, Uuid> = {
  name: 'bank matches',
  pageRows: 100,
  read: ({ pool, book }, page) => readMatchHistories(pool, book.id, page),
  readByIds: ({ pool, book }, ids) => readMatchHistoriesById(pool, book.id, ids),
  check: checkMatch,
  placeOf: ({ match }, until) => behindNewIds(match.id, until),
};

export const bankMatchCheck = matchCheck;

const CODES = ['unallocated', 'suspense', ...DIFFERENCE_TO] as const;
const NOTHING = Object.fromEntries(CODES.map((code) => [code, 0n])) as Record<(typeof CODES)[number], bigint>;

/** What waits leaves unallocated and suspense, items leave their clearing accounts, which are named by their ids: one a party. Undone, all stands where it stood. */
export const bankMatchEquation = equationOf({
  rows: matchCheck,
  resources: ['bank_match'],
  codes: CODES,
  balancesOf: ({ bookId, match, entries }) => {
    const named = { resource: 'bank_match', id: match.id, currency: match.currency, entries } as const;
    if (!isBooked(match) || match.comparedAccountId !== null) return [{ ...named, chart: NOTHING, customers: [] }];
    // Items may stand on an account of the chart too: a transfer waits on unallocated.
    const idOf = (code: ChartCode) => chartAccountId(bookId, code, match.currency);
    const [unallocated, suspense] = [idOf('unallocated'), idOf('suspense')];
    const moved = movedByMatch(match, { unallocated, suspense, differenceTo: idOf });
    const chart = Object.fromEntries(CODES.map((code) => [code, moved.get(idOf(code)) ?? 0n])) as typeof NOTHING;
    const ofChart = new Set(CODES.map(idOf));
    const others = [...moved].filter(([account]) => !ofChart.has(account));
    return [{ ...named, chart, customers: others }];
  },
});

function checkMatch({ report }: CheckContext, { match, lines, entries }: MatchHistory): void {
  const { id, items, difference } = match;
  const sum = (parts: readonly { readonly amount: string }[]) =>
    parts.reduce((all, { amount }) => all + BigInt(amount), 0n);
  const ids = { bank_match: publicId('bankMatch', id) };
  if (sum(match.lines) !== sum(items) + difference)
    report({
      check: 'bank_match.sum',
      ids,
      expected: `${sum(items) + difference}`,
      actual: `${sum(match.lines)}`,
      detail: 'The lines of the match do not come to its items and its difference.',
    });
  if (match.comparedAccountId !== null && entries.length + match.entryIds.length > 0)
    report({
      check: 'bank_match.compared',
      ids,
      expected: 'no entry',
      actual: `${entries.length} entries`,
      detail: 'A match with lines of an account of the book moves nothing.',
    });
  const naming = lines.filter((line) => line.matchIds.includes(id)).length;
  const expected = isBooked(match) ? match.lines.length : 0;
  if (naming !== expected)
    report({
      check: 'bank_match.lines',
      ids,
      expected: `${expected} lines that name it`,
      actual: `${naming} lines that name it`,
      detail: 'A confirmed match is named by each of its lines, and another by none.',
    });
}
