/**
 * A careful merchant: takes card payments of every outcome, each under a key of its own, and brings each to its end
 * with captures, increments, cancels and refunds. Payers pass challenges, fail them, or leave; some dispute their
 * payments, and the merchant answers. The acquirer pays every few payments.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from '../../src/db/pool.ts';
import { isPassing } from '../../src/db/postgres-errors.ts';
import { newId, parsePublicId } from '../../src/values/ids.ts';
import { type List, NotAsPromised, until } from '../harness/client.ts';
import { makeRowsDue } from '../harness/database-store.ts';
import type { Random } from '../harness/random.ts';
import { FAULT_PATIENCE_MS } from '../harness/until.ts';
import { certainAnswer, expectFirstAnswerAgain, type Sent } from './certain-answer.ts';
import type { Payer } from './load.ts';
import { type Dispute, type Payment, PLANS, paymentNumber, type Step } from './payment-plans.ts';
import {
  answerChallenge,
  bringReleaseDay,
  decideDisputes,
  disputePayment,
  endChallenge,
} from './payment-records-store.ts';

const hasLeft = ({ status }: Payment) => status !== 'requires_action';
const isDecided = ({ status }: Dispute) => status === 'won' || status === 'lost';

/** Concurrent callers in all. Payments stand beside payouts, which are many more. */
const CALLERS = 4;
const THINK_MS = 100;
/** Payments between two releases of everything that they have earned. */
const RELEASED_EVERY = 7;
/** Payments between two reports of the acquirer. */
const PAID_EVERY = 11;
const LOOK_EVERY_MS = 100;
const MAKE_DUE_EVERY_MS = 500;
const REPEATED = 20;
const ASYNC = { prefer: 'respond-async' };

export interface PaymentLoad {
  /** Ids of all payments that were accepted. */
  payments(): string[];
  /** Waits until this many more are accepted. */
  untilMore(count: number): Promise<void>;
  /** Makes no new payment, and brings each to its end. */
  stop(): Promise<void>;
  /** Sends nothing more and waits for no answer: the product has failed. */
  abandon(): Promise<void>;
  /** Sends some of the requests again, and expects the first answers, byte for byte. */
  expectFirstAnswersAgain(): Promise<void>;
}

export const NO_PAYMENTS: PaymentLoad = {
  payments: () => [],
  untilMore: () => Promise.resolve(),
  stop: () => Promise.resolve(),
  abandon: () => Promise.resolve(),
  expectFirstAnswersAgain: () => Promise.resolve(),
};

