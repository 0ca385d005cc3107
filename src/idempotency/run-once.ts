import type { Pool } from '../db/pool.ts';
import { ApiError } from '../errors/errors.ts';
import type { BookId } from '../ledger/book/book.ts';
import type { Command, Refusal } from '../ledger/command/command.ts';
import type { Committer } from '../ledger/commit/committer.ts';
import type { Uuid } from '../values/ids.ts';
import { fillAnswer } from './fill-answer.ts';
import type { Fingerprints } from './fingerprints.ts';
import type { Stored } from './idempotency-key.ts';
import { firstAnswer, type OnceAnswer, once, refusalAnswer } from './once.ts';

export interface OnceRuntime {
  readonly pool: Pool;
  readonly committer: Committer;
  readonly fingerprints: Fingerprints;
  readonly publicUrl: string;
}

export interface OnceInput {
  bookId: BookId;
  key: string | null;
  callerKey?: string | null | undefined;
  fingerprint: Buffer;
  requestId: Uuid;
  command: Command<Stored | Refusal>;
  /** Same checks and same answer; nothing is written and no key is used. */
  dryRun?: boolean;
  deadlineMs?: number;
}

/** Requests in progress in this process, by key: a caller whose wait ran out gets the cause of the wait. */
const inProgress = new Map<string, number>();

/**
 * Carries out a command under its idempotency key. A duplicate waits behind the first request in the book's queue.
 * Throws ApiError `idempotency_in_progress` when the wait runs out while this process has another request with the key,
 * otherwise `service_unavailable`.
 */
export async function runOnce(runtime: OnceRuntime, input: OnceInput): Promise<OnceAnswer> {
  const { bookId, command } = input;
  if (input.dryRun) {
    const answer = await runtime.committer.preview(bookId, command);
    const stored = answer.refused
      ? refusalAnswer(answer, { requestId: input.requestId, publicUrl: runtime.publicUrl })
      : answer;
    return fillAnswer(runtime.pool, bookId, firstAnswer(stored));
  }
  const wrapped = once(command, {
    key: input.key,
    callerKey: input.callerKey,
    fingerprint: input.fingerprint,
    fingerprints: runtime.fingerprints,
    publicUrl: runtime.publicUrl,
  });
  const submit = async () => {
    const answer = await runtime.committer.submit(bookId, wrapped, { deadlineMs: input.deadlineMs });
    return fillAnswer(runtime.pool, bookId, answer);
  };
  if (input.key === null) return submit();
  const name = `${bookId} ${input.key}`;
  inProgress.set(name, (inProgress.get(name) ?? 0) + 1);
  try {
    return await submit();
  } catch (error) {
    if (error instanceof ApiError && error.code === 'service_unavailable' && inProgress.get(name)! > 1) {
      throw new ApiError('idempotency_in_progress', { headers: { 'Retry-After': '1' } });
    }
    throw error;
  } finally {
    const others = inProgress.get(name)! - 1;
    if (others === 0) inProgress.delete(name);
    else inProgress.set(name, others);
  }
}
