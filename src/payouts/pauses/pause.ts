/**
 * Pauses: an operator keeps payouts back, all of them, or those of a rail, an organisation or a book. What is paused is accepted and held
 * as ever, and is neither reserved nor sent. Inquiries and notices go on.
 * Next: pause-store.ts (the rows), recent-pauses.ts (what a process obeys).
 */
import type { BookId } from '../../ledger/book/book.ts';
import type { KeptBack } from '../../rails/iso20022/bank.ts';
import type { Uuid } from '../../values/ids.ts';

export const PAUSE_SCOPES = ['all', 'rail', 'organisation', 'book'] as const;

export type PauseScope = (typeof PAUSE_SCOPES)[number];

/** What is kept back. `name`: a rail, or the id of an organisation or a book; empty for all. */
export interface Paused {
  readonly scope: PauseScope;
  readonly name: string;
}

/** A pause with the books that it is about, where it is about some. */
export interface PauseInForce extends Paused {
  readonly bookIds: readonly BookId[];
}

/** Whether a payout is kept back. */
export function isPaused(
  pauses: readonly PauseInForce[],
  { bookId, rail }: { readonly bookId: Uuid; readonly rail: string },
): boolean {
  return pauses.some(({ scope, name, bookIds }) => {
    if (scope === 'all') return true;
    return scope === 'rail' ? name === rail : bookIds.includes(bookId);
  });
}

/** What is kept back of a rail that carries payouts of many books at once. */
export function keptBackOf(pauses: readonly PauseInForce[], rail: string): KeptBack {
  return {
    isAll: pauses.some(({ scope, name }) => scope === 'all' || (scope === 'rail' && name === rail)),
    books: pauses.flatMap(({ bookIds }) => bookIds),
  };
}
