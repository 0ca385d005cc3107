/** Saves a payee, and changes it. A new name or destination is a new version of its destination. */
import type { SecretBox } from '../../db/secret-box.ts';
import type { Stored } from '../../idempotency/idempotency-key.ts';
import type { OnceRuntime } from '../../idempotency/run-once.ts';
import { storedAs, storedView } from '../../idempotency/stored-view.ts';
import type { Asked, UseCase } from '../../idempotency/use-case.ts';
import { accounts } from '../../ledger/account/account-table.ts';
import type { Command, Refusal, Touch } from '../../ledger/command/command.ts';
import { Draft } from '../../ledger/command/draft.ts';
import { StaleRead } from '../../ledger/commit/stale-read.ts';
import { differenceFrom } from '../../ledger/events/previous-attributes.ts';
import { changeOf } from '../../ledger/resources/change-of.ts';
import { indexMetadata } from '../../ledger/resources/metadata-store.ts';
import { advance, begin } from '../../ledger/resources/resource.ts';
import { newSalt } from '../../ledger/rows/personal-text.ts';
import { newId, type Uuid } from '../../values/ids.ts';
import type { Destination, DestinationOf } from '../destinations/destination.ts';
import {
  type FoundInput,
  instructedDestination,
  instructionOf,
  sealDestination,
} from '../destinations/destinations.ts';
import {
  CARD_PARAM,
  type CardRuntime,
  type DestinationInput,
  findDestination,
  isRefusal,
} from '../destinations/find-card.ts';
import type { Payee } from './payee.ts';
import { payeeResource } from './payee-resource.ts';
import { payees } from './payee-table.ts';

export interface PayeeRuntime extends OnceRuntime, CardRuntime {
  readonly pool: OnceRuntime['pool'];
  readonly secretBox: SecretBox;
}

export interface SavePayee extends Asked {
  readonly name: string;
  readonly destination: DestinationInput;
  readonly externalId: string | null;
  readonly metadata: Record<string, string>;
}

export const requestPayee: UseCase<PayeeRuntime, SavePayee> = {
  async prepare(runtime, input) {
    const id = newId();
    const placed = await place(runtime, { bookId: input.bookId, table: 'payees', rowId: id }, input.destination);
    return { command: savePayee(id, input, placed) };
  },
};

/** A destination for the row of a payee, or why it cannot be one. */
interface Placed {
  readonly destination: Destination | Refusal;
  readonly touches: readonly Touch[];
}

async function place(runtime: PayeeRuntime, of: DestinationOf, input: DestinationInput): Promise<Placed> {
  const found = await findDestination(runtime, of.bookId, input);
  if (isRefusal(found)) return { destination: found, touches: [] };
  return sealed(runtime.secretBox, of, found);
}

function sealed(secretBox: SecretBox, of: DestinationOf, found: FoundInput): Placed {
  if (found.type === 'card' && !found.payable.isReusable) {
    const detail = 'The token is one-time. Save a card that is kept for a customer.';
    return { destination: { refused: 'token_invalid', param: CARD_PARAM, detail }, touches: [] };
  }
  const touches = found.type === 'account' ? [{ table: accounts, ids: [found.account] }] : [];
  return { destination: sealDestination(secretBox, found, of), touches };
}

function refuse(draft: Draft, destination: Destination | Refusal): Refusal | undefined {
  if (isRefusal(destination)) return destination;
  if (destination.type !== 'account' || draft.get(accounts, destination.accountId)?.code === 'customer')
    return undefined;
  const detail = 'There is no such account in this book.';
  return { refused: 'resource_not_found', param: '/destination/account', detail };
}

