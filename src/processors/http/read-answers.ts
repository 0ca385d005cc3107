/**
 * What a processor's gateway answers, read member by member (docs/partners.md). Evidence is made of members that were read, never of the
 * whole body. An answer that calls a card by its number is not read.
 */
import {
  browserUrl,
  moment,
  momentOrNull,
  NotOfContract,
  objectOrNull,
  oneOf,
  REFERENCE_MAX,
  whole,
  word,
  wordOrNull,
} from '../../outside/gateway/fields.ts';
import type { NotFound } from '../../outside/party/party.ts';
import { hasCardNumber, urlHasCardNumber } from '../../values/card-number.ts';
import { formatInstant, type Instant } from '../../values/clock.ts';
import { publicId } from '../../values/ids.ts';
import type { JsonObject } from '../../values/json.ts';
import {
  type IssuedCard,
  PROCESSOR_DECLINES,
  type ProcessorAnswer,
  type ProcessorDecline,
  type ProcessorInstructionKind,
  type RevealAsked,
  type Revealed,
} from '../processor.ts';

const KINDS: readonly ProcessorInstructionKind[] = ['issue', 'replace', 'state', 'unblock_pin'];
const STATUSES = ['succeeded', 'declined', 'pending'] as const;
const CODE_MAX = 64;
const NETWORK_MAX = 32;
/** Cards are valid for some years. What is far beyond is a mistake. */
const [YEAR_MIN, YEAR_MAX] = [2_000, 2_199];
/** A page that shows a card once is opened at once. */
const REVEAL_MAX_MS = 60 * 60_000;

/** What an answer is about. */
export interface Asked {
  readonly originator: string;
  readonly reference: string;
}

/** Throws NotOfContract for anything but an answer about this instruction. */
export function readAnswer(body: JsonObject, asked: Asked): ProcessorAnswer {
  requireAbout(body, asked);
  const kind = oneOf(body, 'kind', KINDS);
  const status = oneOf(body, 'status', STATUSES);
  const code = status === 'declined' ? declineOf(body) : undefined;
  const reference = wordOrNull(body, 'processor_reference', REFERENCE_MAX) ?? '';
  const makesCard = kind === 'issue' || kind === 'replace';
  // An order without its card could not end: no later instruction could name the card.
  const card = makesCard && status === 'succeeded' ? cardOf(body) : null;
  return {
    status,
    endToEndId: asked.reference,
    reference,
    ...(code === undefined ? {} : { code }),
    ...(card === null ? {} : { card }),
    raw: {
      reference: asked.reference,
      processor_reference: reference,
      kind,
      status,
      ...(code === undefined ? {} : { code: wordOrNull(body, 'code', CODE_MAX) }),
      ...(card === null ? {} : { card_reference: card.cardReference, last_four: card.lastFour }),
    },
  };
}

/** The same for an inquiry, which may find nothing. */
export function readInquiry(body: JsonObject, asked: Asked): ProcessorAnswer | NotFound {
  if (body.status !== 'not_found') return readAnswer(body, asked);
  requireAbout(body, asked);
  const asOf = momentOrNull(body, 'as_of');
  return {
    status: 'not_found',
    endToEndId: asked.reference,
    ...(asOf === null ? {} : { asOf }),
    raw: { reference: asked.reference, status: 'not_found', as_of: asOf === null ? null : formatInstant(asOf) },
  };
}

/** The gateway takes the instruction neither now nor later. */
export function readRefusal({ reference }: Asked): ProcessorAnswer {
  return {
    status: 'declined',
    endToEndId: reference,
    reference: '',
    code: 'refused',
    raw: { reference, status: 'refused' },
  };
}

/** Throws NotOfContract for a page of another card. */
export function readRevealed(
  body: JsonObject,
  { originator, cardReference }: RevealAsked,
  { now, mayBePlain }: { now: Instant; mayBePlain: boolean },
): Revealed {
  requireProgram(body, originator);
  if (word(body, 'card_reference', REFERENCE_MAX) !== cardReference)
    throw new NotOfContract('The answer is about another card');
  const url = browserUrl(body, 'url', { mayBePlain });
  if (urlHasCardNumber(url)) throw new NotOfContract('A card number stands in url');
  const expiresAt = moment(body, 'expires_at');
  if (expiresAt > now + REVEAL_MAX_MS) throw new NotOfContract('expires_at is more than an hour ahead');
  return { shown: 'url', url, expiresAt };
}

function requireAbout(body: JsonObject, { originator, reference }: Asked): void {
  requireProgram(body, originator);
  if (word(body, 'reference', REFERENCE_MAX) !== reference)
    throw new NotOfContract('The answer is about another instruction');
}

function requireProgram(body: JsonObject, originator: string): void {
  if (word(body, 'program', REFERENCE_MAX) !== publicId('book', originator))
    throw new NotOfContract('The answer is about another program');
}

/** A code that this API has no word for is a decline all the same. */
function declineOf(body: JsonObject): ProcessorDecline {
  const code = word(body, 'code', CODE_MAX);
  return PROCESSOR_DECLINES.find((known) => known === code) ?? 'refused';
}

function cardOf(body: JsonObject): IssuedCard {
  const card = objectOrNull(body, 'card');
  if (card === null) throw new NotOfContract('card is missing');
  const cardReference = word(card, 'card_reference', REFERENCE_MAX);
  if (hasCardNumber(cardReference)) throw new NotOfContract('card_reference is a card number');
  const lastFour = word(card, 'last_four', 4);
  if (!/^\d{4}$/.test(lastFour)) throw new NotOfContract('last_four is not four digits');
  const network = word(card, 'network', NETWORK_MAX);
  if (!/^[a-z_]+$/.test(network)) throw new NotOfContract('network is not lower-case letters and underscores');
  return {
    cardReference,
    lastFour,
    expMonth: whole(card, 'exp_month', { min: 1, max: 12 }),
    expYear: whole(card, 'exp_year', { min: YEAR_MIN, max: YEAR_MAX }),
    network,
  };
}
