/**
 * Reports whose file is made as a whole: statements, and what other groups make of the operator's books. A process that takes over begins
 * them anew: names and texts may be others by then, and a file is of one writer from the first byte to the last.
 */

import { accountProfiles } from '../../accounts/account/account-profile-table.ts';
import type { ShownLine } from '../../accounts/lines/account-line-view.ts';
import { statementLines, sumStatement } from '../../accounts/statements/read-statement.ts';
import type { LinePages, Statement } from '../../accounts/statements/statement.ts';
import { statementCamt } from '../../accounts/statements/statement-camt.ts';
import { statementCsv } from '../../accounts/statements/statement-csv.ts';
import { statementJson } from '../../accounts/statements/statement-json.ts';
import { statementPdf } from '../../accounts/statements/statement-pdf.ts';
import { startOfDay } from '../../calendar/day.ts';
import type { ListReads } from '../../db/list-reads.ts';
import type { Pool } from '../../db/pool.ts';
import type { OperatorReport } from '../../group/operator-report.ts';
import type { Account } from '../../ledger/account/account.ts';
import { accounts } from '../../ledger/account/account-table.ts';
import { loadBalancesAt } from '../../ledger/balances/balances-at.ts';
import type { BookId } from '../../ledger/book/book.ts';
import { loadBook } from '../../ledger/book/book-store.ts';
import { endOfDay } from '../../ledger/clock/finish-day.ts';
import type { Command } from '../../ledger/command/command.ts';
import type { ReadLineTexts } from '../../ledger/resources/line-text-store.ts';
import { CSV_BOM } from '../../values/csv-writing.ts';
import { loadOwnProfiles } from '../figures/chart-store.ts';
import { dayBefore, placeAt } from '../figures/place.ts';
import { FigureWriter, type Totals, type WriterState } from '../figures/write-figures.ts';
import { REPORT_LIMITS, type Report } from './report.ts';
import { FileTooLong } from './report-file.ts';

export interface ReportDocument {
  readonly content: AsyncIterable<string | Buffer>;
  /** Of the whole file. */
  readonly digest: string;
  /** How far it is by now. */
  state(): WriterState;
  /** What its findings open: submitted before it has succeeded. */
  readonly commands: readonly Command<unknown>[];
}

export interface DocumentRuntime {
  readonly pool: Pool;
  readonly lineTexts: ReadLineTexts;
  readonly operatorReports: readonly OperatorReport[];
}

/** `breathe` is called before each page of lines. Throws StatementContradicted, and FileTooLong for what would not fit into memory. */
export function openDocument(
  runtime: DocumentRuntime,
  { bookId, report, breathe }: { bookId: BookId; report: Report; breathe: () => Promise<void> },
): Promise<ReportDocument> {
  if (report.type === 'statement') return openStatement(runtime, { bookId, report, breathe });
  return openOperatorReport(runtime, bookId, report);
}

async function openOperatorReport(
  { pool, operatorReports }: DocumentRuntime,
  bookId: BookId,
  { type, from, to, format, bom }: Report,
): Promise<ReportDocument> {
  const known = operatorReports.find((one) => one.type === type);
  if (known === undefined) throw new Error(`No group makes reports of the type ${type}`);
  const book = (await loadBook(pool, bookId))!;
  const made = await known.make({ pool, book, from, to });
  const writer = new FigureWriter({ columns: known.columns, balances: false }, { format: 'csv', bom, head: {} });
  writer.page(made.rows);
  const bytes = await made.write(format === 'camt053' ? 'json' : format);
  return {
    content: piecesOf(bom ? Buffer.concat([Buffer.from(CSV_BOM), bytes]) : bytes),
    digest: writer.digest,
    state: () => writer.state(),
    commands: made.commands,
  };
}

async function* piecesOf(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

async function openStatement(
  { pool, lineTexts }: DocumentRuntime,
  { bookId, report, breathe }: { bookId: BookId; report: Report; breathe: () => Promise<void> },
): Promise<ReportDocument> {
  const lists: ListReads = {
    async read(_, work) {
      await breathe();
      return work(pool);
    },
  };
  const head = await headOf(pool, bookId, report);
  const lines = head.throughLine - head.afterLine;
  if (report.format === 'pdf' && lines > BigInt(REPORT_LIMITS.pdfLines))
    throw new FileTooLong(
      `As pdf, a statement has ${REPORT_LIMITS.pdfLines} lines at most; these days have ${lines}. Ask for fewer days, or for csv.`,
    );
  const statement = await sumStatement({ lists }, head);
  const { credits, debits, digest, account } = statement;
  const totals: Totals[] = [{ currency: account.currency, debits: debits.sum, credits: credits.sum }];
  let rows = 0;
  async function* counted(): AsyncGenerator<readonly ShownLine[]> {
    for await (const page of statementLines({ lists, lineTexts }, head)) {
      rows += page.length;
      yield page;
    }
  }
  return {
    content: formOf(statement, counted(), report),
    digest,
    state: () => ({ rows, totals, digest }),
    commands: [],
  };
}

function formOf(statement: Statement, pages: LinePages, { format, bom }: Report): AsyncIterable<string | Buffer> {
  switch (format) {
    case 'json':
      return statementJson(statement, pages);
    case 'csv':
      return statementCsv(statement, pages, { bom });
    case 'pdf':
      return statementPdf(statement, pages);
    case 'camt053':
      return statementCamt(statement, pages);
  }
}

/** Days count as lines were posted, up to the entry that the report was accepted for. */
async function headOf(pool: Pool, bookId: BookId, { accountId, from, to, interim, throughSequence: sequence }: Report) {
  const book = (await loadBook(pool, bookId))!;
  const id = accountId!;
  const account = (await accounts.find(pool, bookId, id))!;
  const at = async (day: string) => {
    const place = await placeAt(pool, book, { day, axis: 'posted', sequence });
    return (await loadBalancesAt(pool, bookId, place, [id]))[0]!;
  };
  const [before, through] = [await at(dayBefore(from)), await at(to)];
  return {
    ...{ bookId, mode: book.mode, account, accountName: await nameOf(pool, bookId, account), number: null },
    ...{
      timeZone: book.timeZone,
      from,
      to,
      begins: startOfDay(from, book.timeZone),
      ends: endOfDay(to, book),
      interim,
    },
    ...{ afterLine: before.line, throughLine: through.line, opening: before.posted, closing: through.posted },
  };
}

async function nameOf(pool: Pool, bookId: BookId, { id, code }: Account): Promise<string | null> {
  if (code === 'customer') return (await accountProfiles.find(pool, bookId, id))?.name ?? null;
  if (code === 'own') return (await loadOwnProfiles(pool, bookId, [id])).get(id)?.name ?? null;
  return null;
}
