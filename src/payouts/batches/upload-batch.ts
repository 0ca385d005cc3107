/**
 * An upload: its items are read, placed and kept in pages, one after the other; the batch and its idempotency key appear in one last commit.
 * A process that dies in between leaves pages that no batch names, and a key that nobody has used.
 * Next: upload-items.ts (what an item becomes), create-batch.ts (the last commit).
 */

import { setImmediate } from 'node:timers/promises';
import { defaultAccounts } from '../../accounts/account/account-profile-table.ts';
import { inTransaction } from '../../db/transaction.ts';
import { ApiError } from '../../errors/errors.ts';
import { fillAnswer } from '../../idempotency/fill-answer.ts';
import { idempotencyKeys } from '../../idempotency/idempotency-table.ts';
import { type OnceAnswer, recall } from '../../idempotency/once.ts';
import { type OnceRuntime, runOnce } from '../../idempotency/run-once.ts';
import type { Asked } from '../../idempotency/use-case.ts';
import type { Account } from '../../ledger/account/account.ts';
import { accounts } from '../../ledger/account/account-table.ts';
import type { Mode } from '../../ledger/book/book.ts';
import { retryStaleReads } from '../../ledger/commit/stale-read.ts';
import type { Clock } from '../../values/clock.ts';
import { newId, type Uuid } from '../../values/ids.ts';
import type { ScheduledFor } from '../payout/schedule.ts';
import { ITEMS_MAX, PAYING_ACCOUNTS_MAX, type PayingAccount } from './batch.ts';
import { BatchFaults, type UploadFault } from './batch-faults.ts';
import { beginUpload, endUpload } from './batch-item-store.ts';
import { batchContents } from './batch-table.ts';
import { type CreateBatch, createBatch, refusePaying } from './create-batch.ts';
import { UploadErrorsFile } from './upload-errors.ts';
import { type UploadedItem, UploadItems, type UploadItemsRuntime } from './upload-items.ts';

/** Members of a request beside its items. */
export interface BatchOptions {
  readonly accountId?: Uuid | undefined;
  readonly isSubmitted: boolean;
  readonly scheduledFor?: ScheduledFor | undefined;
  readonly isApprovalRequested: boolean;
  readonly allowsDuplicate: boolean;
  readonly externalId: string | null;
  readonly metadata: Record<string, string>;
}

/** A body that is read as it comes. What stands beside the items is known once they are read. */
export interface UploadedBatch {
  items(): AsyncIterable<readonly UploadedItem[]>;
  /** What is wrong beside the items. */
  faultsBeside(): readonly UploadFault[];
  /** Where nothing is. */
  options(): BatchOptions;
  /** Of the request, as its Idempotency-Key stands for it. */
  fingerprint(): Buffer;
  /** Of what is to be paid, in hexadecimal digits. */
  sha256(): string;
  /** How the answer names a member of an item: `/items/16/amount`. */
  placeOf(row: number, param: string): string;
}

export interface UploadRequest extends Omit<Asked, 'fingerprint'> {
  readonly mode: Mode;
}

export interface UploadRuntime extends OnceRuntime, UploadItemsRuntime {
  readonly clock: Clock;
}

/** Throws ApiError for all faults at once, and then there is no batch and the key is unused. */
export async function uploadBatch(
  runtime: UploadRuntime,
  request: UploadRequest,
  upload: UploadedBatch,
): Promise<OnceAnswer> {
  const { pool } = runtime;
  const { bookId, idempotencyKey: key, dryRun = false } = request;
  const known = key === null ? undefined : await idempotencyKeys.find(pool, bookId, key);
  if (key !== null && known !== undefined) {
    await readThrough(upload);
    const { fingerprints, publicUrl } = runtime;
    const once = { key, fingerprint: upload.fingerprint(), fingerprints, publicUrl };
    return fillAnswer(pool, bookId, recall(known, once, request.requestId));
  }
  const batchId = newId();
  const isKept = !dryRun;
  if (isKept) await beginUpload(pool, bookId, { batchId, done: false, begunAt: runtime.clock.now() });
  try {
    const command = await readUpload(runtime, { request, upload, batchId });
    const fingerprint = upload.fingerprint();
    return await retryStaleReads(async () => {
      const content = await batchContents.find(pool, bookId, command.sha256);
      const { requestId } = request;
      return runOnce(runtime, {
        ...{ bookId, key, fingerprint, requestId, dryRun },
        command: createBatch({ ...command, known: content }),
      });
    });
  } finally {
    // A batch that was made keeps its pages. What cannot be deleted now is swept.
    if (isKept) await endUpload(pool, bookId, batchId).catch(() => undefined);
  }
}

/** To its end, for its digest. Nothing in it is looked at again. */
async function readThrough(upload: UploadedBatch): Promise<void> {
  for await (const _ of upload.items());
}

interface Reading {
  readonly request: UploadRequest;
  readonly upload: UploadedBatch;
  readonly batchId: Uuid;
}

