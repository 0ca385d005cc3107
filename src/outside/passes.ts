/** Whether work that called a party may succeed later, as it is. */
import { isPassing } from '../db/postgres-errors.ts';
import { PartyUnreachable } from './party.ts';

/** What passes by itself: the database is away, a deadline is over, what was read has moved, or a party gave no answer. */
export function passesOutside(error: unknown): boolean {
  return isPassing(error) || error instanceof PartyUnreachable;
}