/** `behind` is a pool past all proxies: payers act at the acquirer, not at the product. */
export function startPaymentLoad(
  payers: readonly Payer[],
  { behind, random }: { behind: Pool; random: Random },
): PaymentLoad {
  const accepted: string[] = [];
  const sent: (Sent<unknown> & { readonly payer: Payer })[] = [];
  let asked = random.between(0, PLANS.length - 1);
  let going = true;
  let abandoned = false;
  const isAbandoned = () => abandoned;

  async function caller(payer: Payer): Promise<void> {
    while (going) {
      const number = asked++;
      const plan = PLANS[number % PLANS.length]!;
      const { id } = await send<Payment>(payer, '/v1/payments', paymentNumber(number, plan, payer));
      accepted.push(id);
      if (number % RELEASED_EVERY === 0) await outside(() => bringReleaseDay(behind));
      if (number % PAID_EVERY === 0) await send(payer, '/v1/simulations/acquirer_settlements', {});
      await follow(payer, id, plan.steps);
      await pause(THINK_MS);
    }
  }

  async function send<Body>(payer: Payer, path: string, body: Record<string, unknown>): Promise<Body> {
    const request = { path, key: randomUUID(), body, headers: ASYNC };
    const answer = await certainAnswer<Body>(payer.clients, request, { first: asked, isAbandoned });
    if (answer.status >= 300) throw new NotAsPromised(`${path} was answered ${answer.status} ${answer.text}`);
    sent.push({ ...request, answer, payer });
    return answer.body;
  }

  async function follow(payer: Payer, id: string, steps: readonly Step[]): Promise<void> {
    for (const step of steps) {
      const payment = await untilBooked(payer, id);
      // A worker whose clock is ahead ends a challenge early: nobody is charged, and nothing follows.
      if (payment.waiting_on === 'nobody' && payment.amount_captured === 0) return;
      const challenge = payment.next_action?.url.split('/').at(-1);
      switch (step.act) {
        case 'pass':
        case 'fail':
          if (challenge) await outside(() => answerChallenge(behind, challenge, step.act === 'pass'));
          await untilBooked(payer, id, hasLeft);
          break;
        case 'leave':
          await untilBooked(payer, id, hasLeft, () =>
            outside(() => endChallenge(behind, parsePublicId('payment', id)!)),
          );
          break;
        case 'dispute':
          await disputed(payer, id, step.stage, step.amount(payment));
          break;
        case 'evidence':
          await answerDispute(payer, id);
          break;
        case 'win':
        case 'lose':
          await outside(() =>
            decideDisputes(behind, parsePublicId('payment', id)!, step.act === 'win' ? 'won' : 'lost'),
          );
          await disputesOf(payer, id, (all) => all.every(isDecided));
          break;
        case 'cancel':
          await send(payer, `/v1/payments/${id}/cancel`, {});
          break;
        default:
          await send(payer, `/v1/payments/${id}/${step.act}`, step.body(payment));
      }
    }
    await untilBooked(payer, id, ({ waiting_on }) => waiting_on === 'nobody');
  }

  /**
   * Actions of payers and of the acquirer, on connections past all proxies. The database may be away meanwhile: a
   * repeated action is done once.
   */
  async function outside(act: () => Promise<void>): Promise<void> {
    while (!abandoned) {
      try {
        return await act();
      } catch (error) {
        if (!isPassing(error)) throw error;
        await pause(LOOK_EVERY_MS);
      }
    }
  }

  /** The payer goes to the issuer; the acquirer sends a notice. */
  async function disputed(payer: Payer, id: string, stage: 'inquiry' | 'chargeback', amount: number): Promise<void> {
    const known = await disputesOf(payer, id, () => true);
    const noticeId = newId();
    await outside(() => disputePayment(behind, { paymentId: parsePublicId('payment', id)!, noticeId, stage, amount }));
    await disputesOf(payer, id, (all) => all.length > known.length);
  }

  async function answerDispute(payer: Payer, id: string): Promise<void> {
    const [latest] = await disputesOf(payer, id, (all) => all.length > 0);
    await send(payer, `/v1/payments/disputes/${latest!.id}/evidence`, { product_description: 'Headphones' });
    await disputesOf(payer, id, ([answered]) => answered?.status === 'evidence_submitted');
  }

  /** Of a payment, the latest first, once `isSo`. */
  function disputesOf(payer: Payer, id: string, isSo: (disputes: Dispute[]) => boolean): Promise<Dispute[]> {
    const path = `/v1/payments/disputes?payment=${id}`;
    return readUntil<List<Dispute>>(payer, path, ({ data }) => isSo(data)).then(({ data }) => data);
  }

  /** Reads the payment until the acquirer's answers are booked, and `isSo`. */
  async function untilBooked(
    payer: Payer,
    id: string,
    isSo: (payment: Payment) => boolean = () => true,
    meanwhile: () => Promise<void> = () => Promise.resolve(),
  ): Promise<Payment> {
    const isOver = (payment: Payment) => !['acquirer', 'inquiry'].includes(payment.waiting_on) && isSo(payment);
    return readUntil(payer, `/v1/payments/${id}`, isOver, meanwhile);
  }

  /** Reads until `isSo`. An API may be away meanwhile. */
  async function readUntil<Body>(
    payer: Payer,
    path: string,
    isSo: (body: Body) => boolean,
    meanwhile: () => Promise<void> = () => Promise.resolve(),
  ): Promise<Body> {
    for (let look = asked; !abandoned; look++) {
      await meanwhile();
      const client = payer.clients[look % payer.clients.length]!;
      const { body, status } = await client.get<Body>(path).catch((error: unknown) => {
        if (error instanceof NotAsPromised) throw error;
        return { body: undefined, status: 503 };
      });
      if (status === 200 && body !== undefined && isSo(body)) return body;
      await pause(LOOK_EVERY_MS);
    }
    throw new NotAsPromised(`${path} did not come to its end`);
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
      await until(enough, (more) => more >= count, { timeoutMs: FAULT_PATIENCE_MS });
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
        { timeoutMs: FAULT_PATIENCE_MS },
      );
      await Promise.race([ended, pushed]);
      await ended;
      await pushed;
    },
    async abandon() {
      going = false;
      abandoned = true;
      await callers.catch(() => undefined);
    },
    async expectFirstAnswersAgain() {
      const step = Math.max(1, Math.floor(sent.length / REPEATED));
      for (const one of sent.filter((_, at) => at % step === 0))
        await expectFirstAnswerAgain(one.payer.clients, one, { first: asked, isAbandoned });
    },
  };
}
