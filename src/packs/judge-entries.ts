/** Follows the chain through the entries of a pack, and adds them up. */
import { createHash } from 'node:crypto';
import type { Judgement } from '../proofs/judge-proof.ts';
import { isUuid, publicId } from '../values/ids.ts';
import { parseRfc3339 } from '../values/rfc3339.ts';
import { DayFinder, type FoldedLine, JournalFold } from './fold-entries.ts';
import { OPENING_FILES, PACK_FILES, startOf } from './pack.ts';
import { bytesOf, linesOf, type ReadPack } from './pack-folder.ts';
import { openFold, readAccountLines, readLaterLines } from './pack-tables.ts';

/** Lines between two reports of progress. */
const PROGRESS_EVERY = 1_000n;

/** `fold` is undefined where the chain breaks: the first break is the finding, and nothing behind it proves anything. */
export async function judgeEntries(
  { folder, manifest }: ReadPack,
  onProgress?: (progress: { readonly done: bigint; readonly total: bigint }) => void,
): Promise<{ fold: JournalFold | undefined; judgements: Judgement[] }> {
  const fold = new JournalFold(manifest);
  const start = startOf(manifest);
  if (manifest.previous !== null) openFrom(folder, fold);
  const chain = { book: manifest.book, sequence: start.sequence, hash: start.hash };
  const days = { posted: new DayFinder(manifest.time_zone), effective: new DayFinder(manifest.time_zone) };
  const total = BigInt(manifest.through_sequence) - start.sequence;
  let row = 0n;
  for await (const line of linesOf(folder, PACK_FILES.entries)) {
    row += 1n;
    const broken = followed(line, chain, (entry) => added(fold, entry, days));
    if (broken !== undefined) {
      const text = `${PACK_FILES.entries}, line ${row}: ${broken}`;
      return { fold: undefined, judgements: [{ isSound: false, text }] };
    }
    if (row % PROGRESS_EVERY === 0n) onProgress?.({ done: row, total });
  }
  const ends = chain.sequence === BigInt(manifest.through_sequence) && chain.hash === manifest.chain_hash;
  const yes = `${row} entries chain from ${start.sequence === 0n ? 'the first one' : `behind entry ${start.sequence}`} to entry ${chain.sequence} (${chain.hash}).`;
  const no = `${PACK_FILES.entries} ends with entry ${chain.sequence} (${chain.hash}), and the period with ${manifest.through_sequence} (${manifest.chain_hash}): rows are missing at its end, or it has too many.`;
  return { fold: ends ? fold : undefined, judgements: [{ isSound: ends, text: ends ? yes : no }] };
}

function openFrom(folder: string, fold: JournalFold): void {
  const accounts = readAccountLines(bytesOf(folder, OPENING_FILES.accounts));
  openFold(fold, accounts, readLaterLines(bytesOf(folder, OPENING_FILES.later)));
}

interface Chain {
  readonly book: string;
  sequence: bigint;
  hash: string;
}

/** Why the line is not the next entry; undefined where it is. */
function followed(line: Buffer, chain: Chain, add: (entry: PackedEntry) => string | undefined): string | undefined {
  const expected = chain.sequence + 1n;
  let entry: PackedEntry;
  try {
    entry = entryIn(line);
  } catch (error) {
    return `It is no entry, where entry ${expected} belongs: ${(error as Error).message}`;
  }
  if (entry.sequence !== expected) return `It is entry ${entry.sequence}, and entry ${expected} belongs here.`;
  if (publicId('book', entry.bookId) !== chain.book) return `Entry ${expected} is of another book.`;
  if (entry.previousHash !== chain.hash)
    return `Entry ${expected} follows one with the hash ${entry.previousHash}; the one before it has ${chain.hash}.`;
  chain.sequence = expected;
  chain.hash = createHash('sha256').update(line).digest('hex');
  return add(entry);
}

interface PackedEntry {
  readonly bookId: string;
  readonly sequence: bigint;
  readonly previousHash: string;
  readonly postedAt: number;
  readonly effectiveAt: number;
  readonly lines: readonly FoldedLine[];
}

type Texts = Readonly<Record<string, string>>;

/** Throws an error that names what is missing. */
function entryIn(line: Buffer): PackedEntry {
  const read = JSON.parse(line.toString('utf8')) as Texts & { readonly postings: readonly Texts[] };
  if (typeof read !== 'object' || read === null || !Array.isArray(read.postings))
    throw new Error('it has no postings.');
  const instant = (name: string) => {
    const ms = parseRfc3339(read[name] ?? '');
    if (ms === undefined) throw new Error(`${name} is no time.`);
    return ms;
  };
  if (!isUuid(read.book_id)) throw new Error('it names no book.');
  return {
    bookId: read.book_id,
    sequence: BigInt(read.sequence!),
    previousHash: read.previous_hash!,
    postedAt: instant('posted_at'),
    effectiveAt: instant('effective_at'),
    lines: read.postings.flatMap((posting) => [lineOf(posting, 'debit'), lineOf(posting, 'credit')]),
  };
}

function lineOf(posting: Texts, side: 'debit' | 'credit'): FoldedLine {
  const account = posting[`${side}_account_id`];
  if (!isUuid(account)) throw new Error(`a posting names no account of its ${side}.`);
  return {
    ...{ account, side, currency: posting.currency!, amount: BigInt(posting.amount!) },
    line: BigInt(posting[`${side}_line`]!),
    balanceAfter: BigInt(posting[`${side}_balance_after`]!),
  };
}

function added(
  fold: JournalFold,
  { sequence, lines, postedAt, effectiveAt }: PackedEntry,
  days: { readonly posted: DayFinder; readonly effective: DayFinder },
): string | undefined {
  const on = { postedOn: days.posted.of(postedAt), effectiveOn: days.effective.of(effectiveAt) };
  for (const line of lines) {
    const misfit = fold.add(line, on);
    if (misfit !== null)
      return `Entry ${sequence} leaves ${publicId('account', line.account)} with ${misfit.actual}, and its account comes to ${misfit.expected}.`;
  }
  return undefined;
}
