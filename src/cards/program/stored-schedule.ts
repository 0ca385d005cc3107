/** Fee schedules in JSON: of a program, and pinned with each purchase. JSON has no bigint that every reader keeps: amounts are text. */
import type { FeeSchedule } from '../../fees/fee-schedule.ts';
import type { ProgramFees } from './program.ts';

interface StoredSchedule {
  readonly fixed: string;
  readonly basisPoints: string;
  readonly minimum: string | null;
  readonly maximum: string | null;
  readonly rounding: FeeSchedule['rounding'];
}

function storedSchedule(schedule: FeeSchedule | null): StoredSchedule | null {
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

function readSchedule(stored: StoredSchedule | null): FeeSchedule | null {
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

export interface StoredFees {
  readonly cash: StoredSchedule | null;
  readonly quasiCash: StoredSchedule | null;
  readonly foreignCurrency: StoredSchedule | null;
}

export function storedFees({ cash, quasiCash, foreignCurrency }: ProgramFees): StoredFees {
  return {
    cash: storedSchedule(cash),
    quasiCash: storedSchedule(quasiCash),
    foreignCurrency: storedSchedule(foreignCurrency),
  };
}

export function readFees({ cash, quasiCash, foreignCurrency }: StoredFees): ProgramFees {
  return {
    cash: readSchedule(cash),
    quasiCash: readSchedule(quasiCash),
    foreignCurrency: readSchedule(foreignCurrency),
  };
}
