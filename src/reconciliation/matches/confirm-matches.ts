/** Confirms what rules have matched: some matches in one command, each with its entry. */
import type { BookId } from '../../ledger/book/book.ts';
import type { Command } from '../../ledger/command/command.ts';
import { Draft } from '../../ledger/command/draft.ts';
import { announce } from '../../ledger/resources/resource.ts';
import { newSalt } from '../../ledger/rows/personal-text.ts';
import { newId, type Uuid } from '../../values/ids.ts';
import type { CreditsOfLines } from '../lines/credit-of-line-store.ts';
import { type BankMatch, MATCH_PARTS_MAX } from './bank-match.ts';
import { bankMatchResource } from './bank-match-resource.ts';
import { bankMatches } from './bank-match-table.ts';
import { creditTouches, haveCreditsMoved, takesFromBook } from './lines-of-books.ts';
import type { Match } from './matching.ts';
import { arePartsOpen, endExceptions, hasOtherExceptions, takeParts, touchesOf } from './take-parts.ts';

/** A match, its line, its item, its entry with its postings, its event and an exception: a command touches at most 1,000 rows. */
const MATCHES_PER_COMMAND = 100;

export interface RuleMatch extends Match {
  readonly currency: string;
  readonly comparedAccountId: Uuid | null;
  readonly rulesVersion: number | null;
  /** Of the items, in their order. */
  readonly accountIds: readonly Uuid[];
}

export interface ConfirmMatches {
  readonly bookId: BookId;
  readonly matches: readonly RuleMatch[];
  /** Of the lines, as they were read. */
  readonly exceptionIds: readonly Uuid[];
  readonly evidence: ReadonlyMap<Uuid, string>;
  /** Of the lines, as they were read: one that has moved since may be a book's by now. */
  readonly credits: CreditsOfLines;
  readonly requestId: Uuid;
  readonly actor: string;
}

/** In the order of the matches, as many as a command takes. */
export function inCommands(matches: readonly RuleMatch[]): RuleMatch[][] {
  const commands: RuleMatch[][] = [];
  let parts = Number.POSITIVE_INFINITY;
  for (const match of matches) {
    const own = match.lines.length + match.items.length;
    if (parts + own > MATCH_PARTS_MAX || commands.at(-1)!.length === MATCHES_PER_COMMAND) {
      commands.push([]);
      parts = 0;
    }
    commands.at(-1)!.push(match);
    parts += own;
  }
  return commands;
}

/** Answers with how many are confirmed: one whose parts were matched meanwhile is left out, and found again by the next run. */
export function confirmMatches(input: ConfirmMatches): Command<number> {
  const { bookId, exceptionIds, evidence, credits, requestId, actor } = input;
  const origin = { id: newId(), requestId, actor };
  const matches = input.matches.map((match) => newMatch(match, requestId));
  const salt = newSalt();
  return {
    ...origin,
    name: 'bank_match.confirm',
    touches: [...touchesOf(bookId, matches, exceptionIds), ...creditTouches(creditsOf(credits, matches))],
    decide(state, moment) {
      const draft = new Draft(state, origin, moment);
      let confirmed = 0;
      for (const match of draft.each(matches)) {
        if (!arePartsOpen(draft, match) || hasOtherExceptions(draft, match, exceptionIds)) continue;
        if (haveCreditsMoved(draft, match, credits) || takesFromBook(draft, match, credits)) continue;
        const entry = takeParts(draft, match);
        const { book } = moment;
        const row = { ...match, entryIds: entry === null ? [] : [entry.id], createdAt: book, updatedAt: book };
        const entries = entry === null ? [] : [entry];
        announce(draft, bankMatchResource, draft.put(bankMatches, row.id, row), {
          event: 'bank_match.approved',
          entries,
        });
        endExceptions(draft, { match: row, actor, evidence, salt });
        confirmed += 1;
      }
      return draft.finish(confirmed);
    },
  };
}

function creditsOf(credits: CreditsOfLines, matches: readonly Pick<BankMatch, 'lines'>[]): CreditsOfLines {
  const ids = matches.flatMap(({ lines }) => lines.map(({ id }) => id));
  return new Map(ids.flatMap((id) => (credits.has(id) ? [[id, credits.get(id)!]] : [])));
}

export function newMatch(
  { rule, rulesVersion, reason, lines, items, difference, currency, comparedAccountId, accountIds }: RuleMatch,
  requestId: Uuid,
): BankMatch {
  return {
    ...{ id: newId(), status: 'confirmed', rule, rulesVersion, currency, reason, undoReason: null, textSalt: null },
    comparedAccountId,
    lines: lines.map(({ id, amount }) => ({ id, amount: String(amount) })),
    items: items.map(({ id, amount }, index) => ({ id, amount: String(amount), accountId: accountIds[index]! })),
    ...{ difference: difference?.amount ?? 0n, differenceTo: difference?.to ?? null },
    ...{ proposedBy: null, approvedBy: null, undoneBy: null, entryIds: [], requestId },
    ...{ reserved: null, reservedAmount: 0n },
    ...{ version: 1, createdAt: 0, updatedAt: 0 },
  };
}
