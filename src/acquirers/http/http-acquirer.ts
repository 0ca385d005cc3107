/**
 * The http acquirer: a partner's gateway behind the documented contract of signed JSON (docs/partners.md). The API
 * stores the partner's notices as received (outside/notices/partner-notice-store.ts); they are read here.
 * Next: outside/gateway/gateway-client.ts (the calls), write-calls.ts and read-answers.ts (their bodies), read-notice.ts.
 */

import type { Pool } from '../../db/pool.ts';
import { type GatewayCall, GatewayClient, GatewayRefusal } from '../../outside/gateway/gateway-client.ts';
import { acknowledgePartnerNotices, openPartnerNotices } from '../../outside/notices/partner-notice-store.ts';
import type { Partner } from '../../outside/party/partner.ts';
import type { NotFound, PartyNotice } from '../../outside/party/party.ts';
import type { Clock } from '../../values/clock.ts';
import { BEFORE_ALL_IDS, newId, type Uuid } from '../../values/ids.ts';
import { createSigningKey, type SigningKey } from '../../values/standard-webhooks.ts';
import {
  type Acquirer,
  type AcquirerAnswer,
  type AcquirerInstruction,
  AcquirerUnreachable,
  type AuthorizeInstruction,
  CardRefused,
  type Tokenized,
  type Verified,
} from '../acquirer.ts';
import type { CardInput } from '../card.ts';
import { brandOf } from '../card-brand.ts';
import {
  type Asked,
  type Reading,
  readAnswer,
  readCard,
  readInquiry,
  readRefusal,
  readToken,
  readVerified,
} from './read-answers.ts';
import { readNotice } from './read-notice.ts';
import * as calls from './write-calls.ts';

export interface HttpAcquirerOptions {
  readonly name: string;
  readonly mode: 'test' | 'live';
  /** The gateway's base URL. */
  readonly url: string;
  /** `whsec_…`. Each signs, and one valid signature is enough. */
  readonly secrets: readonly string[];
  /** Whether card numbers of the API may be sent there: it puts the installation in scope of PCI DSS. */
  readonly takesCards: boolean;
  /** The application's own: the partner's notices are in its tables. */
  readonly pool: Pool;
  readonly clock: Clock;
  readonly callTimeoutMs?: number;
}

/** Issuers answer within some seconds; after this time an inquiry follows. */
const CALL_TIMEOUT_MS = 20_000;

const REFUSALS = { card_refused: 'unnamed', instruction_refused: 'named' } as const;

export class HttpAcquirer implements Acquirer, Partner {
  readonly name: string;
  readonly mode: 'test' | 'live';
  readonly idempotent = true;
  readonly takesCards: boolean;
  readonly givesTokens = true;
  readonly notFoundFinalAfterMs = 15 * 60_000;
  readonly inquiryDelaysMs = [1_000, 2_000, 5_000, 15_000, 60_000, 300_000];
  readonly callTimeoutMs: number;
  /** Enough for hundreds of answers a second. */
  readonly callsAtOnce = 64;
  readonly noticeKeys: readonly SigningKey[];

  readonly #client: GatewayClient<keyof typeof REFUSALS>;
  readonly #pool: Pool;
  readonly #clock: Clock;
  readonly #mayBePlain: boolean;

