/** What is wrong with the values of a program beyond the form of each member. */
import { isTimeZone } from '../../calendar/day.ts';
import type { FieldError } from '../../errors/errors.ts';
import { type FeeSchedule, scheduleError } from '../../fees/fee-schedule.ts';
import { isCurrency } from '../../money/currency.ts';
import { mccEntryError, overlap } from '../purchase/merchant-category.ts';
import {
  DECISION_TIMEOUT_MS,
  type DecisionEndpoint,
  type ExpiryDays,
  type FuelAmount,
  type Program,
  type ProgramFees,
  type Tolerance,
} from './program.ts';

/** Networks know authorizations of up to 30 days: a hold of a year is a mistake. */
export const EXPIRY_DAYS_MAX = 90;
export const PERCENT_MAX = 100;

/** Empty for a program that can be kept. The URL of its endpoint is judged where addresses are. */
export function programErrors(program: Program): FieldError[] {
  const { currencies, timeZone, decision, tolerances, expiryDays, fuel, fees } = program;
  return [
    ...(currencies === null ? [] : currencyErrors(currencies, '/currencies')),
    ...(isTimeZone(timeZone) ? [] : [at('/time_zone', `${timeZone} is no time zone of the IANA database.`)]),
    ...(decision === null ? [] : timeoutErrors(decision)),
    ...toleranceErrors(tolerances),
    ...expiryErrors(expiryDays),
    ...fuelErrors(fuel),
    ...feeErrors(fees),
  ];
}

function at(param: string, detail: string): FieldError {
  return { code: 'parameter_invalid', param, detail };
}

function currencyErrors(currencies: readonly string[], pointer: string): FieldError[] {
  if (currencies.length === 0) return [at(pointer, 'Expects at least one currency, or null for all.')];
  return currencies.flatMap((currency, place) => {
    if (!isCurrency(currency)) return [unknownCurrency(currency, `${pointer}/${place}`)];
    return currencies.indexOf(currency) < place ? [at(`${pointer}/${place}`, `${currency} stands in it twice.`)] : [];
  });
}

function unknownCurrency(currency: string, pointer: string): FieldError {
  const detail = `${currency} is no currency of ISO 4217 in which accounts are kept.`;
  return { code: 'currency_unsupported', param: pointer, detail };
}

function timeoutErrors({ timeoutMs }: DecisionEndpoint): FieldError[] {
  const { least, most } = DECISION_TIMEOUT_MS;
  if (Number.isInteger(timeoutMs) && timeoutMs >= least && timeoutMs <= most) return [];
  return [at('/decision/timeout_ms', `Expects ${least} to ${most} milliseconds.`)];
}

/** An MCC in two tolerances would have no certain one. */
function toleranceErrors(tolerances: readonly Tolerance[]): FieldError[] {
  const earlier: string[] = [];
  return tolerances.flatMap(({ mccs, percent }, place) => {
    const pointer = `/tolerances/${place}`;
    const isPercent = Number.isInteger(percent) && percent >= 0 && percent <= PERCENT_MAX;
    return [
      ...(isPercent ? [] : [at(`${pointer}/percent`, `Expects a whole number from 0 to ${PERCENT_MAX}.`)]),
      ...(mccs.length === 0 ? [at(`${pointer}/mccs`, 'Expects at least one entry.')] : []),
      ...mccs.flatMap((entry, index) => toleranceEntryErrors(entry, { earlier, pointer: `${pointer}/mccs/${index}` })),
    ];
  });
}

function toleranceEntryErrors(entry: string, place: { earlier: string[]; pointer: string }): FieldError[] {
  const { earlier, pointer } = place;
  const error = mccEntryError(entry);
  if (error !== undefined) return [at(pointer, error)];
  const same = earlier.find((other) => overlap(other, entry));
  earlier.push(entry);
  return same === undefined ? [] : [at(pointer, `${entry} has codes of ${same}, which stands before it.`)];
}

function expiryErrors(days: ExpiryDays): FieldError[] {
  const members = [
    ['default', days.default],
    ['lodging', days.lodging],
    ['car_rental', days.carRental],
    ['cruise', days.cruise],
    ['fuel', days.fuel],
  ] as const;
  return members.flatMap(([name, value]) => {
    if (Number.isInteger(value) && value >= 1 && value <= EXPIRY_DAYS_MAX) return [];
    return [at(`/expiry_days/${name}`, `Expects a whole number of days from 1 to ${EXPIRY_DAYS_MAX}.`)];
  });
}

function fuelErrors(fuel: readonly FuelAmount[]): FieldError[] {
  return fuel.flatMap(({ currency, amount, statusCheckMax }, place) => {
    const pointer = `/fuel/${place}`;
    if (!isCurrency(currency)) return [unknownCurrency(currency, `${pointer}/currency`)];
    if (fuel.findIndex((other) => other.currency === currency) < place)
      return [at(`${pointer}/currency`, `${currency} stands in it twice.`)];
    if (statusCheckMax < 1n) return [at(`${pointer}/status_check_max`, 'Expects 1 or more.')];
    if (amount < statusCheckMax)
      return [at(`${pointer}/amount`, 'A status check is decided on at least what it asks for.')];
    return [];
  });
}

function feeErrors({ cash, quasiCash, foreignCurrency }: ProgramFees): FieldError[] {
  return [
    ...scheduleErrors(cash, '/fees/cash'),
    ...scheduleErrors(quasiCash, '/fees/quasi_cash'),
    ...scheduleErrors(foreignCurrency, '/fees/foreign_currency'),
  ];
}

function scheduleErrors(schedule: FeeSchedule | null, pointer: string): FieldError[] {
  const error = schedule === null ? undefined : scheduleError(schedule);
  return error === undefined ? [] : [at(pointer, error)];
}
