/**
 * What becomes of a credit that a bank has booked. One that names exactly one account's reference, in its currency and under a reference of the
 * bank's own, is a transfer to that account; any other is a case for the operator's people, and posted in no customer's book.
 *
 * A credit and its transfer are of two books, so each step is committed by itself and may be repeated: the row names the transfer that it becomes
 * before the transfer is booked under that id.
 */
import { randomBytes } from 'node:crypto';
import { receiveTransfer } from '../../accounts/inbound-transfers/receive-transfer.ts';
import type { Pool } from '../../db/pool.ts';
import type { SecretBox } from '../../db/secret-box.ts';
import { isEnded } from '../../exceptions/exception.ts';
import { exceptions } from '../../exceptions/exception-table.ts';
import { openOnce } from '../../exceptions/open-exception.ts';
import type { RowFailed } from '../../group/moved-rows.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Committer } from '../../ledger/commit/committer.ts';
import type { Credit } from '../../outside/credits/credit.ts';
import { allocateCredit, endCredit, findInBooks, openRemittance } from '../../outside/credits/credit-store.ts';
import { inboundCredits } from '../../outside/credits/credit-table.ts';
import type { Clock } from '../../values/clock.ts';
import { deriveId, newId, publicId, type Uuid } from '../../values/ids.ts';
import { referencesIn } from '../references/receive-reference.ts';
import { accountsOf, type ReferencedAccount } from '../references/receive-reference-store.ts';
import { movedCredits } from './moved-credits.ts';

/** Where a statement reports a credit, and no rail. */
export const FROM_STATEMENTS = 'bank_statement';

export interface CreditRuntime {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly committer: Pick<Committer, 'submit'>;
  readonly secretBox: SecretBox;
  readonly rowFailed: RowFailed;
}

/** `bookId` is the operator's. One credit's failure does not keep the others. */
export async function takeCredits(runtime: CreditRuntime, bookId: BookId, ids: readonly Uuid[]): Promise<void> {
  const found = await inboundCredits.load(runtime.pool, bookId, ids);
  for (const credit of found.values()) {
    try {
      await takeCredit(runtime, bookId, credit);
    } catch (error) {
      await runtime.rowFailed(movedCredits, { bookId, id: credit.id }, error);
    }
  }
}

async function takeCredit(runtime: CreditRuntime, bookId: BookId, credit: Credit): Promise<void> {
  if (credit.dueAt === null) return;
  switch (credit.status) {
    case 'received':
      return allocate(runtime, bookId, credit);
    case 'allocated':
      return post(runtime, bookId, credit);
    case 'given':
      return openInBook(runtime, bookId, credit);
    default:
      return;
  }
}

async function allocate(runtime: CreditRuntime, bookId: BookId, credit: Credit): Promise<void> {
  const { pool, secretBox, clock } = runtime;
  const named = await accountsOf(pool, bookId, referencesIn(openRemittance(secretBox, bookId, credit)));
  const target = targetOf(credit, named);
  const why = typeof target === 'string' ? target : await reportedBefore(pool, bookId, credit);
  if (typeof target === 'string' || why !== undefined) return leaveUnallocated(runtime, bookId, { credit, why: why! });
  const to = { ...target, transferId: newId(), now: clock.now() };
  if (!(await allocateCredit(pool, bookId, credit, to))) return;
  const { transferId } = to;
  const allocated = { ...credit, ...target, transferId, status: 'allocated', version: credit.version + 1 } as const;
  await post(runtime, bookId, allocated);
}

/** The account, or why the credit has no account. */
function targetOf({ bankReference, shared }: Credit, named: readonly ReferencedAccount[]): ReferencedAccount | string {
  const [target, ...others] = named;
  if (target === undefined) return 'it names no reference of an account';
  if (others.length > 0) return 'it names references of several accounts';
  if (bankReference === null) return 'it has no reference of the bank';
  if (shared) return 'its reference of the bank is that of another credit too';
  return target;
}

/** A notice without the bank's reference may have reported the same money, and persons have given that to a book: posted, it would be there twice. */
async function reportedBefore(pool: Pool, bookId: BookId, credit: Credit): Promise<string | undefined> {
  const before = await findInBooks(pool, bookId, credit, { named: false, accountId: null });
  if (before === undefined) return undefined;
  const ids = await unallocatedIds(pool, bookId, [before]);
  return `it may be the credit of ${publicId('exception', ids.get(before.id)!)}, which was reported without a reference of the bank and is in a book already`;
}

const REFUSALS: Readonly<Record<string, string>> = {
  currency_mismatch: 'the account that it names is of another currency',
  account_closed: 'the account that it names is closed',
};

