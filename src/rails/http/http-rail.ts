/**
 * The http rail: a partner's gateway for payouts behind the documented contract of signed JSON (docs/partners.md). The API stores
 * the partner's notices as received (outside/notices/partner-notice-store.ts); they are read here.
 * Next: outside/gateway/gateway-client.ts (the calls), write-calls.ts and read-answers.ts (their bodies), read-notice.ts.
 */
import { hash } from 'node:crypto';
import type { Pool } from '../../db/pool.ts';
import { GatewayClient, GatewayRefusal } from '../../outside/gateway/gateway-client.ts';
import { acknowledgePartnerNotices, openPartnerNotices } from '../../outside/notices/partner-notice-store.ts';
import type { Partner } from '../../outside/party/partner.ts';
import type { Acknowledged, NotFound } from '../../outside/party/party.ts';
import type { Clock } from '../../values/clock.ts';
import { BEFORE_ALL_IDS, newId, type Uuid } from '../../values/ids.ts';
import type { JsonObject } from '../../values/json.ts';
import { createSigningKey, type SigningKey } from '../../values/standard-webhooks.ts';
import {
  type Found,
  type InstructedDestination,
  type Instruction,
  type Rail,
  type RailAnswer,
  type RailNotice,
  RailUnreachable,
  type Unregistered,
} from '../rail.ts';
import { type Asked, readAnswer, readFound, readInquiry, readRefusal } from './read-answers.ts';
import { readNotice } from './read-notice.ts';
import { inquireCall, resolveCall, submitCall } from './write-calls.ts';

export interface HttpRailOptions {
  readonly name: string;
  readonly mode: 'test' | 'live';
  /** The gateway's base URL. */
  readonly url: string;
  /** `whsec_…`. Each signs, and one valid signature is enough. */
  readonly secrets: readonly string[];
  readonly destinations: Rail['destinations'];
  readonly paysTokensOf: Rail['paysTokensOf'];
  /** The application's own: the partner's notices are in its tables. */
  readonly pool: Pool;
  readonly clock: Clock;
  readonly callTimeoutMs?: number;
}

/** Instant schemes answer within ten seconds. After this time the outcome is unknown, and an inquiry follows. */
const CALL_TIMEOUT_MS = 10_000;

const REFUSALS = { instruction_refused: 'named' } as const;

export class HttpRail implements Rail, Partner {
  readonly name: string;
  readonly mode: 'test' | 'live';
  readonly idempotent = true;
  readonly destinations: Rail['destinations'];
  readonly paysTokensOf: Rail['paysTokensOf'];
  readonly notFoundFinalAfterMs = 15 * 60_000;
  readonly inquiryDelaysMs = [2_000, 5_000, 15_000, 60_000, 300_000];
  /** A gateway that names the payee as well is compared. */
  readonly confirms = { amount: true, currency: true, payee: false };
  readonly callTimeoutMs: number;
  /** Enough for hundreds of answers a second. */
  readonly callsAtOnce = 64;
  readonly noticeKeys: readonly SigningKey[];

  readonly #client: GatewayClient<keyof typeof REFUSALS>;
  readonly #pool: Pool;
  readonly #clock: Clock;

  constructor(options: HttpRailOptions) {
    this.name = options.name;
    this.mode = options.mode;
    this.destinations = options.destinations;
    this.paysTokensOf = options.paysTokensOf;
    this.callTimeoutMs = options.callTimeoutMs ?? CALL_TIMEOUT_MS;
    this.noticeKeys = options.secrets.map(createSigningKey);
    this.#client = new GatewayClient({
      url: options.url.replace(/\/+$/, ''),
      secrets: options.secrets,
      callTimeoutMs: this.callTimeoutMs,
      callsAtOnce: this.callsAtOnce,
      refusals: REFUSALS,
      unreachable: RailUnreachable,
    });
    this.#pool = options.pool;
    this.#clock = options.clock;
  }

  payeeDigest(endToEndId: string, payee: string): string {
    return hash('sha256', `${endToEndId} ${payee}`, 'hex');
  }

  async resolve(originator: string, destination: InstructedDestination): Promise<Found | Unregistered> {
    const read = (body: JsonObject) => readFound(body, originator);
    try {
      return await this.#client.call(resolveCall(originator, destination), { id: newId(), read });
    } catch (error) {
      throw asUnreachable(error);
    }
  }

  async submit(instruction: Instruction): Promise<RailAnswer> {
    const { originator, endToEndId } = instruction;
    const asked: Asked = { originator, endToEndId };
    const read = (body: JsonObject) => readAnswer(body, asked);
    try {
      return await this.#client.call(submitCall(instruction), { id: endToEndId, read });
    } catch (error) {
      if (error instanceof GatewayRefusal) return readRefusal(asked);
      throw error;
    }
  }

  async inquire(originator: string, endToEndId: string): Promise<RailAnswer | NotFound> {
    const asked: Asked = { originator, endToEndId };
    const read = (body: JsonObject) => readInquiry(body, asked);
    try {
      return await this.#client.call(inquireCall(asked), { id: newId(), read });
    } catch (error) {
      throw asUnreachable(error);
    }
  }

  async notices(limit: number, behind: Uuid = BEFORE_ALL_IDS): Promise<RailNotice[]> {
    const kept = await openPartnerNotices(this.#pool, this.name, { limit, behind });
    return kept.map(readNotice);
  }

  acknowledge(ids: readonly Uuid[], how?: Acknowledged): Promise<void> {
    return acknowledgePartnerNotices(this.#pool, this.name, ids, { at: this.#clock.now(), forget: how?.forget });
  }

  close(): Promise<void> {
    return this.#client.close();
  }
}

/** Questions are never refused: a refusal leaves the outcome unknown. */
function asUnreachable(error: unknown): unknown {
  if (!(error instanceof GatewayRefusal)) return error;
  return new RailUnreachable(`The gateway refuses by a code of another call: ${error.code}`, { cause: error });
}
