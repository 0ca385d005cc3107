/** Payouts in a book in memory: a funded customer, an account to pay, and every command of a payout. */

import { EARLIEST_FORMS, type LedgerForms } from '../../src/db/forms.ts';
import type { Stored } from '../../src/idempotency/idempotency-key.ts';
import type { Account } from '../../src/ledger/account/account.ts';
import { accounts } from '../../src/ledger/account/account-table.ts';
import { newAccount } from '../../src/ledger/account/chart.ts';
import type { Command, Refusal } from '../../src/ledger/command/command.ts';
import type { Change } from '../../src/ledger/resources/change-of.ts';
import { applyRailReport } from '../../src/payouts/outcomes/apply-rail-report.ts';
import { recordUnknown } from '../../src/payouts/outcomes/await-outcome.ts';
import { type AcceptPayout, acceptPayout } from '../../src/payouts/payout/accept-payout.ts';
import { cancelPayout } from '../../src/payouts/payout/cancel-payout.ts';
import { approvePayout, rejectPayout } from '../../src/payouts/payout/judge-payout.ts';
import type { Payout } from '../../src/payouts/payout/payout.ts';
import { payouts } from '../../src/payouts/payout/payout-table.ts';
import type { RailReport } from '../../src/payouts/payout/rail-report.ts';
import { releasePayouts } from '../../src/payouts/payout/release-payouts.ts';
import { reservePayout } from '../../src/payouts/payout/reserve-payout.ts';
import type { ReleaseRoute } from '../../src/payouts/payout/route-release.ts';
import { type UpdatePayout, updatePayout } from '../../src/payouts/payout/update-payout.ts';
import { returnPayout } from '../../src/payouts/returns/return-payout.ts';
import { UNROUTED } from '../../src/payouts/routing/route-payout.ts';
import { encodeActor } from '../../src/values/actor.ts';
import { newId } from '../../src/values/ids.ts';
import { MemoryBook } from './memory-book.ts';

const CLIQ = {
  type: 'cliq',
  sealed: Buffer.from('sealed'),
  masked: 'A**N',
  provider: null,
  details: null,
  accountSealed: null,
} as const;

/** An actor that nobody else is. */
function aPerson(): string {
  return encodeActor({ type: 'person', id: newId(), keyId: newId() });
}

/** Its route is as it was when it was made, and nothing limits it. */
export const UNCHANGED_ROUTE: ReleaseRoute = ({ rail }) => ({ ...UNROUTED, rail });

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
    return applyRailReport(this.bookId, payout, {
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

  returning(payout: Payout, amount: bigint, id = newId(), isWhole = false): Command<Payout> {
    const raw = { amount: String(amount) };
    return returnPayout(this.bookId, payout, { id, amount, reason: 'AC04', isWhole, raw });
  }

  giveBack(payout: Payout, amount: bigint, { isWhole = false } = {}): Payout {
    return this.memory.answer(this.returning(payout, amount, newId(), isWhole));
  }

  cancel(payout: Payout, change: Partial<Change> = {}): Stored | Refusal {
    return this.memory.answer(
      cancelPayout(this.bookId, payout, { requestId: newId(), actor: 'api_key:key_1', ...change }),
    );
  }

  /** A payout that waits for a person. */
  unapproved(change: Partial<AcceptPayout> = {}): Payout {
    return this.accepted({ approvalRequested: true, ...change });
  }

  /** By another person each time. */
  judge(payout: Payout, action: 'approve' | 'reject', actor = aPerson()): Payout {
    this.memory.answer(this.judging(payout, action, { actor }));
    return this.now(payout);
  }

  judging(
    payout: Payout,
    action: 'approve' | 'reject',
    { actor = aPerson(), route = UNCHANGED_ROUTE }: { actor?: string; route?: ReleaseRoute } = {},
  ): Command<Stored | Refusal> {
    const by = { requestId: newId(), actor };
    return action === 'approve'
      ? approvePayout(this.bookId, payout, by, route)
      : rejectPayout(this.bookId, payout, { ...by, reason: 'Nobody knows it.' });
  }

  update(payout: Payout, change: Partial<UpdatePayout>): Payout {
    this.memory.answer(updatePayout({ requestId: newId(), actor: aPerson(), payoutId: payout.id, ...change }));
    return this.now(payout);
  }

  /** At its time. */
  release(
    payout: Payout,
    { keptBack = false, route = UNCHANGED_ROUTE }: { keptBack?: boolean; route?: ReleaseRoute } = {},
  ): Payout {
    this.memory.now = payout.scheduledFor!;
    this.memory.answer(releasePayouts(this.bookId, [payout], { route, keptBack: () => keptBack }));
    return this.now(payout);
  }

  now(payout: Payout): Payout {
    return this.memory.get(payouts, payout.id);
  }

  get bookId(): string {
    return this.memory.book.id;
  }
}
