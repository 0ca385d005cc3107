/** Takes a whole file of a bank: its bytes and the reports of its lines are one commit, once by its SHA-256. */

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { Transaction } from '../../db/pool.ts';
import { BadInput } from '../../intake/bad-input.ts';
import type { ReadParts } from '../../intake/read-twice.ts';
import { inKeepingTransaction, keepFile } from '../../intake/sealed-file.ts';
import type { Bank } from './bank.ts';
import { hasFinding, insertFindings, insertTaken, isTaken } from './bank-inbox-store.ts';
import type { BankLine } from './bank-line.ts';
import { BankFileReader } from './read-bank-file.ts';
import { AccountGate, unknownAccountsId } from './reported-account.ts';
import { LineTaker } from './take-bank-lines.ts';

/** A page of intake: a row. */
const PART_BYTES = 256 * 1024;

export interface CheckedBankFile {
  readonly name: string;
  readonly sha256: string;
  readonly unequal: ReadonlySet<number>;
  readonly read: ReadParts;
}

/** Reads a file whole and keeps nothing. Throws BadInput where it is not whole or not understood. */
export async function checkBankFile(read: ReadParts): Promise<{
  readonly sha256: string;
  /** Entries whose transactions do not come to their amount. */
  readonly unequal: ReadonlySet<number>;
  readonly error?: unknown;
}> {
  const digest = createHash('sha256');
  const unequal = new Set<number>();
  const reader = new BankFileReader(
    () => undefined,
    (entry) => unequal.add(entry),
  );
  let error: unknown;
  for await (const part of read()) {
    digest.update(part);
    if (error !== undefined) continue;
    try {
      reader.write(part);
    } catch (thrown) {
      error = thrown;
    }
  }
  try {
    if (error === undefined) reader.end();
  } catch (thrown) {
    error = thrown;
  }
  return { sha256: digest.digest('hex'), unequal, ...(error === undefined ? {} : { error }) };
}

export const partsOf = (path: string) => createReadStream(path, { highWaterMark: PART_BYTES }) as AsyncIterable<Buffer>;

/** Another process has taken the same bytes meanwhile. */
class TakenMeanwhile extends Error {
  override name = 'TakenMeanwhile';
}

/** False where the rail has taken the same bytes before. Reconciliation may have kept them: its part is another. */
export async function takeBankFile(bank: Bank, file: CheckedBankFile): Promise<boolean> {
  try {
    return await takeOnce(bank, file);
  } catch (error) {
    if (error instanceof TakenMeanwhile) return false;
    throw error;
  }
}

async function takeOnce(bank: Bank, { name, sha256, unequal, read: readParts }: CheckedBankFile): Promise<boolean> {
  const rows = await bank.rows();
  const now = bank.clock.now();
  return inKeepingTransaction(bank.pool, async (trx: Transaction) => {
    const { bookId } = rows;
    const keeper = await keepFile(trx, bank.secretBox, { bookId, sha256, kind: 'bank_file', name, now });
    const isAgain = keeper === undefined && (await isTaken(trx, rows, sha256));
    // One whose accounts were unknown is read again: its lines have the same ids, so what was counted is not counted twice.
    if (isAgain && !(await hasFinding(trx, rows, unknownAccountsId(rows.rail, sha256)))) return false;
    const gate = new AccountGate(trx, { bookId, bank: bank.settings });
    const taker = new LineTaker(trx, { bank: bank.settings, secretBox: bank.secretBox, rows, sha256, unequal, now });
    let read: BankLine[] = [];
    let lines = 0;
    const digest = createHash('sha256');
    const reader = new BankFileReader((line) => read.push(line));
    const takeRead = async () => {
      lines += read.length;
      const taken = read;
      read = [];
      await taker.take(await gate.pass(taken));
    };
    for await (const part of readParts()) {
      digest.update(part);
      await keeper?.push(part);
      reader.write(part);
      await takeRead();
    }
    const kind = reader.end();
    await takeRead();
    keeper?.end();
    if (digest.digest('hex') !== sha256) throw new BadInput(null, 'The file has changed while it was read.');
    if (!isAgain && !(await insertTaken(trx, rows, { sha256, name, kind, lines }, now))) throw new TakenMeanwhile();
    const finding = gate.finding({ rail: rows.rail, name, sha256 });
    if (finding !== undefined) await insertFindings(trx, rows, [finding], now);
    return true;
  });
}
