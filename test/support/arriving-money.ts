/** A bank of the operator's and a merchant whose account money arrives for: notifications, statements, and what persons make of a credit. */
import { exceptions } from '../../src/exceptions/exception-table.ts';
import { approveException, assignException } from '../../src/exceptions/handle-exception.ts';
import { moveException } from '../../src/exceptions/move-exception.ts';
import type { ReturnedAtBank } from '../../src/group/at-bank.ts';
import type { Finding } from '../../src/group/finding.ts';
import { GROUPS } from '../../src/groups.ts';
import { requestAllocation } from '../../src/inbound/allocation/allocate-credit.ts';
import { arrivalsOf } from '../../src/inbound/arrivals/take-arrivals.ts';
import { takeCredits } from '../../src/inbound/credits/take-credits.ts';
import { referenceOf } from '../../src/inbound/references/receive-reference-store.ts';
import type { HandedFile } from '../../src/intake/handed-file.ts';
import type { Committer } from '../../src/ledger/commit/committer.ts';
import { reportCredits } from '../../src/outside/credits/credit-store.ts';
import { returnAtBank } from '../../src/payouts/returns/return-at-bank.ts';
import { withAllocations } from '../../src/reconciliation/lines/allocation-store.ts';
import type { BankLine } from '../../src/reconciliation/lines/bank-line.ts';
import { bankLines } from '../../src/reconciliation/lines/bank-line-table.ts';
import { mirrorAllBooks } from '../../src/reconciliation/mirror/mirror-books.ts';
import { encodeActor } from '../../src/values/actor.ts';
import { systemClock } from '../../src/values/clock.ts';
import { newId, type Uuid } from '../../src/values/ids.ts';
import { type CamtEntry, camt, IBAN, OperatorsBank, takeBankFile } from './bank-statements.ts';
import { openBook, type TestBook } from './book.ts';
import { findingsOf } from './findings.ts';
import { LATEST_FORMS } from './forms.ts';
import { createTestDatabase, type TestDatabase } from './postgres.ts';
import { TEST_SECRET_BOX } from './secret-box.ts';

const AT_BANK = GROUPS.flatMap(({ atBank = [] }) => atBank);

const FOLLOWS_APPROVAL = GROUPS.flatMap(({ followsApproval = [] }) => followsApproval);

const by = () => ({ requestId: newId(), actor: encodeActor({ type: 'person', id: newId(), keyId: newId() }) });

type Submits = Pick<Committer, 'submit'>;

export class ArrivingMoney {
  #opening = 0;
  #number = 0;

  private constructor(
    readonly database: TestDatabase,
    readonly bank: OperatorsBank,
    readonly merchant: TestBook,
    readonly account: Uuid,
    readonly reference: string,
  ) {}

  /** Its bank account is the test's. */
  static async open(): Promise<ArrivingMoney> {
    const database = await createTestDatabase();
    const bank = await OperatorsBank.open(database.applicationUrl);
    const merchant = await openBook({ database: bank.pool, forms: LATEST_FORMS });
    const account = await merchant.account({ currency: 'JOD', amount: 0n });
    const owner = { ownerBookId: merchant.id, accountId: account };
    const reference = await referenceOf(bank.pool, bank.book.id, owner, systemClock.now());
    return new ArrivingMoney(database, bank, merchant, account, reference);
  }

  /** Answers with what verify finds wrong in both books. */
  async close(): Promise<Finding[]> {
    const { bank, merchant } = this;
    const findings = [
      ...(await findingsOf({ pool: bank.pool, id: bank.book.id })),
      ...(await findingsOf({ pool: bank.pool, id: merchant.id })),
    ];
    await merchant.close();
    await bank.close();
    await this.database.drop();
    return findings;
  }

  credits(committer: Submits = this.bank.book.committer) {
    return {
      ...{ pool: this.bank.pool, clock: systemClock, committer, secretBox: TEST_SECRET_BOX, forms: LATEST_FORMS },
      followsApproval: FOLLOWS_APPROVAL,
      rowFailed: (_: unknown, __: unknown, error: unknown) => Promise.reject(error),
    };
  }

