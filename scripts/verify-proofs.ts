/**
 * `npm run verify -- --checkpoint FILE --proof FILE`: checks proofs against the checkpoints that an auditor keeps,
 * without a database or a network, and prints each result.
 */
import { readBounded } from '../src/intake/read-bounded.ts';
import type { CheckpointView } from '../src/proofs/checkpoint.ts';
import { type Judgement, judgeCheckpoint, judgeProof } from '../src/proofs/judge-proof.ts';
import { readCheckpoints, readProofs, UnreadableProof } from '../src/proofs/proof-file.ts';

/** Hundreds of thousands of checkpoints. */
const PROOF_BYTES_MAX = 256 * 1024 * 1024;

export interface ProofOptions {
  checkpoint?: string[];
  proof?: string[];
  publicKey?: string[];
  json?: boolean;
}

/** Reads files of checkpoints. Throws UnreadableProof with the file's name. */
export function readCheckpointFiles(files: readonly string[] = []): CheckpointView[] {
  return files.flatMap((file) => readFrom(file, readCheckpoints));
}

/** Prints each check. Returns whether all of them pass. Throws UnreadableProof. */
export function verifyProofs({ checkpoint: files, proof, publicKey: keys = [], json }: ProofOptions): boolean {
  if (!files) throw new UnreadableProof('--proof is checked against --checkpoint FILE, the checkpoints that you keep');
  const known = readCheckpointFiles(files);
  const proofs = (proof ?? []).flatMap((file) => readFrom(file, readProofs));
  const judgements = [
    ...known.flatMap((checkpoint) => judgeCheckpoint(checkpoint, keys)),
    ...proofs.flatMap((one) => judgeProof(one, known)),
  ];
  return printJudgements(judgements, { keys, json });
}

/** Returns whether all of them are right. */
export function printJudgements(
  judgements: readonly Judgement[],
  { keys, json }: { readonly keys: readonly string[]; readonly json?: boolean | undefined },
): boolean {
  const ok = judgements.every(({ isSound }) => isSound);
  if (json) console.log(JSON.stringify({ ok, judgements }));
  else print(judgements, ok);
  if (keys.length === 0) console.error('No key was pinned: --public-key names one that you trust.');
  return ok;
}

function print(judgements: readonly Judgement[], ok: boolean): void {
  for (const { isSound, text } of judgements) console.log(`${isSound ? 'holds' : 'FAILS'}  ${text}`);
  console.log(ok ? 'Everything holds.' : 'Not everything holds.');
}

function readFrom<Content>(file: string, read: (text: string) => Content): Content {
  try {
    return read(readBounded(file, PROOF_BYTES_MAX).toString('utf8'));
  } catch (error) {
    throw new UnreadableProof(`${file}: ${(error as Error).message}`, { cause: error });
  }
}