async function post(runtime: CreditRuntime, bookId: BookId, credit: Credit): Promise<void> {
  const { pool, committer, secretBox, clock } = runtime;
  const ownerBookId = credit.ownerBookId!;
  const remittance = openRemittance(secretBox, bookId, credit).join('\n');
  const answer = await committer.submit(
    ownerBookId,
    receiveTransfer({
      bookId: ownerBookId,
      accountId: credit.accountId!,
      amount: credit.amount,
      currency: credit.currency,
      description: null,
      salt: randomBytes(SALT_BYTES),
      requestId: newId(),
      actor: `rail:${credit.rail}`,
      transferId: credit.transferId!,
      bank: {
        bankReference: credit.bankReference,
        endToEndId: credit.endToEndId,
        payerName: credit.payerName,
        payerAccount: credit.payerAccount,
        remittance: remittance === '' ? null : remittance,
        valueOn: credit.valueOn,
        bookedOn: credit.bookedOn,
      },
    }),
  );
  if (answer.refused !== undefined) {
    const why = REFUSALS[answer.refused] ?? `its book refuses it (${answer.refused})`;
    return leaveUnallocated(runtime, bookId, { credit, why });
  }
  await endCredit(pool, bookId, credit, { status: 'posted', now: clock.now() });
}

const SALT_BYTES = 32;

/** The exception that a credit opens in the operator's book. */
const unallocatedId = (creditId: Uuid): Uuid => deriveId('exception', creditId, 'inbound_unallocated');

/** The one that it opens once the account that its people have named refuses it: that ended the exception before. */
const refusedId = (creditId: Uuid, transferId: Uuid): Uuid =>
  deriveId('exception', creditId, 'inbound_unallocated', transferId);

/** By credit, the exception of the operator's in which it is before people now, or in which it was given to a book. */
export async function unallocatedIds(
  pool: Pool,
  bookId: BookId,
  credits: readonly Pick<Credit, 'id' | 'transferId'>[],
): Promise<Map<Uuid, Uuid>> {
  const refused = credits.flatMap(({ id, transferId }) => (transferId === null ? [] : [refusedId(id, transferId)]));
  const found = refused.length === 0 ? undefined : await exceptions.load(pool, bookId, refused);
  return new Map(
    credits.map(({ id, transferId }) => {
      const again = transferId === null ? undefined : refusedId(id, transferId);
      return [id, again !== undefined && found?.has(again) ? again : unallocatedId(id)];
    }),
  );
}

/** The exception that it opens in the book to which a person has given it. */
const givenId = (creditId: Uuid): Uuid => deriveId('exception', creditId, 'given');

async function leaveUnallocated(
  { committer, pool, clock }: CreditRuntime,
  bookId: BookId,
  { credit, why }: { credit: Credit; why: string },
): Promise<void> {
  const { id, amount, currency, rail, bankReference, transferId } = credit;
  // Its people had named an account, and have ended that exception: this is another case.
  const before = await exceptions.find(pool, bookId, unallocatedId(id));
  const isAnew = before !== undefined && isEnded(before) && transferId !== null;
  const exceptionId = isAnew ? refusedId(id, transferId) : unallocatedId(id);
  await committer.submit(
    bookId,
    openOnce({
      ...{ id: exceptionId, kind: 'inbound_unallocated', resource: 'inbound_credit', resourceId: id },
      detail: `A bank${rail === FROM_STATEMENTS ? '' : ` of ${rail}`} booked a credit of ${amount} ${currency}${bankReference === null ? '' : ` (${bankReference})`} that no account received: ${why}. Nothing was booked in a customer's book.`,
      waiting: { accountId: null, amount, currency },
    }),
  );
  await endCredit(pool, bookId, credit, { status: 'unallocated', now: clock.now() });
}

export type GivenRuntime = Pick<CreditRuntime, 'pool' | 'clock' | 'committer'>;

/** At once, where a request has given it: else the job does. */
export async function openGiven(runtime: GivenRuntime, bookId: BookId, id: Uuid): Promise<void> {
  const credit = await inboundCredits.find(runtime.pool, bookId, id);
  if (credit?.status === 'given' && credit.dueAt !== null) await openInBook(runtime, bookId, credit);
}

async function openInBook(runtime: GivenRuntime, bookId: BookId, credit: Credit): Promise<void> {
  const { id, amount, currency, ownerBookId } = credit;
  await runtime.committer.submit(
    ownerBookId!,
    openOnce({
      ...{ id: givenId(id), kind: 'inbound_unallocated', resource: 'given_credit', resourceId: id },
      detail: `The operator has given this book a credit of ${amount} ${currency} that named no account of it. Nothing is booked until two persons have said for which account it is.`,
      waiting: { accountId: null, amount, currency },
    }),
  );
  await endCredit(runtime.pool, bookId, credit, { status: 'given', now: runtime.clock.now() });
}
