/** Disputes: what the acquirer tells of them. */
import fc from 'fast-check';
import type { AppliedNotice } from '../../../../src/payments/disputes/apply-dispute-notice.ts';
import { applyDisputeNotice } from '../../../../src/payments/disputes/apply-dispute-notice.ts';
import { newId } from '../../../../src/values/ids.ts';
import { fundingOf, movedShares, today } from '../../../support/memory-payments.ts';
import { CURRENCIES } from '../../names.ts';
import { type AnyKind, amountOf, draws, fromNewest, kind, maybe } from '../../part.ts';
import { PaymentRecords } from './records.ts';
import { type DisputeWord, ReferenceDisputes, type TellDispute } from './reference-disputes.ts';
import { DISPUTE_FEE } from './reference-fees.ts';
import { authorizationOf, disputeNotice, disputesOf, paymentOf } from './rows.ts';

const { recent, money } = draws;

const FEES = new Map(CURRENCIES.map((currency) => [currency, DISPUTE_FEE]));

export const disputeKinds: readonly AnyKind[] = [
  kind({
    do: 'dispute',
    weight: 10,
    draw: {
      payment: recent,
      word: fc.constantFrom<DisputeWord>('inquiry', 'chargeback', 'chargeback', 'chargeback', 'won', 'won', 'lost'),
      amount: maybe(money, { freq: 2 }),
      reference: fc.constantFrom('D1', 'D1', 'D1', 'D2'),
      notice: maybe(fc.nat({ max: 60 }), { freq: 2 }),
      isOld: fc.constantFrom(false, false, true),
      feeRefunded: fc.boolean(),
    },
    ask(
      book,
      { payment: at, word, amount, reference, notice, isOld, feeRefunded },
    ): (TellDispute & { notice: string | null }) | undefined {
      const { payments } = book.of(PaymentRecords);
      const { all } = book.of(ReferenceDisputes);
      const isDecision = word === 'won' || word === 'lost';
      const fit = [...payments.values()].filter(({ name, captured }) =>
        isDecision ? all.some((dispute) => dispute.payment === name) : captured > 0n,
      );
      const known = fromNewest(fit.length > 0 ? fit : [...payments.values()], at);
      if (!known) return undefined;
      // A decision is mostly about the dispute that there is, whatever became of it.
      const latest = all.findLast((dispute) => dispute.payment === known.name)?.reference;
      const about = isDecision && reference === 'D1' ? (latest ?? reference) : reference;
      const asked =
        amount === null ? null : amountOf(amount, isDecision ? known.captured : known.captured - known.disputed);
      return {
        ...{ payment: known.name, word, amount: asked, reference: about, feeRefunded },
        toldAt: isOld ? 1 : all.length + 1,
        notice: notice === null ? null : `dispute notice ${notice}`,
      };
    },
    expect: (book, told, identity) => book.of(ReferenceDisputes).tell(told, told.notice ?? identity),
    stateOf: (book, { payment, word, reference }) => {
      const latest = book
        .of(ReferenceDisputes)
        .all.findLast((dispute) => dispute.payment === payment && dispute.reference === reference);
      return `${word}: ${latest ? `${latest.stage} ${latest.status}` : 'none'}`;
    },
    saidOf: (answer) => ({ status: 0, resource: (answer as AppliedNotice).isTooEarly ? 'too early' : 'taken in' }),
    command(real, { payment: name, word, amount, reference, toldAt, notice, feeRefunded }) {
      const payment = paymentOf(real, name);
      const operation = authorizationOf(real, name);
      const id = notice === null ? newId() : real.names.idOf(notice);
      const about = disputesOf(real, { paymentId: payment.id, noticeId: id, reference });
      return applyDisputeNotice(real.memory.book.id, {
        ...about,
        wayBack: about.known ? movedShares(real, about.known) : [],
        ...{ payment, operation, funding: fundingOf(real, payment), today: today(real.memory) },
        terms: { fees: FEES, feeRefunded },
        notice: disputeNotice(operation, { id, kind: `dispute_${word}`, amount, reference, createdAt: toldAt }),
        dated: true,
        evidence: '{}',
      });
    },
  }),
];
