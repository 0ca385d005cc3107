/**
 * The folder of what was sent, against the database. A name that the database does not know was sent before a backup was restored: the rail
 * pauses, since what the file carries would be filed again. A person adopts it: then its payments are known as filed.
 */
import { hash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inTransaction } from '../../db/transaction.ts';
import { BadInput } from '../../intake/bad-input.ts';
import { at, textAt, XmlReader } from '../../intake/read-xml.ts';
import { newId, type Uuid } from '../../values/ids.ts';
import { elsewhere } from '../../values/progress.ts';
import type { Bank } from './bank.ts';
import { silentFrom } from './bank-days.ts';
import {
  type AdoptedInstruction,
  endPause,
  insertAdopted,
  insertFile,
  knownNames,
  listPublished,
  lockRail,
} from './bank-file-store.ts';
import { fromDecimal } from './credit-transfer.ts';
import { unlessMissing } from './folders.ts';
import { pauseRail } from './publish-file.ts';

const NAMES_AT_ONCE = 1_000;
const FILES_AT_ONCE = 100;

/** False where the folder has a file that is not in the database: the rail is paused. */
export async function compareSent(bank: Bank): Promise<boolean> {
  const [unknown] = await unknownNames(bank);
  if (unknown === undefined) return true;
  await pauseRail(bank, { kind: 'file_unknown', file: unknown });
  return false;
}

async function unknownNames(bank: Bank): Promise<string[]> {
  const rows = await bank.rows();
  const names = (await readdir(bank.settings.folders.sent)).sort();
  const unknown: string[] = [];
  for (let first = 0; first < names.length; first += NAMES_AT_ONCE) {
    const page = names.slice(first, first + NAMES_AT_ONCE);
    const known = await knownNames(bank.pool, rows, page);
    unknown.push(...page.filter((name) => !known.has(name)));
  }
  return unknown;
}

/** A file on which sent/ and the database do not agree. */
export interface Difference {
  readonly file: string;
  readonly what: 'unknown' | 'missing' | 'changed';
}

/**
 * All files that were published, against their bytes in sent/, and the names that are not in the database. Reads the
 * whole folder.
 */
export async function differencesOf(bank: Bank): Promise<Difference[]> {
  const rows = await bank.rows();
  const differences: Difference[] = (await unknownNames(bank)).map((file) => ({ file, what: 'unknown' }));
  for (let after: Uuid | undefined; ; ) {
    const page = await listPublished(bank.pool, rows, { after, limit: FILES_AT_ONCE });
    for (const { name, sha256 } of page) {
      const bytes = await readFile(join(bank.settings.folders.sent, name)).catch(unlessMissing);
      if (bytes === undefined) differences.push({ file: name, what: 'missing' });
      else if (hash('sha256', bytes, 'hex') !== sha256) differences.push({ file: name, what: 'changed' });
    }
    const last = page.at(-1);
    if (last === undefined) return differences;
    after = elsewhere('the files that were published', after, last.id);
  }
}

export interface Adopted {
  readonly file: string;
  readonly payments: number;
  /** End-to-end ids that another file has too: the bank has them twice. */
  readonly repeated: readonly string[];
}

/** Records what unknown files in sent/ carry, and ends the pause. Throws BadInput for a file that is no pain.001. */
export async function adoptSent(bank: Bank): Promise<Adopted[]> {
  const rows = await bank.rows();
  const adopted: Adopted[] = [];
  for (const name of await unknownNames(bank)) {
    const bytes = await readFile(join(bank.settings.folders.sent, name));
    const { messageId, payments } = readPain001(bank, bytes);
    const id = newId();
    await inTransaction(bank.pool, async (trx) => {
      const now = bank.clock.now();
      await lockRail(trx, rows, now);
      const elsewhere = await insertAdopted(trx, rows, payments, now);
      const filed = payments.filter(({ endToEndId }) => !elsewhere.has(endToEndId));
      const sha256 = hash('sha256', bytes, 'hex');
      const of = { id, name, messageId, sha256, contentSealed: null };
      const file = { ...of, status: 'published' as const, attempt: 'adopted' };
      await insertFile(trx, rows, { file, filed, now });
      adopted.push({ file: name, payments: filed.length, repeated: [...elsewhere] });
    });
  }
  await inTransaction(bank.pool, (trx) => endPause(trx, rows, 'file_unknown'));
  return adopted;
}

function readPain001(bank: Bank, bytes: Buffer): { messageId: string; payments: readonly AdoptedInstruction[] } {
  const payments: AdoptedInstruction[] = [];
  let messageId: string | undefined;
  const reader = new XmlReader(new Set(['CdtTrfTxInf', 'PmtInf']), (element, ancestors) => {
    const message = ancestors[1];
    messageId ??= textAt(message, 'GrpHdr', 'MsgId');
    if (element.name !== 'CdtTrfTxInf') return;
    const payment = ancestors.find(({ name }) => name === 'PmtInf');
    const ids = at(element, 'PmtId');
    const instructed = at(element, 'Amt', 'InstdAmt');
    const currency = instructed?.attributes.Ccy ?? '';
    const executionDay = textAt(payment, 'ReqdExctnDt', 'Dt');
    const paymentInformationId = textAt(payment, 'PmtInfId');
    const endToEndId = textAt(ids, 'EndToEndId');
    const amount =
      instructed && bank.settings.currencies.includes(currency) ? fromDecimal(instructed.text, currency) : undefined;
    if (!amount || !endToEndId || !executionDay || !paymentInformationId)
      throw new BadInput(null, `Payment ${payments.length + 1} of the file lacks an id, a day or an amount.`);
    payments.push({
      ...{ endToEndId, amount, currency, executionDay, paymentInformationId },
      reference: textAt(ids, 'InstrId') ?? endToEndId,
      line: payments.length + 1,
      silentAt: silentFrom(executionDay, bank.settings.silentAfterDays, bank.settings.schedule),
    });
  });
  reader.write(bytes);
  reader.end();
  if (messageId === undefined || payments.length === 0) throw new BadInput(null, 'It is no pain.001 with payments.');
  return { messageId, payments };
}
