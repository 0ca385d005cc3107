/** Accepts a run: over a file whose bytes are kept, or over lines that are matched again. Workers carry it out. */

import type { Queryable } from '../../db/pool.ts';
import { ApiError } from '../../errors/errors.ts';
import type { Followed } from '../../group/approval-follow.ts';
import type { Stored } from '../../idempotency/idempotency-key.ts';
import type { OnceRuntime } from '../../idempotency/run-once.ts';
import { storedAs } from '../../idempotency/stored-view.ts';
import type { Asked, UseCase } from '../../idempotency/use-case.ts';
import { accounts } from '../../ledger/account/account-table.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Command } from '../../ledger/command/command.ts';
import { Draft } from '../../ledger/command/draft.ts';
import { StaleRead } from '../../ledger/commit/stale-read.ts';
import { newId, publicId, type Uuid } from '../../values/ids.ts';
import { writeJson } from '../../values/json.ts';
import { bankAccounts } from '../accounts/bank-account-table.ts';
import { requireOperatorsBook } from '../accounts/operators-book.ts';
import type { CheckedBankFile } from './first-reading.ts';
import { RUN_AGAIN_MS } from './moved-runs.ts';
import { NOTHING_YET, type Reconciliation } from './reconciliation.ts';
import { reconciliationResource } from './reconciliation-resource.ts';
import { findPendingMatchings, reconciliations } from './reconciliation-table.ts';

interface By {
  readonly requestId: Uuid;
  readonly actor: string;
}

/** A file that is kept. `known`: the run that it had already. */
export interface RequestFileRun extends By {
  readonly checked: CheckedBankFile;
  readonly name: string;
  readonly bankAccountId: Uuid | null;
  readonly profileId: Uuid | null;
  readonly comparedAccountId: Uuid | null;
  readonly known: Reconciliation | undefined;
}

/** Answers with the run of the same bytes where there is one. Throws StaleRead where that has failed meanwhile. */
export function requestFileRun(input: RequestFileRun): Command<Stored> {
  const { checked, known, requestId, actor } = input;
  const { sha256, bytes, format, statements } = checked;
  const of = {
    ...{ bankAccountId: input.bankAccountId, profileId: input.profileId, comparedAccountId: input.comparedAccountId },
    ...{ sha256, name: input.name, format },
    ...{ bytes: BigInt(bytes), through: null, statements: statements.length },
  };
  return accept({ requestId, actor, known }, of);
}

interface Accepted extends By {
  readonly known: Reconciliation | undefined;
  /** Of a run without a file: whether the book is one of the operator's. */
  readonly isOperators?: boolean;
}

type AskedRun = Pick<
  Reconciliation,
  | 'bankAccountId'
  | 'profileId'
  | 'comparedAccountId'
  | 'sha256'
  | 'name'
  | 'format'
  | 'bytes'
  | 'through'
  | 'statements'
>;

function accept({ requestId, actor, known, isOperators }: Accepted, of: AskedRun): Command<Stored> {
  const origin = { id: newId(), requestId, actor };
  return {
    ...origin,
    name: 'reconciliation.request',
    touches: [
      { table: reconciliations, ids: known === undefined ? [] : [known.id] },
      { table: bankAccounts, ids: isOperators === undefined || of.bankAccountId === null ? [] : [of.bankAccountId] },
      { table: accounts, ids: of.comparedAccountId === null ? [] : [of.comparedAccountId] },
    ],
    decide(state, moment) {
      const draft = new Draft(state, origin, moment);
      // A file's account was looked up before its bytes were kept.
      if (isOperators !== undefined) requireAccount(draft, of, isOperators);
      const run = known === undefined ? newRun(draft, origin, of) : again(draft, known.id);
      return draft.finish<Stored>(answerOf(draft, run));
    },
  };
}

/** It is due, and has its job. */
function newRun(draft: Draft, { id, requestId }: { readonly id: Uuid; readonly requestId: Uuid }, of: AskedRun) {
  const { book: at, wall } = draft.moment;
  draft.enqueue({ pool: 'reports', job: 'reconciliation.run', id });
  return draft.put<Reconciliation>(reconciliations, id, {
    ...{ id, status: 'pending', ...of, ...NOTHING_YET },
    ...{ requestId, version: 1, dueAt: wall + RUN_AGAIN_MS, createdAt: at, updatedAt: at },
  });
}

