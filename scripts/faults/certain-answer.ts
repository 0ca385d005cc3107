/** A request under a key, sent again under it until its answer is certain; and asked for again later, byte for byte. */
import { setTimeout as pause } from 'node:timers/promises';
import { type Answer, type Client, NotAsPromised, type Payout, type Problem } from './client.ts';

export interface KeyedRequest {
  readonly path: string;
  readonly key: string;
  readonly body: Record<string, unknown>;
}

/** With the first answer that was certain. */
export interface Sent extends KeyedRequest {
  readonly answer: Answer<Payout>;
}

/** One that stops nobody: an outage ends within seconds, and then the same key is tried again. */
const TRY_AGAIN_MS = 50;

export interface CertainAnswerOptions {
  /** Which client is asked first; the others follow in turn. */
  first?: number;
  isGivenUp?: () => boolean;
}

/** Throws NotAsPromised at an answer that no careful request gets, and when it was given up. */
export async function certainAnswer(
  clients: readonly Client[],
  { path, key, body }: KeyedRequest,
  { first = 0, isGivenUp = () => false }: CertainAnswerOptions = {},
): Promise<Answer<Payout>> {
  for (let attempt = first; !isGivenUp(); attempt++) {
    try {
      const answer = await clients[attempt % clients.length]!.post<Payout>(path, body, { idempotencyKey: key });
      if (isCertain(answer)) return answer;
    } catch (error) {
      if (error instanceof NotAsPromised) throw error;
    }
    await pause(TRY_AGAIN_MS);
  }
  throw new NotAsPromised(`The key ${key} had no certain answer`);
}

/** False where the same request is to be sent again. */
function isCertain({ status, body, text }: Answer<unknown>): boolean {
  if (status < 300 || status === 422) return true;
  if (status >= 500) return false;
  if (status === 409) return (body as Problem).code !== 'idempotency_in_progress';
  throw new NotAsPromised(`${status} ${text}`);
}

/** Throws NotAsPromised where the first answer does not come again, to the byte, marked as a replay. */
export async function expectFirstAnswerAgain(
  clients: readonly Client[],
  sent: Sent,
  options?: CertainAnswerOptions,
): Promise<void> {
  const again = await certainAnswer(clients, sent, options);
  const isSame = again.status === sent.answer.status && again.text === sent.answer.text;
  if (isSame && again.headers['idempotent-replayed'] === 'true') return;
  throw new NotAsPromised(`The key ${sent.key} was answered ${sent.answer.text}, and then ${again.text}`);
}
