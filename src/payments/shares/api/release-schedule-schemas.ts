/** Schemas of the release schedule of a book. */
import { z } from 'zod';
import * as shown from '../../../api/schemas/shown.ts';
import { CALENDARS } from '../../../calendar/business-days.ts';

const UNITS = ['days', 'business_days'] as const;
const WHEN = ['settled', 'captured'] as const;

/** Published in the reference. Half a year is as long as networks take disputes for most reasons. */
const MOST_DAYS = 90;
const MOST_DAYS_RESERVED = 180;

const CUT_OFF = /^([01]\d|2[0-3]):[0-5]\d$/;
/** Less than all: below 100, above 0. */
const PERCENT = /^(?!0*(\.0*)?$)(0|[1-9]\d?)(\.\d{1,2})?$/;

const daysText = 'How many days after a capture it is released.';
const unitText =
  'Whether all days count, or `business_days` alone. A capture on a day off then counts as one of the next business day.';
const calendarText =
  'Whose business days: `sat_sun` and `fri_sat` by their days off, `target2` with the closing days of TARGET. Without effect on `days`.';
const cutOffText =
  'From this time of day on, in the time zone of the book, captures count as those of the next day. Null: a day ends at midnight.';
const whenText = '`settled`: only what the acquirer has paid is released. `captured`: what is captured.';
const percentText = 'Of what a capture earns, its fee deducted: above 0 and below 100, with at most two decimals.';
const reserveDaysText = 'How many calendar days after the capture the reserve is released; never before the rest.';

const reserve = z
  .object({
    percent: z.string().meta({ description: percentText, example: '10' }),
    days: shown.count(reserveDaysText),
  })
  .meta({ id: 'ReleaseReserve', description: 'Part of what captures earn, which is released later.' });

export const releaseSchedule = z
  .object({
    object: z.literal('release_schedule'),
    livemode: shown.livemode,
    days: shown.count(daysText),
    unit: shown.oneOf(UNITS, { description: unitText }),
    calendar: shown.oneOf(CALENDARS, { description: calendarText }),
    cut_off: z.string().nullable().meta({ description: cutOffText, example: '17:00' }),
    time_zone: z.string().meta({ description: 'Of the book, as the IANA database names it.', example: 'Asia/Amman' }),
    when: shown.oneOf(WHEN, { description: whenText }),
    reserve: shown.orNull(reserve).meta({ description: 'Null: nothing is kept longer than the rest.' }),
    version: shown.version,
    updated_at: shown
      .time("When it last changed, in the book's own time. Null while it is the installation's.")
      .nullable(),
  })
  .meta({ id: 'ReleaseSchedule', description: 'When captures are released to their merchants.' });

export const updateReleaseSchedule = z.strictObject({
  days: z.int().min(1).max(MOST_DAYS).optional().meta({ description: daysText }),
  unit: z.enum(UNITS).optional().meta({ description: unitText }),
  calendar: z.enum(CALENDARS).optional().meta({ description: calendarText }),
  cut_off: z
    .string()
    .regex(CUT_OFF, 'Expects a time of day such as 17:00.')
    .meta({ example: '17:00' })
    .nullable()
    .optional()
    .meta({ description: cutOffText }),
  when: z.enum(WHEN).optional().meta({ description: whenText }),
  reserve: z
    .strictObject({
      percent: z
        .string()
        .regex(PERCENT, 'Expects a percentage such as "10" or "2.5": above 0, below 100, at most two decimals.')
        .meta({ description: percentText, example: '10' }),
      days: z.int().min(1).max(MOST_DAYS_RESERVED).meta({ description: reserveDaysText }),
    })
    .nullable()
    .optional()
    .meta({ description: 'Null: from now on nothing is kept longer than the rest.' }),
});
