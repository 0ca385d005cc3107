/**
 * Checks a close pack offline: without a database or network, and without trust in whoever sends it. The auditor trusts the key that they
 * pinned and the packs that they kept. Entries are read once, line by line; in memory are accounts.
 * Next: judge-entries.ts (the chain, and what entries add up to), judge-figures.ts (tables and reports against that).
 */
import { type CheckpointView, signedText } from '../proofs/checkpoint.ts';
import { type Judgement, judgeCheckpoint, judgeProof } from '../proofs/judge-proof.ts';
import { type Proof, readCheckpoints, readProofs } from '../proofs/proof-file.ts';
import { judgeEntries } from './judge-entries.ts';
import { judgeFigures } from './judge-figures.ts';
import { MANIFEST, type Manifest, OPENING_FILES, PACK_FILES, UnreadablePack } from './pack.ts';
import { bytesOf, measure, namesIn, type ReadPack } from './pack-folder.ts';

export interface JudgeOptions {
  /** Public keys (base64) or their ids, one of which must have signed. An empty list accepts any key. */
  readonly keys: readonly string[];
  /** The pack before, where it is at hand. */
  readonly previous?: ReadPack | undefined;
  readonly onProgress?: (progress: { readonly done: bigint; readonly total: bigint }) => void;
}

/** Throws UnreadablePack, BadInput and UnreadableProof for what cannot be read at all. */
export async function judgePack(pack: ReadPack, { keys, previous, onProgress }: JudgeOptions): Promise<Judgement[]> {
  const { folder, manifest } = pack;
  const judgements = await judgeFiles(pack);
  const missing = requiredFiles(manifest).filter((name) => !namesIn(folder).includes(name));
  // Nothing more can be read off a pack that is short of a file.
  if (missing.length > 0) return judgements;
  judgements.push(...judgePeriod(pack), ...judgePrevious(pack, previous));
  const { fold, judgements: ofEntries } = await judgeEntries(pack, onProgress);
  judgements.push(...ofEntries, ...judgeProofs(pack, keys));
  // Figures of other entries prove nothing.
  if (fold !== undefined) judgements.push(...(await judgeFigures(pack, fold)));
  return judgements;
}

const judged = (isRight: boolean, yes: string, no: string): Judgement => ({
  isSound: isRight,
  text: isRight ? yes : no,
});

function requiredFiles({ previous }: Manifest): string[] {
  return [...Object.values(PACK_FILES), ...(previous === null ? [] : Object.values(OPENING_FILES))];
}

async function judgeFiles({ folder, manifest }: ReadPack): Promise<Judgement[]> {
  const named = new Map(manifest.files.map((file) => [file.name, file]));
  const judgements: Judgement[] = [];
  const names = [...new Set([...requiredFiles(manifest), ...named.keys()])];
  for (const name of names) {
    const [file, found] = [named.get(name), await measure(folder, name)];
    if (file === undefined)
      judgements.push(judged(false, '', `${name} is not in ${MANIFEST}, and belongs to every pack.`));
    else if (found === undefined) judgements.push(judged(false, '', `${name} is missing. Ask for the pack again.`));
    else
      judgements.push(
        judged(
          found.sha256 === file.sha256 && found.bytes === file.bytes,
          `${name} is as ${MANIFEST} says (${file.sha256}).`,
          `${name} has ${found.bytes} bytes and the SHA-256 ${found.sha256}; ${MANIFEST} says ${file.bytes} and ${file.sha256}.`,
        ),
      );
  }
  for (const name of namesIn(folder))
    if (name !== MANIFEST && !names.includes(name))
      judgements.push(judged(false, '', `${name} is not in ${MANIFEST}.`));
  return judgements;
}

function judgePeriod({ folder, manifest }: ReadPack): Judgement[] {
  const period = jsonIn(folder, PACK_FILES.period);
  const stated = [manifest.period, manifest.through, String(manifest.through_sequence), manifest.chain_hash];
  const found = [period.id, period.through, String(period.through_sequence), period.chain_hash];
  return [
    judged(
      stated.join() === found.join(),
      `${manifest.period} closed the days ${manifest.from} to ${manifest.through}, up to entry ${manifest.through_sequence}.`,
      `${PACK_FILES.period} and ${MANIFEST} say different things of the period: ${found.join(', ')}, and ${stated.join(', ')}.`,
    ),
    judged(
      period.trial_balance_digest === manifest.trial_balance.period_digest,
      `Its trial balance is ${manifest.trial_balance.period_digest}.`,
      `Its trial balance is ${String(period.trial_balance_digest)}, and ${MANIFEST} says ${manifest.trial_balance.period_digest}.`,
    ),
  ];
}

