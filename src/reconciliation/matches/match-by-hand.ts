/** What people make of lines that no rule explains: one proposes a match or undoes one, another approves or rejects. */
import { isSameActor } from '../../exceptions/exception.ts';
import { openException } from '../../exceptions/open-exception.ts';
import type { Stored } from '../../idempotency/idempotency-key.ts';
import { storedView } from '../../idempotency/stored-view.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Command, Refusal } from '../../ledger/command/command.ts';
import { Draft } from '../../ledger/command/draft.ts';
import { StaleRead } from '../../ledger/commit/stale-read.ts';
import { type Change, changeOf } from '../../ledger/resources/change-of.ts';
import { advance, begin } from '../../ledger/resources/resource.ts';
import { newSalt } from '../../ledger/rows/personal-text.ts';
import { newId, publicId, type Uuid } from '../../values/ids.ts';
import { writeJson } from '../../values/json.ts';
import { bankAccounts } from '../accounts/bank-account-table.ts';
import { leaveOpen } from '../accounts/close-bank-account.ts';
import { bankLines } from '../lines/bank-line-table.ts';
import type { CreditsOfLines } from '../lines/credit-of-line-store.ts';
import type { DifferenceTo } from '../rules/bank-account-rules.ts';
import type { BankMatch } from './bank-match.ts';
import { bankMatchResource } from './bank-match-resource.ts';
import { creditTouches, haveCreditsMoved, takesFromBook } from './lines-of-books.ts';
import { arePartsOpen, endExceptions, giveBackParts, takeParts, touchesOf } from './take-parts.ts';

export interface ProposeMatch {
  readonly bookId: BookId;
  /** Of a book's own comparison. */
  readonly comparedAccountId: Uuid | null;
  readonly currency: string;
  readonly lines: BankMatch['lines'];
  readonly items: BankMatch['items'];
  readonly difference: bigint;
  readonly differenceTo: DifferenceTo | null;
  /** Of its lines, as they were read. */
  readonly credits: CreditsOfLines;
  readonly reason: string;
  readonly requestId: Uuid;
  readonly actor: string;
}

/** The caller has read what is open of each part. What another match takes meanwhile, this one no longer has. */
export function proposeMatch(input: ProposeMatch): Command<Stored | Refusal> {
  const { bookId, requestId, actor, comparedAccountId, currency, lines, items, difference, differenceTo, reason } =
    input;
  const { credits } = input;
  const origin = { id: newId(), requestId, actor };
  const parts = { id: newId(), comparedAccountId, currency, lines, items, difference, differenceTo };
  const salt = newSalt();
  return {
    ...origin,
    name: 'bank_match.propose',
    touches: [...touchesOf(bookId, [parts], []), ...creditTouches(credits)],
    decide(state, moment) {
      const draft = new Draft(state, origin, moment);
      const refusal = arePartsOpen(draft, parts) ? refuseOfBook(draft, parts, credits) : takenMeanwhile('/lines');
      if (refusal) return draft.finish<Refusal>(refusal);
      const match: BankMatch = {
        ...{
          ...parts,
          status: 'proposed',
          rule: 'manual',
          rulesVersion: null,
          reason,
          undoReason: null,
          textSalt: salt,
        },
        ...{ proposedBy: actor, approvedBy: null, undoneBy: null, entryIds: [], requestId },
        ...{ reserved: null, reservedAmount: 0n, version: 1, createdAt: moment.book, updatedAt: moment.book },
      };
      begin(draft, bankMatchResource, match, 'bank_match.proposed');
      const body = writeJson(bankMatchResource.view(match, draft));
      return draft.finish<Stored>({ status: 201, body, resource: 'bank_match', resourceId: match.id });
    },
  };
}

function takenMeanwhile(param?: string): Refusal {
  return {
    refused: 'state_conflict',
    ...(param !== undefined && { param }),
    detail: 'Another match has taken something of these lines or items.',
    facts: { current_status: 'taken', allowed_actions: [] },
  };
}

/** Throws StaleRead where one of its credits has moved since. */
function refuseOfBook(
  draft: Draft,
  match: Pick<BankMatch, 'lines' | 'items'>,
  credits: CreditsOfLines,
): Refusal | undefined {
  if (haveCreditsMoved(draft, match, credits)) throw new StaleRead('The credit of a line has moved.');
  if (!takesFromBook(draft, match, credits)) return undefined;
  return {
    refused: 'state_conflict',
    detail:
      'The money of a line was given to a book: only the item of that credit takes the line. Wait until persons of the book have named the account, or have ended their exception without one.',
    facts: { current_status: 'given', allowed_actions: [] },
  };
}

export interface DecideMatch extends Change {
  readonly bookId: BookId;
  /** As it was read: its parts never change. */
  readonly match: BankMatch;
  readonly actor: string;
}

