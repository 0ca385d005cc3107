/** The ledger pool's job: makes the next payouts of batches, and ends batches whose payouts have all ended. */
import type { RowFailed } from '../../group/moved-rows.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Command } from '../../ledger/command/command.ts';
import { Draft } from '../../ledger/command/draft.ts';
import type { Committer } from '../../ledger/commit/committer.ts';
import { advance } from '../../ledger/resources/resource.ts';
import { failpoint } from '../../process/failpoints.ts';
import type { Clock } from '../../values/clock.ts';
import { newId, type Uuid } from '../../values/ids.ts';
import { askedCard } from '../destinations/card.ts';
import { type CardRuntime, findCard, isRefusal } from '../destinations/find-card.ts';
import type { RecentSingles } from '../payout/recent-singles.ts';
import { type RouteReleaseRuntime, releaseRoute } from '../payout/route-release.ts';
import type { PayoutBatch } from './batch.ts';
import { NO_PAYOUTS } from './batch-counts.ts';
import { batchCounts } from './batch-counts-store.ts';
import { type BatchItem, openContent } from './batch-item.ts';
import { clearContents, readItems } from './batch-item-store.ts';
import { payoutBatchResource } from './batch-resource.ts';
import { countUnderWay, findFirstMaking, hasOpenPayouts, postponeBatch } from './batch-store.ts';
import { payoutBatches } from './batch-table.ts';
import { makePayouts, type OpenItem, PAYOUTS_PER_COMMAND } from './make-payouts.ts';
import { movedBatches } from './moved-batches.ts';
import { batchTouches } from './release-batch.ts';

export interface PayBatchesRuntime extends CardRuntime, RouteReleaseRuntime {
  readonly committer: Committer;
  readonly rowFailed: RowFailed;
  readonly clock: Clock;
  readonly singles: Pick<RecentSingles, 'has'>;
}

/** Payouts of batches that are under way in a book, at most: single payouts of the book do not wait behind more. */
const UNDER_WAY_MAX = 500;
/** Payouts in a command while the book has single payouts, which wait until it is committed. */
const BESIDE_SINGLES = 25;
/** How long a batch waits for its payouts, unless one of them asks sooner. */
const AGAIN_MS = 1_000;

/** One round of each book at a time, and another one behind it where a job came meanwhile: two rounds at once would do the same. */
export class BatchPayer {
  readonly #runtime: PayBatchesRuntime;
  readonly #running = new Map<BookId, { again: Set<Uuid>; done: Promise<void> }>();

  constructor(runtime: PayBatchesRuntime) {
    this.#runtime = runtime;
  }

  pay(bookId: BookId, ids: readonly Uuid[]): Promise<void> {
    const running = this.#running.get(bookId);
    if (running !== undefined) {
      for (const id of ids) running.again.add(id);
      return running.done;
    }
    const again = new Set(ids);
    const done = this.#rounds(bookId, again).finally(() => this.#running.delete(bookId));
    this.#running.set(bookId, { again, done });
    return done;
  }

  async #rounds(bookId: BookId, again: Set<Uuid>): Promise<void> {
    for (const id of again) {
      again.delete(id);
      try {
        await payBatch(this.#runtime, bookId, id);
      } catch (error) {
        await this.#runtime.rowFailed(movedBatches, { bookId, id }, error);
      }
    }
  }
}

/** As far as it gets now. */
async function payBatch(runtime: PayBatchesRuntime, bookId: BookId, batchId: Uuid): Promise<void> {
  const { pool, clock } = runtime;
  for (let made = -1; ; ) {
    const batch = await payoutBatches.find(pool, bookId, batchId);
    if (batch === undefined) return;
    if (batch.status !== 'processing') return clearContents(pool, bookId, { batchId, from: 1, to: batch.items });
    const isStill = batch.made === made;
    made = batch.made;
    if (!isStill && batch.made < batch.last && (await makeNext(runtime, bookId, batch)) > 0) continue;
    if (batch.made === batch.last && !(await hasOpenPayouts(pool, bookId, batchId))) {
      await runtime.committer.submit(bookId, finishBatch(batch));
      return clearContents(pool, bookId, { batchId, from: 1, to: batch.items });
    }
    await postponeBatch(pool, bookId, { batchId, until: clock.now() + AGAIN_MS });
    return;
  }
}

