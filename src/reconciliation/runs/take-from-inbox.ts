/**
 * A file that a rail's inbox was given, and that is of a bank account of this book: it is kept, and a run over it is accepted, once by its bytes.
 * Workers carry the run out. A statement of an account that no bank account has is left to the rail.
 */
import type { Pool } from '../../db/pool.ts';
import type { SecretBox } from '../../db/secret-box.ts';
import { BadInput } from '../../intake/bad-input.ts';
import type { ReadParts } from '../../intake/read-twice.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Committer } from '../../ledger/commit/committer.ts';
import { retryStaleReads } from '../../ledger/commit/stale-read.ts';
import { readCreditedAccounts } from '../../outside/credits/credited-account-store.ts';
import type { Clock } from '../../values/clock.ts';
import { newId } from '../../values/ids.ts';
import { readOpenAccounts } from '../accounts/bank-account-table.ts';
import { type CheckedBankFile, checkBankParts } from './first-reading.ts';
import { keepBytes } from './import-file.ts';
import { IMPORT_ACTOR } from './post-statement.ts';
import { findRun, throwRunMeanwhile } from './reconciliation-table.ts';
import { requestFileRun } from './request-run.ts';

export interface FromInboxRuntime {
  readonly pool: Pool;
  readonly committer: Pick<Committer, 'submit'>;
  readonly secretBox: SecretBox;
  readonly clock: Clock;
}

interface InboxFile {
  readonly bookId: BookId;
  readonly name: string;
  readonly read: ReadParts;
}

/** Resolves to whether there is a run over it. */
export async function takeFromInbox(runtime: FromInboxRuntime, file: InboxFile): Promise<boolean> {
  const { pool } = runtime;
  const { bookId, read } = file;
  if ((await readOpenAccounts(pool, bookId)).length === 0) return false;
  const checked = await checkedOf(read);
  if (checked === undefined) return false;
  const accounts = checked.statements.map(({ statement }) => statement.account);
  if ((await readCreditedAccounts(pool, bookId, accounts)).size === 0) return false;
  await keepBytes(runtime, { ...file, checked });
  await retryStaleReads(() => accept(runtime, { bookId, checked, name: file.name.slice(0, NAME_MAX) }));
  return true;
}

const NAME_MAX = 200;

/** Undefined for what is no statement of a bank, or is not whole. */
async function checkedOf(read: ReadParts): Promise<CheckedBankFile | undefined> {
  try {
    return await checkBankParts(read());
  } catch (error) {
    if (error instanceof BadInput) return undefined;
    throw error;
  }
}

interface Accepting {
  readonly bookId: BookId;
  readonly checked: CheckedBankFile;
  readonly name: string;
}

async function accept({ pool, committer }: FromInboxRuntime, { bookId, checked, name }: Accepting): Promise<void> {
  const of = { bankAccountId: null, profileId: null, comparedAccountId: null };
  const known = await findRun(pool, bookId, { sha256: checked.sha256, ...of });
  if (known !== undefined) return;
  const by = { requestId: newId(), actor: IMPORT_ACTOR };
  await committer.submit(bookId, requestFileRun({ checked, name, ...of, known, ...by })).catch(throwRunMeanwhile);
}
