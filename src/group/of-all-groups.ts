/** What all groups declare, gathered for code that needs each of it and imports no group: it is part of a process's runtime. */
import type { ClosingBlocker } from '../ledger/command/closing-blocker.ts';
import { lineTextsOf, type ReadLineTexts } from '../ledger/resources/line-text-store.ts';
import type { Appointment } from './appointment.ts';
import type { ApprovalFollow } from './approval-follow.ts';
import type { AtBank, LineNames } from './at-bank.ts';
import type { Group, PeriodBlocker } from './group.ts';
import type { OperatorReport } from './operator-report.ts';

export interface OfAllGroups {
  readonly groups: readonly Group[];
  /** Texts that resources add to the lines of accounts. */
  readonly lineTexts: ReadLineTexts;
  /** What keeps an account open. */
  readonly blocksClosing: readonly ClosingBlocker[];
  /** What keeps days of a book open. */
  readonly blocksPeriods: readonly PeriodBlocker[];
  /** What begins with the approval of an exception. */
  readonly followsApproval: readonly ApprovalFollow[];
  /** What banks show of entries that move the pool. */
  readonly atBank: readonly AtBank[];
  /** By what files name lines of accounts. */
  readonly lineNames: readonly LineNames[];
  /** Reports of the operator's books. */
  readonly operatorReports: readonly OperatorReport[];
  /** What falls due in a book's own time. */
  readonly appointments: readonly Appointment[];
}

export function ofAllGroups(groups: readonly Group[]): OfAllGroups {
  return {
    groups,
    lineTexts: lineTextsOf(groups.flatMap(({ resources }) => resources)),
    blocksClosing: groups.flatMap(({ blocksClosing }) => blocksClosing),
    blocksPeriods: groups.flatMap(({ blocksPeriods = [] }) => blocksPeriods),
    followsApproval: groups.flatMap(({ followsApproval = [] }) => followsApproval),
    atBank: groups.flatMap(({ atBank = [] }) => atBank),
    lineNames: groups.flatMap(({ lineNames = [] }) => lineNames),
    operatorReports: groups.flatMap(({ operatorReports = [] }) => operatorReports),
    appointments: groups.flatMap(({ appointments = [] }) => appointments),
  };
}
