/** Takes the parts of a match from what is open of its lines and items, and gives them back. For commands that declare all of them. */

import { type Exception, isAtBank, isEnded } from '../../exceptions/exception.ts';
import { exceptions } from '../../exceptions/exception-table.ts';
import { endWithoutBooking, resolveByOperator } from '../../exceptions/handle-exception.ts';
import { accounts } from '../../ledger/account/account-table.ts';
import { chartAccountId } from '../../ledger/account/chart.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Touch } from '../../ledger/command/command.ts';
import type { Draft } from '../../ledger/command/draft.ts';
import type { Entry } from '../../ledger/entry/entry.ts';
import { publicId, type Uuid } from '../../values/ids.ts';
import type { ExpectedItem } from '../items/expected-item.ts';
import { expectedItems } from '../items/expected-item-table.ts';
import { type BankLine, openAmount } from '../lines/bank-line.ts';
import { bankLines } from '../lines/bank-line-table.ts';
import type { BankMatch } from './bank-match.ts';
import { bankMatches } from './bank-match-table.ts';
import { postingsOf } from './match-postings.ts';

type Parts = Pick<BankMatch, 'lines' | 'items' | 'difference' | 'differenceTo' | 'currency' | 'comparedAccountId'>;

/** What the commands of matches touch. `exceptionIds`: those of the lines and items, as they were read. */
export function touchesOf(
  bookId: BookId,
  matches: readonly (Parts & Pick<BankMatch, 'id'>)[],
  exceptionIds: readonly Uuid[],
): Touch[] {
  const booked = matches.filter(({ comparedAccountId }) => comparedAccountId === null);
  const chart = booked.flatMap(({ currency, items, differenceTo }) => [
    chartAccountId(bookId, 'unallocated', currency),
    chartAccountId(bookId, 'suspense', currency),
    ...items.map(({ accountId }) => accountId),
    ...(differenceTo === null ? [] : [chartAccountId(bookId, differenceTo, currency)]),
  ]);
  const each = (ids: readonly Uuid[]) => [...new Set(ids)];
  return [
    { table: bankMatches, ids: matches.map(({ id }) => id) },
    { table: bankLines, ids: each(matches.flatMap(({ lines }) => lines.map(({ id }) => id))) },
    { table: expectedItems, ids: each(matches.flatMap(({ items }) => items.map(({ id }) => id))) },
    { table: exceptions, ids: each(exceptionIds) },
    { table: accounts, ids: each(chart) },
  ];
}

/** Whether all parts of the match are still open. */
export function arePartsOpen(draft: Draft, { lines, items }: Parts): boolean {
  const covers = (open: bigint, part: bigint) => (part < 0n ? open <= part : open >= part) && part !== 0n;
  return (
    lines.every(({ id, amount }) => {
      const line = draft.get(bankLines, id);
      return line !== undefined && line.status !== 'pending' && covers(openAmount(line), BigInt(amount));
    }) &&
    items.every(({ id, amount }) => {
      const item = draft.get(expectedItems, id);
      return item !== undefined && covers(signedOpen(item), BigInt(amount));
    })
  );
}

/** What is open of an item; money in is positive. */
export function signedOpen({ direction, amountOpen }: Pick<ExpectedItem, 'direction' | 'amountOpen'>): bigint {
  return direction === 'in' ? amountOpen : -amountOpen;
}

/** Takes the parts, and books them. Null where nothing moves: what waits and what is expected are on one account. */
export function takeParts(draft: Draft, match: BankMatch): Entry | null {
  takeItems(draft, match.items);
  return takeLines(draft, match);
}

export function takeItems(draft: Draft, items: BankMatch['items']): void {
  for (const { id, amount } of items) moveItem(draft, draft.get(expectedItems, id)!, -BigInt(amount));
}

/** Its items are taken: the entry is of the whole match. */
export function takeLines(draft: Draft, match: BankMatch): Entry | null {
  for (const { id, amount } of match.lines) {
    const line = draft.get(bankLines, id)!;
    moveLine(draft, line, { by: BigInt(amount), matchIds: [...line.matchIds, match.id] });
  }
  return book(draft, match, { step: 'matched', back: false });
}

/** Gives them back, with an entry the other way. */
export function giveBackParts(draft: Draft, match: BankMatch): Entry | null {
  giveBackItems(draft, match.items);
  return giveBackLines(draft, match);
}

export function giveBackItems(draft: Draft, items: BankMatch['items']): void {
  for (const { id, amount } of items) moveItem(draft, draft.get(expectedItems, id)!, BigInt(amount));
}

