/**
 * A bank's file that comes by API. It is read once as it comes, by the first reading: what is not whole is refused at once. Then its bytes are kept,
 * sealed, and the run appears in one commit with its idempotency key. A process that dies in between leaves kept bytes that no run names.
 * Next: request-run.ts (the commit), carry-out-runs.ts (the worker).
 */

import { createHash } from 'node:crypto';
import type { SecretBox } from '../../db/secret-box.ts';
import { ApiError } from '../../errors/errors.ts';
import { fillAnswer } from '../../idempotency/fill-answer.ts';
import { idempotencyKeys } from '../../idempotency/idempotency-table.ts';
import { type OnceAnswer, recall } from '../../idempotency/once.ts';
import { type OnceRuntime, runOnce } from '../../idempotency/run-once.ts';
import type { Asked } from '../../idempotency/use-case.ts';
import { BadInput } from '../../intake/bad-input.ts';
import { NoRoom, SpooledFile } from '../../intake/spooled-file.ts';
import { accounts } from '../../ledger/account/account-table.ts';
import { retryStaleReads } from '../../ledger/commit/stale-read.ts';
import { plainIdentifier } from '../../outside/credits/credited-account-store.ts';
import { failpoint } from '../../process/failpoints.ts';
import type { Clock } from '../../values/clock.ts';
import { publicId, type Uuid } from '../../values/ids.ts';
import { toJson } from '../../values/json.ts';
import type { BankAccount } from '../accounts/bank-account.ts';
import { bankAccounts, readOpenAccounts } from '../accounts/bank-account-table.ts';
import type { TakeLinesRuntime } from '../items/take-lines.ts';
import { type Candidate, candidatesFor, HEAD_BYTES } from '../profiles/candidates.ts';
import { asBankAccount, profileFor } from '../profiles/saved-profile.ts';
import { formView } from '../profiles/saved-profile-resource.ts';
import { csvProfiles, listProfiles } from '../profiles/saved-profile-table.ts';
import { FormatUnknown } from '../reading/read-file.ts';
import type { OfCsv } from './end-run.ts';
import { BankFileChecking, type CheckedBankFile } from './first-reading.ts';
import { type BankFile, keepBytes } from './import-file.ts';
import { FINDINGS_SHOWN } from './reconciliation.ts';
import { findRun, throwRunMeanwhile } from './reconciliation-table.ts';
import { rehearseComparison } from './rehearse-comparison.ts';
import { rehearsalView, rehearseFile } from './rehearse-file.ts';
import { requestFileRun, requireSide, unknownAccount, unknownBankAccount } from './request-run.ts';

export interface UploadRuntime extends OnceRuntime, Pick<TakeLinesRuntime, 'atBank' | 'lineNames'> {
  readonly secretBox: SecretBox;
  readonly clock: Clock;
}

export interface UploadFile extends Omit<Asked, 'fingerprint'> {
  /** Whether the book is one of the operator's. */
  readonly isOperators: boolean;
  readonly livemode: boolean;
  readonly bankAccountId: Uuid | null;
  /** Of a book's own comparison. */
  readonly comparedAccountId: Uuid | null;
  readonly profileId: Uuid | null;
  readonly name: string | null;
}

export interface UploadedFile {
  /** Once. Throws ApiError where it is too large, or is cut short. */
  parts(): AsyncIterable<Buffer>;
  /** Of the request, by the SHA-256 of its bytes. */
  fingerprint(sha256: string): Buffer;
}

/** Throws ApiError for a file that is refused: then nothing of it is kept, and the key is unused. */
export async function uploadFile(
  runtime: UploadRuntime,
  request: UploadFile,
  upload: UploadedFile,
): Promise<OnceAnswer> {
  const { pool } = runtime;
  const { bookId, idempotencyKey: key, requestId } = request;
  const known = key === null ? undefined : await idempotencyKeys.find(pool, bookId, key);
  if (key !== null && known !== undefined) {
    const fingerprint = upload.fingerprint(await digestOf(upload.parts()));
    const { fingerprints, publicUrl } = runtime;
    return fillAnswer(pool, bookId, recall(known, { key, fingerprint, fingerprints, publicUrl }, requestId));
  }
  requireSide(request, '');
  const named = await namedBy(runtime, request);
  const spool = await openSpool();
  try {
    const checked = await checkUpload(runtime, { request, named, upload, spool });
    requireNamed(checked, named.bankAccount);
    const name = request.name ?? checked.format;
    const file = { bookId, checked, name, read: () => spool.parts(), csv: named.csv };
    if (request.dryRun) return await rehearsed(runtime, file, request);
    await keepBytes(runtime, file);
    failpoint('reconciliation.file.kept');
    return await retryStaleReads(() =>
      accept(runtime, { request, file, fingerprint: upload.fingerprint(checked.sha256) }),
    );
  } finally {
    await spool.close();
  }
}

