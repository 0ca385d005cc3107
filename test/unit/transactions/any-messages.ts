/** Random messages of one purchase, with fixed decisions: in an order in which no network would send them, and with amounts that disagree. */
import fc from 'fast-check';
import type { ProgramFees } from '../../../src/cards/program/program.ts';
import type {
  Advice,
  Clearing,
  DecidedRequest,
  MerchantAmount,
  Message,
  PostingReversal,
} from '../../../src/transactions/message/message.ts';
import type { PurchaseTerms } from '../../../src/transactions/purchase/purchase-state.ts';

const amount = fc.oneof(fc.bigInt({ min: 1n, max: 30n }), fc.bigInt({ min: 1n, max: 20_000n }));

type Unnamed<Kind extends Message> = Omit<Kind, 'reference'>;

const anySchedule = fc.record({
  fixed: fc.bigInt({ min: 0n, max: 500n }),
  basisPoints: fc.bigInt({ min: 0n, max: 1_000n }),
  minimum: fc.option(fc.bigInt({ min: 0n, max: 100n })),
  maximum: fc.option(fc.bigInt({ min: 100n, max: 1_000n })),
  rounding: fc.constant('half_even' as const),
});

const anyFees: fc.Arbitrary<ProgramFees> = fc.record({
  cash: fc.option(anySchedule),
  quasiCash: fc.option(anySchedule),
  foreignCurrency: fc.option(anySchedule),
});

export const anyTerms: fc.Arbitrary<PurchaseTerms> = anyFees.map((fees) => ({
  ...{ currency: 'USD', mcc: '5411', tolerancePercent: 0, fees },
}));

/** Of one merchant: all in one currency, in either of two, or none at all. */
type Merchants = fc.Arbitrary<MerchantAmount | null>;

const merchantsIn = (...currencies: string[]): Merchants =>
  fc.record({ amount: fc.bigInt({ min: 1n, max: 20_000n }), currency: fc.constantFrom(...currencies) });

const form = fc.oneof({ weight: 3, arbitrary: fc.constant('dual') }, { weight: 1, arbitrary: fc.constant('single') });
const kind = fc.constantFrom('purchase', 'cash', 'quasi_cash', 'transfer_out', 'refund', 'transfer_in');

function anyRequest(merchants: Merchants): fc.Arbitrary<Unnamed<DecidedRequest>> {
  return fc
    .record({ type: fc.constantFrom('authorization', 'increment'), kind, form, amount, merchant: merchants })
    .chain((said) =>
      fc
        .record({
          isApproved: fc.boolean(),
          /** Some are approved in part, and a status check for more. */
          authorized: fc.oneof(fc.constant(said.amount), amount),
          merchant: merchants,
        })
        .map(({ isApproved, authorized, merchant }) => ({
          ...said,
          ...{ cashback: 0n, isPartialAllowed: true },
          decision: isApproved
            ? { isApproved, amount: said.amount, authorized, merchant }
            : { isApproved, declineCode: 'insufficient_funds' },
        })),
    ) as fc.Arbitrary<Unnamed<DecidedRequest>>;
}

function anyInquiry(): fc.Arbitrary<Unnamed<DecidedRequest>> {
  const decision = { isApproved: true as const, amount: 0n, authorized: 0n, merchant: null };
  const said = { type: 'authorization' as const, form: 'dual' as const, amount: 0n, cashback: 0n };
  return fc
    .constantFrom('account_verification' as const, 'balance_inquiry' as const)
    .map((kind) => ({ ...said, kind, merchant: null, isPartialAllowed: false, decision }));
}

function anyAdvice(merchants: Merchants): fc.Arbitrary<Unnamed<Advice>> {
  return fc.record({
    type: fc.constant('advice'),
    reason: fc.constantFrom('stand_in', 'completion', 'offline'),
    of: fc.constantFrom('authorization', 'increment'),
    ...{ kind, form, isApproved: fc.boolean(), merchant: merchants },
    amount: fc.oneof(amount, fc.constant(0n)),
  }) as fc.Arbitrary<Unnamed<Advice>>;
}

function anyClearing(merchants: Merchants): fc.Arbitrary<Unnamed<Clearing>> {
  return fc.record({
    type: fc.constant('clearing'),
    kind: fc.constant(null),
    ...{ amount, merchant: merchants },
    sequence: fc.option(fc.record({ number: fc.integer({ min: 1, max: 3 }), count: fc.constantFrom(2, 3) })),
    isFinal: fc.option(fc.boolean(), { freq: 1 }),
  }) as fc.Arbitrary<Unnamed<Clearing>>;
}

/** Names one of the messages, whatever that is. */
function anyPostingReversal(count: number): fc.Arbitrary<Unnamed<PostingReversal>> {
  return fc.record({
    type: fc.constantFrom('clearing_reversal', 'refund_reversal'),
    reverses: fc.integer({ min: 0, max: count }).map((index) => `message-${index}`),
    amount: fc.option(amount),
  }) as fc.Arbitrary<Unnamed<PostingReversal>>;
}

const MESSAGES_MAX = 9;

function messagesOf(merchants: Merchants): fc.Arbitrary<Message[]> {
  const reversal = fc.record({
    type: fc.constant('reversal'),
    amount: fc.option(amount, { freq: 4 }),
    merchant: merchants,
  });
  const refund = fc.record({ type: fc.constant('refund'), amount, merchant: merchants });
  const message = fc.oneof(
    { weight: 4, arbitrary: anyRequest(merchants) },
    { weight: 4, arbitrary: anyClearing(merchants) },
    { weight: 3, arbitrary: anyPostingReversal(MESSAGES_MAX) },
    { weight: 2, arbitrary: reversal },
    { weight: 2, arbitrary: refund },
    { weight: 2, arbitrary: anyAdvice(merchants) },
    { weight: 1, arbitrary: anyInquiry() },
    { weight: 1, arbitrary: fc.constant({ type: 'expiry' }) },
  );
  return fc
    .array(message, { minLength: 1, maxLength: MESSAGES_MAX })
    .map((said) => said.map((one, index) => ({ ...one, reference: `message-${index}` }) as Message));
}

export const anyMessages: fc.Arbitrary<Message[]> = fc.oneof(
  messagesOf(fc.constant(null)),
  messagesOf(merchantsIn('EUR')),
  messagesOf(merchantsIn('EUR', 'JPY')),
  messagesOf(fc.option(merchantsIn('EUR'))),
);

/** All of them in another order. */
export function shuffled<Item>(items: readonly Item[]): fc.Arbitrary<Item[]> {
  return fc.shuffledSubarray([...items], { minLength: items.length, maxLength: items.length });
}
