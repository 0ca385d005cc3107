/**
 * Reads a gateway's answers, member by member (docs/partners.md). Evidence is made of members that were read, never of
 * the whole body.
 */

import {
  amountOrNull,
  browserUrl,
  currencyOrNull,
  fittingOrNull,
  moment,
  momentOrNull,
  NotOfContract,
  objectOrNull,
  oneOf,
  oneOfOrNull,
  REFERENCE_MAX,
  TOKEN_MAX,
  whole,
  word,
  wordOrNull,
} from '../../outside/gateway/fields.ts';
import type { NotFound } from '../../outside/party/party.ts';
import type { Instant } from '../../values/clock.ts';
import { publicId } from '../../values/ids.ts';
import type { JsonObject } from '../../values/json.ts';
import type { AcquirerAnswer, AuthorizationFacts, Tokenized, Verified } from '../acquirer.ts';
import type { CardBrand, CardFunding } from '../card.ts';
import { DECLINE_CODES, DECLINES, type DeclineCode } from '../decline-codes.ts';

const STATUSES = ['succeeded', 'declined', 'requires_action', 'pending', 'canceled'] as const;
const BRANDS: readonly CardBrand[] = [
  'visa',
  'mastercard',
  'american_express',
  'discover',
  'jcb',
  'unionpay',
  'diners',
  'unknown',
];
const FUNDINGS: readonly CardFunding[] = ['credit', 'debit', 'prepaid', 'unknown'];
const CODE_MAX = 64;
/** ISO 8583, field 39 has two characters; networks add some of their own. */
const NETWORK_CODE_MAX = 8;
/** A payer who has not acted by then does not return, and the payment must end. */
const CHALLENGE_MAX_MS = 31 * 24 * 60 * 60_000;

/** The instruction that was asked about. */
export interface Asked {
  readonly originator: string;
  readonly reference: string;
}

export interface Reading {
  readonly now: Instant;
  /** The gateway is reached by http, and so may its pages be. */
  readonly mayBePlain: boolean;
}

/** Throws NotOfContract for anything but an answer about this instruction. */
export function readAnswer(body: JsonObject, asked: Asked, reading: Reading): AcquirerAnswer {
  requireAbout(body, asked);
  const status = oneOf(body, 'status', STATUSES);
  const amount = amountOrNull(body, 'amount');
  const currency = currencyOrNull(body, 'currency');
  const code = status === 'declined' ? declineCode(body) : undefined;
  const networkCode = fittingOrNull(() => wordOrNull(body, 'network_code', NETWORK_CODE_MAX));
  const reference = wordOrNull(body, 'acquirer_reference', REFERENCE_MAX) ?? '';
  const facts = fittingOrNull(() => objectOrNull(body, 'authorization'));
  const challenge = objectOrNull(body, 'challenge');
  return {
    status,
    endToEndId: asked.reference,
    reference,
    ...(code === undefined ? {} : { code }),
    ...(networkCode === null ? {} : { networkCode }),
    confirmed: { ...(amount === null ? {} : { amount }), ...(currency === null ? {} : { currency }) },
    ...(facts === null ? {} : { authorization: factsOf(facts) }),
    ...(status === 'requires_action' && challenge !== null ? { challenge: challengeOf(challenge, reading) } : {}),
    raw: {
      reference: asked.reference,
      acquirer_reference: reference,
      status,
      code: wordOrNull(body, 'code', CODE_MAX),
      network_code: networkCode,
      amount: amount === null ? null : String(amount),
      currency,
    },
  };
}

/** The same for an inquiry, which may find nothing. */
export function readInquiry(body: JsonObject, asked: Asked, reading: Reading): AcquirerAnswer | NotFound {
  if (body.status !== 'not_found') return readAnswer(body, asked, reading);
  requireAbout(body, asked);
  const asOf = momentOrNull(body, 'as_of');
  return {
    status: 'not_found',
    endToEndId: asked.reference,
    ...(asOf === null ? {} : { asOf }),
    raw: {
      reference: asked.reference,
      status: 'not_found',
      as_of: asOf === null ? null : new Date(asOf).toISOString(),
    },
  };
}

