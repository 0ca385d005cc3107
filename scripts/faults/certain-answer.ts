/** Sends a request under its key until the answer is certain, and asks for that answer again later, byte for byte. */
import { setTimeout as pause } from 'node:timers/promises';
import { type Answer, type Client, NotAsPromised, type Payout, type Problem } from '../harness/client.ts';

export interface KeyedRequest {
  readonly path: string;
  readonly key: string;
  readonly body: Record<string, unknown>;
  readonly headers?: Record<string, string>;
}

/** A request with its first certain answer. */
export interface Sent<Body = Payout> extends KeyedRequest {
  readonly answer: Answer<Body>;
}

/** Pause before the same key is sent again: an outage ends within seconds. */
const TRY_AGAIN_MS = 50;

export interface CertainAnswerOptions {
  /** Index of the client to ask first; the others follow in turn. */
  first?: number;
  isAbandoned?: () => boolean;
}

/** Throws NotAsPromised at an answer that no careful request gets, and when the request is abandoned. */
export async function certainAnswer<Body = Payout>(
  clients: readonly Client[],
  { path, key, body, headers }: KeyedRequest,
  { first = 0, isAbandoned = () => false }: CertainAnswerOptions = {},
): Promise<Answer<Body>> {
  for (let attempt = first; !isAbandoned(); attempt++) {
    try {
      const client = clients[attempt % clients.length]!;
      const answer = await client.post<Body>(path, body, { idempotencyKey: key, headers });
      if (isCertain(answer)) return answer;
    } catch (error) {
      if (error instanceof NotAsPromised) throw error;
    }
    await pause(TRY_AGAIN_MS);
  }
  throw new NotAsPromised(`The key ${key} had no certain answer`);
}

/** Returns false when the same request is to be sent again. Throws NotAsPromised as certainAnswer does. */
function isCertain({ status, body, text }: Answer<unknown>): boolean {
  if (status < 300 || status === 422) return true;
  if (status >= 500) return false;
  if (status === 409) return (body as Problem).code !== 'idempotency_in_progress';
  throw new NotAsPromised(`${status} ${text}`);
}

/** Throws NotAsPromised unless the first answer comes again, byte for byte and marked as a replay. */
export async function expectFirstAnswerAgain(
  clients: readonly Client[],
  sent: Sent<unknown>,
  options?: CertainAnswerOptions,
): Promise<void> {
  const again = await certainAnswer<unknown>(clients, sent, options);
  const isSame = again.status === sent.answer.status && again.text === sent.answer.text;
  if (isSame && again.headers['idempotent-replayed'] === 'true') return;
  throw new NotAsPromised(`The key ${sent.key} was answered ${sent.answer.text}, and then ${again.text}`);
}
