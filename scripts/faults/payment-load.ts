/**
 * A careful merchant: takes card payments of every outcome, each under a key of its own, and brings each to its end with
 * captures, increments, cancels and refunds. Payers pass challenges, fail them, or leave.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from '../../src/db/pool.ts';
import { parsePublicId } from '../../src/ids.ts';
import type * as paymentSchemas from '../../src/payments/api/payment-schemas.ts';
import { NotAsPromised, until } from '../harness/client.ts';
import { makeRowsDue } from '../harness/database-store.ts';
import { certainAnswer, expectFirstAnswerAgain, type Sent } from './certain-answer.ts';
import type { Payer } from './load.ts';
import { answerChallenge, bringReleaseDay, endChallenge } from './payment-records-store.ts';

export type Payment = (typeof paymentSchemas.payment)['_zod']['output'];

type Step =
  | { readonly act: 'capture' | 'increment' | 'refunds'; readonly body: (payment: Payment) => Record<string, unknown> }
  | { readonly act: 'cancel' }
  | { readonly act: 'pass' | 'fail' | 'leave' };

interface Plan {
  readonly number: string;
  readonly manual?: true;
  readonly steps: readonly Step[];
}

/** Published test numbers: approved, unknown until asked, lost on its way, challenged (also then declined), declined. */
const [APPROVED, UNANSWERED, LOST, CHALLENGED, CHALLENGED_DECLINED, DECLINED] = [
  '4242424242424242',
  '4000000000000705',
  '4000000000000713',
  '4000002500003155',
  '4000008400001629',
  '4000000000009995',
] as const;
export const CARD_NUMBERS: readonly string[] = [APPROVED, UNANSWERED, LOST, CHALLENGED, CHALLENGED_DECLINED, DECLINED];
/** Nothing else in a row or a log has these digits beside the word. */
export const CVC = '8317';

const part = (of: (payment: Payment) => number) => (payment: Payment) => ({ amount: Math.floor(of(payment) / 3) });
const capturePart: Step = { act: 'capture', body: part((payment) => payment.amount_capturable) };
const captureRest: Step = { act: 'capture', body: () => ({}) };
const captureLast: Step = {
  act: 'capture',
  body: (payment) => ({ ...part((p) => p.amount_capturable)(payment), final: true }),
};
const increment: Step = { act: 'increment', body: (payment) => ({ amount: payment.amount_authorized + 500 }) };
const refundPart: Step = { act: 'refunds', body: part((payment) => payment.amount_refundable) };
const refundRest: Step = { act: 'refunds', body: (payment) => ({ amount: payment.amount_refundable }) };
const [cancel, pass, fail, leave]: Step[] = [{ act: 'cancel' }, { act: 'pass' }, { act: 'fail' }, { act: 'leave' }];

/**
 * A manual payment that is challenged is left alone: its authorization, voided as its payer passes at last, would be one that
 * succeeded and was canceled, and its notice a contradiction.
 */
const PLANS: readonly Plan[] = [
  { number: APPROVED, steps: [] },
  { number: APPROVED, manual: true, steps: [capturePart, captureRest, refundPart] },
  { number: UNANSWERED, steps: [refundPart] },
  { number: CHALLENGED, manual: true, steps: [leave!] },
  { number: LOST, steps: [] },
  { number: APPROVED, steps: [refundPart, refundRest] },
  { number: CHALLENGED, steps: [pass!, refundPart] },
  { number: APPROVED, manual: true, steps: [increment, captureLast] },
  { number: UNANSWERED, manual: true, steps: [capturePart, cancel!] },
  { number: CHALLENGED, steps: [leave!] },
  { number: APPROVED, manual: true, steps: [cancel!] },
  { number: LOST, manual: true, steps: [] },
  { number: CHALLENGED, steps: [fail!] },
  { number: DECLINED, steps: [] },
  { number: CHALLENGED_DECLINED, steps: [pass!] },
];

const hasLeft = ({ status }: Payment) => status !== 'requires_action';

/** Concurrent callers in all. Payments stand beside payouts, which are many more. */
const CALLERS = 4;
const THINK_MS = 100;
/** Payments between two releases of everything that they have earned. */
const RELEASED_EVERY = 7;
const LOOK_EVERY_MS = 100;
const MAKE_DUE_EVERY_MS = 500;
const REPEATED = 20;
const LIMIT_MS = 120_000;
const ASYNC = { prefer: 'respond-async' };

export interface PaymentLoad {
  /** Ids of all payments that were accepted. */
  payments(): string[];
  /** Waits until this many more are accepted. */
  untilMore(count: number): Promise<void>;
  /** Makes no new payment, and brings each to its end. */
  stop(): Promise<void>;
  /** Sends nothing more and waits for no answer: the product has failed. */
  giveUp(): Promise<void>;
  /** Sends some of the requests again, and expects the first answers, byte for byte. */
  expectFirstAnswersAgain(): Promise<void>;
}

export const NO_PAYMENTS: PaymentLoad = {
  payments: () => [],
  untilMore: () => Promise.resolve(),
  stop: () => Promise.resolve(),
  giveUp: () => Promise.resolve(),
  expectFirstAnswersAgain: () => Promise.resolve(),
};

