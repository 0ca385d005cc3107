/** Sweep of stored answers whose retention has passed. Their keys stay, so that a repeated request never pays twice. */
import { byBook } from '../db/by-book.ts';
import type { Sweep, SweepContext } from '../group/group.ts';
import { dropBodies, findAgedKeys } from './aged-answer-store.ts';

const PAGE = 500;
const DAY_MS = 24 * 60 * 60 * 1_000;

export function sweepAgedAnswers({ pool, clock, config }: SweepContext): Sweep[] {
  /** One page; resolves to how many answers were dropped. */
  async function round(): Promise<number> {
    const before = clock.now() - config.IDEMPOTENCY_BODY_RETENTION_DAYS * DAY_MS;
    const keys = await findAgedKeys(pool, { before, limit: PAGE });
    let dropped = 0;
    for (const [bookId, ofBook] of byBook(keys)) dropped += await dropBodies(pool, bookId, ofBook);
    return dropped;
  }
  return [{ name: 'stored answers', round }];
}
