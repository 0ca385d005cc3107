/**
 * Reads what a bank puts into the inbox. A file is touched once its size has rested; it is taken whole or not at all, and then moved to done/.
 * What is not understood is moved to quarantine/ with a reason, and an exception for a person; the next file goes on.
 */
import { hash } from 'node:crypto';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { inTransaction } from '../../db/transaction.ts';
import { BadInput } from '../../intake/bad-input.ts';
import type { ReadParts } from '../../intake/read-twice.ts';
import type { BookId } from '../../ledger/book/book.ts';
import { failpoint } from '../../process/failpoints.ts';
import type { Instant } from '../../values/clock.ts';
import { deriveId } from '../../values/ids.ts';
import type { Bank } from './bank.ts';
import { insertFindings, insertQuarantined } from './bank-inbox-store.ts';
import { moveInto } from './folders.ts';
import { checkBankFile, partsOf, takeBankFile } from './take-bank-file.ts';

/** Of one round: the rest is read in the next. */
const FILES_AT_ONCE = 100;
const BYTES_MAX = 2 * 1024 * 1024 * 1024;
const REASON_MAX = 500;

/** A file of the inbox, for another reader of the same bank's files: reconciliation. */
export interface InboxFile {
  readonly bookId: BookId;
  readonly name: string;
  readonly read: ReadParts;
}

/** Resolves to whether the other one takes it. Called again with the same file after a kill. */
export type HandOn = (file: InboxFile) => Promise<boolean>;

interface Seen {
  readonly state: string;
  readonly since: Instant;
}

export interface InboxRound {
  taken: number;
  known: number;
  quarantined: number;
}

/** One for each process: it remembers sizes between rounds. */
export class BankInbox {
  readonly #bank: Bank;
  readonly #seen = new Map<string, Seen>();

  constructor(bank: Bank) {
    this.#bank = bank;
  }

  /**
   * One file's failure does not keep the others: the first error is thrown at the end. `handOn`: whether another reader takes its part of a file,
   * called for each that the rail has taken or does not understand.
   */
  async read(handOn: HandOn = () => Promise.resolve(false)): Promise<InboxRound> {
    const round: InboxRound = { taken: 0, known: 0, quarantined: 0 };
    const { inbox } = this.#bank.settings.folders;
    const names = (await readdir(inbox)).filter((name) => !name.startsWith('.')).sort();
    for (const name of this.#seen.keys()) if (!names.includes(name)) this.#seen.delete(name);
    const failures: unknown[] = [];
    let read = 0;
    for (const name of names) {
      if (read >= FILES_AT_ONCE) break;
      try {
        const result = await this.#readFile(join(inbox, name), { name, handOn });
        if (result === undefined) continue;
        round[result] += 1;
        read += 1;
        this.#seen.delete(name);
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
    return round;
  }

  async #readFile(
    path: string,
    { name, handOn }: { readonly name: string; readonly handOn: HandOn },
  ): Promise<keyof InboxRound | undefined> {
    const found = await lstat(path).catch(() => undefined);
    if (found === undefined || found.isDirectory()) return undefined;
    if (!found.isFile())
      return this.#quarantine(
        path,
        { name, sha256: hash('sha256', `no file: ${name}`, 'hex') },
        'It is a link or a device, and no file.',
      );
    if (!this.#rests(name, `${found.ino} ${found.size} ${found.mtimeMs}`)) return undefined;
    if (found.size > BYTES_MAX)
      return this.#quarantine(
        path,
        { name, sha256: hash('sha256', `too large: ${name} ${found.ino}`, 'hex') },
        `It has more than ${BYTES_MAX} bytes.`,
      );
    const { sha256, unequal, error } = await checkBankFile(() => partsOf(path));
    if (error !== undefined) {
      if (!(error instanceof BadInput)) throw error;
      if (!(await this.#handOn({ path, name, handOn }))) return this.#quarantine(path, { name, sha256 }, error.message);
      await this.#done(path, { name, sha256 });
      return 'taken';
    }
    const isNew = await takeBankFile(this.#bank, { name, sha256, unequal, read: () => partsOf(path) });
    failpoint('bank.inbox.taken');
    await this.#handOn({ path, name, handOn });
    await this.#done(path, { name, sha256 });
    return isNew ? 'taken' : 'known';
  }

  async #handOn({ path, name, handOn }: { path: string; name: string; handOn: HandOn }): Promise<boolean> {
    const { bookId } = await this.#bank.rows();
    return handOn({ bookId, name, read: () => partsOf(path) });
  }

  #done(path: string, { name, sha256 }: { name: string; sha256: string }): Promise<void> {
    return moveInto(path, { folder: this.#bank.settings.folders.done, name, mark: sha256.slice(0, 12) });
  }

  /** Whether it has not changed for the time of the bank's settings. */
  #rests(name: string, state: string): boolean {
    const now = this.#bank.clock.now();
    const before = this.#seen.get(name);
    if (before?.state === state) return now - before.since >= this.#bank.settings.inboxRestsMs;
    this.#seen.set(name, { state, since: now });
    return this.#bank.settings.inboxRestsMs === 0;
  }

  async #quarantine(path: string, file: { name: string; sha256: string }, why: string): Promise<'quarantined'> {
    const { pool, settings, clock } = this.#bank;
    const rows = await this.#bank.rows();
    const now = clock.now();
    const reason = why.slice(0, REASON_MAX);
    await inTransaction(pool, async (trx) => {
      await insertQuarantined(trx, rows, { ...file, reason }, now);
      const fileId = deriveId('bank-file', settings.name, file.sha256);
      const detail = `A file of ${settings.name} was not understood: ${reason} It is in quarantine/, and nothing of it was booked.`;
      await insertFindings(
        trx,
        rows,
        [
          {
            id: deriveId('bank-finding', settings.name, 'file_quarantined', file.sha256),
            kind: 'file_quarantined',
            fileId,
            detail,
          },
        ],
        now,
      );
    });
    await moveInto(path, { folder: settings.folders.quarantine, name: file.name, mark: file.sha256.slice(0, 12) });
    return 'quarantined';
  }
}
