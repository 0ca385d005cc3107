/** The reports of the operator's bank, as the API and the command make them: of what stands there when they are made. */
import { addDays, startOfDay } from '../../calendar/day.ts';
import { inSnapshot } from '../../db/snapshot.ts';
import type { OperatorAsked, OperatorColumn, OperatorReport } from '../../group/operator-report.ts';
import type { Command } from '../../ledger/command/command.ts';
import { firstIdAt, publicId } from '../../values/ids.ts';
import { bankReconciliation, RECONCILIATION_COLUMNS } from './bank-reconciliation.ts';
import type { BankReport } from './bank-report.ts';
import {
  AGEING_COLUMNS,
  matchRates,
  RATES_COLUMNS,
  suspenseAgeing,
  UNMATCHED_COLUMNS,
  unmatchedBySide,
} from './open-at-bank.ts';
import { SAFEGUARDING_COLUMNS, safeguarding, shortfalls } from './safeguarding.ts';
import { writeBankReport } from './write-bank-report.ts';

export const BANK_REPORT_TYPES = [
  'bank_reconciliation',
  'safeguarding',
  'suspense_ageing',
  'unmatched',
  'match_rates',
] as const;
export type BankReportType = (typeof BANK_REPORT_TYPES)[number];

interface Declared {
  readonly columns: readonly OperatorColumn[];
  read(asked: OperatorAsked): Promise<BankReport>;
  commands?(report: BankReport, asked: OperatorAsked): Command<unknown>[];
}

const DECLARED: Readonly<Record<BankReportType, Declared>> = {
  bank_reconciliation: {
    columns: RECONCILIATION_COLUMNS,
    read: ({ pool, book }) => inSnapshot(pool, (trx) => bankReconciliation(trx, book.id)),
  },
  safeguarding: {
    columns: SAFEGUARDING_COLUMNS,
    read: ({ pool, book }) => safeguarding(pool, book.id),
    // What is short is an exception.
    commands: (report, { book, to }) => (report.ok ? [] : shortfalls(book.id, report, to)),
  },
  suspense_ageing: {
    columns: AGEING_COLUMNS,
    read: ({ pool, book, to }) => suspenseAgeing(pool, book.id, to),
  },
  unmatched: { columns: UNMATCHED_COLUMNS, read: ({ pool, book }) => unmatchedBySide(pool, book.id) },
  match_rates: { columns: RATES_COLUMNS, read: ratesOf },
};

export const bankReports: readonly OperatorReport[] = BANK_REPORT_TYPES.map((type) => {
  const { columns, read, commands } = DECLARED[type];
  return {
    type,
    columns,
    async make(asked) {
      const report = await read(asked);
      const head = { book: publicId('book', asked.book.id), asOf: asked.to };
      return {
        ...{ rows: report.rows, ok: report.ok },
        write: (format) => writeBankReport(report, head, format),
        commands: commands?.(report, asked) ?? [],
      };
    },
  };
});

export const bankReport = (type: BankReportType): OperatorReport => bankReports.find((report) => report.type === type)!;

/** Ids of matches count by the time of the world. */
function ratesOf({ pool, book: { id, timeZone }, from, to }: OperatorAsked): Promise<BankReport> {
  const [first, behind] = [startOfDay(from, timeZone), startOfDay(addDays(to, 1), timeZone)];
  return matchRates(pool, id, { from: firstIdAt(first), before: firstIdAt(behind) });
}
