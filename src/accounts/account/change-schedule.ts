/** Sets, changes and ends the schedule of an account's statements. */
import type { Draft } from '../../ledger/command/draft.ts';
import { paused, type StatementSchedule, scheduled } from '../statements/schedule.ts';
import { statementSchedules } from '../statements/schedule-table.ts';
import type { AccountProfile } from './account-profile.ts';

/** As the profile has it. `known` is the row as it is, where there is one. */
export function scheduleStatements(
  draft: Draft,
  known: StatementSchedule | undefined,
  { accountId, statementSchedule: schedule }: Pick<AccountProfile, 'accountId' | 'statementSchedule'>,
): void {
  const { book: now } = draft.moment;
  const { book } = draft;
  if (schedule !== null) draft.put(statementSchedules, accountId, scheduled(known, { accountId, schedule, book, now }));
  else if (known) draft.put(statementSchedules, accountId, paused(known, now));
}
