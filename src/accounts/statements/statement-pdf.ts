/** A statement as PDF: a heading with its balances, a table of its lines, and a number on every page. */
import { setImmediate } from 'node:timers/promises';
import { decimalOf } from '../../money/amount.ts';
import { PAGE, PdfPages } from '../../pdf/document.ts';
import { publicId } from '../../values/ids.ts';
import type { ShownLine } from '../lines/account-line-view.ts';
import { changeOf, type LinePages, type Statement } from './statement.ts';

const { margin: LEFT, width: PAGE_WIDTH, height: PAGE_HEIGHT } = PAGE;
const WIDTH = PAGE_WIDTH - 2 * LEFT;
const BOTTOM = PAGE_HEIGHT - 60;
const SIZE = 8;
const LINE_HEIGHT = 11;
const GREY = '#555555';
const LINES_AT_ONCE = 20n;

/** Columns of the table: where each begins, and how wide it is. */
const COLUMNS = {
  posted: { x: LEFT, width: 55 },
  effective: { x: LEFT + 60, width: 55 },
  details: { x: LEFT + 120, width: 205 },
  amount: { x: LEFT + 330, width: 88 },
  balance: { x: LEFT + 423, width: WIDTH - 423 },
} as const;

export async function* statementPdf(statement: Statement, pages: LinePages): AsyncGenerator<Buffer> {
  const { account, from, to, ends } = statement;
  const id = publicId('account', account.id);
  const pdf = await PdfPages.open({ title: `Statement of ${id}, ${from} to ${to}`, at: ends });
  pdf.addPage();
  let y = tableHead(pdf, heading(pdf, statement));
  for await (const page of pages)
    for (const line of page) {
      // Drawing takes the processor: others have their turn between lines.
      if (line.line % LINES_AT_ONCE === 0n) await setImmediate();
      const details = detailsOf(pdf, line);
      const height = details.length * LINE_HEIGHT + 5;
      if (y + height > BOTTOM) {
        pdf.addPage();
        y = tableHead(pdf, LEFT);
      }
      row(pdf, statement, { line, details, y });
      y += height;
      pdf.rule(y, { color: '#dddddd' });
    }
  pdf.onEveryPage((page, count) => {
    const foot = { y: PAGE_HEIGHT - 30, size: 7, color: GREY } as const;
    pdf.text(`${id} · ${from} – ${to} · ${account.currency}`, { ...foot, x: LEFT, width: WIDTH - 100 });
    pdf.text(`Page ${page} of ${count}`, { ...foot, x: LEFT + WIDTH - 100, width: 100, align: 'right' });
  });
  yield* pdf.end();
}

/** Resolves to where it ends. */
function heading(pdf: PdfPages, statement: Statement): number {
  const { account, accountName, number, from, to, timeZone, interim, credits, debits } = statement;
  const { currency } = account;
  pdf.text('Account statement', { x: LEFT, y: 58, width: WIDTH, size: 16, bold: true });
  pdf.text(accountName ?? '', { x: LEFT, y: 80, width: WIDTH, size: 11 });
  const amount = (value: bigint) => `${grouped(decimalOf(value, currency))} ${currency}`;
  const facts: [string, string][] = [
    ['Account', publicId('account', account.id)],
    ...(number === null ? [] : [['Statement', String(number)] satisfies [string, string]]),
    ['Days', `${from} – ${to} (${timeZone})${interim ? ', interim: the last day is not over' : ''}`],
    ['Opening balance', amount(statement.opening)],
    [`Credits (${credits.count})`, amount(credits.sum)],
    [`Debits (${debits.count})`, amount(debits.sum)],
    ['Closing balance', amount(statement.closing)],
  ];
  let y = 102;
  for (const [name, value] of facts) {
    pdf.text(name, { x: LEFT, y, width: 110, size: 9, color: GREY });
    pdf.text(value, { x: LEFT + 115, y, width: WIDTH - 115, size: 9, align: 'left' });
    y += 14;
  }
  return y + 6;
}

/** Resolves to where it ends. */
function tableHead(pdf: PdfPages, top: number): number {
  const y = top + 12;
  const head = { y, size: SIZE, bold: true } as const;
  pdf.text('Posted', { ...COLUMNS.posted, ...head });
  pdf.text('Value', { ...COLUMNS.effective, ...head });
  pdf.text('Details', { ...COLUMNS.details, ...head });
  pdf.text('Amount', { ...COLUMNS.amount, ...head, align: 'right' });
  pdf.text('Balance', { ...COLUMNS.balance, ...head, align: 'right' });
  pdf.rule(y + 5);
  return y + 5;
}

interface Row {
  readonly line: ShownLine;
  readonly details: readonly string[];
  readonly y: number;
}

function row(pdf: PdfPages, { account }: Statement, { line, details, y }: Row): void {
  const cell = { y: y + LINE_HEIGHT, size: SIZE } as const;
  const amount = (value: bigint) => grouped(decimalOf(value, line.currency));
  pdf.text(line.postedOn, { ...COLUMNS.posted, ...cell });
  pdf.text(line.effectiveOn, { ...COLUMNS.effective, ...cell });
  pdf.text(amount(changeOf(line, account.side)), { ...COLUMNS.amount, ...cell, align: 'right' });
  pdf.text(amount(line.balanceAfter), { ...COLUMNS.balance, ...cell, align: 'right' });
  for (const [at, text] of details.entries())
    pdf.text(text, { ...COLUMNS.details, ...cell, y: cell.y + at * LINE_HEIGHT, ...(at > 0 && { color: GREY }) });
}

/** Each text is a paragraph with a direction of its own. */
function detailsOf(pdf: PdfPages, line: ShownLine): string[] {
  const fitting = { width: COLUMNS.details.width, size: SIZE };
  const kind = `${line.kind.replaceAll('_', ' ')}, ${line.step.replaceAll('_', ' ')}`;
  const references = [line.externalId, line.endToEndId].filter((reference) => reference !== null);
  return [
    kind,
    ...(line.counterparty ? pdf.lines(line.counterparty, { ...fitting, most: 1 }) : []),
    ...(line.description ? pdf.lines(line.description, { ...fitting, most: 3 }) : []),
    ...(references.length > 0 ? [references.join(' · ')] : []),
  ];
}

/** With a comma between thousands. */
function grouped(decimal: string): string {
  const [whole, fraction] = decimal.split('.');
  const digits = whole!.replaceAll(/\B(?=(\d{3})+$)/g, ',');
  return fraction === undefined ? digits : `${digits}.${fraction}`;
}
