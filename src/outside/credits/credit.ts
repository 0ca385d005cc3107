/**
 * A credit: money on an account of the operator's at a bank that a rail reports, and that names no payment of ours. It stands in the operator's
 * book until it is a transfer of a customer's book or a case for people. Invariant: at most one credit has a reference of the bank's and is not
 * `shared`, so none is posted twice, whichever file or notice reports it.
 * Next: credit-table.ts (its rows), credit-store.ts (how rails report it), src/inbound/ (how it is booked).
 */

import type { Instant } from '../../values/clock.ts';
import { deriveId, type Uuid } from '../../values/ids.ts';

export type CreditStatus =
  /** Reported. The ledger pool finds out for which account it is. */
  | 'received'
  /** One account is named, by its text or by two persons. The ledger pool posts it, under the id of its transfer. */
  | 'allocated'
  /** A transfer of its book. Final. */
  | 'posted'
  /** No account is named, or none that can receive it: an exception of the operator's is open. Two persons may name one: then it is `allocated`. */
  | 'unallocated'
  /** A person has given it to a book. The ledger pool opens an exception there. Final. */
  | 'given';

/** A credit as a rail reports it. */
export interface ReportedCredit {
  /** The account at the bank: the scope of the bank's references. */
  readonly bankAccount: string;
  /** All names that its reporter knows of that account. Left out: this one. */
  readonly accountNames?: readonly string[];
  /** The bank's own reference; null without one. */
  readonly bankReference: string | null;
  /** Names the credit where its reference does not: file and place, or the notice. */
  readonly place: string;
  readonly amount: bigint;
  readonly currency: string;
  readonly endToEndId: string | null;
  /** In clear: it is masked before it is kept. */
  readonly payerName: string | null;
  readonly payerAccount: string | null;
  readonly remittance: readonly string[];
  readonly valueOn: string | null;
  readonly bookedOn: string | null;
}

export interface Credit {
  readonly id: Uuid;
  readonly rail: string;
  readonly bankAccount: string;
  readonly bankReference: string | null;
  /** Another credit has the same reference: it names neither. */
  readonly shared: boolean;
  readonly amount: bigint;
  readonly currency: string;
  readonly endToEndId: string | null;
  readonly payerName: string | null;
  readonly payerAccount: string | null;
  readonly remittanceSealed: Buffer | null;
  readonly valueOn: string | null;
  readonly bookedOn: string | null;
  readonly status: CreditStatus;
  readonly ownerBookId: Uuid | null;
  readonly accountId: Uuid | null;
  readonly transferId: Uuid | null;
  readonly version: number;
  readonly dueAt: Instant | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** The same in every file and notice that reports it, where the bank has a reference of its own. `turn` counts those of one reference in one message. */
export function creditId(
  { bankAccount, bankReference, amount, currency, place }: ReportedCredit,
  { rail, turn }: { readonly rail: string; readonly turn: number },
): Uuid {
  if (bankReference === null) return deriveId('inbound-credit', rail, 'place', place);
  return deriveId('inbound-credit', bankAccount, bankReference, String(amount), currency, String(turn));
}

const SHOWN_OF_ACCOUNT = 4;

/** The end of an account's number. */
export function maskAccount(account: string): string {
  return `***${account.replace(/\s/g, '').slice(-SHOWN_OF_ACCOUNT)}`;
}
