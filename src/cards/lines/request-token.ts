/**
 * A network asks for a token of a card. It names the token itself: asked twice, the token that there is is shown. What is certain to be
 * refused is refused: a line without an open card has no further tokens.
 */
import type { Pool } from '../../db/pool.ts';
import { ApiError } from '../../errors/errors.ts';
import type { Stored } from '../../idempotency/idempotency-key.ts';
import { storedView } from '../../idempotency/stored-view.ts';
import type { Asked, UseCase } from '../../idempotency/use-case.ts';
import type { Command, Refusal } from '../../ledger/command/command.ts';
import { Draft } from '../../ledger/command/draft.ts';
import { begin } from '../../ledger/resources/resource.ts';
import { newSalt } from '../../ledger/rows/personal-text.ts';
import { newId, type Uuid } from '../../values/ids.ts';
import { refusedAs } from '../card/card-resource.ts';
import { cards, type StoredCard } from '../card/card-table.ts';
import { cardTokenResource } from '../tokens/card-token-resource.ts';
import { findTokenByReference } from '../tokens/card-token-store.ts';
import { cardTokens, type StoredCardToken } from '../tokens/card-token-table.ts';
import { countInLine, isOpenLine, lineIn, lineTouches, TOKENS_PER_LINE_MAX } from './line.ts';
import { type LineRead, readLine } from './line-store.ts';

export interface TokenInput
  extends Asked,
    Pick<
      StoredCardToken,
      | 'cardId'
      | 'tokenReference'
      | 'network'
      | 'wallet'
      | 'requestorId'
      | 'lastFour'
      | 'deviceType'
      | 'deviceName'
      | 'deviceId'
      | 'recommendation'
    > {
  /** Where the request names the card. */
  readonly cardParam: string;
}

export const requestToken: UseCase<{ readonly pool: Pool }, TokenInput> = {
  async prepare({ pool }, input) {
    const { bookId, cardId, tokenReference } = input;
    const line = await readLine(pool, bookId, cardId);
    if (!line) throw new ApiError('resource_not_found', { param: input.cardParam });
    // Read behind the line: where the same token comes meanwhile, the line is another one, and both are read again.
    const known = await findTokenByReference(pool, bookId, tokenReference);
    return { command: createToken(input, { line, id: known?.id ?? newId() }) };
  },
};

function createToken(input: TokenInput, { line, id }: { line: LineRead; id: Uuid }): Command<Stored | Refusal> {
  const { cardId, requestId, actor } = input;
  const origin = { id: newId(), requestId, actor };
  const salt = newSalt();
  return {
    ...origin,
    name: 'card_token.request',
    touches: [...lineTouches(line), { table: cardTokens, ids: [id] }],
    decide(state, moment) {
      const draft = new Draft(state, origin, moment);
      const known = draft.get(cardTokens, id);
      const card = draft.get(cards, cardId)!;
      if (known) return draft.finish<Stored | Refusal>(knownToken(draft, known, card));
      const refusal = refuseToken(draft, cardId, line);
      if (refusal) return draft.finish<Refusal>(refusal);
      const token = newToken(input, card, { id, textSalt: input.deviceName === null ? null : salt, now: moment.book });
      countInLine(draft, card.lineId, { tokens: 1 });
      const body = begin(draft, cardTokenResource, token, 'card_token.requested');
      return draft.finish<Stored>({ status: 201, body, resource: 'card_token', resourceId: id });
    },
  };
}

function knownToken(draft: Draft, known: StoredCardToken, { lineId }: StoredCard): Stored | Refusal {
  if (known.lineId === lineId) return storedView(draft, cardTokenResource, known);
  return {
    refused: 'state_conflict',
    param: '/token_reference',
    detail: 'Another card has a token of this reference.',
    facts: { current_status: known.status },
  };
}

function refuseToken(draft: Draft, cardId: Uuid, read: LineRead): Refusal | undefined {
  if (!isOpenLine(lineIn(draft, read)))
    return refusedAs(draft.get(cards, cardId)!, 'The card is closed, and no other has taken its place.');
  if (read.tokenIds.length >= TOKENS_PER_LINE_MAX)
    return {
      refused: 'limit_exceeded',
      detail: `A card has at most ${TOKENS_PER_LINE_MAX} tokens that are not deactivated.`,
      facts: { limit: BigInt(TOKENS_PER_LINE_MAX) },
    };
  return undefined;
}

function newToken(
  input: TokenInput,
  card: StoredCard,
  { id, textSalt, now }: { id: Uuid; textSalt: Buffer | null; now: number },
): StoredCardToken {
  return {
    id,
    lineId: card.lineId,
    cardId: card.id,
    accountId: card.accountId,
    status: 'requested',
    tokenReference: input.tokenReference,
    network: input.network ?? card.network,
    wallet: input.wallet,
    requestorId: input.requestorId,
    lastFour: input.lastFour,
    deviceType: input.deviceType,
    deviceName: input.deviceName,
    deviceId: input.deviceId,
    recommendation: input.recommendation,
    isVerifying: false,
    deactivatedReason: null,
    textSalt,
    requestId: input.requestId,
    version: 1,
    createdAt: now,
    updatedAt: now,
  };
}
