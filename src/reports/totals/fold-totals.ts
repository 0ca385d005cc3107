/**
 * Folds entries into totals behind the journal, without the book's lock: entries never change once they are there. Postgres knows which blocks are
 * missing, so a process that is killed is followed by any other one, at the block that it did not add.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Pool, Queryable } from '../../db/pool.ts';
import { nextBlock } from '../../ledger/balances/totals/blocks.ts';
import { readFolded } from '../../ledger/balances/totals/folded-store.ts';
import type { BookId } from '../../ledger/book/book.ts';
import { failpoint } from '../../process/failpoints.ts';
import { warnSeldom } from '../../process/seldom.ts';
import { BEFORE_ALL_IDS } from '../../values/ids.ts';
import { further } from '../../values/progress.ts';
import { addBlock, findUnfolded } from './totals-store.ts';

interface FoldRuntime {
  readonly pool: Pool;
  readonly log: Parameters<typeof warnSeldom>[0];
}

const BOOKS_PAGE = 100;
/** Between two searches for blocks: a book of a thousand entries a second has one every ten seconds. */
const POLL_MS = 10_000;
/** After a block, three times as long a rest: a quarter of a connection and of a core at most. */
const RESTS_PER_BLOCK = 3;

interface FoldOptions {
  readonly signal?: AbortSignal;
  readonly rests?: number;
}

/** Folds what is there up to an entry. Resolves to how many blocks were added. */
export async function foldBook(
  db: Queryable,
  { id, head }: { readonly id: BookId; readonly head: bigint },
  { signal, rests = 0 }: FoldOptions = {},
): Promise<number> {
  for (let added = 0; ; added++) {
    if (signal?.aborted) return added;
    const block = nextBlock(head, await readFolded(db, id));
    if (block === undefined) return added;
    const began = performance.now();
    failpoint('totals.block.before');
    await addBlock(db, id, block);
    failpoint('totals.block.after');
    if (rests > 0)
      await pause((performance.now() - began) * rests, undefined, signal && { signal }).catch(() => undefined);
  }
}

/** Runs by itself until it is closed. */
export function startFolding({ pool, log }: FoldRuntime): { close(): Promise<void> } {
  const closing = new AbortController();
  const { signal } = closing;
  const warn = warnSeldom(log, 'folding totals behind the journal failed');
  const work = async () => {
    while (!signal.aborted) {
      await foldAll(pool, signal).catch(warn);
      await pause(POLL_MS, undefined, { signal, ref: false }).catch(() => undefined);
    }
  };
  const working = work();
  return {
    close() {
      closing.abort();
      return working;
    },
  };
}

async function foldAll(pool: Pool, signal: AbortSignal): Promise<void> {
  for (let after: BookId = BEFORE_ALL_IDS; !signal.aborted; ) {
    const books = await findUnfolded(pool, { after, limit: BOOKS_PAGE });
    for (const book of books) await foldBook(pool, book, { signal, rests: RESTS_PER_BLOCK });
    if (books.length < BOOKS_PAGE) return;
    after = further('books with entries to fold', after, books.at(-1)!.id);
  }
}
