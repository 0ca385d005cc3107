/**
 * Signed calls to a partner's gateway. The host is the operator's own choice, so it may be a private address: the rules for
 * addresses that integrators name do not apply. No redirect is followed: an answer from elsewhere is nobody's word.
 */
import { Agent, request } from 'undici';
import { CALL_ID_PREFIX } from '../../outside/partner.ts';
import type { JsonObject } from '../../values/json.ts';
import { toJson } from '../../values/json.ts';
import { createSigningKey, type SigningKey, sign } from '../../values/standard-webhooks.ts';
import { AcquirerUnreachable } from '../acquirer.ts';
import { NotOfContract, readObject } from './fields.ts';
import type { GatewayCall } from './write-calls.ts';

export interface GatewayClientOptions {
  /** Without a slash at its end. */
  readonly url: string;
  /** Each signs: several during a rotation. */
  readonly secrets: readonly string[];
  /** In all: connection, request, answer. */
  readonly callTimeoutMs: number;
  readonly callsAtOnce: number;
}

/** The gateway refuses the call by one of its documented codes: it has done nothing, and will do nothing. */
export class GatewayRefusal extends Error {
  override name = 'GatewayRefusal';
  constructor(readonly code: RefusalCode) {
    super(`The gateway refuses: ${code}`);
  }
}

const REFUSAL_STATUS = 422;
const REFUSAL_CODES = ['card_refused', 'instruction_refused'] as const;
type RefusalCode = (typeof REFUSAL_CODES)[number];

/** Several times the longest answer of the contract. */
export const ANSWER_BYTES_MAX = 65_536;

export class GatewayClient {
  readonly #options: GatewayClientOptions;
  readonly #keys: readonly SigningKey[];
  readonly #agent: Agent;

  constructor(options: GatewayClientOptions) {
    this.#options = options;
    this.#keys = options.secrets.map(createSigningKey);
    this.#agent = new Agent({
      connections: options.callsAtOnce,
      connect: { timeout: options.callTimeoutMs },
      maxResponseSize: ANSWER_BYTES_MAX,
    });
  }

  /**
   * The body of a 200. Throws GatewayRefusal for a documented refusal of what is asked about, and AcquirerUnreachable for anything
   * else: no answer, another status, an answer that is too long or that is not of the contract. Then nobody knows what was done.
   *
   * `id`: of the message, behind the prefix that says which way it goes. An instruction's is its reference, the same on every attempt.
   */
  async call<Answer>(
    { path, body }: GatewayCall,
    { id, read, mustNotHold }: { id: string; read: (answer: JsonObject) => Answer; mustNotHold?: string },
  ): Promise<Answer> {
    const text = toJson(body);
    const webhookId = CALL_ID_PREFIX + id;
    const timestampSeconds = Math.floor(Date.now() / 1_000);
    try {
      const { statusCode, body: answer } = await request(this.#options.url + path, {
        method: 'POST',
        dispatcher: this.#agent,
        signal: AbortSignal.timeout(this.#options.callTimeoutMs),
        headers: {
          'content-type': 'application/json',
          'user-agent': 'countinghouse',
          'webhook-id': webhookId,
          'webhook-timestamp': String(timestampSeconds),
          'webhook-signature': sign({ id: webhookId, timestampSeconds, body: text }, this.#keys),
        },
        body: text,
      });
      const said = await answer.text();
      // A gateway that repeats a number must not make us keep it.
      if (mustNotHold !== undefined && said.includes(mustNotHold))
        throw new NotOfContract('The answer repeats the card number');
      if (statusCode === REFUSAL_STATUS) throw refusalOf(readObject(said), body);
      if (statusCode !== 200) throw new NotOfContract(`Status ${statusCode}`);
      return read(readObject(said));
    } catch (error) {
      if (error instanceof GatewayRefusal) throw error;
      // Of a fault of the contract the words are ours. Those of the network may have an address in them, and stay in the cause.
      const why = error instanceof NotOfContract ? error.message : 'no answer';
      throw new AcquirerUnreachable(`The gateway's answer is unknown (${body.call}): ${why}`, { cause: error });
    }
  }

  close(): Promise<void> {
    return this.#agent.destroy();
  }
}

/** A refusal names what it refuses, so that a page of a proxy in between is not taken for one. */
function refusalOf(answer: JsonObject, { reference }: GatewayCall['body']): GatewayRefusal | NotOfContract {
  const code = REFUSAL_CODES.find((known) => known === answer.code);
  if (code === undefined) return new NotOfContract(`Status ${REFUSAL_STATUS} without a documented code`);
  if (code === 'instruction_refused' && answer.reference !== reference)
    return new NotOfContract('The refusal is about another instruction');
  return new GatewayRefusal(code);
}