function savePayee(id: Uuid, input: SavePayee, { destination, touches }: Placed): Command<Stored | Refusal> {
  const { requestId, actor, name, externalId, metadata } = input;
  const origin = { id: newId(), requestId, actor };
  const textSalt = newSalt();
  return {
    ...origin,
    name: 'payee.create',
    touches,
    decide(state, moment) {
      const draft = new Draft(state, origin, moment);
      const refusal = refuse(draft, destination);
      if (refusal) return new Draft(state, origin, moment).finish(refusal);
      const payee: Payee = {
        id,
        status: 'active',
        disabledReason: null,
        name,
        destination: destination as Destination,
        destinationVersion: 1,
        approvedVersion: null,
        externalId,
        metadata,
        textSalt,
        requestId,
        version: 1,
        createdAt: moment.book,
        updatedAt: moment.book,
      };
      const body = begin(draft, payeeResource, payee, 'payee.created');
      indexMetadata(draft, metadata, { object: 'payee', objectId: id });
      return draft.finish<Stored | Refusal>(storedAs(payeeResource, payee, { status: 201, body }));
    },
  };
}

export interface UpdatePayee extends Asked {
  readonly payeeId: Uuid;
  readonly ifMatch?: number | undefined;
  readonly name?: string | undefined;
  readonly destination?: DestinationInput | undefined;
  readonly externalId?: string | null | undefined;
  readonly metadata?: Record<string, string> | undefined;
}

/** What is left out stays as it is. */
export const requestPayeeUpdate: UseCase<PayeeRuntime, UpdatePayee> = {
  async prepare(runtime, input) {
    const { bookId, payeeId, requestId, actor, ifMatch } = input;
    const known = input.destination && (await payees.find(runtime.pool, bookId, payeeId));
    const placed = known && (await placeAnew(runtime, known, input));
    const salt = newSalt();
    const request = { id: payeeId, action: 'update', requestId, actor, ifMatch, touches: placed?.touches ?? [] };
    const command = changeOf<Payee, Stored>(payeeResource, request, (draft, payee) => {
      if (known && known.destinationVersion !== payee.destinationVersion)
        throw new StaleRead('The payee was changed meanwhile.');
      const refusal = placed && refuse(draft, placed.destination);
      if (refusal) return refusal;
      const change = changeOfPayee(payee, input, placed?.destination as Destination | undefined);
      if (change === undefined) return storedView(draft, payeeResource, payee);
      if (change.metadata) indexMetadata(draft, change.metadata, { object: 'payee', objectId: payee.id });
      const next = { ...change, textSalt: payee.textSalt ?? salt };
      return storedView(draft, payeeResource, advance(draft, payeeResource, payee, next, { event: 'payee.updated' }));
    });
    return { command };
  },
};

function changeOfPayee(payee: Payee, input: UpdatePayee, destination: Destination | undefined) {
  const change = differenceFrom(payee, {
    name: input.name ?? payee.name,
    externalId: input.externalId === undefined ? payee.externalId : input.externalId,
    metadata: input.metadata ?? payee.metadata,
  });
  const isNew = destination !== undefined || change?.name !== undefined;
  if (change === undefined && !isNew) return undefined;
  return {
    ...change,
    ...(destination && { destination }),
    ...(isNew && { destinationVersion: payee.destinationVersion + 1 }),
  };
}

/** Undefined where the payee has that destination already: sealing makes other bytes of the same one. */
async function placeAnew(
  runtime: PayeeRuntime,
  known: Payee,
  { bookId, destination: input }: UpdatePayee,
): Promise<Placed | undefined> {
  const of: DestinationOf = { bookId, table: 'payees', rowId: known.id };
  const found = await findDestination(runtime, bookId, input!);
  if (isRefusal(found)) return { destination: found, touches: [] };
  return isSame(runtime.secretBox, known, { of, found }) ? undefined : sealed(runtime.secretBox, of, found);
}

function isSame(
  secretBox: SecretBox,
  { destination }: Payee,
  { of, found }: { of: DestinationOf; found: FoundInput },
): boolean {
  if (destination.type !== found.type) return false;
  if (destination.type === 'account') return destination.accountId === (found as { account: Uuid }).account;
  if (destination.sealed === null || found.type === 'account') return false;
  const before = instructedDestination(secretBox, destination, of);
  return differenceFrom<object>(before, instructionOf(found)) === undefined;
}