/** Its items are given back: the entry is of the whole match. */
export function giveBackLines(draft: Draft, match: BankMatch): Entry | null {
  for (const { id, amount } of match.lines) {
    const line = draft.get(bankLines, id)!;
    moveLine(draft, line, { by: -BigInt(amount), matchIds: line.matchIds.filter((one) => one !== match.id) });
  }
  return book(draft, match, { step: 'undone', back: true });
}

function moveLine(draft: Draft, line: BankLine, { by, matchIds }: { by: bigint; matchIds: readonly Uuid[] }): void {
  const matched = line.matched + by;
  const status = matched === 0n ? 'open' : matched === line.amount ? 'matched' : 'partly_matched';
  draft.put(bankLines, line.id, { ...line, matched, matchIds, status });
}

/** `by`: with the sign of the item. */
function moveItem(draft: Draft, item: ExpectedItem, by: bigint): void {
  const amountOpen = item.amountOpen + (item.direction === 'in' ? by : -by);
  const status = amountOpen === 0n ? 'matched' : amountOpen === item.amount ? 'open' : 'partly_matched';
  draft.put(expectedItems, item.id, { ...item, amountOpen, status });
}

function book(draft: Draft, match: BankMatch, { step, back }: { step: string; back: boolean }): Entry | null {
  // What a book compares for itself stands where it stands.
  if (match.comparedAccountId !== null) return null;
  const { currency } = match;
  const postings = postingsOf(
    match,
    {
      unallocated: draft.chart('unallocated', currency).id,
      suspense: draft.chart('suspense', currency).id,
      differenceTo: (code) => draft.chart(code, currency).id,
    },
    back,
  );
  return postings.length === 0 ? null : draft.post({ resource: 'bank_match', resourceId: match.id, step, postings });
}

export interface Ending {
  readonly match: BankMatch;
  readonly actor: string;
  readonly handledBy?: string;
  /** Hexadecimal, by line: the file that it came in. */
  readonly evidence: ReadonlyMap<Uuid, string>;
  /** Of reasons of exceptions. */
  readonly salt: Buffer;
}

/** The exceptions of lines and items that are matched whole are over. One about more than its line is left to people. */
export function endExceptions(draft: Draft, ending: Ending): void {
  endThoseOfLines(draft, ending);
  endThoseOfItems(draft, ending, ending.match.items);
}

export function endThoseOfItems(draft: Draft, ending: Ending, items: BankMatch['items']): void {
  for (const { id } of items) {
    const item = draft.get(expectedItems, id)!;
    const exception = item.exceptionId === null ? undefined : draft.get(exceptions, item.exceptionId);
    if (exception?.resourceId === id && item.status === 'matched') endThatOfItem(draft, exception, ending);
  }
}

/** What shows an item needs no evidence of its own: the match names its lines. */
function endThatOfItem(draft: Draft, exception: Exception, { match, actor, handledBy = actor, salt }: Ending): void {
  if (isEnded(exception)) return;
  const reason = `The match ${publicId('bankMatch', match.id)} shows it.`;
  endWithoutBooking(draft, exception, { actor: handledBy, approvedBy: actor, reason, salt });
}

export function endThoseOfLines(draft: Draft, { match, actor, handledBy, evidence }: Ending): void {
  for (const { id } of match.lines) {
    const line = draft.get(bankLines, id)!;
    const exception = line.exceptionId === null ? undefined : draft.get(exceptions, line.exceptionId);
    const sha256 = evidence.get(id);
    // What a person alone has named an account for is not booked: two persons, or a rule, explain now what the money is.
    const isOver = exception === undefined || (exception.status === 'adjusted' && !isAtBank(exception));
    const isOwn = exception?.resourceId === id || exception?.resource === 'inbound_credit';
    if (line.status !== 'matched' || isOver || !isOwn || sha256 === undefined) continue;
    resolveByOperator(draft, exception, {
      ...{ actor, ...(handledBy !== undefined && { handledBy }) },
      // The match names its entry.
      entryIds: [],
      evidenceSha256: Buffer.from(sha256, 'hex'),
    });
  }
}

/** Whether something of it has become another exception since it was read: by another run, at the same time. */
export function hasOtherExceptions(draft: Draft, { lines, items }: BankMatch, read: readonly Uuid[]): boolean {
  const now = [
    ...lines.map(({ id }) => draft.get(bankLines, id)!.exceptionId),
    ...items.map(({ id }) => draft.get(expectedItems, id)!.exceptionId),
  ];
  return now.some((id) => id !== null && !read.includes(id));
}
