/**
 * A report of the operator's bank: rows under columns, and whether what it proves holds. Amounts are minor units of the row's currency.
 * Next: bank-reconciliation.ts, safeguarding.ts, open-at-bank.ts, write-bank-report.ts.
 */

import type { OperatorColumn, OperatorRow } from '../../group/operator-report.ts';

/** `text`: names of banks and parties. */
export type BankColumn = OperatorColumn;

export type BankRow = OperatorRow;

export interface BankReport {
  readonly type: string;
  readonly title: string;
  readonly columns: readonly BankColumn[];
  readonly rows: readonly BankRow[];
  /** False where figures that should be equal are not, or money is short. */
  readonly ok: boolean;
  /** The last entry of the book that it counts; null where it was read over several moments. */
  readonly throughSequence: bigint | null;
}
