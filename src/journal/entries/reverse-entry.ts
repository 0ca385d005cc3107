/** Reverses an entry that was asked for by API: once, and whole. What a resource booked is undone by the resource. */
import { accountTouches } from '../../accounts/account/account-resource.ts';
import type { Queryable } from '../../db/pool.ts';
import { ApiError } from '../../errors/errors.ts';
import type { Stored } from '../../idempotency/idempotency-key.ts';
import type { OnceRuntime } from '../../idempotency/run-once.ts';
import type { Asked, UseCase } from '../../idempotency/use-case.ts';
import { accounts } from '../../ledger/account/account-table.ts';
import type { Command, Refusal } from '../../ledger/command/command.ts';
import { Draft } from '../../ledger/command/draft.ts';
import { findEntry, type ReadEntry } from '../../ledger/journal/journal-read-store.ts';
import { newSalt } from '../../ledger/rows/personal-text.ts';
import { newId, publicId, resourceReference, type Uuid } from '../../values/ids.ts';
import { writeJson } from '../../values/json.ts';
import { bookEntry } from './book-entry.ts';
import type { EntryCommand, PostEntries } from './entry-command.ts';
import { entryView } from './entry-view.ts';
import { MANUAL } from './manual-entry.ts';
import { entryReversals } from './manual-entry-table.ts';

export interface ReverseEntry extends PostEntries {
  /** Left out: the moment of posting, which no closing reaches. */
  readonly effectiveOn?: string | undefined;
  readonly description: string | null;
}

/** The postings in their opposite order and direction: what the last one moved comes back first. No hold is given back. */
export function reverseEntry(entry: ReadEntry, input: ReverseEntry): Command<Stored | Refusal> {
  const origin = { id: newId(), requestId: input.requestId, actor: input.actor };
  const command: EntryCommand = {
    postings: entry.postings.toReversed().map(({ debitAccountId, creditAccountId, amount, currency }) => ({
      debit: creditAccountId,
      credit: debitAccountId,
      amount,
      currency,
    })),
    effectiveOn: input.effectiveOn,
    description: input.description,
    externalId: null,
    metadata: {},
    expect: [],
    textSalt: input.description === null ? null : newSalt(),
    place: '',
  };
  return {
    ...origin,
    name: 'entry.reverse',
    touches: [
      ...command.postings.flatMap(({ credit, currency }) => accountTouches({ accountId: credit, currency })),
      { table: accounts, ids: command.postings.map(({ debit }) => debit) },
      { table: entryReversals, ids: [entry.id] },
    ],
    decide(state, moment) {
      const draft = new Draft(state, origin, moment);
      const only = <Answer>(answer: Answer) => new Draft(state, origin, moment).finish(answer);
      const known = draft.get(entryReversals, entry.id);
      if (known) return only(reversedAlready(known.reversalId));
      const booked = bookEntry(draft, command, input.actor, { entry });
      if ('refused' in booked) return only<Refusal>(withoutPlaces(booked));
      const codeOf = (accountId: Uuid) => draft.account(accountId).code;
      const facts = { codeOf, manual: booked.manual, description: booked.description, reversedBy: null };
      const shown = entryView(booked.entry, { ...facts, livemode: draft.livemode });
      return draft.finish<Stored>({
        status: 201,
        body: writeJson(shown),
        resource: 'entry',
        resourceId: booked.entry.id,
      });
    },
  };
}

/** The request of a reversal names no postings: its refusals name the entry. */
function withoutPlaces({ param, ...refusal }: Refusal): Refusal {
  return param?.startsWith('/postings') ? refusal : { ...refusal, ...(param !== undefined && { param }) };
}

function reversedAlready(reversalId: Uuid): Refusal {
  const id = publicId('entry', reversalId);
  return {
    refused: 'state_conflict',
    detail: `${id} has reversed the entry already.`,
    facts: { current_status: 'reversed', allowed_actions: [], reversed_by: id },
  };
}

type ReversalRuntime = OnceRuntime & { readonly pool: Queryable };

/** Throws ApiError `state_conflict` for what is not reversed here, with what undoes it. */
export const requestReversal: UseCase<ReversalRuntime, Asked & ReverseEntry & { readonly entryId: Uuid }> = {
  // A repeated request is answered, although the entry is reversed by then.
  keyFirst: true,
  async prepare({ pool }, input) {
    const entry = await findEntry(pool, input.bookId, input.entryId);
    if (!entry) throw new ApiError('resource_not_found', { param: 'id' });
    const undo = otherwiseUndone(entry);
    if (undo !== undefined)
      throw new ApiError('state_conflict', {
        detail: `Only entries that were asked for here are reversed, once. ${undo}`,
        facts: { current_status: 'posted', allowed_actions: [], undo },
      });
    return { command: reverseEntry(entry, input) };
  },
};

/** By the resource that booked the entry. */
const UNDONE_BY: Readonly<Record<string, string>> = {
  payout: 'A payout that was paid comes back by a return of its rail.',
  payment: 'A payment is undone by a refund or a void of it.',
  capture: 'A capture is undone by a refund of its payment.',
  inbound_transfer: 'Money that arrived goes back by a payout.',
  transaction_message: 'A purchase is undone by a reversal or a refund that its processor tells.',
};

function otherwiseUndone({ resource, resourceId, reverses }: ReadEntry): string | undefined {
  if (resource !== MANUAL.resource)
    return (
      UNDONE_BY[resource] ??
      `It is a step of ${resource.replaceAll('_', ' ')} ${resourceReference(resource, resourceId)}, which alone undoes it.`
    );
  return reverses === null ? undefined : 'A reversal is undone by a further entry with the postings of the first.';
}
