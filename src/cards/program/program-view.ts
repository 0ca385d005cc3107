/** How the API and events show a program. Its secret stands in the answer that makes one, and in no other. */
import type { FeeSchedule } from '../../fees/fee-schedule.ts';
import type { Book } from '../../ledger/book/book.ts';
import { formatInstantOrNull } from '../../values/clock.ts';
import { publicId } from '../../values/ids.ts';
import type { FuelAmount, ProgramFees } from './program.ts';
import { programInForce, type StoredProgram } from './program-table.ts';

/** `own`: undefined while the book has the default program. */
export function programView(own: StoredProgram | undefined, book: Pick<Book, 'id' | 'mode' | 'timeZone'>) {
  const { currencies, timeZone, decision, tolerances, expiryDays, fuel, fees } = programInForce(own, book);
  return {
    id: publicId('book', book.id),
    object: 'card_program',
    livemode: book.mode === 'live',
    currencies,
    time_zone: timeZone,
    time_zone_fixed: own?.isTimeZoneFixed ?? false,
    decision: decision && { url: decision.url, timeout_ms: decision.timeoutMs, default: decision.default },
    previous_secret_until: formatInstantOrNull(own?.previousSecretUntil ?? null),
    tolerances: tolerances.map(({ mccs, percent }) => ({ mccs, percent })),
    expiry_days: {
      default: expiryDays.default,
      lodging: expiryDays.lodging,
      car_rental: expiryDays.carRental,
      cruise: expiryDays.cruise,
      fuel: expiryDays.fuel,
    },
    fuel: fuel.map(fuelView),
    fees: feesView(fees),
    version: own?.version ?? 1,
    updated_at: formatInstantOrNull(own?.updatedAt ?? null),
  };
}

function fuelView({ currency, amount, statusCheckMax }: FuelAmount) {
  return { currency, amount, status_check_max: statusCheckMax };
}

function feesView({ cash, quasiCash, foreignCurrency }: ProgramFees) {
  return {
    cash: scheduleView(cash),
    quasi_cash: scheduleView(quasiCash),
    foreign_currency: scheduleView(foreignCurrency),
  };
}

function scheduleView(schedule: FeeSchedule | null) {
  if (schedule === null) return null;
  const { fixed, basisPoints, minimum, maximum } = schedule;
  return { fixed, basis_points: basisPoints, minimum, maximum };
}
