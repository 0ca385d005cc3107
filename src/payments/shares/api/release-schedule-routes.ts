/** The release schedule of a book. */
import { found } from '../../../api/answers.ts';
import { route } from '../../../api/route.ts';
import { askedBy, runUseCase } from '../../../api/run-use-case.ts';
import { basisPointsOf, scheduleInForce, scheduleView } from '../book-schedule.ts';
import { loadBookWithSchedule } from '../book-schedule-store.ts';
import { requestScheduleUpdate } from '../update-schedule.ts';
import * as schemas from './release-schedule-schemas.ts';

const path = '/v1/payments/release_schedule';

const read = route({
  method: 'get',
  path,
  operation: 'getReleaseSchedule',
  tag: 'Payments',
  summary: 'Retrieve the release schedule',
  scope: 'payments:read',
  responses: { 200: { description: 'The schedule in force.', schema: schemas.releaseSchedule } },
  async handle({ runtime, principal }) {
    const { book, own } = found(await loadBookWithSchedule(runtime.pool, principal.bookId));
    return { status: 200, json: scheduleView(scheduleInForce(own, runtime.release), book) };
  },
});

const update = route({
  method: 'patch',
  path,
  operation: 'updateReleaseSchedule',
  tag: 'Payments',
  summary: 'Update the release schedule',
  description:
    'Holds for captures from now on: what waits for its release already stays where it is. What is left out stays as it is; from then on the book has a schedule of its own, whatever the installation changes. It says when the platform pays its merchants, so in live mode the operator gives a key the scope by its name: `*` does not include it.',
  scope: 'payments:schedule',
  ifMatch: true,
  body: schemas.updateReleaseSchedule,
  bodyExample: { unit: 'business_days', calendar: 'fri_sat', cut_off: '17:00', reserve: { percent: '10', days: 90 } },
  responses: { 200: { description: 'The schedule as it is now.', schema: schemas.releaseSchedule } },
  handle(request) {
    const { body, ifMatch } = request;
    const { days, unit, calendar, cut_off: cutOff, when, reserve } = body;
    return runUseCase(request, requestScheduleUpdate, {
      ...askedBy(request),
      ifMatch,
      change: {
        days,
        unit,
        calendar,
        cutOff,
        onceSettled: when && when === 'settled',
        reserve: reserve && { basisPoints: basisPointsOf(reserve.percent), days: reserve.days },
      },
    });
  },
});

/** Static paths: before those with an id of a payment. */
export const releaseScheduleRoutes = [read, update];
