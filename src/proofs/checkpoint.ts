/**
 * A checkpoint: a signed statement of a book's journal at a moment. Its note fixes the journal by three hashes: the
 * root over all entries, the head of their chain, and the root over all events. The chain alone cannot show that a
 * journal was cut short or rewritten from its first entry; a checkpoint kept elsewhere can.
 * Next: make-checkpoint.ts (verified, then signed), prove.ts (proofs from it), judge-proof.ts (checked offline).
 */

import type { BookId, Mode } from '../ledger/book/book.ts';
import { formatInstant, type Instant } from '../values/clock.ts';
import { publicId, type Uuid } from '../values/ids.ts';
import { canonicalJson } from '../values/json.ts';
import { isSignedBy, keyIdOf, type SigningKey } from './signing-key.ts';

export interface Checkpoint {
  readonly bookId: BookId;
  readonly mode: Mode;
  readonly id: Uuid;
  /** Entries 1 to `treeSize` are the leaves of the tree. */
  readonly treeSize: bigint;
  readonly rootHash: Buffer;
  /** The hash of the last of these entries. */
  readonly chainHash: Buffer;
  /** Events 1 to `eventTreeSize` are the leaves of the second tree. */
  readonly eventTreeSize: bigint;
  readonly eventRootHash: Buffer;
  readonly createdAt: Instant;
  readonly publicKey: Buffer;
  readonly signature: Buffer;
}

/** The content that is signed, as everyone sees it. Hashes in hex. */
export interface Note {
  type: 'countinghouse.checkpoint.v1';
  book: string;
  mode: Mode;
  tree_size: number;
  root_hash: string;
  chain_hash: string;
  event_tree_size: number;
  event_root_hash: string;
  created_at: string;
  key_id: string;
}

/** A checkpoint as the API and checkpoint files show it. */
export interface CheckpointView {
  id: string;
  object: 'checkpoint';
  note: Note;
  /** Base64. */
  public_key: string;
  signature: string;
}

type Unsigned = Omit<Checkpoint, 'publicKey' | 'signature'>;

export function signCheckpoint(unsigned: Unsigned, key: SigningKey): Checkpoint {
  const signature = key.sign(signedText(noteOf(unsigned, key.publicKey)));
  return { ...unsigned, publicKey: key.publicKey, signature };
}

/** Whether the signature matches the checkpoint's own public key. Only a pinned key shows whose key that is. */
export function isWellSigned(checkpoint: Checkpoint): boolean {
  const { publicKey, signature } = checkpoint;
  return isSignedBy(publicKey, signedText(noteOf(checkpoint, publicKey)), signature);
}

/** The canonical JSON (RFC 8785) of the note. */
export function signedText(note: Note): string {
  return canonicalJson(note);
}

export function checkpointView(checkpoint: Checkpoint): CheckpointView {
  return {
    id: publicId('checkpoint', checkpoint.id),
    object: 'checkpoint',
    note: noteOf(checkpoint, checkpoint.publicKey),
    public_key: checkpoint.publicKey.toString('base64'),
    signature: checkpoint.signature.toString('base64'),
  };
}

/** Sizes are JSON numbers: no book reaches 2^53 entries. */
function noteOf(checkpoint: Unsigned, publicKey: Buffer): Note {
  return {
    type: 'countinghouse.checkpoint.v1',
    book: publicId('book', checkpoint.bookId),
    mode: checkpoint.mode,
    tree_size: Number(checkpoint.treeSize),
    root_hash: checkpoint.rootHash.toString('hex'),
    chain_hash: checkpoint.chainHash.toString('hex'),
    event_tree_size: Number(checkpoint.eventTreeSize),
    event_root_hash: checkpoint.eventRootHash.toString('hex'),
    created_at: formatInstant(checkpoint.createdAt),
    key_id: keyIdOf(publicKey),
  };
}
