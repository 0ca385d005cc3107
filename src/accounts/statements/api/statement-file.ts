/** A statement as the answer of a route, in one of its forms. */
import type { FileAnswer, RouteAnswer } from '../../../api/route.ts';
import { ApiError } from '../../../errors/errors.ts';
import { CSV_TYPE } from '../../../values/csv-writing.ts';
import { publicId } from '../../../values/ids.ts';
import { type StatementRuntime, statementLines } from '../read-statement.ts';
import type { Statement, StatementHead } from '../statement.ts';
import { statementCamt } from '../statement-camt.ts';
import { statementCsv } from '../statement-csv.ts';
import { statementJson } from '../statement-json.ts';
import { statementPdf } from '../statement-pdf.ts';
import type { StatementFormat } from './statement-schemas.ts';

export interface Form {
  readonly format: StatementFormat;
  readonly bom: boolean;
}

export function formOf({
  format = 'json',
  bom,
}: {
  format?: StatementFormat | undefined;
  bom?: 'true' | 'false' | undefined;
}): Form {
  return { format, bom: bom === 'true' };
}

/** The same bytes for every reader. */
export function statementAnswer(runtime: StatementRuntime, statement: Statement, form: Form): RouteAnswer {
  return { status: 200, file: fileOf(runtime, statement, form), headers: besideFile(statement, form) };
}

/** A document is made in memory; longer ones are files of rows. */
export const DOCUMENT_LINES_MAX = 2_000n;

/** Throws ApiError `parameter_invalid` for a form that the statement does not have. */
export function refuseForm({ interim, to, afterLine, throughLine }: StatementHead, { format }: Form): void {
  if (format === 'json' || format === 'csv') return;
  if (interim && format === 'camt053')
    throw new ApiError('parameter_invalid', {
      param: 'to',
      detail: `A camt.053 is of days that are over: ${to} is not.`,
    });
  const lines = throughLine - afterLine;
  if (lines <= DOCUMENT_LINES_MAX) return;
  const detail = `As ${format}, a statement has ${DOCUMENT_LINES_MAX} lines at most; these days have ${lines}. Ask for fewer days, or for csv.`;
  throw new ApiError('parameter_invalid', { param: 'format', detail });
}

function fileOf(runtime: StatementRuntime, statement: Statement, { format, bom }: Form): FileAnswer {
  const pages = statementLines(runtime, statement);
  const { account, from, to } = statement;
  const name = `${publicId('account', account.id)}-${from}-${to}`;
  switch (format) {
    case 'json':
      return { contentType: 'application/json; charset=utf-8', content: statementJson(statement, pages) };
    case 'csv':
      return { contentType: CSV_TYPE, name: `${name}.csv`, content: statementCsv(statement, pages, { bom }) };
    case 'pdf':
      return { contentType: 'application/pdf', name: `${name}.pdf`, content: statementPdf(statement, pages) };
    case 'camt053': {
      const content = statementCamt(statement, pages);
      return { contentType: 'application/xml; charset=utf-8', name: `${name}.xml`, content };
    }
  }
}

/** What the rows of a file lack. */
function besideFile({ credits, debits, opening, closing, digest }: Statement, { format }: Form): string[] {
  if (format === 'json') return [];
  const lines = String(credits.count + debits.count);
  return [
    ...['Statement-Lines', lines, 'Statement-Opening', String(opening)],
    ...['Statement-Closing', String(closing), 'Statement-Digest', digest],
  ];
}
