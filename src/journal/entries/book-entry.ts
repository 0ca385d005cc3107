/** One entry that was asked for, within a draft: its guards, its postings, what it captures of holds, its rows and its events. */

import { expectArrival } from '../../accounts/account/tell-arrival.ts';
import { accountHoldResource } from '../../accounts/holds/account-hold-resource.ts';
import { accountHolds } from '../../accounts/holds/account-hold-table.ts';
import { startOfDay } from '../../calendar/day.ts';
import { type Account, available, type PostingRefusal } from '../../ledger/account/account.ts';
import type { Refusal } from '../../ledger/command/command.ts';
import type { Draft } from '../../ledger/command/draft.ts';
import { INTAKE_TOTAL, lifetimeTotal } from '../../ledger/command/lifetime-total.ts';
import type { Entry } from '../../ledger/entry/entry.ts';
import { journalEntryView } from '../../ledger/entry/entry-view.ts';
import { holds } from '../../ledger/hold/hold-table.ts';
import { indexMetadata } from '../../ledger/resources/metadata-store.ts';
import { advance } from '../../ledger/resources/resource.ts';
import { currencyExponent } from '../../money/currency.ts';
import type { Uuid } from '../../values/ids.ts';
import type { EntryCommand } from './entry-command.ts';
import { refuseEntry } from './entry-guards.ts';
import { MANUAL, type ManualEntry } from './manual-entry.ts';
import { entryReversals, manualEntries } from './manual-entry-table.ts';

export interface BookedEntry {
  readonly entry: Entry;
  readonly manual: ManualEntry;
  readonly description: string | null;
}

/** What a reversal adds: the entry that it takes back. */
export interface Reversed {
  readonly entry: Omit<Entry, 'text'>;
}

/** A refusal leaves the draft as the caller must not keep it. */
export function bookEntry(
  draft: Draft,
  command: EntryCommand,
  actor: string,
  reversed?: Reversed,
): BookedEntry | Refusal {
  const refusal = refuseEntry(draft, command);
  if (refusal) return refusal;
  const { postings, effectiveOn, description, textSalt } = command;
  const arrivals = [...new Set(postings.map(({ credit }) => credit))].map((id) => expectArrival(draft, id));
  const id = draft.mintId();
  const entry = draft.tryPost({
    id,
    resource: MANUAL.resource,
    resourceId: id,
    step: MANUAL.step,
    effectiveAt: effectiveOn === undefined ? undefined : startOfDay(effectiveOn, draft.book.timeZone),
    text: description === null ? null : { salt: textSalt!, description },
    postings: postings.map(({ debit, credit, amount, hold }) => ({
      debit,
      credit,
      amount,
      ...(hold !== undefined && { hold }),
    })),
    ...(reversed && { reverses: reversed.entry.id }),
  });
  if (!('hash' in entry)) return refusedPosting(draft, entry, command);
  const beyond = refuseLifetime(draft, command);
  if (beyond) return beyond;
  const manual = keep(draft, entry, command, actor);
  announce(draft, entry, reversed);
  captureHolds(draft, entry, command);
  for (const announceArrival of arrivals) announceArrival(entry);
  return { entry, manual, description };
}

function keep(draft: Draft, entry: Entry, command: EntryCommand, actor: string): ManualEntry {
  const manual: ManualEntry = {
    id: entry.id,
    sequence: entry.sequence,
    actor,
    externalId: command.externalId,
    metadata: command.metadata,
    textSalt: command.textSalt,
    createdAt: entry.postedAt,
  };
  draft.append(manualEntries, manual);
  indexMetadata(draft, command.metadata, { object: MANUAL.resource, objectId: entry.id });
  return manual;
}

/** Events show an entry as they show those that resources book. Of a reversal the entry that it takes back has an event, too. */
function announce(draft: Draft, entry: Entry, reversed: Reversed | undefined): void {
  const codeOf = (accountId: Uuid) => draft.account(accountId).code;
  draft.emit({
    type: 'journal_entry.posted',
    objectId: entry.id,
    objectSequence: 1,
    object: journalEntryView(entry, codeOf),
    entries: [entry],
  });
  if (!reversed) return;
  draft.put(entryReversals, reversed.entry.id, { entryId: reversed.entry.id, reversalId: entry.id });
  draft.emit({
    type: 'journal_entry.reversed',
    objectId: reversed.entry.id,
    objectSequence: 2,
    object: journalEntryView(reversed.entry, codeOf),
    entries: [entry],
  });
}

function captureHolds(draft: Draft, entry: Entry, { postings }: EntryCommand): void {
  const captured = new Map<Uuid, bigint>();
  for (const { hold, amount } of postings)
    if (hold !== undefined) captured.set(hold, (captured.get(hold) ?? 0n) + amount);
  for (const [id, amount] of captured) {
    const hold = draft.get(accountHolds, id)!;
    const { status } = draft.get(holds, id)!;
    const change = {
      status,
      captured: hold.captured + amount,
      entryIds: [...hold.entryIds, entry.id],
      dueAt: status === 'open' ? hold.dueAt : null,
    };
    advance(draft, accountHoldResource, hold, change, { event: 'hold.captured', entries: [entry] });
  }
}

function refusedPosting(draft: Draft, refusal: PostingRefusal, { postings, place }: EntryCommand): Refusal {
  const at = refusal.posting ?? 0;
  const posting = postings[at]!;
  const side = refusal.accountId === posting.debit ? 'debit' : 'credit';
  const param = `${place}/postings/${at}/${side}`;
  if (refusal.code !== 'insufficient_funds') return { refused: refusal.code, param };
  const account = draft.account(refusal.accountId);
  const { currency } = account;
  const rest = availableAt(account, postings.slice(0, at));
  return {
    refused: 'insufficient_funds',
    param,
    detail: `The account has ${rest} available before posting ${at + 1}, whose ${posting.amount} would take it below its floor.`,
    facts: { available: rest, required: posting.amount, currency, currency_exponent: currencyExponent(currency) },
  };
}

/** What the account has available behind the first postings of an entry. What was held leaves without changing it. */
function availableAt(account: Account, before: EntryCommand['postings']): bigint {
  const { id, side } = account;
  return before.reduce((rest, { debit, credit, amount, hold }) => {
    if (debit === id) return side === 'debit' ? rest + amount : hold === undefined ? rest - amount : rest;
    if (credit !== id) return rest;
    return side === 'credit' ? rest + amount : rest - amount;
  }, available(account));
}

/** What is accepted must have room to be taken back (ledger/command/lifetime-total.ts). */
function refuseLifetime(draft: Draft, { postings, place }: EntryCommand): Refusal | undefined {
  for (const [at, { debit, credit, currency }] of postings.entries())
    for (const id of [debit, credit]) {
      if (lifetimeTotal(draft.account(id)) <= INTAKE_TOTAL) continue;
      return {
        refused: 'limit_exceeded',
        param: `${place}/postings/${at}/amount`,
        detail: `Too much ${currency} has passed an account of this entry for it to count more.`,
        facts: { limit: INTAKE_TOTAL, currency },
      };
    }
  return undefined;
}
