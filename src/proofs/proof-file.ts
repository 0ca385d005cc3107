/**
 * Reads checkpoints and proofs from files, as `npm run checkpoint` writes them (one object a line) or as the API
 * answers (an object or a list). Checks only their form.
 */
import type { CheckpointView, Note } from './checkpoint.ts';
import type { ConsistencyProof, InclusionProof } from './prove.ts';

/** The file is not a checkpoint or proof. The message explains why. */
export class UnreadableProof extends Error {
  override name = 'UnreadableProof';
}

export type Proof = InclusionProof | ConsistencyProof;

/** Throws UnreadableProof. */
export function readCheckpoints(text: string): CheckpointView[] {
  const found = objectsIn(text).flatMap((value) => (value.object === 'list' ? (value.data as unknown[]) : [value]));
  const checkpoints = found.map((value) => checkpointFrom(value));
  if (checkpoints.length === 0) throw new UnreadableProof('It holds no checkpoint');
  return checkpoints;
}

/** Throws UnreadableProof. */
export function readProofs(text: string): Proof[] {
  const found = objectsIn(text);
  if (found.length === 0) throw new UnreadableProof('It holds no proof');
  return found.map((value) => {
    const proof = value as unknown as Proof;
    if (proof.object === 'inclusion_proof') {
      expectHashes('hash', [proof.hash]);
      expectHashes('audit_path', proof.audit_path);
      expectSize('leaf_index', proof.leaf_index);
      if (typeof proof.entry !== 'object' || proof.entry === null) throw new UnreadableProof('It has no `entry`');
      checkpointFrom(proof.checkpoint);
    } else if (proof.object === 'consistency_proof') {
      expectHashes('entry_path', proof.entry_path);
      expectHashes('event_path', proof.event_path);
      checkpointFrom(proof.first);
      checkpointFrom(proof.second);
    } else {
      throw new UnreadableProof('It is neither an inclusion_proof nor a consistency_proof');
    }
    return proof;
  });
}

function objectsIn(text: string): Record<string, unknown>[] {
  const whole = parsed(text);
  const values =
    whole === undefined
      ? text
          .split('\n')
          .filter((line) => line.trim() !== '')
          .map(parsed)
      : [whole];
  return values.map((value) => {
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
    throw new UnreadableProof('It is not JSON, nor a JSON object on each line');
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const HASHES: readonly (keyof Note)[] = ['root_hash', 'chain_hash', 'event_root_hash'];
const TEXTS: readonly (keyof Note)[] = ['book', 'mode', 'created_at', 'key_id'];

function checkpointFrom(value: unknown): CheckpointView {
  const checkpoint = value as CheckpointView;
  if (checkpoint?.object !== 'checkpoint') throw new UnreadableProof('It holds something that is no checkpoint');
  const { note } = checkpoint;
  if (note?.type !== 'countinghouse.checkpoint.v1') {
    throw new UnreadableProof('It holds a checkpoint whose note is of no kind that is known here');
  }
  for (const name of HASHES) expectHashes(name, [note[name]]);
  for (const name of ['tree_size', 'event_tree_size'] as const) expectSize(name, note[name]);
  const texts = [...TEXTS.map((name) => note[name]), checkpoint.id, checkpoint.public_key, checkpoint.signature];
  if (texts.some((text) => typeof text !== 'string'))
    throw new UnreadableProof('It holds a checkpoint with a part missing');
  return checkpoint;
}

function expectHashes(name: string, values: unknown): void {
  const good =
    Array.isArray(values) && values.every((value) => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value));
  if (!good) throw new UnreadableProof(`\`${name}\` is to be of 64 small hexadecimal digits`);
}

function expectSize(name: string, value: unknown): void {
  if (Number.isSafeInteger(value) && (value as number) >= 0) return;
  throw new UnreadableProof(`\`${name}\` is to be a whole number from 0`);
}
