/**
 * A file that was staged, and stands neither in staging/ nor in sent/: nobody but the bank knows whether it has it. A person who has asked ends
 * the pause: either the file is kept as sent, or the same bytes are written once more, under the same name and MsgId.
 */
import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { inTransaction } from '../../db/transaction.ts';
import type { Bank } from './bank.ts';
import {
  type BankFile,
  contentPlace,
  endPause,
  findOpenNamed,
  findPause,
  lockRail,
  recordUnstaged,
} from './bank-file-store.ts';
import { inodeOf, linkOnce, syncFolder, writeSynced } from './folders.ts';

/** What the bank answered to the question for the file. */
export type BankHas = 'has_it' | 'has_it_not';

/** Resolves to the name of the file. Throws Error where no missing file pauses the rail, or where it is no longer missing. */
export async function resolveMissing(bank: Bank, answer: BankHas): Promise<string> {
  const rows = await bank.rows();
  const { name: rail, folders } = bank.settings;
  const pause = await findPause(bank.pool, rows);
  if (pause?.kind !== 'file_missing') throw new Error(`No missing file pauses ${rail}: npm run ops -- rails list`);
  const file = await findOpenNamed(bank.pool, rows, pause.file);
  const isKept = (await inodeOf(join(folders.sent, pause.file))) !== undefined;
  if (answer === 'has_it_not' && (isKept || file === undefined))
    throw new Error(`${pause.file} stands in sent/ by now, and is not sent again. The pause ends with --bank has.`);
  if (answer === 'has_it' && !isKept && file !== undefined) await keepAsSent(bank, file);
  await inTransaction(bank.pool, async (trx) => {
    await lockRail(trx, rows, bank.clock.now());
    if (answer === 'has_it_not') await recordUnstaged(trx, rows, file!.id);
    await endPause(trx, rows, 'file_missing');
  });
  return pause.file;
}

/** Its bytes stand in sent/, whole, as if it had just been renamed into the outbox: the next round publishes it, and writes nothing. */
async function keepAsSent(bank: Bank, { id, name, contentSealed }: BankFile): Promise<void> {
  const { staging, sent } = bank.settings.folders;
  const content = bank.secretBox.open(contentSealed!, contentPlace((await bank.rows()).bookId, id));
  const copy = `${name}.${randomBytes(8).toString('hex')}`;
  await writeSynced(staging, copy, content);
  await linkOnce(join(staging, copy), join(sent, name));
  await syncFolder(sent);
  await rm(join(staging, copy), { force: true });
}
