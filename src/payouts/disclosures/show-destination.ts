/** Shows the destination of a payout or a payee in clear, to whoever may approve or pay it. Every read is kept. */
import type { Pool } from '../../db/pool.ts';
import type { SecretBox } from '../../db/secret-box.ts';
import { inTransaction } from '../../db/transaction.ts';
import { ApiError } from '../../errors/errors.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { InstructedDestination } from '../../rails/rail.ts';
import type { Clock } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';
import { destinationView, instructedDestination } from '../destinations/destinations.ts';
import { payees } from '../payees/payee-table.ts';
import { payouts } from '../payout/payout-table.ts';
import { type DestinationRead, destinationReads } from './destination-read-table.ts';

export interface ShowRuntime {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly secretBox: SecretBox;
}

export interface ShowDestination extends Pick<DestinationRead, 'object' | 'objectId' | 'actor' | 'address'> {
  readonly bookId: BookId;
  readonly requestId: Uuid;
}

/** Throws ApiError `resource_not_found`, and `state_conflict` once the destination is erased. */
export async function showDestination(
  { pool, clock, secretBox }: ShowRuntime,
  asked: ShowDestination,
): Promise<object> {
  const { bookId, requestId, object, objectId, actor, address } = asked;
  const row = await (object === 'payout' ? payouts : payees).find(pool, bookId, objectId);
  if (!row) throw new ApiError('resource_not_found', { param: 'id' });
  const { destination } = row;
  if (destination.type !== 'account' && destination.sealed === null)
    throw new ApiError('state_conflict', {
      detail: 'The destination was erased.',
      facts: { current_status: row.status },
    });
  const read = { id: requestId, object, objectId, actor, address, createdAt: clock.now() };
  // Append-only, and no event: outside of the book's lock.
  await inTransaction(pool, (trx) => destinationReads.append(trx, bookId, [read]));
  // Of a card, the token is its party's alone, and the number nobody's here.
  if (destination.type === 'account' || destination.type === 'card') return destinationView(destination);
  const table = object === 'payout' ? 'payouts' : 'payees';
  return inClear(instructedDestination(secretBox, destination, { bookId, table, rowId: objectId }));
}

function inClear(instructed: InstructedDestination): object {
  switch (instructed.type) {
    case 'iban': {
      const { address, ...rest } = instructed;
      return { ...rest, address: address && addressView(address) };
    }
    case 'wallet':
      return {
        type: 'wallet',
        wallet_id: instructed.walletId,
        phone: instructed.phone,
        provider: instructed.provider,
      };
    default:
      return instructed;
  }
}

function addressView({ line1, city, postalCode, country }: NonNullable<InstructedAddress>) {
  return { line1, city, postal_code: postalCode, country };
}

type InstructedAddress = Extract<InstructedDestination, { type: 'iban' }>['address'];
