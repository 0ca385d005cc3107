/**
 * The release schedule of a book: its own, or that of the installation until one is set. The one in force when a
 * capture succeeds decides when it is released; a change moves nothing that waits already.
 * Next: book-schedule-store.ts (where it is kept), update-schedule.ts (its change).
 */
import type { ReleaseSchedule, Reserve } from '../../calendar/release-schedule.ts';
import type { Book } from '../../ledger/book/book.ts';
import { formatInstantOrNull, type Instant } from '../../values/clock.ts';

export interface BookSchedule {
  readonly schedule: ReleaseSchedule;
  readonly version: number;
  /** Null: it is that of the installation. */
  readonly updatedAt: Instant | null;
}

export function scheduleInForce(own: BookSchedule | undefined, ofInstallation: ReleaseSchedule): BookSchedule {
  return own ?? { schedule: ofInstallation, version: 1, updatedAt: null };
}

/** As the API shows it. */
export function scheduleView(
  { schedule, version, updatedAt }: BookSchedule,
  { mode, timeZone }: Pick<Book, 'mode' | 'timeZone'>,
) {
  const { days, unit, calendar, cutOff, onceSettled, reserve } = schedule;
  return {
    object: 'release_schedule',
    livemode: mode === 'live',
    days,
    unit,
    calendar,
    cut_off: cutOff,
    time_zone: timeZone,
    when: onceSettled ? 'settled' : 'captured',
    reserve: reserve && { percent: percentOf(reserve), days: reserve.days },
    version,
    updated_at: formatInstantOrNull(updatedAt),
  };
}

/** Without zeros at its end: `10`, `2.5`. */
function percentOf({ basisPoints }: Reserve): string {
  const [whole, hundredths] = [Math.floor(basisPoints / 100), basisPoints % 100];
  const decimals = String(hundredths).padStart(2, '0').replace(/0+$/, '');
  return decimals === '' ? String(whole) : `${whole}.${decimals}`;
}

/** Of a decimal text with at most two decimals. */
export function basisPointsOf(percent: string): number {
  const [whole, decimals = ''] = percent.split('.');
  return Number(whole) * 100 + Number(decimals.padEnd(2, '0'));
}
