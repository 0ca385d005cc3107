/** Changes the release schedule of a book. What is left out stays as it is; where all does, nothing is written. */
import type { ReleaseSchedule } from '../../calendar/release-schedule.ts';
import type { Stored } from '../../idempotency/idempotency-key.ts';
import type { Asked, UseCase } from '../../idempotency/use-case.ts';
import type { Command, Refusal } from '../../ledger/command/command.ts';
import { Draft } from '../../ledger/command/draft.ts';
import { differenceFrom } from '../../ledger/events/previous-attributes.ts';
import { newId } from '../../values/ids.ts';
import { writeJson } from '../../values/json.ts';
import { scheduleInForce, scheduleView } from './book-schedule.ts';
import { bookSchedules, SCHEDULE_ID } from './book-schedule-store.ts';

export interface UpdateSchedule extends Asked {
  readonly ifMatch?: number | undefined;
  readonly change: { readonly [Member in keyof ReleaseSchedule]?: ReleaseSchedule[Member] | undefined };
}

export const requestScheduleUpdate: UseCase<{ release: ReleaseSchedule }, UpdateSchedule> = {
  prepare: ({ release }, input) => Promise.resolve({ command: updateSchedule(input, release) }),
};

/** A book that has no schedule of its own gets one that is whole: the installation's later changes leave it alone. */
function updateSchedule(
  { bookId, requestId, actor, ifMatch, change }: UpdateSchedule,
  ofInstallation: ReleaseSchedule,
): Command<Stored | Refusal> {
  const origin = { id: newId(), requestId, actor };
  return {
    ...origin,
    name: 'release_schedule.update',
    touches: [{ table: bookSchedules, ids: [SCHEDULE_ID] }],
    decide(state, moment) {
      const draft = new Draft(state, origin, moment);
      const current = scheduleInForce(draft.get(bookSchedules, SCHEDULE_ID), ofInstallation);
      const { schedule, version } = current;
      if (ifMatch !== undefined && ifMatch !== version)
        return draft.finish<Refusal>({
          refused: 'version_mismatch',
          param: 'If-Match',
          detail: `The release schedule is at version ${version}.`,
          facts: { version },
        });
      const changed = differenceFrom(schedule, {
        days: change.days ?? schedule.days,
        unit: change.unit ?? schedule.unit,
        calendar: change.calendar ?? schedule.calendar,
        cutOff: change.cutOff === undefined ? schedule.cutOff : change.cutOff,
        onceSettled: change.onceSettled ?? schedule.onceSettled,
        reserve: change.reserve === undefined ? schedule.reserve : change.reserve,
      });
      const next =
        changed === undefined
          ? current
          : { schedule: { ...schedule, ...changed }, version: version + 1, updatedAt: draft.moment.book };
      if (next !== current) draft.put(bookSchedules, SCHEDULE_ID, next);
      const body = writeJson(scheduleView(next, draft.book));
      return draft.finish<Stored>({ status: 200, body, resource: 'book', resourceId: bookId });
    },
  };
}
