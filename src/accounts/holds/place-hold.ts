/** Places a hold on an account: refuses what the account does not cover, and reserves the rest in the same commit. */

import type { Pool } from '../../db/pool.ts';
import { ApiError } from '../../errors/errors.ts';
import type { Stored } from '../../idempotency/idempotency-key.ts';
import type { OnceRuntime } from '../../idempotency/run-once.ts';
import type { Asked, UseCase } from '../../idempotency/use-case.ts';
import { type Account, available } from '../../ledger/account/account.ts';
import { accounts } from '../../ledger/account/account-table.ts';
import type { BookId } from '../../ledger/book/book.ts';
import { loadBook } from '../../ledger/book/book-store.ts';
import type { Command, Refusal } from '../../ledger/command/command.ts';
import { Draft } from '../../ledger/command/draft.ts';
import { momentOf } from '../../ledger/commit/batch.ts';
import { indexMetadata } from '../../ledger/resources/metadata-store.ts';
import { begin } from '../../ledger/resources/resource.ts';
import { hasText, newSalt } from '../../ledger/rows/personal-text.ts';
import { currencyExponent } from '../../money/currency.ts';
import type { Clock, Instant } from '../../values/clock.ts';
import { newId, type Uuid } from '../../values/ids.ts';
import type { AccountHold } from './account-hold.ts';
import { accountHoldResource } from './account-hold-resource.ts';

export interface PlaceHold {
  readonly accountId: Uuid;
  readonly amount: bigint;
  readonly expiresAt: Instant | null;
  readonly description: string | null;
  readonly externalId: string | null;
  readonly metadata: Record<string, string>;
  readonly requestId: Uuid;
  readonly actor: string;
}

export function placeAccountHold(input: PlaceHold): Command<Stored | Refusal> {
  const origin = { id: newId(), requestId: input.requestId, actor: input.actor };
  const holdId = newId();
  const textSalt = hasText(input) ? newSalt() : null;
  return {
    ...origin,
    name: 'hold.place',
    touches: [{ table: accounts, ids: [input.accountId] }],
    decide(state, moment) {
      const draft = new Draft(state, origin, moment);
      const account = draft.get(accounts, input.accountId);
      const refusal = refuseAccount(account);
      if (refusal) return draft.finish<Refusal>(refusal);
      const held = draft.placeHold({
        id: holdId,
        accountId: account!.id,
        resource: 'hold',
        resourceId: holdId,
        amount: input.amount,
        ...(input.expiresAt !== null && { expiresAt: input.expiresAt }),
      });
      if (!held) return draft.finish<Refusal>(tooLittle(account!, input.amount));
      const { wall, book } = moment;
      const hold: AccountHold = {
        id: holdId,
        accountId: account!.id,
        currency: account!.currency,
        status: 'open',
        amount: input.amount,
        captured: 0n,
        released: 0n,
        expiresAt: input.expiresAt,
        description: input.description,
        externalId: input.externalId,
        metadata: input.metadata,
        textSalt,
        entryIds: [],
        requestId: input.requestId,
        version: 1,
        dueAt: input.expiresAt === null ? null : wall + (input.expiresAt - book),
        createdAt: book,
        updatedAt: book,
      };
      const body = begin(draft, accountHoldResource, hold, 'hold.created');
      indexMetadata(draft, input.metadata, { object: 'hold', objectId: holdId });
      return draft.finish<Stored>({ status: 201, body, resource: 'hold', resourceId: holdId });
    },
  };
}

export function refuseAccount(account: Account | undefined): Refusal | undefined {
  if (account?.code !== 'customer') return { refused: 'resource_not_found', param: 'id' };
  if (account.status === 'closed') return { refused: 'account_closed' };
  if (account.status === 'frozen') return { refused: 'account_frozen' };
  return undefined;
}

export function tooLittle(account: Account, required: bigint): Refusal {
  const { currency } = account;
  return {
    refused: 'insufficient_funds',
    param: '/amount',
    detail: `The account has ${available(account)} available; the hold requires ${required}.`,
    facts: { available: available(account), required, currency, currency_exponent: currencyExponent(currency) },
  };
}

interface HoldRuntime extends OnceRuntime {
  pool: Pool;
  clock: Clock;
}

/** Refuses an expiry that is over by the clock of the book. */
export const requestHold: UseCase<HoldRuntime, Asked & PlaceHold> = {
  // A repeated request is answered, although its expiry may be over by then.
  keyFirst: true,
  async prepare(runtime, input) {
    if (input.expiresAt !== null) await refusePast(runtime, input.bookId, input.expiresAt);
    return { command: placeAccountHold(input) };
  },
};

async function refusePast({ pool, clock }: HoldRuntime, bookId: BookId, expiresAt: Instant): Promise<void> {
  const book = await loadBook(pool, bookId);
  if (!book || expiresAt > momentOf(clock, book).book) return;
  const detail = 'Expects a moment that is not over by the clock of the book.';
  throw new ApiError('parameter_invalid', { param: '/expires_at', detail });
}
