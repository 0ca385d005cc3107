/** Carries out replays a page at a time, for their jobs and for the drains of ordered endpoints. */
import type { Pool } from '../../db/pool.ts';
import type { Room } from '../../fairness/room.ts';
import type { RowFailed } from '../../group/moved-rows.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Clock } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';
import { further } from '../../values/progress.ts';
import { movedReplays } from './moved-replays.ts';
import { carryOutPage, type Preceding, type ReplayPage, readPreceding } from './replay-store.ts';

interface ReplaysContext {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly statements: Room;
  readonly rowFailed: RowFailed;
}

export class Replays {
  readonly #context: ReplaysContext;

  constructor(context: ReplaysContext) {
    this.#context = context;
  }

  /** What comes before the deliveries that a drain has read. */
  preceding(bookId: BookId, endpointId: Uuid): Promise<Preceding> {
    const { pool, statements } = this.#context;
    return statements.run(bookId, () => readPreceding(pool, bookId, endpointId));
  }

  /** One page. A bug stops the replay, and none of the others. */
  async carryOut(bookId: BookId, id: Uuid): Promise<ReplayPage> {
    const { pool, clock, statements, rowFailed } = this.#context;
    try {
      const page = await statements.run(bookId, () => carryOutPage(pool, { bookId, id }, clock.now()));
      if (!page.isDone) further('a replay of webhooks', page.range!.began, page.range!.next);
      return page;
    } catch (error) {
      if (!(await rowFailed(movedReplays, { bookId, id }, error))) throw error;
      return { from: undefined, endpointId: undefined, isDone: true, range: undefined };
    }
  }

  /** All pages of these replays, unless the process stops. `onAdded`: deliveries wait for the endpoint. */
  async run(
    bookId: BookId,
    ids: readonly Uuid[],
    { isClosed, onAdded }: { isClosed(): boolean; onAdded(endpointId: Uuid): void },
  ): Promise<void> {
    for (const id of ids) {
      for (let isDone = false; !isDone && !isClosed(); ) {
        const page = await this.carryOut(bookId, id);
        isDone = page.isDone;
        if (page.from !== undefined && !isClosed()) onAdded(page.endpointId!);
      }
    }
  }
}
