/**
 * Checks checkpoints and proofs offline: without a database or network, and without trust in the sender. The auditor
 * trusts only the checkpoints they kept and the key they pinned.
 */
import { createHash } from 'node:crypto';
import { isUuid, publicId } from '../values/ids.ts';
import { canonicalJson } from '../values/json.ts';
import { type CheckpointView, signedText } from './checkpoint.ts';
import { provesConsistency, provesInclusion } from './merkle-proof.ts';
import { leafHash } from './merkle-tree.ts';
import type { Proof } from './proof-file.ts';
import type { ConsistencyProof, InclusionProof } from './prove.ts';
import { isSignedBy, keyIdOf } from './signing-key.ts';

/** The result of one check, in words. */
export interface Judgement {
  readonly isSound: boolean;
  readonly text: string;
}

/** `pinned`: public keys (base64) or their ids, one of which must have signed. An empty list accepts any key. */
export function judgeCheckpoint(checkpoint: CheckpointView, pinned: readonly string[]): Judgement[] {
  const { note } = checkpoint;
  const publicKey = Buffer.from(checkpoint.public_key, 'base64');
  const signed = isSignedBy(publicKey, signedText(note), Buffer.from(checkpoint.signature, 'base64'));
  const named = keyIdOf(publicKey) === note.key_id;
  const judgements = [
    judged(
      signed && named,
      `${describeCheckpoint(checkpoint)} is signed by ${note.key_id}, ${note.created_at}.`,
      `${describeCheckpoint(checkpoint)} is not what ${note.key_id} signed.`,
    ),
  ];
  if (pinned.length > 0) {
    const known = pinned.includes(note.key_id) || pinned.includes(checkpoint.public_key);
    judgements.push(
      judged(known, `${note.key_id} is a key that you trust.`, `${note.key_id} is none of the keys that you trust.`),
    );
  }
  return judgements;
}

/** `known`: the checkpoints that the auditor has. A proof must lead to one of them. */
export function judgeProof(proof: Proof, known: readonly CheckpointView[]): Judgement[] {
  return proof.object === 'inclusion_proof' ? judgeInclusion(proof, known) : judgeConsistency(proof, known);
}

function judgeInclusion(proof: InclusionProof, known: readonly CheckpointView[]): Judgement[] {
  const { entry, checkpoint } = proof;
  const name = `Entry ${proof.journal_entry}`;
  const hash = createHash('sha256').update(canonicalJson(entry)).digest();
  const place = proof.leaf_index + 1;
  const isNamed =
    publicIdOf('book', entry.book_id) === checkpoint.note.book &&
    publicIdOf('entry', entry.id) === proof.journal_entry &&
    entry.sequence === `${place}`;
  const isLast = place === checkpoint.note.tree_size;
  return [
    judged(
      hash.toString('hex') === proof.hash,
      `${name} has the hash ${proof.hash}.`,
      `${name} has the hash ${hash.toString('hex')}, and not ${proof.hash}: it is not the entry that was booked.`,
    ),
    judged(
      isNamed,
      `It is number ${place} of ${checkpoint.note.book}.`,
      `It is not the entry, the number or the book that the proof says it is.`,
    ),
    judged(
      provesInclusion({
        leaf: leafHash(hash),
        index: BigInt(proof.leaf_index),
        size: BigInt(checkpoint.note.tree_size),
        path: proof.audit_path.map(bytes),
        root: bytes(checkpoint.note.root_hash),
      }) &&
        (!isLast || proof.hash === checkpoint.note.chain_hash),
      `It is in ${describeCheckpoint(checkpoint)}.`,
      `It is not in ${describeCheckpoint(checkpoint)}: its path does not lead there.`,
    ),
    judgeKnown(checkpoint, known),
  ];
}

function judgeConsistency(proof: ConsistencyProof, known: readonly CheckpointView[]): Judgement[] {
  const { first, second } = proof;
  const [older, newer] = [first.note, second.note];
  const entries = provesConsistency({
    firstSize: BigInt(older.tree_size),
    firstRoot: bytes(older.root_hash),
    secondSize: BigInt(newer.tree_size),
    secondRoot: bytes(newer.root_hash),
    path: proof.entry_path.map(bytes),
  });
  const events = provesConsistency({
    firstSize: BigInt(older.event_tree_size),
    firstRoot: bytes(older.event_root_hash),
    secondSize: BigInt(newer.event_tree_size),
    secondRoot: bytes(newer.event_root_hash),
    path: proof.event_path.map(bytes),
  });
  const between = `between ${first.id} and ${second.id}`;
  return [
    judged(
      older.book === newer.book && older.mode === newer.mode,
      `Both checkpoints are of ${older.book}.`,
      `The checkpoints are of two books, ${older.book} and ${newer.book}.`,
    ),
    judged(
      entries,
      `The first ${older.tree_size} entries are the same in both; ${newer.tree_size - older.tree_size} were added ${between}.`,
      `The entries were not only added to ${between}: something was changed, taken away or put in.`,
    ),
    judged(
      events,
      `The first ${older.event_tree_size} events are the same in both; ${newer.event_tree_size - older.event_tree_size} were added ${between}.`,
      `The events were not only added to ${between}: something was changed, taken away or put in.`,
    ),
    judgeKnown(first, known),
    judgeKnown(second, known),
  ];
}

/** Compares notes, since the note is what was signed. */
function judgeKnown(checkpoint: CheckpointView, known: readonly CheckpointView[]): Judgement {
  const same = known.some(({ note }) => signedText(note) === signedText(checkpoint.note));
  return judged(
    same,
    `${checkpoint.id} is a checkpoint that you hold.`,
    `${describeCheckpoint(checkpoint)} is none of those that you hold: ask for a proof with ?checkpoint= one of yours.`,
  );
}

export function describeCheckpoint({ id, note }: CheckpointView): string {
  return `Checkpoint ${id} of ${note.book} (${note.tree_size} entries, ${note.event_tree_size} events)`;
}

function judged(isSound: boolean, yes: string, no: string): Judgement {
  return { isSound, text: isSound ? yes : no };
}

function publicIdOf(kind: 'book' | 'entry', id: unknown): string | undefined {
  return isUuid(id) ? publicId(kind, id) : undefined;
}

function bytes(hex: string): Buffer {
  return Buffer.from(hex, 'hex');
}
