/** Reports of the sandbox acquirer about payments of one book, and what the book makes of them. */

import type { PaymentOperation } from '../../src/payments/operations/payment-operation.ts';
import { checkReport } from '../../src/payments/paydays/check-report.ts';
import { type ReportLine, writeReport } from '../../src/payments/paydays/report.ts';
import type { Payment } from '../../src/payments/payment/payment.ts';
import { type BookedPart, bookReport } from '../../src/payments/settlements/book-report.ts';
import { keepReport, type ReportFile, type StoredReport } from '../../src/payments/settlements/report-store.ts';
import { newId, publicId, type Uuid } from '../../src/values/ids.ts';
import type { TestBook } from './book.ts';
import { acceptOne, say } from './payments.ts';
import { TEST_SECRET_BOX } from './secret-box.ts';

export type Line = Omit<ReportLine, 'row' | 'net'>;

export class Reports {
  readonly #book: TestBook;

  constructor(book: TestBook) {
    this.#book = book;
  }

  /** A payment that was captured with its authorization. */
  async captured(accountId: Uuid, amount = 20_000n): Promise<{ payment: Payment; authorization: PaymentOperation }> {
    const { payment, operation } = await acceptOne(this.#book, { accountId, amount });
    await say(this.#book, { payment, operation }, {});
    return { payment, authorization: operation };
  }

  lineOf({ reference }: { reference: string }, change: Partial<Line> = {}): Line {
    return {
      lineId: `A-${newId()}`,
      merchant: publicId('book', this.#book.id),
      type: 'capture',
      reference,
      currency: 'EUR',
      gross: 20_000n,
      cost: 240n,
      ...change,
    };
  }

  fileOf(lines: readonly Line[]): ReportFile {
    const bytes = writeReport(lines);
    return { acquirer: 'sandbox_acquirer', mode: 'test', name: 'test', ...checkReport(() => [bytes]) };
  }

  keep(lines: readonly Line[]): Promise<StoredReport> {
    return keepReport({ pool: this.#book.pool, secretBox: TEST_SECRET_BOX }, this.fileOf(lines), Date.now());
  }

  async settle(lines: readonly Line[]): Promise<BookedPart[]> {
    return bookReport(this.#book, await this.keep(lines));
  }

  async exceptionKinds(): Promise<string[]> {
    const rows = await this.#book.rows<{ kind: string }>('SELECT kind FROM exceptions WHERE book_id = $1 ORDER BY id');
    return rows.map(({ kind }) => kind);
  }

  /** What the acquirer has paid. */
  async poolBalance(): Promise<bigint> {
    const row = await this.#book.row<{ balance: bigint } | undefined>(
      `SELECT posted_debits - posted_credits AS balance FROM accounts WHERE book_id = $1 AND code = 'pool'`,
    );
    return row?.balance ?? 0n;
  }

  async linesBooked(): Promise<bigint> {
    const row = await this.#book.row<{ count: bigint }>(
      'SELECT count(*) AS count FROM settlement_lines WHERE book_id = $1',
    );
    return row.count;
  }
}
