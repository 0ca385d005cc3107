/**
 * The http processor: a partner's gateway behind the documented contract of signed JSON (docs/partners.md). Numbers, codes and PINs of its
 * cards stay there: they are shown on a page of the partner's own. The API stores the partner's notices as they
 * come (outside/notices/partner-notice-store.ts), and they are read here.
 * Next: outside/gateway/gateway-client.ts (the calls), write-calls.ts and read-answers.ts (their bodies), read-notice.ts.
 */
import type { Pool } from '../../db/pool.ts';
import { GatewayClient, GatewayRefusal } from '../../outside/gateway/gateway-client.ts';
import { acknowledgePartnerNotices, openPartnerNotices } from '../../outside/notices/partner-notice-store.ts';
import type { Partner } from '../../outside/party/partner.ts';
import type { NotFound } from '../../outside/party/party.ts';
import type { Clock } from '../../values/clock.ts';
import { BEFORE_ALL_IDS, newId, type Uuid } from '../../values/ids.ts';
import type { JsonObject } from '../../values/json.ts';
import { createSigningKey, type SigningKey } from '../../values/standard-webhooks.ts';
import {
  type Processor,
  type ProcessorAnswer,
  type ProcessorInstruction,
  type ProcessorNotice,
  ProcessorUnreachable,
  type RevealAsked,
  type Revealed,
  RevealRefused,
} from '../processor.ts';
import { type Asked, readAnswer, readInquiry, readRefusal, readRevealed } from './read-answers.ts';
import { readNotice } from './read-notice.ts';
import { inquireCall, revealCall, submitCall } from './write-calls.ts';

export interface HttpProcessorOptions {
  readonly name: string;
  readonly mode: 'test' | 'live';
  /** The gateway's base URL. */
  readonly url: string;
  /** `whsec_…`. Each signs, and one that verifies is enough. */
  readonly secrets: readonly string[];
  /** The application's own: the partner's notices are in its tables. */
  readonly pool: Pool;
  readonly clock: Clock;
  readonly callTimeoutMs?: number;
}

/** A request for a card waits 10 s; a call that takes longer than this is asked about. */
const CALL_TIMEOUT_MS = 20_000;

const REFUSALS = { instruction_refused: 'named', card_unknown: 'unnamed', card_closed: 'unnamed' } as const;

export class HttpProcessor implements Processor, Partner {
  readonly name: string;
  readonly mode: 'test' | 'live';
  readonly idempotent = true;
  readonly notFoundFinalAfterMs = 15 * 60_000;
  readonly inquiryDelaysMs = [1_000, 2_000, 5_000, 15_000, 60_000, 300_000];
  readonly callTimeoutMs: number;
  readonly callsAtOnce = 32;
  readonly noticeKeys: readonly SigningKey[];

  readonly #client: GatewayClient<keyof typeof REFUSALS>;
  readonly #pool: Pool;
  readonly #clock: Clock;
  readonly #mayBePlain: boolean;

  constructor(options: HttpProcessorOptions) {
    this.name = options.name;
    this.mode = options.mode;
    this.callTimeoutMs = options.callTimeoutMs ?? CALL_TIMEOUT_MS;
    this.noticeKeys = options.secrets.map(createSigningKey);
    this.#client = new GatewayClient({
      url: options.url.replace(/\/+$/, ''),
      secrets: options.secrets,
      callTimeoutMs: this.callTimeoutMs,
      callsAtOnce: this.callsAtOnce,
      refusals: REFUSALS,
      unreachable: ProcessorUnreachable,
    });
    this.#pool = options.pool;
    this.#clock = options.clock;
    this.#mayBePlain = new URL(options.url).protocol === 'http:';
  }

  async submit(instruction: ProcessorInstruction): Promise<ProcessorAnswer> {
    const { originator, reference } = instruction;
    const asked: Asked = { originator, reference };
    const read = (body: JsonObject) => readAnswer(body, asked);
    try {
      return await this.#client.call(submitCall(instruction), { id: reference, read });
    } catch (error) {
      if (error instanceof GatewayRefusal && error.code === 'instruction_refused') return readRefusal(asked);
      throw asUnreachable(error);
    }
  }

  async inquire(originator: string, reference: string): Promise<ProcessorAnswer | NotFound> {
    const asked: Asked = { originator, reference };
    const read = (body: JsonObject) => readInquiry(body, asked);
    try {
      return await this.#client.call(inquireCall(asked), { id: newId(), read });
    } catch (error) {
      throw asUnreachable(error);
    }
  }

  async reveal(asked: RevealAsked): Promise<Revealed> {
    const read = (body: JsonObject) =>
      readRevealed(body, asked, { now: this.#clock.now(), mayBePlain: this.#mayBePlain });
    try {
      return await this.#client.call(revealCall(asked), { id: newId(), read });
    } catch (error) {
      if (error instanceof GatewayRefusal && isOfReveal(error.code)) throw new RevealRefused(error.code);
      throw asUnreachable(error);
    }
  }

  async notices(limit: number, behind: Uuid = BEFORE_ALL_IDS): Promise<ProcessorNotice[]> {
    const kept = await openPartnerNotices(this.#pool, this.name, { limit, behind });
    return kept.map(readNotice);
  }

  acknowledge(ids: readonly Uuid[]): Promise<void> {
    return acknowledgePartnerNotices(this.#pool, this.name, ids, { at: this.#clock.now() });
  }

  close(): Promise<void> {
    return this.#client.close();
  }
}

function isOfReveal(code: string): code is 'card_unknown' | 'card_closed' {
  return code === 'card_unknown' || code === 'card_closed';
}

function asUnreachable(error: unknown): unknown {
  if (!(error instanceof GatewayRefusal)) return error;
  return new ProcessorUnreachable(`The gateway refuses by a code of another call: ${error.code}`, { cause: error });
}