export interface ApproveMatch extends DecideMatch {
  /** Of its lines, as they were read. */
  readonly exceptionIds: readonly Uuid[];
  readonly evidence: ReadonlyMap<Uuid, string>;
  readonly credits: CreditsOfLines;
}

export function approveMatch(input: ApproveMatch): Command<Stored | Refusal> {
  const { bookId, match: read, actor, exceptionIds, evidence, credits } = input;
  const salt = newSalt();
  const touches = [...touchesOf(bookId, [read], exceptionIds).slice(1), ...creditTouches(credits)];
  const request = { ...input, id: read.id, action: 'approve', ifMatchParam: '/version', touches };
  return changeOf(bankMatchResource, request, (draft, match): Stored | Refusal => {
    if (isSameActor(match.proposedBy!, actor))
      return {
        refused: 'self_approval_forbidden',
        detail: 'Who proposed the match does not approve it.',
        facts: { current_status: match.status },
      };
    if (!arePartsOpen(draft, match)) return takenMeanwhile();
    const ofBook = refuseOfBook(draft, match, credits);
    if (ofBook) return ofBook;
    const entry = takeParts(draft, match);
    const entries = entry === null ? [] : [entry];
    const change = { status: 'confirmed', approvedBy: actor } as const;
    const confirmed = advance(draft, bankMatchResource, match, change, { event: 'bank_match.approved', entries });
    endExceptions(draft, { match, actor, handledBy: match.proposedBy!, evidence, salt });
    return storedView(draft, bankMatchResource, confirmed);
  });
}

/** Lines of a match that is undone are exceptions again. `exceptionIds`: one a line. */
export function openAgain(draft: Draft, match: BankMatch, exceptionIds: readonly Uuid[]): void {
  // Its lines are open again, and nobody has money to give away.
  if (match.comparedAccountId !== null) return;
  for (const [index, { id }] of match.lines.entries()) {
    const line = draft.get(bankLines, id)!;
    const exceptionId = exceptionIds[index]!;
    draft.put(bankLines, id, { ...line, exceptionId });
    openException(draft, {
      ...{ id: exceptionId, resource: 'bank_line', resourceId: id },
      kind: line.amount > 0n ? 'inbound_unallocated' : 'bank_line_unmatched',
      detail: `The match ${publicId('bankMatch', match.id)} of the line was undone.`,
    });
  }
}

/** By any person: nothing is booked. */
export function rejectMatch(input: DecideMatch): Command<Stored | Refusal> {
  const { match: read, actor } = input;
  return changeOf(bankMatchResource, { ...input, id: read.id, action: 'reject' }, (draft, match): Stored => {
    const change = { status: 'rejected', approvedBy: actor } as const;
    return storedView(
      draft,
      bankMatchResource,
      advance(draft, bankMatchResource, match, change, { event: 'bank_match.rejected' }),
    );
  });
}

/** Books it back. Its lines are exceptions again. Of one of many items that is begun here: move-large-match.ts ends it. */
interface UndoMatch extends DecideMatch {
  readonly reason: string;
  /** Of its lines: it never changes. */
  readonly bankAccountIds: readonly Uuid[];
}

export function undoMatch(input: UndoMatch): Command<Stored | Refusal> {
  const { bookId, match: read, actor, reason, bankAccountIds } = input;
  const ofAccounts = { table: bankAccounts, ids: bankAccountIds };
  const salt = newSalt();
  if (read.reserved !== null) {
    const request = { ...input, id: read.id, action: 'undo', touches: [ofAccounts] };
    return changeOf(bankMatchResource, request, (draft, match): Stored => {
      for (const id of bankAccountIds) leaveOpen(draft, id);
      const change = {
        status: 'undoing',
        undoneBy: actor,
        undoReason: reason,
        textSalt: match.textSalt ?? salt,
      } as const;
      return storedView(draft, bankMatchResource, advance(draft, bankMatchResource, match, change));
    });
  }
  const exceptionIds = read.lines.map(() => newId());
  const touches = [...touchesOf(bookId, [read], exceptionIds).slice(1), ofAccounts];
  return changeOf(bankMatchResource, { ...input, id: read.id, action: 'undo', touches }, (draft, match): Stored => {
    const entry = giveBackParts(draft, match);
    openAgain(draft, match, exceptionIds);
    for (const id of bankAccountIds) leaveOpen(draft, id);
    const change = { status: 'undone', undoneBy: actor, undoReason: reason, textSalt: match.textSalt ?? salt } as const;
    const entries = entry === null ? [] : [entry];
    const undone = advance(draft, bankMatchResource, match, change, { event: 'bank_match.undone', entries });
    return storedView(draft, bankMatchResource, undone);
  });
}
