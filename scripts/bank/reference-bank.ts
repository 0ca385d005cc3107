/**
 * The reference bank: takes files from the outbox, answers into the inbox, and keeps durable records. It knows a file by its MsgId and a
 * payment by its EndToEndId: a second one is rejected (DU01, DU04). Killed anywhere and run again, it goes on where it was; a report that was
 * written twice has the same bytes under the same name.
 */
import { randomBytes } from 'node:crypto';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { BadInput } from '../../src/intake/bad-input.ts';
import { renameThere, syncFolder, writeSynced } from '../../src/rails/iso20022/folders.ts';
import { playFor, playNamed } from './plays.ts';
import { type Order, readOrder } from './read-order.ts';
import { type AskedEntry, type JudgedPayment, Records, type TakenFile } from './records.ts';
import { bankId, writeCredits, writeDebits, writePain002 } from './write-reports.ts';

export interface BankPlaces {
  readonly outbox: string;
  readonly inbox: string;
  /** The bank's own. On one file system with the two. */
  readonly records: string;
}

export interface BankOptions {
  /** Every payment is taken without another word: a test writes the reports. */
  readonly isSilent?: boolean;
}

/** What a round did, by the names of files. */
export interface BankRound {
  readonly taken: readonly { readonly file: string; readonly payments: number; readonly rejected: string | null }[];
  readonly written: readonly string[];
}

export class ReferenceBank {
  readonly records: Records;
  readonly #places: BankPlaces;
  readonly #options: BankOptions;

  constructor(places: BankPlaces, options: BankOptions = {}) {
    this.#places = places;
    this.#options = options;
    this.records = new Records(join(places.records, 'records.jsonl'));
  }

  get #taken() {
    return join(this.#places.records, 'taken');
  }
  get #writing() {
    return join(this.#places.records, 'writing');
  }

  async open(): Promise<void> {
    for (const folder of [this.#taken, this.#writing]) await mkdir(folder, { recursive: true });
    await this.records.read();
  }

  /** Takes what stands in the outbox, and writes the reports that are due. */
  async work(): Promise<BankRound> {
    await this.open();
    await this.#takeAll();
    const taken: TakenFile[] = [];
    for (const name of (await readdir(this.#taken)).sort()) {
      if (this.records.files.has(name)) continue;
      const file = await this.#judge(name);
      await this.records.append(file);
      taken.push(file);
    }
    const written = await this.#reportAll();
    return {
      taken: taken.map(({ file, order, rejected }) => ({ file, payments: order?.payments.length ?? 0, rejected })),
      written,
    };
  }

  /** A credit on the customer's account: reported in the next round. */
  async ask(entry: AskedEntry): Promise<string> {
    await this.open();
    const report = `camt054-${bankId('A', randomBytes(16).toString('hex'))}.xml`;
    await this.records.append({ record: 'asked', report, at: new Date().toISOString(), entry });
    return report;
  }

  /** What leaves the outbox is the bank's: each file under a name of its own, in the order in which it came. */
  async #takeAll(): Promise<void> {
    const { outbox } = this.#places;
    const now = Date.now().toString().padStart(15, '0');
    for (const [at, name] of (await readdir(outbox)).sort().entries()) {
      const mark = `${now}${at.toString().padStart(5, '0')}${randomBytes(4).toString('hex')}`;
      await renameThere(join(outbox, name), join(this.#taken, `${mark}-${name}`));
    }
    await syncFolder(this.#taken);
  }

  async #judge(taken: string): Promise<TakenFile> {
    const of = {
      record: 'file' as const,
      taken,
      file: taken.slice(taken.indexOf('-') + 1),
      at: new Date().toISOString(),
    };
    let order: Order;
    try {
      order = await readOrder(join(this.#taken, taken));
    } catch (error) {
      if (!(error instanceof BadInput)) throw error;
      return { ...of, order: null, rejected: 'FF01' };
    }
    const isRepeated = this.records.hasMessage(order.messageId);
    const seen = new Set<string>();
    const payments = order.payments.map((payment): JudgedPayment => {
      const play = this.#options.isSilent === true ? 'SILENT' : playFor(payment.name);
      const isKnown = seen.has(payment.endToEndId) || this.records.payment(payment.endToEndId) !== undefined;
      seen.add(payment.endToEndId);
      return { ...payment, play, rejected: isKnown ? 'DU04' : (playNamed(play).rejects ?? null) };
    });
    return { ...of, order: { ...order, payments }, rejected: isRepeated ? 'DU01' : null };
  }

  async #reportAll(): Promise<string[]> {
    const written: string[] = [];
    const write: Write = async (report, contentOf) => {
      if (this.records.isWritten(report)) return;
      const { inbox } = this.#places;
      const writing = `${report}.${randomBytes(4).toString('hex')}`;
      await writeSynced(this.#writing, writing, contentOf());
      await renameThere(join(this.#writing, writing), join(inbox, report));
      await syncFolder(inbox);
      await this.records.append({ record: 'report', report });
      written.push(report);
    };
    for (const file of [...this.records.files.values()]) await reportOf(file, write, this.#options.isSilent === true);
    for (const { report, at, entry } of this.records.asked)
      await write(report, () => writeCredits({ id: bankId('N', report), at, account: entry.account }, [entry]));
    return written;
  }
}

type Write = (report: string, contentOf: () => string) => Promise<void>;

/** The reports of a file, in their order: its statuses, its debits, what came back. */
async function reportOf(file: TakenFile, write: Write, isSilent: boolean): Promise<void> {
  const { taken, order, rejected, at } = file;
  if (order === null || isSilent) return;
  const name = (part: string) => `${taken.split('-')[0]}-${part}.xml`;
  await write(name('1-pain002'), () => writePain002(file));
  if (rejected !== null) return;
  const carried = order.payments.filter((one) => one.rejected === null && playNamed(one.play).isSilent !== true);
  if (carried.length > 0) await write(name('2-camt054'), () => writeDebits(file, carried));
  const returned = carried.filter(({ play }) => playNamed(play).returns !== undefined);
  if (returned.length === 0) return;
  const entries = returned.map(({ amount, currency, endToEndId, play }) => ({
    ...{ account: order.debtorIban, amount, currency, endToEndId },
    ...{ reason: playNamed(play).returns!, reference: null, debtorName: null },
  }));
  await write(name('3-camt054'), () =>
    writeCredits({ id: bankId('N', taken, 'returns'), at, account: order.debtorIban }, entries),
  );
}
