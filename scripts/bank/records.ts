/**
 * The durable records of the reference bank: lines of JSON that are only appended and synced. A line that a kill has cut is no record: what
 * it was about is done again. Commands in another process append too, so each round reads the new lines.
 */
import { open } from 'node:fs/promises';
import type { Order, OrderedPayment } from './read-order.ts';

/** Of a payment. Null: taken. */
export interface JudgedPayment extends OrderedPayment {
  /** Why it is not carried out: AC04, DU04, … */
  readonly rejected: string | null;
  /** What its payee's name asks of the bank (plays.ts). */
  readonly play: string;
}

/** A file that the bank has read. */
export interface TakenFile {
  readonly record: 'file';
  /** Its name in `taken/`, which no other file has. */
  readonly taken: string;
  /** Its name in the outbox. */
  readonly file: string;
  readonly at: string;
  readonly order: (Omit<Order, 'payments'> & { readonly payments: readonly JudgedPayment[] }) | null;
  /** Why all of it is rejected; null where it is not. */
  readonly rejected: string | null;
}

/** A report that stands in the inbox by now. */
export interface WrittenReport {
  readonly record: 'report';
  readonly report: string;
}

/** Something that a person asked of the bank: a report that no file leads to. */
export interface AskedReport {
  readonly record: 'asked';
  readonly report: string;
  readonly at: string;
  readonly entry: AskedEntry;
}

/** A credit on the customer's account. */
export interface AskedEntry {
  readonly account: string;
  readonly amount: string;
  readonly currency: string;
  readonly endToEndId: string | null;
  /** The reason of a return. */
  readonly reason: string | null;
  /** The structured reference (ISO 11649). */
  readonly reference: string | null;
  readonly debtorName: string | null;
}

export type BankRecord = TakenFile | WrittenReport | AskedReport;

export class Records {
  readonly files = new Map<string, TakenFile>();
  readonly asked: AskedReport[] = [];
  readonly #written = new Set<string>();
  /** By MsgId and by EndToEndId, what the bank had first: the taken file. */
  readonly #messages = new Map<string, string>();
  readonly #payments = new Map<string, { readonly payment: JudgedPayment; readonly account: string }>();
  readonly #path: string;
  #read = 0;

  constructor(path: string) {
    this.#path = path;
  }

  isWritten(report: string): boolean {
    return this.#written.has(report);
  }

  /** Whether another file has the MsgId. */
  hasMessage(messageId: string): boolean {
    return this.#messages.has(messageId);
  }

  /** What was taken under the id. */
  payment(endToEndId: string): { readonly payment: JudgedPayment; readonly account: string } | undefined {
    return this.#payments.get(endToEndId);
  }

  async append(record: BankRecord): Promise<void> {
    const handle = await open(this.#path, 'a', 0o600);
    try {
      // The line feed ahead ends a line that a kill has cut.
      await handle.writeFile(`\n${JSON.stringify(record)}\n`);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await this.read();
  }

  /** the lines that were appended since. */
  async read(): Promise<void> {
    const handle = await open(this.#path, 'a+', 0o600);
    try {
      const { size } = await handle.stat();
      const bytes = Buffer.alloc(size - this.#read);
      await handle.read(bytes, 0, bytes.length, this.#read);
      const whole = bytes.lastIndexOf(10) + 1;
      this.#read += whole;
      for (const line of bytes.toString('utf8', 0, whole).split('\n')) this.#take(line);
    } finally {
      await handle.close();
    }
  }

  #take(line: string): void {
    let record: BankRecord;
    try {
      record = JSON.parse(line) as BankRecord;
    } catch {
      return;
    }
    if (record.record === 'report') this.#written.add(record.report);
    else if (record.record === 'asked') this.asked.push(record);
    else if (!this.files.has(record.taken)) this.#takeFile(record);
  }

  #takeFile(file: TakenFile): void {
    this.files.set(file.taken, file);
    if (file.order === null || file.rejected !== null) return;
    const { messageId, debtorIban, payments } = file.order;
    this.#messages.set(messageId, file.taken);
    for (const payment of payments)
      if (payment.rejected === null) this.#payments.set(payment.endToEndId, { payment, account: debtorIban });
  }
}