async function openSpool(): Promise<SpooledFile> {
  try {
    return await SpooledFile.open();
  } catch (error) {
    throw error instanceof NoRoom ? withoutRoom() : error;
  }
}

/** The operator makes room, and the same request succeeds. */
function withoutRoom(): ApiError {
  return new ApiError('service_unavailable', {
    detail: 'There is no room for the file at the moment. Nothing of it is kept.',
    headers: { 'Retry-After': '60' },
  });
}

async function digestOf(parts: AsyncIterable<Buffer>): Promise<string> {
  const digest = createHash('sha256');
  for await (const part of parts) digest.update(part);
  return digest.digest('hex');
}

interface Named {
  readonly bankAccount: BankAccount | undefined;
  /** As what a CSV is read: the bank account, or the account that is compared. */
  readonly account: Pick<BankAccount, 'identifiers' | 'currency'> | undefined;
  /** Where the request names a profile too. */
  readonly csv: OfCsv | undefined;
}

/** Throws ApiError for what the request names and does not exist. */
async function namedBy(
  { pool }: UploadRuntime,
  { bookId, bankAccountId, comparedAccountId, profileId }: UploadFile,
): Promise<Named> {
  const bankAccount = bankAccountId === null ? undefined : await bankAccounts.find(pool, bookId, bankAccountId);
  if (bankAccountId !== null && bankAccount === undefined) throw unknownBankAccount(bankAccountId, 'bank_account');
  const compared = comparedAccountId === null ? undefined : await accounts.find(pool, bookId, comparedAccountId);
  if (comparedAccountId !== null && compared === undefined) throw unknownAccount(comparedAccountId, 'account');
  const account = compared === undefined ? bankAccount : asBankAccount(compared);
  if (profileId === null) return { bankAccount, account, csv: undefined };
  if (account === undefined)
    throw new ApiError('parameter_missing', {
      param: 'bank_account',
      detail: 'A CSV does not state whose lines it has: name the bank account beside the profile.',
    });
  const saved = await csvProfiles.find(pool, bookId, profileId);
  if (saved === undefined)
    throw new ApiError('resource_not_found', {
      param: 'profile',
      detail: `There is no profile ${publicId('csvProfile', profileId)} in this book. List them: GET /v1/transactions/profiles.`,
    });
  const profile = profileFor(saved, account);
  return { bankAccount, account, csv: { bankAccountId: bankAccount?.id ?? null, profileId, profile } };
}

interface Checking {
  readonly request: UploadFile;
  readonly named: Named;
  readonly upload: UploadedFile;
  readonly spool: SpooledFile;
}

/** The first reading. What is wrong is answered once the client has sent all of it. */
async function checkUpload(
  runtime: UploadRuntime,
  { request, named, upload, spool }: Checking,
): Promise<CheckedBankFile> {
  const checking = new BankFileChecking(named.csv?.profile);
  let fault: BadInput | undefined;
  let isFull = false;
  const check = <Value>(step: () => Value): Value | undefined => {
    if (fault !== undefined) return undefined;
    try {
      return step();
    } catch (error) {
      if (!(error instanceof BadInput)) throw error;
      fault = error;
      return undefined;
    }
  };
  for await (const part of upload.parts()) {
    check(() => checking.push(part));
    // Of a file without a format its beginning shows what it may be.
    if (!isFull && (fault === undefined || spool.bytes < HEAD_BYTES)) isFull = !(await fits(spool, part));
  }
  const checked = check(() => checking.end());
  if (isFull && (fault === undefined || fault instanceof FormatUnknown)) throw withoutRoom();
  if (checked !== undefined) return checked;
  if (!(fault instanceof FormatUnknown)) throw invalid([{ place: fault!.row, detail: fault!.message }]);
  const candidates = await candidatesOf(runtime, { request, named, spool });
  if (candidates.length > 0) throw profileNeeded(candidates);
  const detail = 'It is no camt.052 to .054, MT940, MT942 or BAI2, and no profile fits it as a CSV.';
  throw invalid([{ place: null, detail }]);
}

