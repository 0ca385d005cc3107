/**
 * Endpoints of integrators whose answer a decision waits for: one signed POST each, connected to as webhooks are
 * (safe-connect.ts), and never sent again. Whatever an endpoint does, ask() resolves within the time limit of the
 * question. The caller decides without an answer.
 * Next: breakers.ts (endpoints that do not answer), call-limits.ts (how many questions are open).
 */
import type { SecretBox } from '../../db/secret-box.ts';
import type { BookId, Mode } from '../../ledger/book/book.ts';
import { failpoint } from '../../process/failpoints.ts';
import type { Logger } from '../../process/log.ts';
import { warnSeldom } from '../../process/seldom.ts';
import type { Clock } from '../../values/clock.ts';
import { parseAllowList } from '../../values/public-address.ts';
import { sign } from '../../values/standard-webhooks.ts';
import { type CallLimits, PartyBusy } from '../calls/call-limits.ts';
import { createHostNames } from '../connections/host-names.ts';
import { OpenedKeys, type SealedKey } from '../connections/opened-keys.ts';
import { type PostError, postEvent, RESPONSE_READ_BYTES } from '../connections/post-event.ts';
import { createSafeAgent, type ResolveName, resolveBy, type SafeAgent } from '../connections/safe-connect.ts';
import { Breakers } from './breakers.ts';

export interface Question<Answer> {
  readonly bookId: BookId;
  readonly mode: Mode;
  readonly url: string;
  /** `webhook-id`: the same whenever the same is asked. */
  readonly id: string;
  readonly body: string;
  /** All that sign now, the newest first. */
  readonly keys: readonly SealedKey[];
  /** In all: resolving the name, connection, request, response. */
  readonly timeoutMs: number;
  /** Undefined for a response in a wrong form. */
  read(response: string): Answer | undefined;
}

export type Unanswered =
  | PostError
  /** Another status than 2xx. */
  | 'status'
  /** The response had not ended when its time had, or is larger than RESPONSE_READ_BYTES. */
  | 'answer_incomplete'
  | 'wrong_form'
  /** Nothing was sent: as many questions of the book are open as may be. */
  | 'busy'
  /** Nothing was sent: the breaker is open. */
  | 'breaker_open';

export type QuestionOutcome<Answer> = { readonly answer: Answer } | { readonly unanswered: Unanswered };

/** Questions of a book that are open at once in one process. */
export const QUESTIONS_OPEN_MAX = 64;
/** A book takes half of a party's slots at most. Each book's endpoint is a party of its own. */
const SLOTS = 2 * QUESTIONS_OPEN_MAX;

const USER_AGENT = 'Countinghouse-Decisions/1.0';

export interface AskedEndpointsOptions {
  readonly limits: CallLimits;
  readonly secretBox: SecretBox;
  readonly clock: Clock;
  readonly log: Logger;
  /** `host:port` and `host:*`: what test books may reach although it is not public (WEBHOOK_ALLOW_HOSTS). */
  readonly allowHosts: readonly string[];
  /** Name servers, from WEBHOOK_DNS_SERVERS. Empty: those of the system. */
  readonly dnsServers: readonly string[];
  readonly resolve?: ResolveName;
  readonly breakers?: Breakers;
  /** Called with the outcome of each question: `answered`, or why there is no answer. */
  readonly count?: (outcome: 'answered' | Unanswered) => void;
}

export class AskedEndpoints {
  readonly #limits: CallLimits;
  readonly #clock: Clock;
  readonly #keys: OpenedKeys;
  readonly #agents: Readonly<Record<Mode, SafeAgent>>;
  readonly #breakers: Breakers;
  readonly #warn: (error: unknown) => void;
  readonly #count: (outcome: 'answered' | Unanswered) => void;

  constructor(options: AskedEndpointsOptions) {
    const { limits, secretBox, clock, log, allowHosts, dnsServers } = options;
    const { resolve = resolveBy(createHostNames({ servers: dnsServers })), breakers = new Breakers() } = options;
    const connecting = { allow: parseAllowList(allowHosts), resolve };
    this.#limits = limits;
    this.#clock = clock;
    this.#keys = new OpenedKeys(secretBox);
    this.#agents = {
      test: createSafeAgent({ mode: 'test', ...connecting }),
      live: createSafeAgent({ mode: 'live', ...connecting }),
    };
    this.#breakers = breakers;
    this.#count = options.count ?? (() => undefined);
    this.#warn = warnSeldom(log, 'an endpoint gave no answer');
  }

  /** Throws SecretBoxError when a secret cannot be opened. */
  async ask<Answer>(question: Question<Answer>): Promise<QuestionOutcome<Answer>> {
    const outcome = await this.#ask(question);
    this.#count('answer' in outcome ? 'answered' : outcome.unanswered);
    return outcome;
  }

  async #ask<Answer>(question: Question<Answer>): Promise<QuestionOutcome<Answer>> {
    const { bookId, url, timeoutMs } = question;
    const party = { name: `endpoint of ${bookId}`, callsAtOnce: SLOTS, callTimeoutMs: timeoutMs };
    // Another URL is another endpoint: it does not inherit the failures.
    const line = `${bookId} ${url}`;
    try {
      return await this.#limits.inTurn({ party, bookId, callFor: 'now' }, async () => {
        if (!this.#breakers.admits(line)) return { unanswered: 'breaker_open' };
        const outcome = await this.#post(question);
        if ('answer' in outcome) this.#breakers.answered(line);
        else {
          this.#breakers.failed(line);
          this.#warn(`${outcome.unanswered}, book ${bookId}`);
        }
        return outcome;
      });
    } catch (error) {
      if (error instanceof PartyBusy) return { unanswered: 'busy' };
      throw error;
    }
  }

  async #post<Answer>(question: Question<Answer>): Promise<QuestionOutcome<Answer>> {
    const { mode, url, id, body, keys, timeoutMs } = question;
    const timestampSeconds = Math.floor(this.#clock.now() / 1_000);
    const signature = sign(
      { id, timestampSeconds, body },
      keys.map((key) => this.#keys.open(key)),
    );
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json',
      'user-agent': USER_AGENT,
      'webhook-id': id,
      'webhook-timestamp': String(timestampSeconds),
      'webhook-signature': signature,
    };
    failpoint('endpoint.ask.before');
    const outcome = await postEvent(this.#agents[mode], {
      ...{ url, headers, body, timeoutMs },
      keptBytes: RESPONSE_READ_BYTES,
    });
    failpoint('endpoint.ask.after');
    const { status, error, isWhole, response } = outcome;
    if (error !== null) return { unanswered: error };
    if (status === null || status < 200 || status > 299) return { unanswered: 'status' };
    if (!isWhole) return { unanswered: 'answer_incomplete' };
    const answer = question.read(response ?? '');
    return answer === undefined ? { unanswered: 'wrong_form' } : { answer };
  }

  /** Ends what is open: questions that still wait get no answer. */
  async close(): Promise<void> {
    this.#agents.test.destroy();
    this.#agents.live.destroy();
  }
}
