/**
 * Integrators: they send requests, repeat them when no answer comes, send them twice at once, and keep every answer.
 * The product must keep to each answer. What they ask for is in the parts.
 */

import { ApiError, ERRORS } from '../../../src/errors/errors.ts';
import { Following } from '../../../src/idempotency/following.ts';
import type { Runtime } from '../../../src/runtime.ts';
import type { Clock } from '../../../src/values/clock.ts';
import { newId, type Uuid } from '../../../src/values/ids.ts';
import type { Answer, AnyWishKind, Wish } from './part.ts';
import type { SeededRandom } from './seeded-random.ts';

/** A request of a client, under its own key. */
export interface Intent<Wanted extends Wish = Wish> {
  readonly key: string;
  readonly wish: Wanted;
  /** By the right clock, for the first time. */
  readonly askedAt: number;
  readonly answers: Answer[];
}

export const CURRENCY = 'EUR';
/** What each account has when the schedule begins. */
export const ACCOUNTS = [3_000n, 500n, 0n];

/** Small amounts, as balances are: many requests are one too much. */
export function amountIn(random: SeededRandom): bigint {
  return BigInt(random.chance(0.2) ? 1 : 1 + random.below(800));
}

/** The requests of a kind. */
export function wishesOf<Wanted extends Wish>({ intents }: Clients, kind: Wanted['do']): Intent<Wanted>[] {
  return intents.filter((intent): intent is Intent<Wanted> => intent.wish.do === kind);
}

interface ClientsBook {
  readonly bookId: Uuid;
  readonly accounts: readonly Uuid[];
}

export class Clients {
  readonly intents: Intent[] = [];
  readonly bookId: Uuid;
  readonly accounts: readonly Uuid[];
  /** Clients have the right time. */
  readonly clock: Clock;
  readonly #random: SeededRandom;
  readonly #kinds: readonly AnyWishKind[];

  constructor(world: { random: SeededRandom; clock: Clock; kinds: readonly AnyWishKind[] }, book: ClientsBook) {
    const { random, clock, kinds } = world;
    this.#random = random;
    this.clock = clock;
    this.#kinds = kinds;
    this.bookId = book.bookId;
    this.accounts = book.accounts;
  }

  get unanswered(): Intent[] {
    return this.intents.filter(({ answers }) => answers.length === 0);
  }

  /** What was refused and no key keeps is asked again: an earlier attempt may have been carried out since. */
  reopen(): void {
    for (const { answers } of this.intents)
      if (answers.every(({ status, body }) => status >= 400 && body === '')) answers.length = 0;
  }

  /** A new request, or an earlier one again, with or without an answer. */
  next(limit: number): Intent {
    const random = this.#random;
    if (this.intents.length > 0 && (this.intents.length >= limit || random.chance(0.4))) {
      const { unanswered } = this;
      return random.pick(unanswered.length > 0 && random.chance(0.8) ? unanswered : this.intents);
    }
    const intent = { key: `key-${this.intents.length}`, wish: this.#wish(), askedAt: this.clock.now(), answers: [] };
    this.intents.push(intent);
    return intent;
  }

  #wish(): Wish {
    for (;;) {
      const kind = this.#random.weighted(this.#kinds.map((item) => ({ weight: item.weight, item })));
      const wish: Wish | undefined = kind.draw(this, this.#random);
      if (wish) return wish;
    }
  }

  /** Sends the request to a process, and keeps its answer, if any. Resolves in both cases, unless the process dies. */
  async ask(runtime: Runtime, { key, wish, answers }: Intent, onBug: (error: unknown) => void): Promise<void> {
    const kind = this.#kinds.find((known) => known.do === wish.do)!;
    const following = new Following((error) => isKnown(error) || onBug(error));
    const by = { requestId: newId(), actor: 'api_key:key_1' };
    try {
      const asked = { bookId: this.bookId, key, fingerprint: Buffer.from(key), ...by, following };
      answers.push(await kind.carryOut(runtime, asked, wish));
    } catch (error) {
      if (!isKnown(error)) onBug(error);
      if (error instanceof ApiError && kind.endedBy?.includes(error.code))
        answers.push({ status: ERRORS[error.code].status, body: '' });
    }
  }
}

/** 503 and 409 are repeated. A refusal before the decision is not stored, so the next answer may differ. */
function isKnown(error: unknown): boolean {
  return error instanceof ApiError || /Connection terminated|RailUnreachable|gave no answer/.test(String(error));
}
