/**
 * A use case: a request in three parts.
 *
 *   prepare   reads, and calls to the outside that move nothing (a card decision, a quote)
 *   commit    the one command that it prepared, once under its idempotency key
 *   follow    a call to the outside and its own command (an acquirer), if any
 *
 * A process may die between any two. A committed row is due, and a worker does the rest: so `follow` is what the
 * worker's job does, over the row as it is by then.
 */
import type { Pool } from '../db/pool.ts';
import type { BookId } from '../ledger/book/book.ts';
import type { Command, Refusal } from '../ledger/command/command.ts';
import { retryStaleReads } from '../ledger/commit/stale-read.ts';
import type { Uuid } from '../values/ids.ts';
import { fillAnswer } from './fill-answer.ts';
import type { Following } from './following.ts';
import type { Stored } from './idempotency-key.ts';
import { idempotencyKeys } from './idempotency-table.ts';
import { type OnceAnswer, recall } from './once.ts';
import { type OnceRuntime, runOnce } from './run-once.ts';

/** The caller, and the key of the request. */
export interface Asked {
  readonly bookId: BookId;
  readonly actor: string;
  readonly requestId: Uuid;
  readonly idempotencyKey: string | null;
  /** The caller's, beside a key that the request has of itself. */
  readonly callerKey?: string | null;
  /** The digest of the request. */
  readonly fingerprint: Buffer;
  /** Same checks and same answer; nothing is written, no key is used, and nothing follows. */
  readonly dryRun?: boolean;
}

export interface Prepared {
  readonly command: Command<Stored | Refusal>;
  /** Called once the command is committed, never for a refusal or a replay. */
  readonly follow?: (answer: OnceAnswer) => Promise<void>;
}

export interface UseCase<Runtime, Input extends Asked> {
  /**
   * A request whose key is known gets its answer before anything is prepared. For a use case whose first step calls the
   * outside, as a simulation does, or refuses by facts that change later.
   */
  readonly keyFirst?: true;
  /** What the answer waits for, if the use case has a `follow`: by default the commit alone. */
  readonly answers?: 'after_commit' | 'after_follow';
  /** Throws ApiError for refusals that need no command. Called again where the decision throws StaleRead. */
  prepare(runtime: Runtime, input: Input): Promise<Prepared>;
}

export async function carryOut<Runtime extends OnceRuntime & { pool: Pool }, Input extends Asked>(
  runtime: Runtime,
  useCase: UseCase<Runtime, Input>,
  input: Input,
  following: Following,
): Promise<OnceAnswer> {
  const { bookId, idempotencyKey: key, callerKey, fingerprint, requestId, dryRun } = input;
  if (useCase.keyFirst && key !== null) {
    const known = await idempotencyKeys.find(runtime.pool, bookId, key);
    const { fingerprints, publicUrl } = runtime;
    if (known) {
      const answer = recall(known, { key, fingerprint, fingerprints, publicUrl }, requestId);
      return fillAnswer(runtime.pool, bookId, answer);
    }
  }
  const { answer, follow } = await retryStaleReads(async () => {
    const prepared = await useCase.prepare(runtime, input);
    const { command } = prepared;
    const answer = await runOnce(runtime, { bookId, key, callerKey, fingerprint, requestId, command, dryRun });
    return { ...prepared, answer };
  });
  if (follow === undefined || dryRun || answer.replayed || answer.status >= 400) return answer;
  const followed = following.run(() => follow(answer));
  if (useCase.answers === 'after_follow') await followed;
  return answer;
}
