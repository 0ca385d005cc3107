/** Payments: accepted, captured, canceled, incremented, refunded, expired, released; and what their acquirer says of each. */
import fc from 'fast-check';
import { acceptPayment } from '../../../../src/payments/acceptance/accept-payment.ts';
import { cancelPayment, capturePayment, incrementPayment } from '../../../../src/payments/actions/act-on-payment.ts';
import { disputes } from '../../../../src/payments/disputes/dispute-table.ts';
import { paymentOperations } from '../../../../src/payments/operations/payment-operation-table.ts';
import { applyAcquirerReport } from '../../../../src/payments/outcomes/apply-acquirer-report.ts';
import { expirePayments } from '../../../../src/payments/outcomes/expire-payments.ts';
import { settlements } from '../../../../src/payments/paydays/settlement-table.ts';
import { payments } from '../../../../src/payments/payment/payment-table.ts';
import { refundPayment } from '../../../../src/payments/refunds/refund-payment.ts';
import { releaseShares } from '../../../../src/payments/shares/release-shares.ts';
import { paymentShares, releases } from '../../../../src/payments/shares/share-table.ts';
import { newId } from '../../../../src/values/ids.ts';
import { fundingOf, movedShares, today } from '../../../support/memory-payments.ts';
import { CARD, releaseIn } from '../../../support/payments.ts';
import { type Amount, amountOf, BY, draws, fromNewest, ifMatchOf, kind, maybe, type Part } from '../../part.ts';
import type { ReferenceBook } from '../../reference-book.ts';
import { accountAt, currencyOf } from '../accounts/drawn.ts';
import { comparePayments, nameRows } from './compare.ts';
import { disputeKinds } from './dispute-kinds.ts';
import { type Operation, PaymentRecords, type ReferencePayment } from './records.ts';
import {
  type AcceptPayment,
  accept,
  type CapturePayment,
  cancel,
  capture,
  expire,
  increment,
  refund,
} from './reference.ts';
import { ReferenceDisputes } from './reference-disputes.ts';
import { FEE } from './reference-fees.ts';
import { nameOf, ReferenceShares } from './reference-shares.ts';
import { authorizationOf, operationOf, paymentOf, reportOf, shareNamed } from './rows.ts';
import { settlementKinds } from './settlement-kinds.ts';
import { AcquirerWords, type Say, type Word } from './words.ts';

const { account, key, money, recent, seldom, ifMatch } = draws;

const records = (book: ReferenceBook) => book.of(PaymentRecords);
const statusOf = (book: ReferenceBook, payment: string) => records(book).payment(payment).status;

/** Mostly the whole, a half or a fixed amount. */
const part = fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, { weight: 4, arbitrary: money });

