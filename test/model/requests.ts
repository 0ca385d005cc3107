/**
 * Requests to a book, in names: the language shared by the reference and the real ledger. Random actions become
 * requests (random-requests.ts). The reference carries them out on its lists (reference-payouts.ts), and the real
 * ledger as commands of the product (real-commands.ts).
 */
import type { Movement } from './reference-ledger.ts';

export type StatusAction = 'freeze' | 'unfreeze' | 'close';
export type Word = 'paid' | 'rejected' | 'pending';

/** A request through the API: carried out once under its key, or under a key of its own without one. */
export type KeyedRequest = { readonly key: string | null } & (
  | { readonly do: 'open'; readonly currency: string; readonly overdraft: bigint }
  | { readonly do: 'fund'; readonly account: string; readonly currency: string; readonly amount: bigint }
  | { readonly do: 'status'; readonly account: string; readonly action: StatusAction; readonly ifMatch?: number }
  | {
      readonly do: 'accept';
      readonly account: string;
      /** Another account of the book; null for an alias outside it. */
      readonly to: string | null;
      readonly currency: string;
      readonly amount: bigint;
      readonly fee: bigint;
      /** A dry run. */
      readonly dry: boolean;
    }
  | { readonly do: 'cancel'; readonly payout: string; readonly ifMatch?: number }
  /** Tells the rail through the API what to report. */
  | { readonly do: 'simulate'; readonly payout: string; readonly word: 'paid' | 'rejected' }
  | { readonly do: 'post'; readonly movements: readonly Movement[] }
  | { readonly do: 'hold'; readonly account: string; readonly amount: bigint; readonly expiresAt: number | null }
  /** May be more than the hold has left. */
  | { readonly do: 'capture'; readonly hold: string; readonly amount: bigint; readonly to: string }
  | { readonly do: 'release'; readonly hold: string; readonly amount: bigint | null }
);

export type Of<Kind extends KeyedRequest['do']> = KeyedRequest & { readonly do: Kind };

/** Commands of the product itself, and reports of a rail. */
export type InternalRequest =
  | { readonly do: 'expire'; readonly hold: string }
  | { readonly do: 'reserve'; readonly payout: string }
  | { readonly do: 'unknown'; readonly payout: string }
  /** An answer to a call, or a notice under the rail's own id. */
  | { readonly do: 'settle'; readonly payout: string; readonly word: Word; readonly notice: string | null }
  | { readonly do: 'return'; readonly payout: string; readonly amount: bigint; readonly notice: string };

export type Request = KeyedRequest | InternalRequest | { readonly do: 'void'; readonly key: string };

export function isKeyed(request: Request): request is KeyedRequest {
  return 'key' in request && request.do !== 'void';
}

/** The request without its key. Two requests under one key must have equal bodies. */
export function bodyOf({ key: _, ...body }: KeyedRequest): string {
  // A precondition is a header, not part of the body.
  return JSON.stringify({ ...body, ifMatch: undefined }, (_name, value) =>
    typeof value === 'bigint' ? String(value) : value,
  );
}
