/** Fee schedules in JSON: of a program, and pinned with each purchase. JSON has no bigint that every reader keeps: amounts are text. */
import type { FeeSchedule } from '../../fees/fee-schedule.ts';

export interface StoredSchedule {
  readonly fixed: string;
  readonly basisPoints: string;
  readonly minimum: string | null;
  readonly maximum: string | null;
  readonly rounding: FeeSchedule['rounding'];
}

export function storedSchedule(schedule: FeeSchedule | null): StoredSchedule | null {
  if (schedule === null) return null;
  const { fixed, basisPoints, minimum, maximum, rounding } = schedule;
  return {
    fixed: String(fixed),
    basisPoints: String(basisPoints),
    minimum: minimum === null ? null : String(minimum),
    maximum: maximum === null ? null : String(maximum),
    rounding,
  };
}

export function readSchedule(stored: StoredSchedule | null): FeeSchedule | null {
  if (stored === null) return null;
  const { fixed, basisPoints, minimum, maximum, rounding } = stored;
  return {
    fixed: BigInt(fixed),
    basisPoints: BigInt(basisPoints),
    minimum: minimum === null ? null : BigInt(minimum),
    maximum: maximum === null ? null : BigInt(maximum),
    rounding,
  };
}