function judgePrevious({ folder, manifest }: ReadPack, previous: ReadPack | undefined): Judgement[] {
  const named = manifest.previous;
  if (previous === undefined) return [];
  if (named === null) return [judged(false, '', 'It is the first pack of its book, and goes on from none.')];
  const isIt = named.manifest_sha256 === previous.manifestSha256;
  const sameTables = (['accounts', 'later'] as const).every((table) =>
    bytesOf(folder, OPENING_FILES[table]).equals(bytesOf(previous.folder, PACK_FILES[table])),
  );
  const { manifest: before } = previous;
  const isItsEnd = before.chain_hash === named.chain_hash && before.through_sequence === named.through_sequence;
  return [
    judged(
      isIt && isItsEnd && before.book === manifest.book,
      `It goes on from the pack of ${named.period}, behind entry ${named.through_sequence}.`,
      `It goes on from another pack than ${previous.folder}: that of ${named.period}, whose manifest has the SHA-256 ${named.manifest_sha256}.`,
    ),
    judged(
      sameTables,
      'It opens with what that pack closed with.',
      `${OPENING_FILES.accounts} or ${OPENING_FILES.later} is not what the pack before closed with.`,
    ),
  ];
}

/** The signature, the last entry in the checkpoint, and the checkpoint as a continuation of the one before. */
function judgeProofs({ folder, manifest }: ReadPack, keys: readonly string[]): Judgement[] {
  const { through_sequence: sequence, chain_hash: hash, book, previous } = manifest;
  if (sequence === 0) return [judged(true, 'The book has no entry by then: nothing is signed.', '')];
  const [checkpoint] = readCheckpoints(bytesOf(folder, PACK_FILES.checkpoint).toString('utf8'));
  const proofs = readProofs(bytesOf(folder, PACK_FILES.proofs).toString('utf8'));
  const known = [checkpoint!, ...(previous?.checkpoint ? [previous.checkpoint] : [])];
  const inclusion = proofs.find((proof) => proof.object === 'inclusion_proof');
  const isOfLast = inclusion?.hash === hash && inclusion.leaf_index === sequence - 1;
  return [
    ...judgeCheckpoint(checkpoint!, keys),
    judged(
      checkpoint!.note.book === book && checkpoint!.note.tree_size >= sequence,
      `It covers entry ${sequence} of ${book}.`,
      `It is of ${checkpoint!.note.book} and covers ${checkpoint!.note.tree_size} entries: not entry ${sequence} of ${book}.`,
    ),
    judged(
      isOfLast && sameNote(inclusion.checkpoint, checkpoint!),
      `${PACK_FILES.proofs} has the proof of the last entry.`,
      `${PACK_FILES.proofs} has no proof of entry ${sequence} with the hash ${hash} in this checkpoint.`,
    ),
    ...(inclusion === undefined ? [] : judgeProof(inclusion, known)),
    ...judgeConsistency(manifest, { proofs, known, checkpoint: checkpoint!, keys }),
  ];
}

function judgeConsistency({ previous }: Manifest, { proofs, known, checkpoint, keys }: ToCompare): Judgement[] {
  if (!previous?.checkpoint) return [];
  const proof = proofs.find((one) => one.object === 'consistency_proof');
  const isOfBoth =
    proof !== undefined && sameNote(proof.first, previous.checkpoint) && sameNote(proof.second, checkpoint);
  return [
    ...judgeCheckpoint(previous.checkpoint, keys),
    judged(
      isOfBoth,
      `${PACK_FILES.proofs} has the proof that it goes on from the checkpoint of the pack before.`,
      `${PACK_FILES.proofs} has no proof that this checkpoint goes on from that of the pack before.`,
    ),
    ...(proof === undefined ? [] : judgeProof(proof, known)),
  ];
}

interface ToCompare {
  readonly proofs: readonly Proof[];
  readonly known: readonly CheckpointView[];
  readonly checkpoint: CheckpointView;
  readonly keys: readonly string[];
}

const sameNote = (one: CheckpointView, other: CheckpointView) => signedText(one.note) === signedText(other.note);

function jsonIn(folder: string, name: string): Record<string, unknown> {
  try {
    return JSON.parse(bytesOf(folder, name).toString('utf8')) as Record<string, unknown>;
  } catch (error) {
    if (error instanceof UnreadablePack) throw error;
    throw new UnreadablePack(`${name} is not JSON.`);
  }
}
