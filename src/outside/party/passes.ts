/** Whether work that called a party may succeed later, unchanged. */
import { isPassing } from '../../db/postgres-errors.ts';
import { PartyUnreachable } from './party.ts';

/** Transient causes: the database is away, a deadline has passed, the rows that were read have changed, or a party gave no answer. */
export function passesOutside(error: unknown): boolean {
  return isPassing(error) || error instanceof PartyUnreachable;
}
