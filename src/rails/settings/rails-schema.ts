/** The form of the file that RAILS_FILE names. Rules between its parts: rails-rules.ts. */
import { z } from 'zod';
import { CALENDARS } from '../../calendar/business-days.ts';
import { isTimeZone } from '../../calendar/day.ts';
import { MAX_REQUEST_AMOUNT } from '../../money/amount.ts';
import { isCurrency } from '../../money/currency.ts';
import { ROUNDINGS } from '../../money/rounding.ts';
import { adapterSettings } from './adapters.ts';
import { ROUTED_DESTINATIONS } from './rail-words.ts';

/** Bounds of the file: it is read whole, and each pair of routes is compared. */
const ENTRIES_MAX = 1_000;
/** Ten years of a bank's own closing days. */
const HOLIDAYS_MAX = 500;
/** No bank takes longer, and a day is found by counting. */
const DAYS_TO_ARRIVE_MAX = 30;

const name = z
  .string()
  .regex(/^[a-z][a-z0-9_]{1,31}$/, 'Expects a name of 2 to 32 lower-case letters, digits and underscores.');

const currency = z.string().refine(isCurrency, 'Expects a currency of ISO 4217 in which accounts are kept.');

const AMOUNT_EXPECTED = `Expects a whole number of minor units from 0 to ${MAX_REQUEST_AMOUNT}.`;

const amount = z
  .number(AMOUNT_EXPECTED)
  .refine((value) => Number.isSafeInteger(value) && value >= 0, AMOUNT_EXPECTED)
  .transform((value) => BigInt(value));

const calendar = z.strictObject({
  name: z.enum(CALENDARS),
  holidays: z.array(z.iso.date('Expects a day such as 2027-12-24.')).max(HOLIDAYS_MAX).default([]),
});

const rail = z.strictObject({
  name,
  mode: z.enum(['live', 'test']),
  adapter: adapterSettings,
  currencies: z
    .array(z.strictObject({ currency, minimum: amount.optional(), maximum: amount.optional() }))
    .min(1)
    .max(ENTRIES_MAX),
  time_zone: z
    .string()
    .refine(isTimeZone, 'Expects a time zone of the IANA database, such as Europe/Vienna.')
    .optional(),
  cut_off: z
    .string()
    .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'Expects a time of day such as 16:00.')
    .optional(),
  calendar: calendar.optional(),
  days_to_arrive: z.number().int().min(0).max(DAYS_TO_ARRIVE_MAX).optional(),
});

const route = z.strictObject({
  destination: z.enum(ROUTED_DESTINATIONS),
  currencies: z.array(currency).min(1).max(ENTRIES_MAX),
  minimum: amount.optional(),
  maximum: amount.optional(),
  rail: name,
  fee: name.optional(),
});

const fee = z.strictObject({
  name,
  /** Of the amounts in it. Left out where it has no amount. */
  currency: currency.optional(),
  fixed: amount.optional(),
  basis_points: z.number().int().min(0).max(10_000).default(0),
  minimum: amount.optional(),
  maximum: amount.optional(),
  rounding: z.enum(ROUNDINGS).default('half_even'),
});

const limit = z.strictObject({
  mode: z.enum(['live', 'test']),
  currency,
  payout: amount.optional(),
  day: amount.optional(),
  month: amount.optional(),
});

export const railsFile = z.strictObject({
  rails: z.array(rail).max(ENTRIES_MAX).default([]),
  routes: z.array(route).max(ENTRIES_MAX).default([]),
  fees: z.array(fee).max(ENTRIES_MAX).default([]),
  limits: z.array(limit).max(ENTRIES_MAX).default([]),
});

export type RailsFile = z.output<typeof railsFile>;