/** Of a run without a file. Throws ApiError for what the request names and the book does not have. */
function requireAccount(draft: Draft, { bankAccountId, comparedAccountId }: AskedRun, isOperators: boolean): void {
  requireSide({ isOperators, bankAccountId, comparedAccountId }, '/');
  if (isOperators && bankAccountId === null)
    throw new ApiError('parameter_missing', {
      param: '/bank_account',
      detail: 'Name the bank account whose lines are matched.',
    });
  if (bankAccountId !== null && draft.get(bankAccounts, bankAccountId) === undefined)
    throw unknownBankAccount(bankAccountId);
  if (comparedAccountId !== null && draft.get(accounts, comparedAccountId) === undefined)
    throw unknownAccount(comparedAccountId, '/account');
}

interface Sides {
  readonly isOperators: boolean;
  readonly bankAccountId: Uuid | null;
  readonly comparedAccountId: Uuid | null;
}

/** The operator's books have bank accounts, and every other one compares with its own accounts. Throws ApiError. `at`: before names of members. */
export function requireSide({ isOperators, bankAccountId, comparedAccountId }: Sides, at: '' | '/'): void {
  if (isOperators && comparedAccountId !== null)
    throw new ApiError('parameter_invalid', {
      param: `${at}account`,
      detail: "In the operator's books files are of bank accounts: name bank_account, or leave both out.",
    });
  if (isOperators || (comparedAccountId !== null && bankAccountId === null)) return;
  if (bankAccountId !== null) requireOperatorsBook(false);
  throw new ApiError('permission_denied', {
    detail:
      "Bank accounts stand in the operator's books. To compare a file with an account of this book, name it: account=acct_….",
  });
}

/** The run of a command that died is due from now on. One that has ended may find that a bank account was made since. */
function again(draft: Draft, id: Uuid): Reconciliation {
  const run = draft.get(reconciliations, id)!;
  if (run.status === 'failed') throw new StaleRead('The run of this file has failed meanwhile.');
  draft.enqueue({ pool: 'reports', job: 'reconciliation.run', id });
  if (run.status === 'completed' || run.dueAt !== null) return run;
  return draft.put(reconciliations, id, { ...run, dueAt: draft.moment.wall + RUN_AGAIN_MS });
}

function answerOf(draft: Draft, run: Reconciliation): Stored {
  const body = writeJson(reconciliationResource.view(run, { livemode: draft.livemode, wall: draft.moment.wall }));
  return storedAs(reconciliationResource, run, { status: 202, body });
}

export interface MatchAgain extends Asked {
  readonly isOperators: boolean;
  /** One of the two. */
  readonly bankAccountId: Uuid | null;
  readonly comparedAccountId: Uuid | null;
  readonly through: string | null;
}

const WITHOUT_FILE = { profileId: null, sha256: null, name: null, format: null, bytes: null, statements: 0 } as const;

/**
 * A run over what is open of each of these bank accounts, begun by a command that frees something for it: it is due with that commit. One that nobody
 * has begun will find it too, and is enough.
 */
export async function matchingOf(db: Queryable, bookId: BookId, bankAccountIds: readonly Uuid[]): Promise<Followed> {
  const pending = await findPendingMatchings(db, bookId, bankAccountIds);
  const runs = bankAccountIds.map((bankAccountId) => ({ id: newId(), requestId: newId(), bankAccountId }));
  return {
    touches: [
      { table: bankAccounts, ids: bankAccountIds },
      { table: reconciliations, ids: [...runs.map(({ id }) => id), ...pending.values()] },
    ],
    begin(draft) {
      for (const { bankAccountId, ...run } of runs) {
        if (draft.get(bankAccounts, bankAccountId)?.status !== 'open') continue;
        const pendingId = pending.get(bankAccountId);
        if (pendingId !== undefined && draft.get(reconciliations, pendingId)!.status === 'pending') continue;
        newRun(draft, run, { ...WITHOUT_FILE, bankAccountId, comparedAccountId: null, through: null });
      }
    },
  };
}

/** A run over what is open of a bank account, or of an account that its book compares. */
export const requestMatching: UseCase<OnceRuntime, MatchAgain> = {
  async prepare(_, { requestId, actor, isOperators, bankAccountId, comparedAccountId, through }) {
    const of = { ...WITHOUT_FILE, bankAccountId, comparedAccountId, through };
    return { command: accept({ requestId, actor, isOperators, known: undefined }, of) };
  },
};

/** The refusal of a request that names an account to compare with. */
export function unknownAccount(id: Uuid, param: string): ApiError {
  return new ApiError('resource_not_found', {
    param,
    detail: `There is no account ${publicId('account', id)} in this book. List them: GET /v1/journal/accounts.`,
  });
}

/** Throws nothing: the refusal of a request that names a bank account. */
export function unknownBankAccount(id: Uuid, param = '/bank_account'): ApiError {
  return new ApiError('bank_account_unknown', {
    param,
    detail: `There is no bank account ${publicId('bankAccount', id)} in this book. List them: GET /v1/transactions/bank_accounts.`,
  });
}
