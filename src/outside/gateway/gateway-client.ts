/**
 * Signed calls to a partner's gateway: an acquirer's, a processor's, a rail's. The host is the operator's own choice,
 * so it may be a private address: the rules for addresses that integrators name do not apply. No redirect is followed:
 * the answer of another host is not the party's.
 */
import type { ClientRequest } from 'node:http';
import type { JsonObject } from '../../values/json.ts';
import { toJson } from '../../values/json.ts';
import { createSigningKey, type SigningKey, sign } from '../../values/standard-webhooks.ts';
import { type Agents, createAgents, destroyAgents, httpPost } from '../connections/http-post.ts';
import { CALL_ID_PREFIX } from '../party/partner.ts';
import type { PartyUnreachable } from '../party/party.ts';
import { NotOfContract, readObject } from './fields.ts';

/**
 * What is asked of a gateway. Each body names its call: the signature is over the body, so it is good for this call and no other.
 */
export interface GatewayCall {
  /** Behind the gateway's base URL. */
  readonly path: string;
  readonly body: { readonly call: string; readonly [member: string]: unknown };
}

export interface GatewayClientOptions<Refusal extends string> {
  /** Without a slash at its end. */
  readonly url: string;
  /** Each signs: several during a rotation. */
  readonly secrets: readonly string[];
  /** In all: connection, request, answer. */
  readonly callTimeoutMs: number;
  readonly callsAtOnce: number;
  /** The documented refusals. A `named` one contains the reference of the instruction that it refuses. */
  readonly refusals: Readonly<Record<Refusal, 'named' | 'unnamed'>>;
  /** What this kind of party throws when no answer came. */
  readonly unreachable: new (
    message: string,
    options: { cause: unknown },
  ) => PartyUnreachable;
}

/** The gateway refuses the call by one of its documented codes: it has done nothing, and will do nothing. */
export class GatewayRefusal<Refusal extends string = string> extends Error {
  override name = 'GatewayRefusal';
  constructor(readonly code: Refusal) {
    super(`The gateway refuses: ${code}`);
  }
}

const REFUSAL_STATUS = 422;

/** Several times the longest answer of the contract. */
export const ANSWER_BYTES_MAX = 65_536;

export class GatewayClient<Refusal extends string = string> {
  readonly #options: GatewayClientOptions<Refusal>;
  readonly #keys: readonly SigningKey[];
  readonly #agents: Agents;

  constructor(options: GatewayClientOptions<Refusal>) {
    this.#options = options;
    this.#keys = options.secrets.map(createSigningKey);
    this.#agents = createAgents({ most: options.callsAtOnce });
  }

  /**
   * The body of a 200. Throws GatewayRefusal for a documented refusal of the call, and the party's kind of
   * PartyUnreachable for anything else: no answer, another status, an answer that is too long or that is not of the
   * contract. Then the outcome is unknown.
   *
   * `id`: of the message, behind the prefix of its direction. An instruction's is its reference, the same on every
   * attempt.
   * `fault`: why the text of an answer is not read at all.
   */
  async call<Answer>(
    { path, body }: GatewayCall,
    {
      id,
      read,
      fault,
    }: { id: string; read: (answer: JsonObject) => Answer; fault?: (text: string) => string | undefined },
  ): Promise<Answer> {
    const text = toJson(body);
    const webhookId = CALL_ID_PREFIX + id;
    const timestampSeconds = Math.floor(Date.now() / 1_000);
    try {
      const sent = httpPost(this.#agents, {
        url: this.#options.url + path,
        headers: {
          'content-type': 'application/json',
          'user-agent': 'countinghouse',
          'webhook-id': webhookId,
          'webhook-timestamp': String(timestampSeconds),
          'webhook-signature': sign({ id: webhookId, timestampSeconds, body: text }, this.#keys),
        },
        body: text,
      });
      const { statusCode, answerText } = await answerOf(sent, this.#options.callTimeoutMs);
      const why = fault?.(answerText);
      if (why !== undefined) throw new NotOfContract(why);
      if (statusCode === REFUSAL_STATUS) throw this.#refusalOf(readObject(answerText), body);
      if (statusCode !== 200) throw new NotOfContract(`Status ${statusCode}`);
      return read(readObject(answerText));
    } catch (error) {
      if (error instanceof GatewayRefusal) throw error;
      // Of a fault of the contract the words are ours. Those of the network may have an address in them, and stay in the cause.
      const why = error instanceof NotOfContract ? error.message : 'no answer';
      const { unreachable: Unreachable } = this.#options;
      throw new Unreachable(`The gateway's answer is unknown (${body.call}): ${why}`, { cause: error });
    }
  }

  async close(): Promise<void> {
    destroyAgents(this.#agents);
  }

  /** A refusal names what it refuses, so that a page of a proxy in between is not taken for one. */
  #refusalOf(answer: JsonObject, { reference }: GatewayCall['body']): GatewayRefusal<Refusal> | NotOfContract {
    const { refusals } = this.#options;
    const code = (Object.keys(refusals) as Refusal[]).find((known) => known === answer.code);
    if (code === undefined) return new NotOfContract(`Status ${REFUSAL_STATUS} without a documented code`);
    if (refusals[code] === 'named' && answer.reference !== reference)
      return new NotOfContract('The refusal is about another instruction');
    return new GatewayRefusal(code);
  }
}

/** The whole answer. Rejects, and ends the connection, for one that is not whole within the time limit or is longer than ANSWER_BYTES_MAX. */
function answerOf(sent: ClientRequest, timeoutMs: number): Promise<{ statusCode: number; answerText: string }> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error) => {
      clearTimeout(timer);
      reject(error);
      sent.destroy();
    };
    const timer = setTimeout(() => fail(new Error(`No answer within ${timeoutMs} ms`)), timeoutMs);
    sent.on('error', fail);
    sent.on('response', (answer) => {
      const kept: Buffer[] = [];
      let bytes = 0;
      answer.on('error', fail);
      answer.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        kept.push(chunk);
        if (bytes > ANSWER_BYTES_MAX) fail(new Error(`The answer has more than ${ANSWER_BYTES_MAX} bytes`));
      });
      answer.on('end', () => {
        clearTimeout(timer);
        resolve({ statusCode: answer.statusCode!, answerText: Buffer.concat(kept).toString() });
      });
    });
  });
}
