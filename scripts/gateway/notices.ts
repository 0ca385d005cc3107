/** Sends the reference gateway's notices, signed, until the product has accepted each: the same message again under the same id. */
import { randomUUID } from 'node:crypto';
import { request } from 'undici';
import { toJson } from '../../src/values/json.ts';
import { type SigningKey, sign } from '../../src/values/standard-webhooks.ts';

/** The pause after the first attempt; each further one is twice as long, up to the limit. */
const PAUSE_MS = 250;
const PAUSE_MAX_MS = 60_000;

export interface SignedNotice {
  readonly id: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

export class NoticeSender {
  /** The notices so far, in order: for trials and tests. */
  readonly sent: { readonly id: string; readonly body: string }[] = [];
  /** Keeps notices back while true. */
  isSilent = false;
  readonly #url: () => string | undefined;
  readonly #keys: () => readonly SigningKey[];
  readonly #timers = new Set<NodeJS.Timeout>();
  #closed = false;

  constructor({ url, keys }: { url: () => string | undefined; keys: () => readonly SigningKey[] }) {
    this.#url = url;
    this.#keys = keys;
  }

  /** Sends a notice: its members, as the contract names them. */
  send(notice: object): void {
    const message = {
      id: `ntc_${randomUUID()}`,
      body: toJson({ ...notice, created_at: new Date().toISOString() }),
    };
    this.sent.push(message);
    void this.#deliver(message, PAUSE_MS);
  }

  /** A message as it is sent at this moment. */
  signed({ id, body }: { id: string; body: string }, atMs = Date.now()): SignedNotice {
    const timestampSeconds = Math.floor(atMs / 1_000);
    return {
      id,
      body,
      headers: {
        'content-type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': String(timestampSeconds),
        'webhook-signature': sign({ id, timestampSeconds, body }, this.#keys()),
      },
    };
  }

  close(): void {
    this.#closed = true;
    for (const timer of this.#timers) clearTimeout(timer);
  }

  async #deliver(message: { id: string; body: string }, pauseMs: number): Promise<void> {
    const url = this.#url();
    if (this.#closed || url === undefined) return;
    if (!this.isSilent && (await this.#post(url, message))) return;
    if (this.#closed) return;
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      void this.#deliver(message, Math.min(2 * pauseMs, PAUSE_MAX_MS));
    }, pauseMs);
    this.#timers.add(timer);
  }

  async #post(url: string, message: { id: string; body: string }): Promise<boolean> {
    try {
      const { headers, body } = this.signed(message);
      const answer = await request(url, { method: 'POST', headers: { ...headers }, body });
      await answer.body.dump();
      return answer.statusCode < 300;
    } catch {
      return false;
    }
  }
}