/** `behind` is a pool past all proxies: payers act at the acquirer, not at the product. */
export function startPaymentLoad(payers: readonly Payer[], behind: Pool): PaymentLoad {
  const accepted: string[] = [];
  const sent: (Sent<Payment> & { readonly payer: Payer })[] = [];
  let asked = Math.floor(Math.random() * PLANS.length);
  let going = true;
  let gaveUp = false;
  const isGivenUp = () => gaveUp;

  async function caller(payer: Payer): Promise<void> {
    while (going) {
      const number = asked++;
      const plan = PLANS[number % PLANS.length]!;
      const { id } = await send(payer, '/v1/payments', paymentNumber(number, plan, payer));
      accepted.push(id);
      if (number % RELEASED_EVERY === 0) await bringReleaseDay(behind);
      await follow(payer, id, plan.steps);
      await pause(THINK_MS);
    }
  }

  async function send(payer: Payer, path: string, body: Record<string, unknown>): Promise<Payment> {
    const request = { path, key: randomUUID(), body, headers: ASYNC };
    const answer = await certainAnswer<Payment>(payer.clients, request, { first: asked, isGivenUp });
    if (answer.status >= 300) throw new NotAsPromised(`${path} was answered ${answer.status} ${answer.text}`);
    sent.push({ ...request, answer, payer });
    return answer.body;
  }

  async function follow(payer: Payer, id: string, steps: readonly Step[]): Promise<void> {
    for (const step of steps) {
      const payment = await settled(payer, id);
      // A worker whose clock is ahead ends a challenge early: nobody is charged, and nothing follows.
      if (payment.waiting_on === 'nobody' && payment.amount_captured === 0) return;
      const challenge = payment.next_action?.url.split('/').at(-1);
      switch (step.act) {
        case 'pass':
        case 'fail':
          if (challenge) await answerChallenge(behind, challenge, step.act === 'pass');
          await settled(payer, id, hasLeft);
          break;
        case 'leave':
          await settled(payer, id, hasLeft, () => endChallenge(behind, parsePublicId('payment', id)!));
          break;
        case 'cancel':
          await send(payer, `/v1/payments/${id}/cancel`, {});
          break;
        default:
          await send(payer, `/v1/payments/${id}/${step.act}`, step.body(payment));
      }
    }
    await settled(payer, id, ({ waiting_on }) => waiting_on === 'nobody');
  }

  /** Reads the payment until the acquirer has nothing to say about it, and `isSo`. An API may be away meanwhile. */
  async function settled(
    payer: Payer,
    id: string,
    isSo: (payment: Payment) => boolean = () => true,
    meanwhile: () => Promise<void> = () => Promise.resolve(),
  ): Promise<Payment> {
    for (let look = asked; !gaveUp; look++) {
      await meanwhile();
      const client = payer.clients[look % payer.clients.length]!;
      const { body, status } = await client.get<Payment>(`/v1/payments/${id}`).catch((error: unknown) => {
        if (error instanceof NotAsPromised) throw error;
        return { body: undefined, status: 503 };
      });
      const isOver = body !== undefined && !['acquirer', 'inquiry'].includes(body.waiting_on);
      if (status === 200 && isOver && isSo(body)) return body;
      await pause(LOOK_EVERY_MS);
    }
    throw new NotAsPromised(`${id} did not come to its end`);
  }

  const callers = Promise.all(Array.from({ length: CALLERS }, (_, at) => caller(payers[at % payers.length]!)));
  // Reported by stop(), which every run awaits.
  let failed: unknown;
  callers.catch((error: unknown) => {
    failed = error;
  });

  return {
    payments: () => [...accepted],
    async untilMore(count) {
      const before = accepted.length;
      const enough = () => {
        if (failed !== undefined) throw failed;
        return accepted.length - before;
      };
      await until(enough, (more) => more >= count, { timeoutMs: LIMIT_MS });
    },
    async stop() {
      going = false;
      let isOver = false;
      const ended = callers.finally(() => {
        isOver = true;
      });
      const pushed = until(
        async () => {
          await makeRowsDue(behind);
          await pause(MAKE_DUE_EVERY_MS);
          return isOver;
        },
        Boolean,
        { timeoutMs: LIMIT_MS },
      );
      await Promise.race([ended, pushed]);
      await ended;
      await pushed;
    },
    async giveUp() {
      going = false;
      gaveUp = true;
      await callers.catch(() => undefined);
    },
    async expectFirstAnswersAgain() {
      const step = Math.max(1, Math.floor(sent.length / REPEATED));
      for (const one of sent.filter((_, at) => at % step === 0))
        await expectFirstAnswerAgain(one.payer.clients, one, { first: asked, isGivenUp });
    },
  };
}

/** The same number gives the same payment. */
function paymentNumber(number: number, { number: card, manual }: Plan, { accounts }: Payer): Record<string, unknown> {
  const account = accounts[number % Math.min(2, accounts.length)]!;
  return {
    account: account.id,
    currency: account.currency,
    amount: 10_000 + (number % 997),
    capture: manual ? 'manual' : 'automatic',
    return_url: 'https://shop.example/return',
    source: { type: 'card', number: card, exp_month: 12, exp_year: 2034, cvc: CVC },
    description: `Order ${number}`,
    metadata: { number: String(number) },
  };
}