/** The gateway refuses the instruction for good. */
export function readRefusal(asked: Asked): AcquirerAnswer {
  return {
    status: 'declined',
    endToEndId: asked.reference,
    reference: '',
    code: 'processing_error',
    networkCode: DECLINES.processing_error.networkCode,
    raw: { reference: asked.reference, status: 'refused' },
  };
}

export function readToken(body: JsonObject): string {
  return word(body, 'token', TOKEN_MAX);
}

export function readCard(body: JsonObject): Tokenized['card'] {
  const card = objectOrNull(body, 'card');
  if (card === null) throw new NotOfContract('card is missing');
  const lastFour = word(card, 'last_four', 4);
  const country = wordOrNull(card, 'country', 2);
  if (!/^\d{4}$/.test(lastFour)) throw new NotOfContract('last_four is not four digits');
  if (country !== null && !/^[A-Z]{2}$/.test(country)) throw new NotOfContract('country is no country');
  return {
    brand: oneOf(card, 'brand', BRANDS),
    lastFour,
    expMonth: whole(card, 'exp_month', { min: 1, max: 12 }),
    expYear: whole(card, 'exp_year', { min: 2000, max: 2199 }),
    funding: oneOf(card, 'funding', FUNDINGS),
    country,
  };
}

export function readVerified(body: JsonObject): Verified {
  const status = oneOf(body, 'status', ['succeeded', 'declined'] as const);
  return {
    status,
    ...(status === 'declined' ? { code: declineCode(body) } : {}),
    networkCode: word(body, 'network_code', NETWORK_CODE_MAX),
    cvc: oneOfOrNull(body, 'cvc', CHECKS),
    networkReference: wordOrNull(body, 'network_reference', REFERENCE_MAX),
  };
}

function requireAbout(body: JsonObject, { originator, reference }: Asked): void {
  const isOurs = word(body, 'merchant', REFERENCE_MAX) === publicId('book', originator);
  if (!isOurs || word(body, 'reference', REFERENCE_MAX) !== reference)
    throw new NotOfContract('The answer is about another instruction');
}

/** A code without a name in this API is a decline all the same. */
function declineCode(body: JsonObject): DeclineCode {
  const code = word(body, 'code', CODE_MAX);
  return DECLINE_CODES.find((known) => known === code) ?? 'generic_decline';
}

const CHECKS = ['match', 'no_match', 'unavailable'] as const;

/** Facts beside the outcome: an answer may lack any of them. */
function factsOf(facts: JsonObject): AuthorizationFacts {
  const wordOf = (name: string, max: number) => fittingOrNull(() => wordOrNull(facts, name, max));
  const oneOfThese = <Word extends string>(name: string, words: readonly Word[]) =>
    fittingOrNull(() => oneOfOrNull(facts, name, words));
  return {
    code: wordOf('code', 6),
    network: wordOf('network', 32),
    networkReference: wordOf('network_reference', REFERENCE_MAX),
    avs: oneOfThese('avs', ['match', 'partial_match', 'no_match', 'unavailable']),
    cvc: oneOfThese('cvc', CHECKS),
    eci: wordOf('eci', 2),
    threeDSecure: oneOfThese('three_d_secure', ['authenticated', 'attempted', 'not_performed']),
  };
}

function challengeOf(challenge: JsonObject, { now, mayBePlain }: Reading): NonNullable<AcquirerAnswer['challenge']> {
  const expiresAt = moment(challenge, 'expires_at');
  if (expiresAt > now + CHALLENGE_MAX_MS) throw new NotOfContract('expires_at is more than 31 days ahead');
  return { url: browserUrl(challenge, 'url', { mayBePlain }), expiresAt };
}
