/** A card by its number: exchanged for the acquirer's token before anything is committed. */
import { CardRefused } from '../../acquirers/acquirer.ts';
import { type CardInput, isExpired } from '../../acquirers/card.ts';
import { ApiError } from '../../errors/errors.ts';
import { PartyBusy } from '../../outside/calls/call-limits.ts';
import { PartyUnreachable } from '../../outside/party/party.ts';
import type { Instant } from '../../values/clock.ts';
import type { PreparedSource, Source, SourceOf, SourceRuntime } from './source.ts';

export interface CardSource {
  readonly type: 'card';
  readonly card: CardInput;
}

export const cardSource: Source<CardSource> = {
  asksAcquirer: () => true,
  async prepare(runtime, { card }, of): Promise<PreparedSource> {
    const exchanged = await exchangeCard(runtime, card, { ...of, param: '/source' });
    return { ...exchanged, nextAction: null, expiresAfterMs: null, touches: [] };
  },
};

export interface Exchange
  extends Pick<SourceOf, 'bookId' | 'acquirer' | 'reusable'>,
    Partial<Pick<SourceOf, 'dryRun'>> {
  /** Where the card stands in the request. */
  readonly param: string;
}

/** In the token's place in a dry run, whose command writes nothing. */
const NO_TOKEN = '';

/**
 * Exchanges a number for a token, in a dry run for none: the acquirer is not called. Throws ApiError `card_data_disabled` where numbers may not be sent to the acquirer,
 * `card_number_not_allowed` for a number that is no test number, `parameter_invalid` for one that a live acquirer does not take, and
 * `service_unavailable` when no answer came: then nothing exists.
 */
export async function exchangeCard(
  { fingerprints, clock }: Pick<SourceRuntime, 'fingerprints' | 'clock'>,
  card: CardInput,
  { bookId, acquirer, reusable, param, dryRun = false }: Exchange,
) {
  if (!acquirer.takesCards)
    throw new ApiError('card_data_disabled', {
      param,
      detail:
        'Card numbers are not taken for this acquirer. Use a checkout, or a token that the acquirer gave your own page.',
    });
  refuseExpired(card, { now: clock.now(), param });
  try {
    const { token, card: shown } = dryRun
      ? { token: NO_TOKEN, card: acquirer.showing(card) }
      : await reachAcquirer(acquirer.tokenize(card, { originator: bookId, reusable }));
    const fingerprint = fingerprints.digestOf(`card ${bookId} ${card.number}`).slice(0, 32);
    return { token, card: { ...shown, fingerprint } };
  } catch (error) {
    if (!(error instanceof CardRefused)) throw error;
    const number = `${param}/number`;
    if (acquirer.mode === 'live')
      throw new ApiError('parameter_invalid', { param: number, detail: 'The acquirer does not take this card.' });
    throw new ApiError('card_number_not_allowed', {
      param: number,
      detail: 'In test mode only the published test numbers are taken, such as 4242 4242 4242 4242.',
    });
  }
}

/** The acquirer's answer about a card. Throws ApiError `service_unavailable` when none came. */
export async function reachAcquirer<Answer>(call: Promise<Answer>): Promise<Answer> {
  try {
    return await call;
  } catch (error) {
    if (!(error instanceof PartyUnreachable)) throw error;
    throw new ApiError('service_unavailable', {
      detail:
        error instanceof PartyBusy
          ? 'Too many calls of this book wait for the acquirer. It was not asked, and nothing was created; send the request again.'
          : 'The acquirer gave no answer to the card. Nothing was created; send the request again.',
      headers: { 'Retry-After': '1' },
    });
  }
}

function refuseExpired(card: CardInput, { now, param }: { now: Instant; param: string }): void {
  if (!isExpired(card, now)) return;
  throw new ApiError('parameter_invalid', {
    param: `${param}/exp_year`,
    detail: 'The card has expired.',
  });
}
