/**
 * Shows the number and security code of a card, or leads to its PIN: the processor does. That somebody asked is written first, so that
 * nothing is shown without a row; a row may be of an access that the processor did not answer.
 */
import type { Pool } from '../../db/pool.ts';
import { ApiError } from '../../errors/errors.ts';
import type { BookId } from '../../ledger/book/book.ts';
import { PartyBusy } from '../../outside/calls/call-limits.ts';
import { PartyUnreachable } from '../../outside/party/party.ts';
import { type Processor, type Revealed, RevealRefused } from '../../processors/processor.ts';
import type { Processors } from '../../processors/processors.ts';
import type { Clock } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';
import { allowedActions } from '../card/card.ts';
import { cards, type StoredCard } from '../card/card-table.ts';
import { keepAccess } from './detail-access-store.ts';
import type { DetailAccess } from './detail-access-table.ts';

export interface RevealRuntime {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly processors: Pick<Processors, 'get'>;
}

export interface RevealInput extends Pick<DetailAccess, 'cardId' | 'what' | 'actor' | 'address'> {
  readonly bookId: BookId;
  readonly requestId: Uuid;
}

/** Throws ApiError `resource_not_found`, `state_conflict`, and `service_unavailable` when the processor gives no answer. */
export async function revealCard(
  runtime: RevealRuntime,
  { bookId, cardId, what, actor, address, requestId }: RevealInput,
): Promise<Revealed> {
  const { pool, clock, processors } = runtime;
  const card = await cards.find(pool, bookId, cardId);
  if (!card) throw new ApiError('resource_not_found', { param: 'id' });
  const cardReference = shownReference(card);
  const access = { id: requestId, cardId, what, actor, address, createdAt: clock.now() };
  await keepAccess(pool, bookId, access);
  return reveal(processors.get(card.processor), card, { originator: bookId, cardReference, what });
}

/** Throws ApiError for a card that nothing is shown of. */
function shownReference(card: StoredCard): string {
  if (card.status === 'closed') throw conflict(card, 'Nothing is shown of a closed card.');
  if (card.cardReference !== null) return card.cardReference;
  throw new ApiError('state_conflict', {
    detail: 'The processor has not issued the card yet.',
    facts: { current_status: card.status },
    retryable: true,
    headers: { 'Retry-After': '1' },
  });
}

async function reveal(
  processor: Pick<Processor, 'name' | 'reveal'>,
  card: StoredCard,
  asked: Parameters<Processor['reveal']>[0],
): Promise<Revealed> {
  try {
    return await processor.reveal(asked);
  } catch (error) {
    if (error instanceof RevealRefused) throw conflict(card, REFUSALS[error.code]);
    if (error instanceof PartyUnreachable || error instanceof PartyBusy)
      throw new ApiError('service_unavailable', {
        detail: 'The processor gave no answer. Send the request again.',
        headers: { 'Retry-After': '1' },
      });
    throw error;
  }
}

const REFUSALS: Readonly<Record<RevealRefused['code'], string>> = {
  card_unknown: 'The processor does not know this card.',
  card_closed: 'The processor has closed this card.',
  pin_not_kept: 'The sandbox keeps no PINs: whether one was right is a member of its messages.',
};

function conflict(card: StoredCard, detail: string): ApiError {
  return new ApiError('state_conflict', {
    detail,
    facts: { current_status: card.status, allowed_actions: allowedActions(card) },
  });
}
