/**
 * Checks checkpoints: each signature is valid, and the book's entries and events still make the trees that were signed.
 * Both trees are computed again from every column of the rows. This finds what the hash chain cannot show: a changed
 * event and, against a checkpoint kept elsewhere, a journal that was cut short or rewritten.
 */

import type { Pool } from '../db/pool.ts';
import type { Check, CheckContext } from '../group/check-context.ts';
import type { Finding } from '../group/finding.ts';
import { loadBook } from '../ledger/book/book-store.ts';
import { entryHash, GENESIS_HASH } from '../ledger/entry/entry-hash.ts';
import { readEventsAsFound } from '../ledger/events/event-read-store.ts';
import { type ReadEntry, readEntries } from '../ledger/journal/journal-read-store.ts';
import { type CheckpointView, checkpointView, signedText } from '../proofs/checkpoint.ts';
import { findNewestCheckpoint, readCheckpoints, type StoredCheckpoint } from '../proofs/checkpoint-store.ts';
import { eventDigest } from '../proofs/event-digest.ts';
import { describeCheckpoint, judgeCheckpoint } from '../proofs/judge-proof.ts';
import { leafHash, rootOf } from '../proofs/merkle-tree.ts';
import { parsePublicId, publicId } from '../values/ids.ts';
import { readAhead } from './read-ahead.ts';
import { TreeAgain } from './tree-again.ts';

/** Rows in one page: some 2 MB. */
const PAGE = 1_000;
const CHECKPOINTS_PAGE = 500;

export interface Trusted {
  /** Checkpoints kept outside the database. */
  readonly checkpoints: readonly CheckpointView[];
  /** Public keys (base64) or key ids, one of which must have signed. An empty list accepts any key. */
  readonly keys: readonly string[];
}

type Size = 'tree_size' | 'event_tree_size';

export function checkpointCheck(trusted: Trusted): Check {
  return {
    name: 'checkpoints',
    async run(context) {
      const { pool, book } = context;
      const newest = await findNewestCheckpoint(pool, book.id);
      const given = trusted.checkpoints.filter(({ note }) => note.book === publicId('book', book.id));
      if (!newest && given.length === 0) return;
      const sound = given.filter((checkpoint) => checkSignature(context, checkpoint, trusted.keys));
      const marks = (size: Size, report: boolean) => readMarks(context, { given: sound, size, trusted, report });

      let before = GENESIS_HASH;
      const entries = new TreeAgain(context, {
        name: 'entries',
        upTo: book.entrySequence,
        covered: newest?.treeSize ?? 0n,
        marks: marks('tree_size', true),
        sizeOf: ({ note }) => note.tree_size,
        agrees: ({ note }, root) => note.root_hash === root.toString('hex') && note.chain_hash === before,
      });
      await entries.begin();
      const entryPages = readAhead<ReadEntry>((last) =>
        readEntries(pool, book.id, { after: last?.sequence ?? 0n, upTo: book.entrySequence, limit: PAGE }),
      );
      for await (const page of entryPages) {
        await entries.take(page, (entry) => {
          const hash = entryHash(book.id, before, entry);
          before = entry.hash;
          return leafHash(Buffer.from(hash, 'hex'));
        });
      }
      await entries.end(async () => (await loadBook(pool, book.id))?.entrySequence ?? 0n);

      const events = new TreeAgain(context, {
        name: 'events',
        upTo: book.eventSequence,
        covered: newest?.eventTreeSize ?? 0n,
        marks: marks('event_tree_size', false),
        sizeOf: ({ note }) => note.event_tree_size,
        agrees: ({ note }, root) => note.event_root_hash === root.toString('hex'),
      });
      await events.begin();
      const eventPages = readAhead<{ sequence: bigint; leaf: Buffer }>(async (last) => {
        const page = { after: last?.sequence ?? 0n, upTo: book.eventSequence, limit: PAGE };
        const read = await readEventsAsFound(pool, book.id, page);
        return read.map((event) => ({ sequence: event.sequence, leaf: leafHash(eventDigest(book.id, event)) }));
      });
      for await (const page of eventPages) await events.take(page, ({ leaf }) => leaf);
      await events.end(async () => (await loadBook(pool, book.id))?.eventSequence ?? 0n);
    },
  };
}

/** Reports trusted checkpoints whose book does not exist. */
export async function checkTrustedBooks(
  pool: Pool,
  { checkpoints }: Trusted,
  report: (finding: Finding) => void,
): Promise<void> {
  for (const checkpoint of checkpoints) {
    const bookId = parsePublicId('book', checkpoint.note.book) ?? '';
    if (bookId !== '' && (await loadBook(pool, bookId))) continue;
    report({
      check: 'checkpoint.book',
      book: bookId || NO_BOOK,
      ids: { checkpoint: checkpoint.id },
      expected: checkpoint.note.book,
      actual: 'no such book',
      detail: `${describeCheckpoint(checkpoint)} is of a book that is not there.`,
    });
  }
}
const NO_BOOK = '00000000-0000-0000-0000-000000000000';

/**
 * Yields stored and given checkpoints, ordered by one of their sizes. Checkpoints without a valid signature are
 * skipped.
 */
async function* readMarks(
  context: CheckContext,
  options: { given: readonly CheckpointView[]; size: Size; trusted: Trusted; report: boolean },
): AsyncGenerator<CheckpointView, void> {
  const { pool, book } = context;
  const { size, trusted, report } = options;
  const given = options.given.toSorted((one, other) => one.note[size] - other.note[size]);
  const quiet = { ...context, report: () => undefined };
  const pages = readAhead<StoredCheckpoint>((after) =>
    readCheckpoints(pool, book.id, { after, limit: CHECKPOINTS_PAGE }),
  );
  for await (const page of pages) {
    for (const stored of page) {
      const view = checkpointView(stored);
      while (given[0] && given[0].note[size] <= view.note[size]) yield given.shift()!;
      const signed = checkSignature(report ? context : quiet, view, trusted.keys);
      if (report && signed) checkPeaks(context, stored);
      if (signed) yield view;
    }
  }
  yield* given;
}

function checkSignature({ report }: CheckContext, checkpoint: CheckpointView, keys: readonly string[]): boolean {
  const wrong = judgeCheckpoint(checkpoint, keys).find(({ isSound }) => !isSound);
  if (!wrong) return true;
  report({
    check: 'checkpoint.signature',
    ids: { checkpoint: checkpoint.id },
    expected: 'a signature of a trusted key',
    actual: signedText(checkpoint.note),
    detail: wrong.text,
  });
  return false;
}

/** The next checkpoint is computed from these peaks. */
function checkPeaks({ report }: CheckContext, stored: StoredCheckpoint): void {
  const { rootHash, eventRootHash, peaks, eventPeaks } = stored;
  if (rootOf(peaks).equals(rootHash) && rootOf(eventPeaks).equals(eventRootHash)) return;
  report({
    check: 'checkpoint.nodes',
    ids: { checkpoint: publicId('checkpoint', stored.id) },
    expected: `${rootHash.toString('hex')}, ${eventRootHash.toString('hex')}`,
    actual: `${rootOf(peaks).toString('hex')}, ${rootOf(eventPeaks).toString('hex')}`,
    detail: `The peaks kept with ${describeCheckpoint(checkpointView(stored))} are not those of its roots.`,
  });
}
