/** Metrics that are fed where the work is done: the enqueuer, the audit, the checkpoints of journals, decisions about cards, and payouts that failed. */
import { Counter, Gauge, type Registry } from 'prom-client';
import type { AuditCounts } from '../audit/audit.ts';
import type { EnqueueCounts } from '../queue/enqueuer.ts';
import { RAIL_FAILURE_CODES } from '../rails/failure-codes.ts';

export interface CheckpointCounts {
  /** A checkpoint was signed. */
  made(): void;
  /** A checkpoint in the database was not trusted. */
  distrusted(): void;
  /** A round through all due books has ended. The journals of `refused` books do not verify. */
  round(refused: number): void;
}

export interface CardDecisionCounts {
  /** A request of a processor was decided, or the network has decided it. */
  decided(by: 'rules' | 'endpoint' | 'default' | 'network', decision: 'approved' | 'declined'): void;
  /** The endpoint of a program was to be asked: it has answered, or why there is no answer. */
  asked(outcome: string): void;
}

export interface RailFailureCounts {
  /** Rails of this process: each of their codes counts from 0, so that the first failure is an increase. */
  begin(rails: readonly string[]): void;
  /** A rail has rejected a payout, and the payout has failed by it. */
  failed(rail: string, code: string): void;
}

export function createRailFailureCounts(registers: Registry[]): RailFailureCounts {
  const failures = new Counter({
    name: 'countinghouse_payouts_failed_total',
    help: 'Payouts that failed because their rail rejected them, by failure code. rail_suspended: by what is ours at the rail, as an account that is short.',
    labelNames: ['rail', 'code'],
    registers,
  });
  return {
    begin(rails) {
      for (const rail of rails) for (const code of RAIL_FAILURE_CODES) failures.inc({ rail, code }, 0);
    },
    failed: (rail, code) => failures.inc({ rail, code }),
  };
}

export function createCardDecisionCounts(registers: Registry[]): CardDecisionCounts {
  const decisions = new Counter({
    name: 'countinghouse_card_decisions_total',
    help: 'Decisions about card purchases that were committed, by what decided: rules, endpoint, its default, or the network by advice.',
    labelNames: ['by', 'decision'],
    registers,
  });
  const questions = new Counter({
    name: 'countinghouse_decision_questions_total',
    help: 'Questions to decision endpoints: answered, or why the default applies. Of busy and breaker_open nothing was sent.',
    labelNames: ['outcome'],
    registers,
  });
  return {
    decided: (by, decision) => decisions.inc({ by, decision }),
    asked: (outcome) => questions.inc({ outcome }),
  };
}

export function createEnqueueCounts(registers: Registry[]): EnqueueCounts {
  const enqueued = new Counter({
    name: 'countinghouse_job_rows_enqueued_total',
    help: 'Row ids that the queues have taken.',
    registers,
  });
  const dropped = new Counter({
    name: 'countinghouse_job_rows_dropped_total',
    help: 'Row ids that the queues did not take; the sweeper enqueues them later.',
    labelNames: ['reason'],
    registers,
  });
  return {
    enqueued: (ids) => enqueued.inc(ids),
    dropped: (ids, reason) => dropped.inc({ reason }, ids),
  };
}

export function createAuditCounts(registers: Registry[]): AuditCounts {
  const found = new Gauge({
    name: 'countinghouse_audit_findings',
    help: 'What the audit found wrong and is still so, by kind; the log names the rows. Counted up to 1,000 a kind.',
    labelNames: ['kind'],
    registers,
  });
  const rows = new Counter({
    name: 'countinghouse_audit_rows_total',
    help: 'Rows that the audit looked at.',
    registers,
  });
  const round = new Gauge({
    name: 'countinghouse_audit_last_full_timestamp_seconds',
    help: 'When the audit had last been through every book; until then, when this process began to.',
    registers,
  });
  // Not zero where no audit runs: an alert on the audit's age must not fire there.
  round.remove();
  return {
    rows: (count) => rows.inc(count),
    findings(byKind) {
      found.reset();
      for (const [kind, count] of byKind) found.set({ kind }, count);
    },
    round: () => round.setToCurrentTime(),
  };
}

export function createCheckpointCounts(registers: Registry[]): CheckpointCounts {
  const made = new Counter({
    name: 'countinghouse_checkpoints_total',
    help: 'Checkpoints that the reports pool signed.',
    registers,
  });
  const distrusted = new Counter({
    name: 'countinghouse_checkpoints_distrusted_total',
    help: 'Checkpoints in the database that were not continued: no key of ours signed them, or what is kept with them is not as it was; the log names them.',
    registers,
  });
  const refusedBooks = new Gauge({
    name: 'countinghouse_checkpoints_refused',
    help: 'Books that were due and whose journal does not verify, so that nothing was signed; the log names them.',
    registers,
  });
  return {
    made: () => made.inc(),
    distrusted: () => distrusted.inc(),
    round: (refused) => refusedBooks.set(refused),
  };
}
