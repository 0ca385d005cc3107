/** A statement as CSV: its lines, and nothing else in the file. */
import { CSV_BOM, csvHeader, csvRow } from '../../values/csv-writing.ts';
import type { LinePages, Statement } from './statement.ts';
import { STATEMENT_COLUMNS } from './statement-columns.ts';

export async function* statementCsv(
  { account }: Pick<Statement, 'account'>,
  pages: LinePages,
  { bom }: { readonly bom: boolean },
): AsyncGenerator<string> {
  yield `${bom ? CSV_BOM : ''}${csvHeader(STATEMENT_COLUMNS)}`;
  for await (const page of pages) yield page.map((line) => csvRow(STATEMENT_COLUMNS, { line, account })).join('');
}
