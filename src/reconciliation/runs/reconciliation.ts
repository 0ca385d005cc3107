/**
 * A run over a bank's file: what it had, and what became of it. The same bytes are the same run, so a file that is taken again, or that a killed
 * process left half taken, goes on where it was.
 * Next: reconciliation-table.ts (its rows), import-file.ts (the run).
 */
import type { Transitions } from '../../ledger/resources/resource.ts';
import type { Instant } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';
import type { StatementFinding } from '../statements/bank-statement.ts';

export type ReconciliationStatus =
  /** The file is kept, and nothing of it is posted. The API makes it, the reports pool moves it. */
  | 'pending'
  /** Statements are being posted, and lines matched. The import moves it. */
  | 'running'
  /** Every statement is posted, held or rejected, and what rules explain is matched. Final. */
  | 'completed'
  /** The file that is kept cannot be read. The same bytes may come again. Final. */
  | 'failed';

export const RECONCILIATION_TRANSITIONS: Transitions<ReconciliationStatus> = {
  pending: ['running', 'failed'],
  running: ['completed', 'failed'],
  completed: [],
  failed: [],
};

export interface RunFinding extends StatementFinding {
  readonly statementId: Uuid;
}

/** A bank account as the run left it. */
export interface Position {
  readonly bankAccountId: Uuid;
  readonly currency: string;
  /** The last day that posted statements state; null where none is posted. */
  readonly on: string | null;
  /** What the last posted statement closes with: minor units as decimal text, since JSON has no bigint. Null where it states no balance. */
  readonly bank: string | null;
  /** The rest of the currency, on all its bank accounts. */
  readonly inTransitIn: string;
  readonly inTransitOut: string;
  readonly unallocated: string;
  readonly suspense: string;
  /** What stands on the bank account in the ledger. */
  readonly books: string;
}

/** What a rule has matched. */
export interface RuleCount {
  readonly rule: string;
  readonly currency: string;
  readonly lines: number;
  /** Minor units as decimal text, in and out together. */
  readonly amount: string;
}

/** Of a run with more, the first ones are shown. */
export const FINDINGS_SHOWN = 100;

export interface Reconciliation {
  readonly id: Uuid;
  readonly status: ReconciliationStatus;
  /** Of a CSV: the account that it is of, which the file does not state. Of a run without a file: whose lines are matched. */
  readonly bankAccountId: Uuid | null;
  readonly profileId: Uuid | null;
  /** Of a book's own comparison: the account whose lines are compared. Null in the operator's books. */
  readonly comparedAccountId: Uuid | null;
  /** Hexadecimal. Null, as name, format and bytes, of a run without a file. */
  readonly sha256: string | null;
  readonly name: string | null;
  readonly format: string | null;
  readonly bytes: bigint | null;
  /** Of a run without a file: the last booking day of its lines. Null: all of them. */
  readonly through: string | null;
  readonly statements: number;
  /** Statements that other files had brought. */
  readonly known: number;
  /** Lines of the statements that were posted. */
  readonly lines: number;
  /** Lines that the run matched, of this file or of others before it. */
  readonly matched: number;
  readonly byRule: readonly RuleCount[];
  /** Lines of the book that no rule explained when the run ended. */
  readonly openLines: number;
  /** How many of them have a proposal. */
  readonly proposed: number;
  readonly findings: readonly RunFinding[];
  readonly findingsTotal: number;
  readonly position: readonly Position[];
  /** The active version of rules that all its bank accounts have. Null where they differ or lack one, and before the end. */
  readonly rulesVersion: number | null;
  /** The last entry of the operator's book when lines were matched: whatever is expected was mirrored by it. Null before. */
  readonly mirroredThrough: bigint | null;
  /** SHA-256 over its matches, in hexadecimal digits. Null before the end. */
  readonly digest: string | null;
  /** Why it failed, in our words. */
  readonly failure: string | null;
  readonly progressBytes: bigint;
  readonly progressLines: number;
  readonly requestId: Uuid;
  readonly version: number;
  /** When the sweeper asks for it again. Null where a command takes the file, and at the end. */
  readonly dueAt: Instant | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** A run that has found and matched nothing yet. */
export const NOTHING_YET = {
  ...{ known: 0, lines: 0, matched: 0, byRule: [], openLines: 0, proposed: 0 },
  ...{ findings: [], findingsTotal: 0, position: [], rulesVersion: null, mirroredThrough: null, digest: null },
  ...{ failure: null, progressBytes: 0n, progressLines: 0 },
} as const satisfies Partial<Reconciliation>;
