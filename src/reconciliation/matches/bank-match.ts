/**
 * A match: lines of bank statements, and the expected items that they show. A rule confirms it at once, or a person proposes it and another one
 * approves.
 * Invariant: its lines come to its items and its difference. Once confirmed, its parts are taken from what is open of each, and one entry has
 * moved them off the accounts on which they waited; undone, a second entry has moved them back.
 * In a book's own comparison nothing is moved: such a match has no entry.
 * One of many items is reserved and given back command by command, and booked by the last one.
 * Next: bank-match-table.ts (its rows), match-postings.ts (its entry), confirm-matches.ts, move-large-match.ts, match-by-hand.ts.
 */
import type { Transitions } from '../../ledger/resources/resource.ts';
import type { Instant } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';
import type { DifferenceTo } from '../rules/bank-account-rules.ts';
import type { Rule } from './matching.ts';

export type BankMatchStatus =
  /** A person has proposed it. Nothing is booked until another one approves. */
  | 'proposed'
  /** A rule has matched many items, and commands take them one part after another. Nothing is booked before the last. */
  | 'reserving'
  /** Booked. A rule or a second person moves it here. */
  | 'confirmed'
  /** A person has undone one of many items, or something of it was matched meanwhile. Commands give its items back. */
  | 'undoing'
  /** A second person refused it, or something of it was matched meanwhile. Final. */
  | 'rejected'
  /** Taken back by a person, with an entry. Its lines are exceptions again. Final. */
  | 'undone';

export const BANK_MATCH_TRANSITIONS: Transitions<BankMatchStatus> = {
  proposed: ['confirmed', 'rejected'],
  reserving: ['confirmed', 'undoing'],
  confirmed: ['undone', 'undoing'],
  undoing: ['undone', 'rejected'],
  rejected: [],
  undone: [],
};

/** A part of a line or an item, in minor units as decimal text: JSON has no bigint. */
export interface MatchedLine {
  readonly id: Uuid;
  readonly amount: string;
}

export interface MatchedItem extends MatchedLine {
  /** Its clearing account in the ledger. */
  readonly accountId: Uuid;
}

export interface BankMatch {
  readonly id: Uuid;
  readonly status: BankMatchStatus;
  /** `opening`: items that the opening of a bank account has in it already. */
  readonly rule: Rule | 'manual' | 'opening';
  /** The number of the active version of the bank account's rules. Null before the first, and for persons. */
  readonly rulesVersion: number | null;
  /** Of a book's own comparison: whose lines are its items. It has no entry then. Null in the operator's books. */
  readonly comparedAccountId: Uuid | null;
  readonly currency: string;
  readonly lines: readonly MatchedLine[];
  readonly items: readonly MatchedItem[];
  /** Lines less items. */
  readonly difference: bigint;
  readonly differenceTo: DifferenceTo | null;
  readonly reason: string | null;
  readonly undoReason: string | null;
  /** Hides what a person wrote behind its reference. Null where a rule wrote it. */
  readonly textSalt: Buffer | null;
  readonly proposedBy: string | null;
  readonly approvedBy: string | null;
  readonly undoneBy: string | null;
  readonly entryIds: readonly Uuid[];
  /** Of many items: how many of the first ones are taken. Null where one command takes all. */
  readonly reserved: number | null;
  /** What is taken from items, or given back to them, and stands on their clearing account for lack of its entry; money in is positive. */
  readonly reservedAmount: bigint;
  readonly requestId: Uuid;
  readonly version: number;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** Lines and items of one match: a command touches each of them, and their exceptions. */
export const MATCH_PARTS_MAX = 250;

/** Of all items of a match. A file of payouts has as many. */
export const MATCH_ITEMS_MAX = 10_000;

/** Whether what it has matched is taken: its entry moves that, where it has one, and its lines name it. */
export function isBooked({ status, entryIds }: Pick<BankMatch, 'status' | 'entryIds'>): boolean {
  return status === 'confirmed' || (status === 'undoing' && entryIds.length > 0);
}

export type BankMatchAction = 'approve' | 'reject' | 'undo';

/** What an opening has closed stays closed: undone, it would be closed again. */
export function allowedActions({ status, rule }: Pick<BankMatch, 'status' | 'rule'>): readonly BankMatchAction[] {
  if (status === 'proposed') return ['approve', 'reject'];
  return status === 'confirmed' && rule !== 'opening' ? ['undo'] : [];
}
