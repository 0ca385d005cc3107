/** What making a checkpoint needs, whom it believes, and how it refuses. */
import type { Clock } from '../clock.ts';
import type { Pool } from '../db/pool.ts';
import { publicId } from '../ids.ts';
import { isWellSigned } from './checkpoint.ts';
import type { StoredCheckpoint } from './checkpoint-store.ts';
import { keyIdOf, type SigningKey } from './signing-key.ts';

export interface CheckpointContext {
  /** The signer's: the application's role may not add checkpoints. */
  readonly pool: Pool;
  readonly clock: Clock;
  readonly key: SigningKey;
  /** Ids of keys of ours that signed before this one. */
  readonly formerKeyIds?: ReadonlySet<string>;
  /** Called for every page: entries and events gone through, and how many there are. */
  readonly onProgress?: (progress: { done: bigint; total: bigint }) => void;
  /** Called between two pages, with how long the last one took. */
  readonly rest?: (tookMs: number) => Promise<void>;
  /** Gives up between two pages. */
  readonly signal?: AbortSignal;
}

/** What is there is not what was booked: nothing is signed. The message says where; `npm run verify` says more. */
export class JournalDoesNotVerify extends Error {
  override name = 'JournalDoesNotVerify';
}

/** Whether a key of ours signed what stands in the row. The peaks are not signed. */
export function isOurs({ key, formerKeyIds }: CheckpointContext, checkpoint: StoredCheckpoint): boolean {
  const id = keyIdOf(checkpoint.publicKey);
  return (id === key.keyId || (formerKeyIds?.has(id) ?? false)) && isWellSigned(checkpoint);
}

export function nameOf({ id }: StoredCheckpoint): string {
  return `Checkpoint ${publicId('checkpoint', id)}`;
}
