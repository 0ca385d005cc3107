/** Payouts in a book in memory: a funded customer, an account to pay, and every command of a payout. */

import { EARLIEST_FORMS, type LedgerForms } from '../../src/db/forms.ts';
import type { Stored } from '../../src/idempotency/idempotency-key.ts';
import type { Account } from '../../src/ledger/account.ts';
import { accounts } from '../../src/ledger/account-table.ts';
import type { Change } from '../../src/ledger/change-of.ts';
import { newAccount } from '../../src/ledger/chart.ts';
import type { Command, Refusal } from '../../src/ledger/command.ts';
import { recordUnknown } from '../../src/payouts/outcomes/await-outcome.ts';
import { settlePayout } from '../../src/payouts/outcomes/settle-payout.ts';
import { type AcceptPayout, acceptPayout } from '../../src/payouts/payout/accept-payout.ts';
import { cancelPayout } from '../../src/payouts/payout/cancel-payout.ts';
import type { Payout } from '../../src/payouts/payout/payout.ts';
import { payouts } from '../../src/payouts/payout/payout-table.ts';
import type { RailReport } from '../../src/payouts/payout/rail-report.ts';
import { reservePayout } from '../../src/payouts/payout/reserve-payout.ts';
import { returnPayout } from '../../src/payouts/returns/return-payout.ts';
import { newId } from '../../src/values/ids.ts';
import { MemoryBook } from './memory-book.ts';

const CLIQ = {
  type: 'cliq',
  sealed: Buffer.from('sealed'),
  masked: 'A**N',
  provider: null,
} as const;

export class PayoutScene {
  readonly memory: MemoryBook;
  readonly source: string;
  readonly target: string;

  constructor(forms: LedgerForms = EARLIEST_FORMS) {
    this.memory = new MemoryBook({}, forms);
    this.source = this.open({ postedCredits: 10_000n });
    this.target = this.open({});
  }

  open(change: Partial<Account>): string {
    const account = { ...newAccount(newId(), 'customer', 'EUR'), ...change };
    this.memory.put(accounts, account.id, account);
    return account.id;
  }

  change(accountId: string, change: Partial<Account>): void {
    this.memory.put(accounts, accountId, { ...this.memory.account(accountId), ...change });
  }

  /** An accept command of 1,000 with a fee of 5 to an alias, with the changes of a case. */
  accepting(change: Partial<AcceptPayout> = {}): Command<Stored | Refusal> {
    return acceptPayout({
      payoutId: newId(),
      bookId: this.memory.book.id,
      accountId: this.source,
      amount: 1_000n,
      fee: 5n,
      currency: 'EUR',
      destination: CLIQ,
      rail: 'sandbox',
      description: null,
      externalId: null,
      metadata: {},
      idempotencyKey: newId(),
      requestId: newId(),
      actor: 'api_key:key_1',
      dryRun: false,
      ...change,
    });
  }

  accepted(change: Partial<AcceptPayout> = {}): Payout {
    const answer = this.memory.answer(this.accepting(change));
    if (answer.refused) throw new Error(`Refused: ${answer.refused}`);
    return this.memory.get(payouts, answer.resourceId!);
  }

  /** The payout that was accepted last. */
  lastPayout(): Payout {
    return [...this.memory.rows(payouts).values()].at(-1)!;
  }

  /** A transfer within the book. */
  acceptedForTarget(change: Partial<AcceptPayout> = {}): Payout {
    return this.accepted({ destination: { type: 'account', accountId: this.target }, rail: 'book', ...change });
  }

  processing(change: Partial<AcceptPayout> = {}): Payout {
    return this.reserve(this.accepted(change));
  }

  paid(change: Partial<AcceptPayout> = {}): Payout {
    return this.settle(this.processing(change), { status: 'paid' });
  }

  failed(change: Partial<AcceptPayout> = {}): Payout {
    return this.settle(this.processing(change), {
      status: 'rejected',
      failureCode: 'alias_unregistered',
      railCode: 'AC01',
    });
  }

  reserve(payout: Payout): Payout {
    return this.memory.answer(reservePayout(this.bookId, payout));
  }

  settling(payout: Payout, report: Partial<RailReport>): Command<Payout> {
    return settlePayout(this.bookId, payout, {
      call: 'submit',
      status: 'paid',
      nextInquiryMs: 60_000,
      raw: { word: report.status ?? 'paid' },
      ...report,
    });
  }

  settle(payout: Payout, report: Partial<RailReport>): Payout {
    return this.memory.answer(this.settling(payout, report));
  }

  unknown(payout: Payout, nextInquiryMs = 60_000): Payout {
    return this.memory.answer(
      recordUnknown(this.bookId, payout, { call: 'submit', nextInquiryMs, raw: { error: 'timeout' } }),
    );
  }

  returning(payout: Payout, amount: bigint, id = newId()): Command<Payout> {
    return returnPayout(this.bookId, payout, { id, amount, reason: 'AC04', raw: { amount: String(amount) } });
  }

  giveBack(payout: Payout, amount: bigint): Payout {
    return this.memory.answer(this.returning(payout, amount));
  }

  cancel(payout: Payout, change: Partial<Change> = {}): Stored | Refusal {
    return this.memory.answer(
      cancelPayout(this.bookId, payout, { requestId: newId(), actor: 'api_key:key_1', ...change }),
    );
  }

  now(payout: Payout): Payout {
    return this.memory.get(payouts, payout.id);
  }

  get bookId(): string {
    return this.memory.book.id;
  }
}
