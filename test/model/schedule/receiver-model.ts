/**
 * A webhook receiver with its own record. It may answer 500, or give no answer, with or without recording the event.
 */
import type { EventPost, PostOutcome } from '../../../src/outside/connections/post-event.ts';
import type { Owner, Scheduler } from './scheduler.ts';

const ANSWERS: Record<'arrived' | 'failed' | 'silent', PostOutcome> = {
  arrived: { status: 200, error: null, retryAfter: undefined, response: null, isWhole: true },
  failed: { status: 500, error: null, retryAfter: undefined, response: 'Not now', isWhole: true },
  silent: { status: null, error: 'timeout', retryAfter: undefined, response: null, isWhole: false },
};

/** An event that arrived: how often, where, and its body. */
export interface Arrived {
  readonly times: number;
  readonly url: string;
  readonly body: string;
}

export class ReceiverModel {
  /** By event id. */
  readonly received = new Map<string, Arrived>();
  readonly #scheduler: Scheduler;
  /** The odds of a 500, and of no answer, with or without recording the event. */
  readonly #odds: { readonly failed: number; readonly silent: number };
  isFaulty = true;

  constructor(scheduler: Scheduler, odds: { failed: number; silent: number }) {
    this.#scheduler = scheduler;
    this.#odds = odds;
  }

  take(owner: Owner, { url, headers, body }: EventPost): Promise<PostOutcome> {
    const id = headers['webhook-id']!;
    return this.#scheduler.come(owner, {
      what: `post event ${JSON.parse(body).sequence}`,
      faults: ['dies before', 'dies after'],
      act: () => this.#answer(id, { url, body }),
      failure: () => new Error('A post does not fail, it ends'),
    });
  }

  #answer(id: string, arrived: Omit<Arrived, 'times'>): PostOutcome {
    const { random } = this.#scheduler;
    if (this.isFaulty && random.chance(this.#odds.failed)) return ANSWERS.failed;
    const isSilent = this.isFaulty && random.chance(this.#odds.silent);
    if (isSilent && random.chance(0.5)) return ANSWERS.silent;
    const known = this.received.get(id);
    this.received.set(id, { ...arrived, times: (known?.times ?? 0) + 1 });
    return isSilent ? ANSWERS.silent : ANSWERS.arrived;
  }
}
