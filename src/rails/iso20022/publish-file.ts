/**
 * The life of a file after it was made: written and synced in staging/ under this attempt's name, staged by a commit that names the attempt,
 * linked into sent/, renamed into outbox/, published by a commit. Killed anywhere and run again by any process, it goes on where it was:
 * what is published is never written again, though the bank has taken it away.
 */
import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { executionDay as executionDayOf } from '../../calendar/execution-day.ts';
import { inTransaction } from '../../db/transaction.ts';
import { failpoint } from '../../process/failpoints.ts';
import { BEFORE_ALL_IDS, deriveId, type Uuid } from '../../values/ids.ts';
import { elsewhere, further } from '../../values/progress.ts';
import type { Bank } from './bank.ts';
import { silentFrom } from './bank-days.ts';
import {
  type BankFile,
  contentPlace,
  findOpenFile,
  hasPaymentsOf,
  type Pause,
  recordPause,
  recordPublished,
  recordStaged,
} from './bank-file-store.ts';
import { insertFindings } from './bank-inbox-store.ts';
import { inodeOf, linkOnce, removeOthers, renameThere, syncFolder, writeSynced } from './folders.ts';

/**
 * Published by now, but for what an operator keeps back: other processes may have done their part. False: a file that nobody can explain pauses
 * the rail.
 */
export async function publishFiles(bank: Bank): Promise<boolean> {
  const rows = await bank.rows();
  let step: { id: Uuid; status: string } | undefined;
  let after = BEFORE_ALL_IDS;
  // Each turn moves the oldest file on by a step, passes one that is kept back, or ends.
  for (;;) {
    const file = await findOpenFile(bank.pool, rows, after);
    if (file === undefined) return true;
    step = elsewhere('the publishing of files', step, { id: file.id, status: file.status });
    if (file.status === 'made') {
      await stage(bank, file);
      continue;
    }
    const end = await publish(bank, file);
    if (end === 'unexplained') return false;
    if (end === 'kept_back') after = further('open files', after, file.id);
  }
}

/**
 * A file goes to the bank whole or not at all: a payment of a paused book keeps all of its file. Read anew each time, so that nothing is handed
 * over later than a moment after the pause.
 */
async function isKeptBack(bank: Bank, { id }: BankFile): Promise<boolean> {
  const { isAll, books } = await bank.keptBack();
  return isAll || (books.length > 0 && (await hasPaymentsOf(bank.pool, await bank.rows(), { fileId: id, books })));
}

const stagedName = ({ name }: BankFile, attempt: string) => `${name}.${attempt}`;

async function stage(bank: Bank, file: BankFile): Promise<void> {
  const rows = await bank.rows();
  const { staging } = bank.settings.folders;
  const attempt = randomBytes(8).toString('hex');
  const content = bank.secretBox.open(file.contentSealed!, contentPlace(rows.bookId, file.id));
  failpoint('bank.file.made');
  await writeSynced(staging, stagedName(file, attempt), content);
  failpoint('bank.file.synced');
  const isOurs = await recordStaged(bank.pool, rows, { id: file.id, attempt, now: bank.clock.now() });
  if (!isOurs) await rm(join(staging, stagedName(file, attempt)), { force: true });
  failpoint('bank.file.staged');
}

async function publish(bank: Bank, file: BankFile): Promise<'published' | 'kept_back' | 'unexplained'> {
  const { staging, sent, outbox } = bank.settings.folders;
  const staged = stagedName(file, file.attempt!);
  const [from, kept] = [join(staging, staged), join(sent, file.name)];
  // What is gone is at the bank already, or missing.
  if ((await inodeOf(from)) !== undefined && (await isKeptBack(bank, file))) return 'kept_back';
  const linked = await linkOnce(from, kept);
  if (linked === undefined && (await inodeOf(kept)) === undefined) {
    await pauseRail(bank, { kind: 'file_missing', file: file.name });
    return 'unexplained';
  }
  if (linked === false) {
    const [mine, theirs] = [await inodeOf(from), await inodeOf(kept)];
    // Gone meanwhile: another process has renamed it.
    if (mine !== undefined && mine !== theirs) {
      await pauseRail(bank, { kind: 'file_unknown', file: file.name });
      return 'unexplained';
    }
  }
  await syncFolder(sent);
  failpoint('bank.file.linked');
  // A process that was stopped hands nothing over during a pause either.
  if ((await inodeOf(from)) !== undefined && (await isKeptBack(bank, file))) return 'kept_back';
  await renameThere(from, join(outbox, file.name));
  await syncFolder(outbox);
  await syncFolder(staging);
  failpoint('bank.file.renamed');
  const now = bank.clock.now();
  const { schedule, silentAfterDays } = bank.settings;
  const silentAt = silentFrom(executionDayOf(schedule, now), silentAfterDays, schedule);
  await recordPublished(bank.pool, await bank.rows(), { id: file.id, silentAt, now });
  await removeOthers(staging, `${file.name}.`, staged);
  return 'published';
}

const DETAILS: Readonly<Record<Pause['kind'], string>> = {
  file_unknown: 'stands in sent/ and is not known, as after a restored backup: the bank may have it',
  file_missing: 'was staged, and stands neither in staging/ nor in sent/',
};

/** Nothing is filed until a person has looked: `npm run ops -- rails`. */
export async function pauseRail(bank: Bank, pause: Pause): Promise<void> {
  const rows = await bank.rows();
  const { name } = bank.settings;
  const now = bank.clock.now();
  await inTransaction(bank.pool, async (trx) => {
    await recordPause(trx, rows, pause, now);
    await insertFindings(
      trx,
      rows,
      [
        {
          id: deriveId('bank-finding', name, pause.kind, pause.file),
          kind: pause.kind,
          fileId: deriveId('bank-file', name, pause.file),
          detail: `The file ${pause.file} of ${name} ${DETAILS[pause.kind]}. The rail is paused: nothing more is filed.`,
        },
      ],
      now,
    );
  });
}
