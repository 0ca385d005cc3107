/**
 * Reads the answers of a rail's gateway, member by member (docs/partners.md). Evidence is made of members that were read, never of
 * the whole body.
 */
import {
  amountOrNull,
  currencyOrNull,
  momentOrNull,
  NotOfContract,
  oneOf,
  oneOfOrNull,
  REFERENCE_MAX,
  word,
  wordOrNull,
} from '../../outside/gateway/fields.ts';
import type { Confirmation, NotFound } from '../../outside/party/party.ts';
import { formatInstant } from '../../values/clock.ts';
import { publicId } from '../../values/ids.ts';
import type { JsonObject } from '../../values/json.ts';
import type { Found, RailAnswer, Unregistered } from '../rail.ts';

const STATUSES = ['paid', 'rejected', 'pending'] as const;
/** Codes of ISO 20022 have four characters; what rails add of their own is hardly longer. */
export const CODE_MAX = 35;
/** SHA-256 in hexadecimal digits. */
const DIGEST_MAX = 64;
/** ISO 20022: Max140Text. */
const NAME_MAX = 140;
const PROVIDERS_MAX = 20;
const PROVIDER_MAX = 50;
/** A handle of the rail's own. */
const ACCOUNT_MAX = 255;
/** ISO 20022: refused by the agent, no reason given. */
const REFUSED = 'MS03';

/** What an answer is about. */
export interface Asked {
  readonly originator: string;
  readonly endToEndId: string;
}

/** Throws NotOfContract for anything but an answer about this payout. */
export function readAnswer(body: JsonObject, asked: Asked): RailAnswer {
  requireAbout(body, asked);
  const status = oneOf(body, 'status', STATUSES);
  const code = status === 'rejected' ? wordOrNull(body, 'code', CODE_MAX) : null;
  const reference = wordOrNull(body, 'rail_reference', REFERENCE_MAX) ?? '';
  const confirmed = confirmationOf(body);
  return {
    status,
    endToEndId: asked.endToEndId,
    reference,
    ...(code === null ? {} : { code }),
    confirmed,
    // Without the payee's digest: a short alias can be guessed from it.
    raw: {
      reference: asked.endToEndId,
      rail_reference: reference,
      status,
      ...(code === null ? {} : { code }),
      amount: confirmed.amount === undefined ? null : String(confirmed.amount),
      currency: confirmed.currency ?? null,
    },
  };
}

/** The same for an inquiry, which may find nothing. */
export function readInquiry(body: JsonObject, asked: Asked): RailAnswer | NotFound {
  if (body.status !== 'not_found') return readAnswer(body, asked);
  requireAbout(body, asked);
  const asOf = momentOrNull(body, 'as_of');
  return {
    status: 'not_found',
    endToEndId: asked.endToEndId,
    ...(asOf === null ? {} : { asOf }),
    raw: { reference: asked.endToEndId, status: 'not_found', as_of: asOf === null ? null : formatInstant(asOf) },
  };
}

/** The gateway takes the payout neither now nor later. */
export function readRefusal({ endToEndId }: Asked): RailAnswer {
  return {
    status: 'rejected',
    endToEndId,
    reference: '',
    code: REFUSED,
    raw: { reference: endToEndId, status: 'refused' },
  };
}

export function readFound(body: JsonObject, originator: string): Found | Unregistered {
  requireOriginator(body, originator);
  const status = oneOf(body, 'status', ['found', 'unregistered'] as const);
  if (status === 'unregistered') return { status };
  return {
    status,
    nameMasked: nameOrNull(body),
    providers: providersOf(body),
    account: wordOrNull(body, 'account', ACCOUNT_MAX),
    verification: oneOfOrNull(body, 'verification', ['match', 'close_match', 'no_match', 'unavailable'] as const),
  };
}

/** The facts that an answer or a notice confirms. */
export function confirmationOf(body: JsonObject): Confirmation {
  const amount = amountOrNull(body, 'amount');
  const currency = currencyOrNull(body, 'currency');
  const payeeDigest = wordOrNull(body, 'payee_digest', DIGEST_MAX);
  return {
    ...(amount === null ? {} : { amount }),
    ...(currency === null ? {} : { currency }),
    ...(payeeDigest === null ? {} : { payeeDigest }),
  };
}

function requireAbout(body: JsonObject, { originator, endToEndId }: Asked): void {
  requireOriginator(body, originator);
  if (word(body, 'reference', REFERENCE_MAX) !== endToEndId)
    throw new NotOfContract('The answer is about another payout');
}

function requireOriginator(body: JsonObject, originator: string): void {
  if (word(body, 'originator', REFERENCE_MAX) !== publicId('book', originator))
    throw new NotOfContract('The answer is about another originator');
}

/** The one text that is not ASCII: names of people. */
function nameOrNull({ name_masked: name = null }: JsonObject): string | null {
  if (name === null) return null;
  if (typeof name === 'string' && name !== '' && name.length <= NAME_MAX && !/\p{Cc}/u.test(name)) return name;
  throw new NotOfContract(`name_masked is not a text of 1 to ${NAME_MAX} characters`);
}

function providersOf({ providers = [] }: JsonObject): string[] {
  if (!Array.isArray(providers) || providers.length > PROVIDERS_MAX)
    throw new NotOfContract(`providers is not a list of up to ${PROVIDERS_MAX} words`);
  return providers.map((provider) => word({ providers: provider } as JsonObject, 'providers', PROVIDER_MAX));
}