/** Resolves to how many payouts were made, by this process or by another one meanwhile: 0 where the batch has to wait. */
async function makeNext(runtime: PayBatchesRuntime, bookId: BookId, batch: PayoutBatch): Promise<number> {
  const { pool } = runtime;
  if ((await findFirstMaking(pool, bookId)) !== batch.id) return 0;
  const most = runtime.singles.has(bookId) ? BESIDE_SINGLES : PAYOUTS_PER_COMMAND;
  const wanted = Math.min(most, batch.last - batch.made);
  if ((await countUnderWay(pool, bookId, UNDER_WAY_MAX)) + wanted > UNDER_WAY_MAX) return 0;
  const items = await readItems(pool, bookId, {
    batchId: batch.id,
    from: batch.made + 1,
    to: batch.made + wanted,
  });
  const open: OpenItem[] = [];
  for (const item of items) {
    const one = await openItem(runtime, bookId, item);
    if (one === undefined) return madeMeanwhile(pool, bookId, batch, item);
    open.push(one);
  }
  const outside = {
    route: releaseRoute(runtime),
    batchTouches: batchTouches(batch).filter(({ table }) => !table.derived),
  };
  failpoint('payout_batch.items.read');
  const made = await runtime.committer.submit(bookId, makePayouts(bookId, batch, open, outside));
  failpoint('payout_batch.payouts.made');
  // Their payouts have what they ask for. What a process leaves that dies here is cleared at the batch's end.
  if (made > 0) await clearContents(pool, bookId, { batchId: batch.id, from: batch.made + 1, to: batch.made + made });
  return made;
}

/** Another process has made payouts of the items, or has ended the batch, between its row and theirs. Throws Error where neither is so. */
async function madeMeanwhile(
  pool: PayBatchesRuntime['pool'],
  bookId: BookId,
  { id, made }: PayoutBatch,
  { rowNumber }: BatchItem,
): Promise<number> {
  const now = (await payoutBatches.find(pool, bookId, id))!;
  if (now.status === 'processing' && now.made < rowNumber && rowNumber <= now.last)
    throw new Error(`Row ${rowNumber} of batch ${id} is empty, and no payout yet`);
  return now.made - made;
}

/** Undefined: what the item asked for is cleared. */
async function openItem(runtime: PayBatchesRuntime, bookId: BookId, item: BatchItem): Promise<OpenItem | undefined> {
  const content = openContent(runtime.secretBox, bookId, item);
  if (content === null) return undefined;
  const { destination } = content;
  if (destination.type !== 'card') return { item, content, card: null };
  const found = await findCard(runtime, bookId, askedCard(destination));
  return { item, content, card: isRefusal(found) ? null : found.payable };
}

/** processing → completed, partially_completed or failed, once no payout of it is under way. Answers with whether it has ended. */
export function finishBatch(batch: PayoutBatch): Command<boolean> {
  const origin = { id: newId(), requestId: batch.requestId, actor: 'worker:ledger' };
  return {
    ...origin,
    name: 'payout_batch.finish',
    touches: batchTouches(batch),
    behind: 1,
    decide(state, moment) {
      const draft = new Draft(state, origin, moment);
      const now = draft.get(payoutBatches, batch.id);
      if (now?.status !== 'processing' || now.made < now.last) return draft.finish(false);
      const counts = draft.get(batchCounts, now.id) ?? NO_PAYOUTS;
      if (counts.pending + counts.processing + counts.unknown > 0) return draft.finish(false);
      const paid = counts.paid + counts.returned;
      const status = paid === now.items ? 'completed' : paid > 0 ? 'partially_completed' : 'failed';
      advance(draft, payoutBatchResource, now, { status, dueAt: null }, { event: `payout_batch.${status}` });
      return draft.finish(true);
    },
  };
}
