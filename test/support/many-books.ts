/** Several books with one committer, as a process has it: what waits for them shares batches. */
import { lowBalances } from '../../src/accounts/account/low-balance.ts';
import { openAccount } from '../../src/accounts/account/open-account.ts';
import { receiveTransfer } from '../../src/accounts/inbound-transfers/receive-transfer.ts';
import { EARLIEST_FORMS } from '../../src/db/forms.ts';
import type { Pool } from '../../src/db/pool.ts';
import type { BookId } from '../../src/ledger/book/book.ts';
import type { ObservedBatch } from '../../src/ledger/commit/batch.ts';
import { Committer, type CommitterOptions } from '../../src/ledger/commit/committer.ts';
import type { DissolveReason } from '../../src/ledger/commit/shared-committer.ts';
import { systemClock } from '../../src/values/clock.ts';
import { newId, type Uuid } from '../../src/values/ids.ts';
import { NO_SINK, newBook, stored, type Transfer, transfer } from './book.ts';

export interface FundedBook {
  readonly id: BookId;
  /** Has a million. */
  readonly from: Uuid;
  readonly to: Uuid;
}

export interface ManyBooks {
  readonly committer: Committer;
  readonly books: readonly FundedBook[];
  /** Every committed batch since the books were opened. */
  readonly batches: ObservedBatch[];
  readonly errors: (Error & { code?: string })[];
  /** Why shared batches were given up. */
  readonly dissolved: DissolveReason[];
  /** Moves money within a book, one unit unless changed. Resolves with the sequence of the entry. */
  move(book: FundedBook, change?: Partial<Transfer>, deadlineMs?: number): Promise<bigint>;
  /** The same in each of these books at once. */
  moveAll(books: readonly FundedBook[], change?: Partial<Transfer>): Promise<bigint[]>;
}

export const FUNDS = 1_000_000n;

export async function openManyBooks(
  pool: Pool,
  { count = 0, known, ...options }: { count?: number; known?: readonly FundedBook[] } & Partial<CommitterOptions>,
): Promise<ManyBooks> {
  const [batches, errors, dissolved]: [ObservedBatch[], ManyBooks['errors'], DissolveReason[]] = [[], [], []];
  const committer = new Committer({
    watch: lowBalances,
    sink: NO_SINK,
    forms: EARLIEST_FORMS,
    clock: systemClock,
    enqueue: () => undefined,
    observe: (batch) => batches.push(batch),
    onError: (error) => errors.push(error as Error),
    onDissolved: (reason) => dissolved.push(reason),
    ...options,
    pool,
  });
  const books = known ?? (await Promise.all(Array.from({ length: count }, () => openFundedBook(pool, committer))));
  batches.length = 0;
  const move: ManyBooks['move'] = ({ id, from, to }, change, deadlineMs) =>
    committer.submit(id, transfer({ from, to, amount: 1n, ...change }), { deadlineMs });
  return {
    committer,
    books,
    batches,
    errors,
    dissolved,
    move,
    moveAll: (some, change) => Promise.all(some.map((book) => move(book, change))),
  };
}

async function openFundedBook(pool: Pool, committer: Committer): Promise<FundedBook> {
  const id = await newBook(pool, { mode: 'test', clock: systemClock });
  const request = () => ({ requestId: newId(), actor: 'test' });
  const open = async () => {
    const opening = { currency: 'EUR', name: 'Test', overdraftLimit: 0n, externalId: null, metadata: {}, ...request() };
    return (await committer.submit(id, stored(openAccount(opening)))).resourceId!;
  };
  const [from, to] = [await open(), await open()];
  const funds = { bookId: id, accountId: from, amount: FUNDS, currency: 'EUR', description: 'Test' };
  await committer.submit(id, stored(receiveTransfer({ ...funds, salt: Buffer.alloc(16, 1), ...request() })));
  return { id, from, to };
}