async function readUpload(
  runtime: UploadRuntime,
  { request, upload, batchId }: Reading,
): Promise<Omit<CreateBatch, 'known'>> {
  const { bookId, mode, requestId, actor, dryRun = false } = request;
  const faults = new BatchFaults();
  const of = { bookId, mode, batchId, key: request.idempotencyKey ?? requestId };
  const items = new UploadItems(runtime, of, {
    faults,
    isKept: !dryRun,
    placeOf: (row, param) => upload.placeOf(row, param),
  });
  const file = dryRun ? undefined : new UploadErrorsFile(runtime, { bookId, batchId });
  for await (const page of upload.items()) {
    if (items.read + page.length > ITEMS_MAX) {
      const param = upload.placeOf(ITEMS_MAX + 1, '');
      const detail = `A batch has at most ${ITEMS_MAX} items.`;
      throw new ApiError('parameter_invalid', { param, detail, facts: { limit: ITEMS_MAX } });
    }
    await items.add(page);
    await file?.add(faults.take());
    // Other requests of the process have their turn.
    await setImmediate();
  }
  const beside = upload.faultsBeside();
  for (const fault of beside) faults.add(fault);
  if (items.read === 0 && beside.length === 0)
    faults.add({ code: 'parameter_invalid', param: '/items', detail: 'Expects at least one item.' });
  // What stands beside the items is not known where something is wrong with it, nor what an item leaves whose form is wrong.
  const payingAccounts =
    faults.anyOfForm || beside.length > 0
      ? []
      : await payingAccountsOf(runtime, { request, upload, items, faults }, upload.options().accountId);
  await file?.add(faults.take());
  await file?.end();
  faults.throwAny(file?.path);
  await items.flush();
  const options = upload.options();
  return {
    ...{ batchId, bookId, requestId, actor, dryRun, payingAccounts },
    sha256: upload.sha256(),
    items: items.read,
    totals: items.totals,
    places: new Map(payingAccounts.map(({ accountId }) => [accountId, items.placeOfAccount(accountId)])),
    rails: items.rails,
    newPayees: items.hasNewPayee,
    configuration: items.configuration,
    isSubmitted: options.isSubmitted,
    isApprovalRequested: options.isApprovalRequested,
    allowsDuplicate: options.allowsDuplicate,
    scheduledFor: options.scheduledFor,
    externalId: options.externalId,
    metadata: options.metadata,
  };
}

interface Reckoned extends Omit<Reading, 'batchId'> {
  readonly items: UploadItems;
  readonly faults: BatchFaults;
}

/** The accounts that items leave, with what they take, and whether they can; then those that items go to. */
async function payingAccountsOf(
  { pool }: UploadRuntime,
  { request: { bookId }, items, faults, upload }: Reckoned,
  batchAccountId: Uuid | undefined,
): Promise<PayingAccount[]> {
  // An item that names no account leaves the batch's, or the default one of its currency.
  const accountOf = new Map<string, Uuid>();
  for (const { accountId, currency, rows } of items.needs) {
    if (accountId !== null) continue;
    const own = batchAccountId ?? (await defaultAccounts.find(pool, bookId, currency))?.accountId;
    if (own !== undefined) accountOf.set(currency, own);
    else {
      const detail = `There is no account in ${currency} to pay from. Open one, or name an account.`;
      faults.add({ code: 'resource_not_found', param: upload.placeOf(rows[0]!, '/account'), detail });
    }
  }
  const load = (ids: readonly Uuid[]) => loadAccounts(pool, bookId, ids);
  const named = items.needs.flatMap(({ accountId, currency }) => accountId ?? accountOf.get(currency) ?? []);
  const found = await load([...new Set(named)]);
  const needs = new Map<Uuid, PayingAccount>();
  for (const { accountId, currency, amount, rows } of items.needs) {
    const own = accountId ?? accountOf.get(currency);
    if (own === undefined) continue;
    const refusal = refusePaying(found.get(own), currency);
    if (refusal !== undefined) {
      for (const row of rows) items.refuse(row, refusal);
      continue;
    }
    const known = needs.get(own);
    items.nameAccount(own, rows[0]!);
    needs.set(own, {
      accountId: own,
      currency,
      amount: amount + (known?.amount ?? 0n),
      holdId: known?.holdId ?? newId(),
      isDefault: accountId === null || known?.isDefault === true,
    });
  }
  if (needs.size > PAYING_ACCOUNTS_MAX)
    faults.add({
      code: 'parameter_invalid',
      param: '/items',
      detail: `The items of a batch leave at most ${PAYING_ACCOUNTS_MAX} accounts; these leave ${needs.size}.`,
      facts: { limit: PAYING_ACCOUNTS_MAX },
    });
  await items.judgeTargets(accountOf, load);
  return [...needs.values()];
}

const ACCOUNTS_PER_LOAD = 1_000;

async function loadAccounts(
  pool: UploadRuntime['pool'],
  bookId: Uuid,
  ids: readonly Uuid[],
): Promise<Map<Uuid, Account>> {
  const found = new Map<Uuid, Account>();
  for (let at = 0; at < ids.length; at += ACCOUNTS_PER_LOAD) {
    const page = await inTransaction(pool, (trx) => accounts.load(trx, bookId, ids.slice(at, at + ACCOUNTS_PER_LOAD)));
    for (const [id, account] of page) found.set(id, account);
  }
  return found;
}
