/** Payouts of many books that the sandbox rail has paid: what a bank will show. Made by the product's own commands, without API and workers. */
import type { Pool } from '../../../src/db/pool.ts';
import type { BookId } from '../../../src/ledger/book/book.ts';
import type { Command } from '../../../src/ledger/command/command.ts';
import type { Committer } from '../../../src/ledger/commit/committer.ts';
import { applyRailReport } from '../../../src/payouts/outcomes/apply-rail-report.ts';
import { acceptPayout } from '../../../src/payouts/payout/accept-payout.ts';
import type { Payout } from '../../../src/payouts/payout/payout.ts';
import { payouts } from '../../../src/payouts/payout/payout-table.ts';
import { reservePayout } from '../../../src/payouts/payout/reserve-payout.ts';
import { newId, type Uuid } from '../../../src/values/ids.ts';
import { CURRENCY, openAccounts, openBook } from '../book.ts';
import { payoutOf } from './drawn-lines.ts';

export interface PayingBook {
  readonly id: BookId;
  readonly accountId: Uuid;
}

export async function openPayingBooks(pool: Pool, count: number): Promise<PayingBook[]> {
  const books: PayingBook[] = [];
  for (let number = 1; number <= count; number++) {
    const id = await openBook(pool, `Payer ${number}`);
    const [accountId] = await openAccounts(pool, id, { count: 1 });
    books.push({ id, accountId: accountId! });
  }
  return books;
}

export interface Paying {
  readonly pool: Pool;
  readonly committer: Pick<Committer, 'submit'>;
  readonly books: readonly PayingBook[];
}

/** Within what waits in a committer at most. */
const AT_ONCE = 10_000;
const DEADLINE_MS = 120_000;

/** Payouts `from` up to `from + count`, the n-th in the n-th book by turns. */
export async function payMany(
  paying: Paying,
  { from, count, onPaid }: { from: number; count: number; onPaid: (paid: number) => void },
): Promise<void> {
  for (let first = from; first < from + count; first += AT_ONCE) {
    const last = Math.min(first + AT_ONCE, from + count);
    const numbers = Array.from({ length: last - first }, (_, index) => first + index);
    await paySome(paying, numbers);
    onPaid(last - from);
  }
}

interface Paid {
  readonly number: number;
  readonly bookId: BookId;
  readonly id: Uuid;
}

async function paySome({ pool, committer, books }: Paying, numbers: readonly number[]): Promise<void> {
  const submit = <Answer>(bookId: BookId, command: Command<Answer>) =>
    committer.submit(bookId, command, { deadlineMs: DEADLINE_MS });
  const accepted = await Promise.all(
    numbers.map(async (number): Promise<Paid> => {
      const { id: bookId, accountId } = books[number % books.length]!;
      const answer = await submit(bookId, acceptPayout(asked(number, { bookId, accountId })));
      if (answer.refused) throw new Error(`A payout was refused: ${answer.refused}`);
      return { number, bookId, id: answer.resourceId! };
    }),
  );
  const known = new Map<Uuid, Payout>();
  for (const { id: bookId } of books) {
    const ids = accepted.filter((one) => one.bookId === bookId).map(({ id }) => id);
    for (const [id, payout] of await payouts.load(pool, bookId, ids)) known.set(id, payout);
  }
  const reserved = await Promise.all(
    accepted.map(({ bookId, id }) => submit(bookId, reservePayout(bookId, known.get(id)!))),
  );
  const paid = await Promise.all(
    accepted.map(({ bookId, number }, index) =>
      submit(
        bookId,
        applyRailReport(bookId, reserved[index]!, {
          ...{ call: 'submit', status: 'paid', railReference: payoutOf(number).railReference },
          ...{ nextInquiryMs: 60_000, raw: {} },
        }),
      ),
    ),
  );
  if (paid.some(({ status }) => status !== 'paid')) throw new Error('A payout was not paid');
}

function asked(number: number, { bookId, accountId }: { bookId: BookId; accountId: Uuid }) {
  const { amount, idempotencyKey } = payoutOf(number);
  return {
    ...{ payoutId: newId(), bookId, accountId, amount, fee: 0n, currency: CURRENCY, rail: 'sandbox' },
    destination: {
      ...{ type: 'cliq' as const, sealed: Buffer.from('sealed'), masked: 'A**N' },
      ...{ provider: null, details: null, accountSealed: null },
    },
    ...{ description: null, externalId: null, metadata: {}, idempotencyKey },
    ...{ requestId: newId(), actor: 'bench', dryRun: false },
  };
}