/** Keeps the part, unless there is no room for it. */
async function fits(spool: SpooledFile, part: Buffer): Promise<boolean> {
  try {
    await spool.write(part);
    return true;
  } catch (error) {
    if (error instanceof NoRoom) return false;
    throw error;
  }
}

/** By the currency of the bank account, else of one that is open. */
async function candidatesOf(
  { pool }: UploadRuntime,
  { request: { bookId }, named, spool }: Omit<Checking, 'upload'>,
): Promise<Candidate[]> {
  const account = named.account ?? (await readOpenAccounts(pool, bookId))[0];
  if (account === undefined) return [];
  const parts: Buffer[] = [];
  for await (const part of spool.parts()) parts.push(part);
  const { rows: saved } = await listProfiles(pool, { bookId }, { limit: SAVED_TRIED });
  const bytes = Buffer.concat(parts).subarray(0, HEAD_BYTES);
  return candidatesFor(bytes, { account, saved, isWhole: spool.bytes <= HEAD_BYTES });
}

/** The newest ones. */
const SAVED_TRIED = 20;

function profileNeeded(candidates: readonly Candidate[]): ApiError {
  return new ApiError('profile_needed', {
    param: 'profile',
    detail:
      candidates.length === 1
        ? 'It is a CSV: name its profile and its bank account. One fits; save it with POST /v1/transactions/profiles where it is not saved.'
        : 'It is a CSV: name its profile and its bank account. Several fit, so a person names the one that is meant.',
    facts: {
      candidates: candidates.map(({ saved, form }) => ({
        profile: saved === null ? null : publicId('csvProfile', saved.id),
        ...formView(form),
      })),
    },
  });
}

interface Fault {
  /** The line of the file. */
  readonly place: number | null;
  readonly detail: string;
}

function invalid(faults: readonly Fault[]): ApiError {
  const [{ place, detail }] = faults as [Fault, ...Fault[]];
  return new ApiError('file_invalid', {
    param: '',
    detail: `${/[.]$/.test(detail) ? detail : `${detail}.`} Nothing of it is kept.`,
    facts: {
      place: place === null ? null : { line: place },
      findings: faults.slice(0, FINDINGS_SHOWN).map((fault) => ({ code: 'file_invalid', ...fault })),
    },
  });
}

/** Throws ApiError where the request names a bank account and a statement is of another one. */
function requireNamed({ statements }: CheckedBankFile, account: BankAccount | undefined): void {
  if (account === undefined) return;
  const own = new Set(account.identifiers.map(plainIdentifier));
  const others = statements.filter(({ statement }) => !own.has(plainIdentifier(statement.account)));
  if (others.length === 0) return;
  throw invalid(
    others.map(({ statement: { row } }) => ({
      place: row,
      detail: `Line ${row}: the statement is not of ${publicId('bankAccount', account.id)}, which the request names. Leave bank_account out, or name the account that the file is of.`,
    })),
  );
}

async function rehearsed(
  runtime: UploadRuntime,
  file: BankFile,
  { livemode, comparedAccountId }: UploadFile,
): Promise<OnceAnswer> {
  const rehearsal =
    comparedAccountId === null
      ? await rehearseFile(runtime.pool, file)
      : await rehearseComparison(runtime, file, comparedAccountId);
  return { status: 200, body: toJson(rehearsalView(file, rehearsal, livemode)), replayed: false };
}

interface Accepting {
  readonly request: UploadFile;
  readonly file: BankFile;
  readonly fingerprint: Buffer;
}

async function accept(runtime: UploadRuntime, { request, file, fingerprint }: Accepting): Promise<OnceAnswer> {
  const { bookId, idempotencyKey: key, requestId, actor } = request;
  const { checked, name } = file;
  const of = {
    bankAccountId: file.csv?.bankAccountId ?? null,
    profileId: file.csv?.profileId ?? null,
    comparedAccountId: request.comparedAccountId,
  };
  const known = await findRun(runtime.pool, bookId, { sha256: checked.sha256, ...of });
  const command = requestFileRun({ checked, name, ...of, known, requestId, actor });
  return runOnce(runtime, { bookId, key, fingerprint, requestId, command }).catch(throwRunMeanwhile);
}
