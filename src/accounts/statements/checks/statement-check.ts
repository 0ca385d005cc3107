/**
 * Checks kept statements: of an account they chain, without a gap in numbers, days, lines or balances, each leads from its opening to its closing, and
 * the journal has the lines of its days and no others.
 */
import type { CheckContext } from '../../../group/check-context.ts';
import type { RowCheck } from '../../../group/row-check.ts';
import { behindNewIds } from '../../../group/until.ts';
import { publicId, type Uuid } from '../../../values/ids.ts';
import { readStatements, type StatementRow } from './statement-check-store.ts';

export const statementCheck: RowCheck<StatementRow, Uuid> = {
  name: 'statements',
  pageRows: 500,
  read: ({ pool, book }, page) => readStatements(pool, book.id, page),
  check: checkStatement,
  placeOf: ({ id }, until) => behindNewIds(id, until),
};

function checkStatement({ report }: CheckContext, row: StatementRow): void {
  const ids = { statement: publicId('statement', row.id), account: publicId('account', row.accountId) };
  const differs = (check: `statement.${string}`, expected: string, actual: string, detail: string) => {
    if (expected !== actual) report({ check, ids, expected, actual, detail });
  };
  const { closing, throughLine } = row;
  const moved = row.side === 'credit' ? row.credits - row.debits : row.debits - row.credits;
  differs(
    'statement.sum',
    `${row.opening + moved}`,
    `${closing}`,
    'A statement does not lead from its opening to its closing balance.',
  );
  if (row.number > 1n)
    differs(
      'statement.chain',
      row.beforeTo === null
        ? 'the one before it'
        : `behind ${row.beforeTo}, ${row.beforeClosing} after line ${row.beforeLine}`,
      `behind ${row.dayBefore}, ${row.opening} after line ${row.afterLine}`,
      'A statement does not begin where the one before it ends.',
    );
  if (throughLine > 0n)
    differs(
      'statement.balance',
      `${row.lastBalance}`,
      `${closing}`,
      'The journal has another balance after the last line of a statement.',
    );
  const holds = (row.lastOn === null || row.lastOn <= row.to) && (row.nextOn === null || row.nextOn > row.to);
  if (!holds)
    report({
      ...{ check: 'statement.days', ids, expected: `lines up to ${row.to}` },
      actual: `line ${throughLine} of ${row.lastOn ?? 'no day'}, the next of ${row.nextOn ?? 'no day'}`,
      detail: 'A statement does not have the lines of its days.',
    });
  if (row.lastNumber === null || row.lastNumber < row.number)
    report({
      ...{ check: 'statement.number', ids, expected: `${row.number} or later`, actual: `${row.lastNumber ?? 'none'}` },
      detail: 'The schedule of an account is behind its statements: a number would be given twice.',
    });
}
