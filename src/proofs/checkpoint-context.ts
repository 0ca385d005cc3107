/** The dependencies of making a checkpoint, the keys it trusts, and the error with which it refuses. */

import type { Pool } from '../db/pool.ts';
import type { Clock } from '../values/clock.ts';
import { publicId } from '../values/ids.ts';
import { isWellSigned } from './checkpoint.ts';
import type { StoredCheckpoint } from './checkpoint-store.ts';
import { keyIdOf, type SigningKey } from './signing-key.ts';

export interface CheckpointContext {
  /** Connects as the signer: the application's role cannot insert checkpoints. */
  readonly pool: Pool;
  readonly clock: Clock;
  readonly key: SigningKey;
  /** Ids of this installation's earlier keys. */
  readonly formerKeyIds?: ReadonlySet<string>;
  /** Called after every page with the number of entries and events read so far, and of all to read. */
  readonly onProgress?: (progress: { done: bigint; total: bigint }) => void;
  /** Called and awaited after every page, with the time the page took. */
  readonly rest?: (tookMs: number) => Promise<void>;
  /** Aborts the work between two pages. */
  readonly signal?: AbortSignal;
}

/** The journal does not verify, and nothing is signed. The message names the place; `npm run verify` reports more. */
export class JournalDoesNotVerify extends Error {
  override name = 'JournalDoesNotVerify';
}

/** Whether one of our keys, current or former, signed the row's note. The signature does not cover the peaks. */
export function isOurs({ key, formerKeyIds }: CheckpointContext, checkpoint: StoredCheckpoint): boolean {
  const id = keyIdOf(checkpoint.publicKey);
  return (id === key.keyId || (formerKeyIds?.has(id) ?? false)) && isWellSigned(checkpoint);
}

export function nameOf({ id }: StoredCheckpoint): string {
  return `Checkpoint ${publicId('checkpoint', id)}`;
}