  /** A statement of the next day with these entries. */
  statement(entries: readonly CamtEntry[]): string {
    this.#number += 1;
    const one = { number: String(this.#number), on: `2026-11-0${this.#number}`, opening: this.#opening, entries };
    this.#opening += entries.reduce((sum, { amount }) => sum + amount, 0);
    return camt([one], { id: `M${this.#number}` });
  }

  /** Submits all but commands of this name, as a process that is killed before them. */
  dying(name: string): Submits {
    const { committer } = this.bank.book;
    return {
      submit: (bookId, command) =>
        command.name === name ? Promise.reject(new Error('killed')) : committer.submit(bookId, command),
    };
  }

  /** What a run has of other groups. */
  others(committer: Submits = this.bank.book.committer) {
    const { pool } = this.bank;
    return {
      mirror: () => this.mirror(committer),
      arrivals: arrivalsOf(this.credits(committer)),
      returnAtBank: (returned: ReturnedAtBank) => returnAtBank({ pool, committer }, returned),
    };
  }

  take(file: string, committer: Submits = this.bank.book.committer, handToRails?: (file: HandedFile) => Promise<void>) {
    return takeBankFile({ ...this.bank.taker, committer, ...this.others(committer), handToRails }, file);
  }

  async mirror(committer: Submits = this.bank.book.committer): Promise<void> {
    const of = { pool: this.bank.pool, committer, atBank: AT_BANK, followsApproval: FOLLOWS_APPROVAL };
    await mirrorAllBooks(of, this.bank.book.id);
  }

  /** As a rail's inbox reports a camt.054. */
  async notify(text: string, { bankAccount = IBAN, bankReference = 'S7', amount = 40_000n } = {}): Promise<void> {
    const { bank } = this;
    const now = systemClock.now();
    const told = { bankAccount, bankReference, place: 'camt.054', amount, currency: 'JOD' };
    const facts = { endToEndId: null, payerName: null, payerAccount: null, valueOn: null, bookedOn: '2026-11-01' };
    const reporter = { bookId: bank.book.id, rail: 'example_bank', secretBox: TEST_SECRET_BOX, now };
    await reportCredits(bank.pool, reporter, [{ ...told, ...facts, remittance: [text] }]);
    const rows = await bank.book.rows<{ id: Uuid }>('SELECT id FROM inbound_credits WHERE book_id = $1');
    await takeCredits(
      this.credits(),
      bank.book.id,
      rows.map(({ id }) => id),
    );
  }

  /** A person of the operator's gives the credit that is before people to the merchant's book. */
  async allocate(): Promise<void> {
    const { bank, merchant } = this;
    const exception = await bank.book.row<{ id: Uuid; resource_id: Uuid }>(
      "SELECT id, resource_id FROM exceptions WHERE book_id = $1 AND resource = 'inbound_credit'",
    );
    const asked = { ...by(), bookId: bank.book.id, exceptionId: exception.id, ownerKind: 'person', mode: 'test' };
    const request = { ...asked, toBookId: merchant.id };
    const { command } = await requestAllocation.prepare(this.credits() as never, request as never);
    await bank.book.submit(command as never);
    await takeCredits(this.credits(), bank.book.id, [exception.resource_id]);
  }

  /** Two persons of the merchant's say that it is for the account. */
  async moveGiven(): Promise<void> {
    const { bank, merchant, account } = this;
    const given = await merchant.row<{ id: Uuid }>(
      "SELECT id FROM exceptions WHERE book_id = $1 AND resource = 'given_credit'",
    );
    const exceptionId = given.id;
    const read = async () => (await exceptions.find(bank.pool, merchant.id, exceptionId))!;
    const [ada, ben] = [by(), by()];
    await merchant.submit(assignException({ ...ada, exceptionId, personId: newId() }));
    await merchant.submit(moveException({ ...ada, exceptionId, exception: await read(), accountId: account }));
    const { waiting } = await read();
    const target = { bookId: merchant.id, accountId: account, currency: 'JOD' };
    await merchant.submit(approveException({ ...ben, exceptionId, waiting, target }));
  }

  async balance(): Promise<bigint> {
    const { balance } = await this.merchant.row<{ balance: bigint }>(
      'SELECT posted_credits - posted_debits AS balance FROM accounts WHERE book_id = $1 AND id = $2',
      this.account,
    );
    return balance;
  }

  transfers() {
    return this.merchant.rows<{ status: string; amount: bigint; bank_reference: string }>(
      'SELECT status, amount, bank_reference FROM inbound_transfers WHERE book_id = $1 AND bank_reference IS NOT NULL',
    );
  }

  /** The lines as an answer shows them. */
  async lines(): Promise<BankLine[]> {
    const { pool, book } = this.bank;
    const rows = await book.rows<{ id: Uuid }>('SELECT id FROM bank_lines WHERE book_id = $1 ORDER BY id');
    const ids = rows.map(({ id }) => id);
    const found = await bankLines.load(pool, book.id, ids);
    return withAllocations(
      pool,
      book.id,
      ids.map((id) => found.get(id)!),
    );
  }
}