export const paymentsPart: Part = {
  tables: [payments, paymentOperations, paymentShares, releases, disputes, settlements],
  chart: ['acquirer', 'merchant_pending', 'due_operator', 'refunds_in_transit'],
  keepsOpen: (book, name) =>
    records(book).areUnderWay(name) ||
    book.of(ReferenceDisputes).areOpen(name) ||
    book.of(ReferenceShares).all.some((share) => share.account === name && share.amount > 0n),
  nameRows,
  compare: comparePayments,
  kinds: [
    kind({
      do: 'pay',
      weight: 8,
      draw: {
        key,
        account,
        amount: fc.integer({ min: 1, max: 900 }),
        manual: fc.boolean(),
        dry: seldom,
        wrong: seldom,
      },
      ask(book, drawn): AcceptPayment {
        const name = accountAt(book, drawn.account);
        const { manual, dry } = drawn;
        return {
          account: name,
          currency: currencyOf(book, name, drawn.wrong),
          amount: BigInt(drawn.amount),
          manual,
          dry,
        };
      },
      expect: accept,
      isDry: ({ dry }) => dry,
      command: ({ memory, names }, asked) =>
        acceptPayment({
          ...{ paymentId: newId(), bookId: memory.book.id, accountId: names.idOf(asked.account) },
          ...{ amount: asked.amount, currency: asked.currency, dryRun: asked.dry },
          captureMode: asked.manual ? 'manual' : 'automatic',
          ...{ sourceType: 'card', acquirer: 'sandbox_acquirer', initiator: 'customer', recurring: null, fee: FEE },
          source: { card: CARD, token: 'stok_1', nextAction: null, expiresAfterMs: null, touches: [] },
          ...{ storeFor: null, billingSealed: null, statementDescriptor: null, returnUrl: null, cancelUrl: null },
          ...{ description: 'Order 77', externalId: null, metadata: { order: '7' } },
          ...{ idempotencyKey: asked.key ?? newId(), ...BY },
        }),
    }),
    kind({
      do: 'capture payment',
      weight: 7,
      draw: { key, payment: recent, amount: part, final: maybe(fc.boolean(), { freq: 2 }), ifMatch },
      ask(book, drawn): CapturePayment | undefined {
        const known = paymentAt(book, drawn.payment, ({ status }) => /authorized|partially/.test(status));
        if (!known) return undefined;
        const { payment, amount, version } = asked(known, drawn, records(book).capturable(known));
        return { payment, amount, final: drawn.final, ...version };
      },
      expect: capture,
      stateOf: (book, { payment }) => statusOf(book, payment),
      command: (real, { payment, amount, final, ifMatch: version, key: given }) =>
        capturePayment(real.memory.book.id, prepared(real, payment), {
          ...{ amount: amount ?? undefined, final: final ?? undefined, ifMatch: version },
          ...{ idempotencyKey: given ?? null, ...BY },
        }),
    }),
    kind({
      do: 'cancel payment',
      weight: 2,
      draw: { key, payment: recent, ifMatch },
      ask(book, drawn) {
        const known = paymentAt(book, drawn.payment, ({ status }) => /authorized|partially/.test(status));
        return known && { payment: known.name, ...ifMatchOf(drawn.ifMatch, known.version) };
      },
      expect: cancel,
      stateOf: (book, { payment }) => statusOf(book, payment),
      command: (real, { payment, ifMatch: version, key: given }) =>
        cancelPayment(real.memory.book.id, prepared(real, payment), {
          ...{ ifMatch: version, idempotencyKey: given ?? null, ...BY },
        }),
    }),
    kind({
      do: 'increment payment',
      weight: 2,
      draw: { key, payment: recent, by: fc.integer({ min: 0, max: 300 }) },
      ask(book, { payment, by }) {
        const known = paymentAt(book, payment, ({ status }) => status === 'authorized');
        return known && { payment: known.name, amount: known.authorized + BigInt(by) };
      },
      expect: increment,
      stateOf: (book, { payment }) => statusOf(book, payment),
      command: (real, { payment, amount, key: given }) =>
        incrementPayment(real.memory.book.id, prepared(real, payment), {
          amount,
          idempotencyKey: given ?? null,
          ...BY,
        }),
    }),
    kind({
      do: 'refund payment',
      weight: 8,
      draw: { key, payment: recent, amount: part, ifMatch },
      ask(book, drawn) {
        const known = paymentAt(book, drawn.payment, ({ captured }) => captured > 0n);
        if (!known) return undefined;
        const { payment, amount, version } = asked(known, drawn, records(book).refundable(known));
        return { payment, amount, ...version };
      },
      expect: refund,
      stateOf: (book, { payment }) => statusOf(book, payment),
      command(real, { payment: name, amount, ifMatch: version, key: given }) {
        const payment = paymentOf(real, name);
        const read = { payment, funding: fundingOf(real, payment), of: authorizationOf(real, name) };
        return refundPayment(real.memory.book.id, read, {
          ...{ bookId: real.memory.book.id, paymentId: payment.id, amount: amount ?? undefined, ifMatch: version },
          ...{ idempotencyKey: given ?? null, fingerprint: Buffer.alloc(0), ...BY },
        });
      },
    }),
    kind({
      do: 'say',
      weight: 18,
      draw: {
        operation: recent,
        isOpen: fc.constantFrom(true, true, true, true, false),
        word: fc.constantFrom<Word>(
          ...(['succeeded', 'succeeded', 'succeeded', 'succeeded', 'succeeded', 'succeeded'] as const),
          ...(['declined', 'failed late', 'pending', 'unknown', 'another amount'] as const),
        ),
        notice: maybe(fc.nat({ max: 60 }), { freq: 2 }),
        releaseDays: fc.constantFrom(1, 1, 2),
        onceSettled: fc.constantFrom(true, true, false),
      },
      ask(book, { operation, isOpen, word, notice, releaseDays, onceSettled }) {
        const open = [...records(book).operations.values()].filter(({ status }) => !isOpen || status === 'pending');
        const known = fromNewest(open, operation);
        const settings = { releaseDays, onceSettled, authorizationMs: 5_000 };
        return known && { operation: known.name, word, settings, notice: notice === null ? null : `word ${notice}` };
      },
      expect: (book, said, identity) => book.of(AcquirerWords).say(said, said.notice ?? identity),
      stateOf: (book, { operation }) => stateOf(records(book).operations.get(operation)!),
      command(real, { operation: name, word, settings, notice }: Say & { notice: string | null }) {
        const operation = operationOf(real, name);
        const noticeId = notice === null ? undefined : real.names.idOf(notice);
        return applyAcquirerReport(real.memory.book.id, {
          ...{ payment: real.memory.get(payments, operation.paymentId), operation },
          report: reportOf(word, { noticeId, authorizationMs: settings.authorizationMs }),
          read: {
            today: today(real.memory),
            release: releaseIn({ days: settings.releaseDays, onceSettled: settings.onceSettled }),
            movedShares: movedShares(real, operation),
          },
        });
      },
    }),
    kind({
      do: 'expire payments',
      weight: 3,
      draw: { payments: fc.array(recent, { minLength: 1, maxLength: 3 }) },
      ask(book, drawn) {
        const open = ({ expiresAt }: ReferencePayment) => expiresAt !== null;
        const names = drawn.payments.flatMap((at) => paymentAt(book, at, open)?.name ?? []);
        return names.length === 0 ? undefined : { payments: [...new Set(names)] };
      },
      expect: expire,
      saidOf: (answer) => ({ status: 0, resource: `${answer} expired` }),
      stateOf: (book, { payments: [payment] }) => statusOf(book, payment!),
      command: (real, { payments: names }) => expirePayments(names.map((name) => paymentOf(real, name))),
    }),
    kind({
      do: 'release shares',
      weight: 6,
      draw: {},
      ask(book) {
        const shares = book
          .of(ReferenceShares)
          .all.filter(({ kind: of, status }) => of === 'ready' && status === 'open');
        return shares.length === 0 ? undefined : { shares: shares.map(nameOf) };
      },
      expect: (book, { shares }, identity) => {
        const released = book.of(ReferenceShares).releaseDue(shares, identity);
        return { status: 0, resource: `${released} released` };
      },
      saidOf: (answer) => ({ status: 0, resource: `${answer} released` }),
      command: (real, { shares }) =>
        releaseShares(
          real.memory.book.id,
          shares.map((name) => shareNamed(real, name)),
        ),
    }),
    ...disputeKinds,
    ...settlementKinds,
  ],
};

/** From the newest of those that the request makes sense for; now and then of all. */
function paymentAt(
  book: ReferenceBook,
  at: number,
  isFit: (payment: ReferencePayment) => boolean,
): ReferencePayment | undefined {
  const all = [...records(book).payments.values()];
  const fit = all.filter(isFit);
  return fromNewest(fit.length > 0 && at < 4 ? fit : all, at);
}

function asked(
  { name, version }: ReferencePayment,
  drawn: { amount: Amount | null; ifMatch: 'now' | 'before' | null },
  all: bigint,
) {
  const amount = drawn.amount === null ? null : amountOf(drawn.amount, all);
  return { payment: name, amount, version: ifMatchOf(drawn.ifMatch, version) };
}

function prepared(real: Parameters<typeof paymentOf>[0], name: string) {
  return { payment: paymentOf(real, name), authorization: authorizationOf(real, name) };
}

const stateOf = ({ kind: of, status }: Operation) => `${of} ${status}`;