  constructor(options: HttpAcquirerOptions) {
    this.name = options.name;
    this.mode = options.mode;
    this.takesCards = options.takesCards;
    this.callTimeoutMs = options.callTimeoutMs ?? CALL_TIMEOUT_MS;
    this.noticeKeys = options.secrets.map(createSigningKey);
    this.#client = new GatewayClient({
      url: options.url.replace(/\/+$/, ''),
      secrets: options.secrets,
      callTimeoutMs: this.callTimeoutMs,
      callsAtOnce: this.callsAtOnce,
      refusals: REFUSALS,
      unreachable: AcquirerUnreachable,
    });
    this.#pool = options.pool;
    this.#clock = options.clock;
    this.#mayBePlain = new URL(options.url).protocol === 'http:';
  }

  showing({ number, expMonth, expYear }: CardInput): Tokenized['card'] {
    const lastFour = number.slice(-4);
    return { brand: brandOf(number), lastFour, expMonth, expYear, funding: 'unknown', country: null };
  }

  async tokenize(card: CardInput, of: { originator: string; reusable: boolean }): Promise<Tokenized> {
    // A gateway that repeats a number must not make us keep it.
    const fault = (text: string) => (text.includes(card.number) ? 'The answer repeats the card number' : undefined);
    const read = (body: Parameters<typeof readToken>[0]) => ({ token: readToken(body), card: readCard(body) });
    return refusingCards(this.#client.call(calls.tokenizeCall(card, of), { id: newId(), read, fault }));
  }

  withCode(token: string, cvc: string, { originator }: { originator: string }): Promise<string> {
    const call = calls.codeCall({ originator, token, cvc });
    return refusingCards(this.#client.call(call, { id: newId(), read: readToken }));
  }

  verify(token: string, { originator }: { originator: string }): Promise<Verified> {
    const call = calls.verifyCall({ originator, token });
    return refusingCards(this.#client.call(call, { id: newId(), read: readVerified }));
  }

  cardOf(token: string, { originator }: { originator: string }): Promise<Tokenized['card']> {
    const call = calls.cardCall({ originator, token });
    return refusingCards(this.#client.call(call, { id: newId(), read: readCard }));
  }

  submit(instruction: AcquirerInstruction): Promise<AcquirerAnswer> {
    return this.#instruct(instruction, calls.submitCall(instruction));
  }

  hostedSession(instruction: AuthorizeInstruction): Promise<AcquirerAnswer> {
    return this.#instruct(instruction, calls.sessionCall(instruction));
  }

  inquire(originator: string, reference: string): Promise<AcquirerAnswer | NotFound> {
    const asked = { originator, reference };
    const read = (body: Parameters<typeof readInquiry>[0]) => readInquiry(body, asked, this.#reading());
    return unrefused(this.#client.call(calls.inquireCall(asked), { id: newId(), read }));
  }

  cancel(originator: string, reference: string): Promise<AcquirerAnswer> {
    const asked = { originator, reference };
    const read = (body: Parameters<typeof readAnswer>[0]) => readAnswer(body, asked, this.#reading());
    return unrefused(this.#client.call(calls.cancelCall(asked), { id: newId(), read }));
  }

  async notices(limit: number, behind: Uuid = BEFORE_ALL_IDS): Promise<PartyNotice[]> {
    const kept = await openPartnerNotices(this.#pool, this.name, { limit, behind });
    return kept.map(readNotice);
  }

  acknowledge(ids: readonly Uuid[]): Promise<void> {
    return acknowledgePartnerNotices(this.#pool, this.name, ids, { at: this.#clock.now() });
  }

  close(): Promise<void> {
    return this.#client.close();
  }

  async #instruct(asked: Asked, call: GatewayCall): Promise<AcquirerAnswer> {
    const read = (body: Parameters<typeof readAnswer>[0]) => readAnswer(body, asked, this.#reading());
    try {
      return await this.#client.call(call, { id: asked.reference, read });
    } catch (error) {
      if (error instanceof GatewayRefusal && error.code === 'instruction_refused') return readRefusal(asked);
      throw asUnreachable(error);
    }
  }

  #reading(): Reading {
    return { now: this.#clock.now(), mayBePlain: this.#mayBePlain };
  }
}

/** A refusal of a call about a card refuses the card. */
async function refusingCards<Answer>(call: Promise<Answer>): Promise<Answer> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof GatewayRefusal && error.code === 'card_refused')
      throw new CardRefused('The gateway does not take the card');
    throw asUnreachable(error);
  }
}

/** An inquiry and a cancellation are never refused: a refusal leaves the outcome unknown. */
async function unrefused<Answer>(call: Promise<Answer>): Promise<Answer> {
  try {
    return await call;
  } catch (error) {
    throw asUnreachable(error);
  }
}

function asUnreachable(error: unknown): unknown {
  if (!(error instanceof GatewayRefusal)) return error;
  return new AcquirerUnreachable(`The gateway refuses by a code of another call: ${error.code}`, { cause: error });
}
