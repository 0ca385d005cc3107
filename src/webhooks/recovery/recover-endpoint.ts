/**
 * Attempts the deliveries that wait for their own retry, for minutes or hours, when a failing endpoint answers well
 * again. Once for a streak of failures in this process: the endpoint's row has the beginning of the streak.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from '../../db/pool.ts';
import type { Room } from '../../fairness/room.ts';
import type { BookId } from '../../ledger/book/book.ts';
import { BoundedMap } from '../../values/bounded-map.ts';
import type { Clock, Instant } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';
import { elsewhere } from '../../values/progress.ts';
import type { DeliveryEndpoint } from '../deliveries/delivery.ts';
import type { Outbox } from '../outbox/outbox.ts';
import { bringForward, type RetryPlace } from './bring-forward-store.ts';

export interface RecoveryContext {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly statements: Room;
  outboxOf(bookId: BookId, endpointId: Uuid): Outbox;
  warn(error: unknown): void;
}

/** Rows in one statement. A streak of five days leaves some thousands. */
const PAGE = 500;
const REMEMBERED_MAX = 5_000;
/** The arrival is recorded after it, and its slot waits: for less than a second. */
const TRIES = 4;
const FIRST_RETRY_MS = 100;

interface Recovered {
  readonly failingSince: Instant;
  readonly done: Promise<void>;
}

export class Recovery {
  readonly #context: RecoveryContext;
  readonly #last = new BoundedMap<Uuid, Recovered>(REMEMBERED_MAX);

  constructor(context: RecoveryContext) {
    this.#context = context;
  }

  /**
   * An attempt has arrived. Called before that is recorded: if the process is killed meanwhile, the streak is still there for
   * the next attempt. Never rejects.
   */
  async note(endpoint: DeliveryEndpoint): Promise<void> {
    const { id, failingSince } = endpoint;
    if (failingSince === null) return;
    const last = this.#last.get(id);
    if (last?.failingSince === failingSince) return last.done;
    const recovered = { failingSince, done: this.#withPatience(endpoint) };
    this.#last.set(id, recovered);
    await recovered.done;
  }

  /** A deadlock, or a database that is away for a moment, passes. If not, the next attempt that arrives tries again. */
  async #withPatience(endpoint: DeliveryEndpoint): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        await this.#bringForward(endpoint);
        return;
      } catch (error) {
        if (attempt === TRIES) {
          this.#context.warn(error);
          if (this.#last.get(endpoint.id)?.failingSince === endpoint.failingSince) this.#last.delete(endpoint.id);
          return;
        }
        await delay(FIRST_RETRY_MS * 2 ** (attempt - 1));
      }
    }
  }

  /** Deliveries without room wait with their endpoint, which falls behind (outbox.ts). */
  async #bringForward({ bookId, id: endpointId }: DeliveryEndpoint): Promise<void> {
    const { pool, clock, statements, outboxOf, warn } = this.#context;
    const now = Math.floor(clock.now());
    let after: RetryPlace | undefined;
    do {
      const page = { now, after, limit: PAGE };
      const brought = await statements.run(bookId, () => bringForward(pool, { bookId, endpointId }, page));
      for (const eventSequence of brought.eventSequences)
        outboxOf(bookId, endpointId).offer({ eventSequence, endpointId }).catch(warn);
      after = brought.next && elsewhere('Deliveries that are brought forward', after, brought.next);
    } while (after !== undefined);
  }
}
