/** The row of a book's program. It does not exist until somebody changes the program or a first transaction comes. */
import { column, type RowOf } from '../../db/declared-columns.ts';
import { WRITE_ORDER } from '../../ledger/rows/table.ts';
import { tableOf } from '../../ledger/rows/table-of.ts';
import type { Instant } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';
import { defaultProgram, type FuelAmount, type Program } from './program.ts';
import { readFees, type StoredFees, storedFees } from './stored-schedule.ts';

export interface StoredProgram extends Omit<Program, 'timeZone'> {
  /** The book: it has one program. */
  readonly id: Uuid;
  /** Null: the book's, as it is. */
  readonly timeZone: string | null;
  /** The first transaction has fixed it: then it is written. */
  readonly isTimeZoneFixed: boolean;
  /** Signs what the endpoint is asked (program-secret.ts). Null until an endpoint was set. */
  readonly secretSealed: Buffer | null;
  /** Signs beside it until its own end, by the time of the world. */
  readonly previousSecretSealed: Buffer | null;
  readonly previousSecretUntil: Instant | null;
  readonly version: number;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** JSON has no bigint that every reader keeps: amounts are stored as text. */
interface StoredFuel extends Omit<FuelAmount, 'amount' | 'statusCheckMax'> {
  readonly amount: string;
  readonly statusCheckMax: string;
}

type ProgramRow = RowOf<Omit<StoredProgram, 'decision' | 'fuel' | 'fees'>> & {
  readonly decision_url: string | null;
  readonly decision_timeout_ms: number | null;
  readonly decision_default: 'approve' | 'decline' | null;
  readonly fuel: readonly StoredFuel[];
  readonly fees: StoredFees;
};

export const programs = tableOf<StoredProgram>({
  name: 'card_programs',
  key: 'id',
  writeOrder: WRITE_ORDER.resources,
  columns: [
    column('id', 'uuid'),
    column('currencies', 'jsonb', { notPersonal: 'facts', changes: true }),
    column('time_zone', 'code', { changes: true }),
    column('is_time_zone_fixed', 'boolean', { changes: true }),
    column('decision_url', 'text', ({ decision }) => decision?.url ?? null, {
      notPersonal: 'address',
      changes: true,
      url: true,
    }),
    column('decision_timeout_ms', 'integer', ({ decision }) => decision?.timeoutMs ?? null, { changes: true }),
    column('decision_default', 'code', ({ decision }) => decision?.default ?? null, { changes: true }),
    column('tolerances', 'jsonb', { notPersonal: 'facts', changes: true }),
    column('expiry_days', 'jsonb', { notPersonal: 'facts', changes: true }),
    column('fuel', 'jsonb', ({ fuel }) => fuel.map(storedFuel), {
      notPersonal: 'facts',
      changes: true,
      cardNumber: 'exempt',
    }),
    column('fees', 'jsonb', ({ fees }) => storedFees(fees), {
      notPersonal: 'facts',
      changes: true,
      cardNumber: 'exempt',
    }),
    column('secret_sealed', 'bytea', { sealed: true, changes: true }),
    column('previous_secret_sealed', 'bytea', { sealed: true, changes: true }),
    column('previous_secret_until', 'timestamptz', { changes: true }),
    column('version', 'integer', { changes: true }),
    column('created_at', 'timestamptz'),
    column('updated_at', 'timestamptz', { changes: true }),
  ],
  fromRow: (row: ProgramRow): StoredProgram => ({
    id: row.id,
    currencies: row.currencies,
    timeZone: row.time_zone,
    isTimeZoneFixed: row.is_time_zone_fixed,
    decision:
      row.decision_url === null
        ? null
        : { url: row.decision_url, timeoutMs: row.decision_timeout_ms!, default: row.decision_default! },
    tolerances: row.tolerances,
    expiryDays: row.expiry_days,
    fuel: row.fuel.map(readFuel),
    fees: readFees(row.fees),
    secretSealed: row.secret_sealed,
    previousSecretSealed: row.previous_secret_sealed,
    previousSecretUntil: row.previous_secret_until,
    version: row.version,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }),
});

/** The program of a book by its row, or the default one. */
export function programInForce(own: StoredProgram | undefined, { timeZone }: Pick<Program, 'timeZone'>): Program {
  if (own === undefined) return defaultProgram(timeZone);
  // Written out: every authorization reads it.
  return {
    currencies: own.currencies,
    timeZone: own.timeZone ?? timeZone,
    decision: own.decision,
    tolerances: own.tolerances,
    expiryDays: own.expiryDays,
    fuel: own.fuel,
    fees: own.fees,
  };
}

/**
 * The row once the book has a transaction: from then on windows are of its time zone. The same row where that is so already. Its version
 * stays: nobody has changed the program.
 */
export function withTimeZoneFixed(
  own: StoredProgram | undefined,
  book: { readonly id: Uuid; readonly timeZone: string },
  now: Instant,
): StoredProgram {
  if (own?.isTimeZoneFixed) return own;
  const row = own ?? newProgram(book.id, now);
  return { ...row, timeZone: row.timeZone ?? book.timeZone, isTimeZoneFixed: true };
}

/** The first row of a book. */
export function newProgram(bookId: Uuid, now: Instant): StoredProgram {
  const { timeZone: _, ...defaults } = defaultProgram('');
  return {
    ...defaults,
    id: bookId,
    timeZone: null,
    isTimeZoneFixed: false,
    secretSealed: null,
    previousSecretSealed: null,
    previousSecretUntil: null,
    version: 1,
    createdAt: now,
    updatedAt: now,
  };
}

function storedFuel({ currency, amount, statusCheckMax }: FuelAmount): StoredFuel {
  return { currency, amount: String(amount), statusCheckMax: String(statusCheckMax) };
}

function readFuel({ currency, amount, statusCheckMax }: StoredFuel): FuelAmount {
  return { currency, amount: BigInt(amount), statusCheckMax: BigInt(statusCheckMax) };
}
