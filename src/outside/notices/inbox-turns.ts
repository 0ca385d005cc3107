/** Limits how many inboxes of notices are processed at once. An inbox is processed by one job at a time. */
import type { Inbox } from './notice.ts';

/** Half of the rails pool's concurrency: large inboxes take long, and submissions of payouts must not wait for them. */
export const INBOXES_AT_ONCE = 8;

export interface InboxTurnsContext {
  /** `isUnfinished`: notices that are due are left. */
  take(inbox: Inbox): Promise<{ readonly isUnfinished: boolean }>;
  enqueue(inbox: Inbox): void;
}

export class InboxTurns {
  readonly #context: InboxTurnsContext;
  /** The inboxes in progress, each with whether it was requested again meanwhile. */
  readonly #taking = new Map<string, boolean>();

  constructor(context: InboxTurnsContext) {
    this.#context = context;
  }

  /** Processes an inbox, unless it is in progress or no slot is free. Its due notices stay due, and the sweeper enqueues them. */
  async take(inbox: Inbox): Promise<void> {
    const key = `${inbox.bookId} ${inbox.party}`;
    if (this.#taking.has(key)) {
      this.#taking.set(key, true);
      return;
    }
    if (this.#taking.size >= INBOXES_AT_ONCE) return;
    this.#taking.set(key, false);
    try {
      const { isUnfinished } = await this.#context.take(inbox);
      if (isUnfinished) this.#taking.set(key, true);
    } finally {
      if (this.#taking.get(key)) this.#context.enqueue(inbox);
      this.#taking.delete(key);
    }
  }
}
