/** Which inboxes of notices are being taken: few at a time, each by one job. */
import type { Inbox } from './notice.ts';

/** Half of what a worker takes of its pool: those of crowded inboxes last, and what is submitted waits for none of them. */
export const INBOXES_AT_ONCE = 8;

export interface InboxTurnsContext {
  take(inbox: Inbox): Promise<unknown>;
  enqueue(inbox: Inbox): void;
}

export class InboxTurns {
  readonly #context: InboxTurnsContext;
  /** Of each inbox that is being taken: whether it was asked for again meanwhile. */
  readonly #taking = new Map<string, boolean>();

  constructor(context: InboxTurnsContext) {
    this.#context = context;
  }

  /** Takes an inbox, unless it is being taken or others have all places: what is due stays due, and the sweeper enqueues it. */
  async take(inbox: Inbox): Promise<void> {
    const key = `${inbox.bookId} ${inbox.party}`;
    if (this.#taking.has(key)) {
      this.#taking.set(key, true);
      return;
    }
    if (this.#taking.size >= INBOXES_AT_ONCE) return;
    this.#taking.set(key, false);
    try {
      await this.#context.take(inbox);
    } finally {
      if (this.#taking.get(key)) this.#context.enqueue(inbox);
      this.#taking.delete(key);
    }
  }
}
