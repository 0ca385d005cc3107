/**
 * An appointment: what falls due in a book's own time, as a hold that expires. A group declares its appointments. The
 * sweeper enqueues those that are due, and the clock of a test book keeps them on its way to another time
 * (journal/advance-clock.ts). A decision never relies on the visit: what is due is due at the moment of use.
 */
import type { Acquirers } from '../acquirers/acquirers.ts';
import type { Config } from '../config.ts';
import type { Pool } from '../db/pool.ts';
import type { SecretBox } from '../db/secret-box.ts';
import type { BookId } from '../ledger/book/book.ts';
import type { Command } from '../ledger/command/command.ts';
import type { JobName, QueuePool } from '../queue/job.ts';
import type { Rails } from '../rails/rails.ts';
import type { RailSettings } from '../rails/settings/rail-settings.ts';
import type { Uuid } from '../values/ids.ts';
import type { MovedRows } from './moved-rows.ts';

/** The parties that appointments call and route by, and what seals the files that they send. */
export interface AppointmentOutside {
  readonly acquirers: Pick<Acquirers, 'sandbox'>;
  readonly secretBox: SecretBox;
  readonly rails: Pick<Rails, 'all' | 'get'>;
  readonly railSettings: RailSettings;
  /** The tax that fees of a currency contain. */
  readonly feeTax: Config['FEE_TAX_PERCENT'];
}

export interface Appointment {
  /** As the sweeper's log names them: `holds that expire`. */
  readonly name: string;
  /**
   * The rows: due in wall time by their `due_at`, which is right while the book's clock is not moved, and set aside when a
   * bug stops them.
   */
  readonly rows: MovedRows;
  /** The status of rows that have an appointment. */
  readonly status: string;
  /**
   * The column with its time. The table has an index TABLE_appointments (book_id, column, id) where the row has the
   * status and a time and is not stuck.
   */
  readonly column: string;
  readonly pool: QueuePool;
  readonly job: JobName;
  /** Carries out the appointments of these rows that are due at its moment; the others are left as they are. */
  command(pool: Pool, bookId: BookId, ids: readonly Uuid[], outside: AppointmentOutside): Promise<Command<unknown>>;
  /** Called behind the commit of the command. */
  kept?(): void;
  /**
   * How far rows have come that take several steps, which another process may take meanwhile. Two readings are compared. Without it a
   * row is carried out by one step.
   */
  place?(pool: Pool, bookId: BookId, ids: readonly Uuid[]): Promise<unknown>;
  /**
   * Whether what was begun for these rows has had no answer yet. A clock waits for it a short while, so that what a party answers at once
   * is dated by the moment of the appointment, and not by the next one. Without it nothing follows an appointment.
   */
  isUnderWay?(pool: Pool, bookId: BookId, ids: readonly Uuid[]): Promise<boolean>;
}

/** The most rows in one command of an appointment: with four rows each, as many as a command may touch. */
export const APPOINTMENTS_PER_COMMAND = 250;
