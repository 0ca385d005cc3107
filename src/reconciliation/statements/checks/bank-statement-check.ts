/** Checks bank statements: what is posted of each is what its lines state, line by line. */
import type { CheckContext } from '../../../group/check-context.ts';
import { equationOf } from '../../../group/equation.ts';
import type { RowCheck } from '../../../group/row-check.ts';
import { behindNewIds } from '../../../group/until.ts';
import { publicId, type Uuid } from '../../../values/ids.ts';
import {
  readStatementHistories,
  readStatementHistoriesById,
  type StatementHistory,
} from './bank-statement-check-store.ts';

export const bankStatementCheck: RowCheck<StatementHistory, Uuid> = {
  name: 'bank statements',
  mayBeShort: true,
  pageRows: 20,
  read: ({ pool, book }, page) => readStatementHistories(pool, book.id, page),
  readByIds: ({ pool, book }, ids) => readStatementHistoriesById(pool, book.id, ids),
  check: checkStatement,
  placeOf: ({ statement }, until) => behindNewIds(statement.id, until),
};

/** Credits of a bank wait in unallocated, debits in suspense. A statement without an account has booked nothing. */
export const bankStatementEquation = equationOf({
  rows: bankStatementCheck,
  resources: ['bank_statement'],
  codes: ['unallocated', 'suspense'],
  balancesOf: ({ statement: { id, bookedCredits, bookedDebits }, account, entries }) =>
    account === null
      ? []
      : [
          {
            ...({ resource: 'bank_statement', id, currency: account.currency, entries } as const),
            chart: { unallocated: bookedCredits, suspense: -bookedDebits },
            customers: [[account.ledgerAccountId, bookedDebits - bookedCredits]],
          },
        ],
});

/** What a book compares for itself is posted nowhere. */
function checkCompared({ report }: CheckContext, { statement, lines, entries }: StatementHistory): void {
  const { id, bookedLines, bookedCredits, bookedDebits, status, released } = statement;
  const isUnposted = bookedLines === 0 && bookedCredits === 0n && bookedDebits === 0n && !released;
  if (isUnposted && entries.length === 0 && lines.entryIds.length === 0 && status !== 'posted') return;
  report({
    check: 'bank_statement.compared',
    ids: { bank_statement: publicId('bankStatement', id) },
    expected: 'no entry, and nothing posted',
    actual: `${entries.length} entries, ${lines.entryIds.length} entries of lines, ${bookedLines} lines posted`,
    detail: 'A statement that is compared with an account of the book moves nothing.',
  });
}

function checkStatement(context: CheckContext, history: StatementHistory): void {
  const { report } = context;
  const { statement, lines, entries } = history;
  if (statement.comparedAccountId !== null) {
    checkCompared(context, history);
    return;
  }
  const { id, bookedLines, bookedCredits, bookedDebits, status } = statement;
  const expected = `${lines.count} lines, ${lines.credits} credited, ${lines.debits} debited`;
  const actual = `${bookedLines} lines, ${bookedCredits} credited, ${bookedDebits} debited`;
  const ids = { bank_statement: publicId('bankStatement', id) };
  if (expected !== actual)
    report({
      check: 'bank_statement.lines',
      ids,
      expected,
      actual,
      detail: 'What the statement states is posted is not what its posted lines state.',
    });
  const unknown = lines.entryIds.filter((entryId) => !entries.some((entry) => entry.id === entryId));
  if (unknown.length > 0)
    report({
      check: 'bank_statement.entries',
      ids,
      expected: 'lines of entries of the statement',
      actual: `${unknown.length} lines of other entries`,
      detail: 'Lines of the statement name entries that are not its own.',
    });
  if ((status === 'posted' || status === 'restated') && bookedLines !== statement.lines)
    report({
      check: 'bank_statement.posted',
      ids,
      expected: `${statement.lines} lines`,
      actual: `${bookedLines} lines`,
      detail: 'The statement is posted, and lines of it are not.',
    });
}
