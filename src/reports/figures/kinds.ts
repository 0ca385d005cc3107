/** The reports that there are, by the names of the API. */
import { accountActivity } from './account-activity.ts';
import { balanceSheet } from './balance-sheet.ts';
import { customerBalances } from './customer-balances.ts';
import { feeTax } from './fee-tax.ts';
import type { Asked, FigureKind } from './figures.ts';
import { generalLedger } from './general-ledger.ts';
import { incomeStatement } from './income-statement.ts';
import { openItems } from './open-items.ts';
import { trialBalance } from './trial-balance.ts';

/** How a file is written. */
export const REPORT_FORMATS = ['csv', 'json', 'pdf', 'camt053'] as const;
export type ReportFormat = (typeof REPORT_FORMATS)[number];

export interface ReportType {
  /** Of one day, or of several. */
  readonly of: 'day' | 'days';
  /** In a sentence. */
  readonly title: string;
  /** `posted` alone: what is in transit counts by the days on which it was posted. */
  readonly axes: readonly ('effective' | 'posted')[];
  /** What it may be asked for beside. */
  readonly takes?: readonly ReportOption[];
  readonly formats: readonly ReportFormat[];
  /** It is of one account, which has to be named, and of its currency. */
  readonly needsAccount?: true;
  /** Of books of the operator's alone: rows that no other book has, of all currencies. */
  readonly ofOperator?: true;
  /** What is open now: its day is today. */
  readonly ofNow?: true;
}

/** Rows under columns, page by page. */
export interface FigureType extends ReportType {
  readonly kind: FigureKind;
}

export const REPORT_OPTIONS = ['account', 'detail'] as const;
export type ReportOption = (typeof REPORT_OPTIONS)[number];

const BOTH = ['effective', 'posted'] as const;
const POSTED = ['posted'] as const;
const FIGURES = { formats: ['csv', 'json'] } as const;

export const FIGURE_TYPES = {
  trial_balance: { kind: trialBalance, of: 'day', title: 'Trial balance', axes: BOTH, ...FIGURES },
  general_ledger: {
    ...{ kind: generalLedger, of: 'days', title: 'General ledger', axes: ['posted', 'effective'], ...FIGURES },
    takes: ['account', 'detail'],
  },
  account_activity: { kind: accountActivity, of: 'days', title: 'Activity of each account', axes: BOTH, ...FIGURES },
  customer_balances: {
    ...{ kind: customerBalances, of: 'day', title: "Balances of customers' accounts", axes: BOTH, ...FIGURES },
  },
  balance_sheet: { kind: balanceSheet, of: 'day', title: 'Balance sheet', axes: BOTH, ...FIGURES },
  income_statement: { kind: incomeStatement, of: 'days', title: 'Income statement', axes: BOTH, ...FIGURES },
  open_items: { kind: openItems, of: 'day', title: 'Open items', axes: POSTED, ...FIGURES },
  fee_tax: { kind: feeTax, of: 'days', title: 'Tax on collected fees', axes: POSTED, ...FIGURES },
} as const satisfies Record<string, FigureType>;

export type FigureName = keyof typeof FIGURE_TYPES;
export const FIGURE_NAMES = Object.keys(FIGURE_TYPES) as readonly FigureName[];

const OF_OPERATOR = { axes: POSTED, formats: ['csv', 'json', 'pdf'], ofOperator: true } as const;
const OF_NOW = { ...OF_OPERATOR, of: 'day', ofNow: true } as const;

/** Those whose rows other groups read. */
const DOCUMENT_TYPES = {
  statement: {
    ...{ of: 'days', title: 'Statement of an account', axes: POSTED, takes: ['account'], needsAccount: true },
    formats: REPORT_FORMATS,
  },
  bank_reconciliation: { ...OF_NOW, title: 'Bank reconciliation' },
  suspense_ageing: { ...OF_NOW, title: 'Lines that nothing explains, by age' },
  unmatched: { ...OF_NOW, title: 'Without a match, by side' },
  match_rates: { ...OF_OPERATOR, of: 'days', title: 'Matches by rule' },
  safeguarding: { ...OF_NOW, title: "Safeguarding of customers' money" },
} as const satisfies Record<string, ReportType>;

export const REPORT_TYPES = { ...FIGURE_TYPES, ...DOCUMENT_TYPES } as const;

export type ReportName = keyof typeof REPORT_TYPES;
export const REPORT_NAMES = Object.keys(REPORT_TYPES) as readonly ReportName[];

export function isFigure(name: ReportName): name is FigureName {
  return name in FIGURE_TYPES;
}

/** Of one account alone, debits and credits are no same sum. */
export function kindFor({ kind }: Pick<FigureType, 'kind'>, { account }: Pick<Asked, 'account'>): FigureKind {
  return account === undefined ? kind : { ...kind, balances: false };
}
