/** Books and accounts to measure with, made by the product's own commands. */
import { lowBalances } from '../../src/accounts/account/low-balance.ts';
import { openAccount } from '../../src/accounts/account/open-account.ts';
import { EARLIEST_FORMS } from '../../src/db/forms.ts';
import type { Pool } from '../../src/db/pool.ts';
import type { BookId } from '../../src/ledger/book/book.ts';
import { Committer } from '../../src/ledger/commit/committer.ts';
import { openOrganisation } from '../../src/organisations/open-organisation.ts';
import { findBookId } from '../../src/organisations/organisation-store.ts';
import { systemClock } from '../../src/values/clock.ts';
import { newId, parsePublicId, type Uuid } from '../../src/values/ids.ts';
import { webhookSink } from '../../src/webhooks/backlogs/event-sink.ts';
import { issueApiKey } from '../harness/issue-api-key.ts';

export const CURRENCY = 'JOD';
/** Far enough below zero for any bench. The floor is checked all the same. */
const OVERDRAFT_LIMIT = 1_000_000_000_000n;

/** Makes a committer as every process of the product does, without metrics and jobs. */
export function createCommitter(pool: Pool): Committer {
  return new Committer({
    watch: lowBalances,
    pool,
    clock: systemClock,
    sink: webhookSink,
    forms: EARLIEST_FORMS,
    enqueue: () => undefined,
  });
}

/** Opens an organisation. Resolves to its test book. */
export async function openBook(pool: Pool, name: string): Promise<BookId> {
  const organisation = await openOrganisation(pool, { name, clock: systemClock });
  const bookId = await findBookId(pool, organisation.id, 'test');
  if (!bookId) throw new Error(`The organisation ${name} has no test book`);
  return bookId;
}

export interface BenchBook {
  readonly id: BookId;
  readonly accounts: readonly Uuid[];
}

/** Opens a book with this many customer accounts, which may all be overdrawn. */
export async function openBookWithAccounts(
  pool: Pool,
  { name, accounts }: { name: string; accounts: number },
): Promise<BenchBook> {
  const id = await openBook(pool, name);
  return { id, accounts: await openAccounts(pool, id, { count: accounts }) };
}

/** Opens customer accounts by the product's own command, past the API. */
export async function openAccounts(
  pool: Pool,
  bookId: BookId,
  { count, metadata = () => ({}) }: { count: number; metadata?: (number: number) => Record<string, string> },
): Promise<Uuid[]> {
  const committer = createCommitter(pool);
  const accounts: Uuid[] = [];
  const openOne = async (number: number) => {
    const answer = await committer.submit(
      bookId,
      openAccount({
        currency: CURRENCY,
        name: `Account ${number}`,
        overdraftLimit: OVERDRAFT_LIMIT,
        externalId: null,
        metadata: metadata(number),
        requestId: newId(),
        actor: 'bench',
      }),
    );
    if (answer.refused || !answer.body.text) throw new Error('An account was not opened');
    accounts.push(parsePublicId('account', (JSON.parse(answer.body.text) as { id: string }).id)!);
  };
  const atOnce = 5_000; // within the bound of a book's queue
  for (let from = 0; from < count; from += atOnce) {
    await Promise.all(Array.from({ length: Math.min(atOnce, count - from) }, (_, index) => openOne(from + index)));
  }
  await committer.close();
  return accounts;
}

/** Issues a key that may do everything in the book. The rate limits are the book's, unless given. */
export async function issueKey(
  pool: Pool,
  bookId: BookId,
  limits: { writesPerSecond?: number; readsPerSecond?: number } = {},
): Promise<string> {
  const rights = { bookId, mode: 'test', name: 'bench', scopes: ['*'] } as const;
  const { token } = await issueApiKey(pool, systemClock, { ...rights, ...limits });
  return token;
}
