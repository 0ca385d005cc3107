/** kill -9 of a worker of the payments pool around every call of an acquirer. */
import { randomUUID } from 'node:crypto';
import type { Failpoint } from '../../src/failpoints.ts';
import { succeeded, until } from '../harness/client.ts';
import { certainAnswer } from './certain-answer.ts';
import { untilEnded } from './kill-scenarios.ts';
import { brokenPayments, countOpenOperations, endChallenges, makeOperationsDue } from './payment-records-store.ts';
import { expectThat, type Play, type Scenario } from './scenario.ts';
import { ALL_POOLS, type Stage } from './stage.ts';

const POINTS: readonly Failpoint[] = [
  'acquirer.submit.before',
  'acquirer.submit.after',
  'acquirer.inquire.before',
  'acquirer.inquire.after',
  'acquirer.cancel.before',
  'acquirer.cancel.after',
];

/** Most are approved. The others are unknown first, lost, challenged or declined. */
const CARDS = [
  '4242424242424242',
  '4000000000000705',
  '4242424242424242',
  '4000002500003155',
  '4000000000000713',
  '4242424242424242',
  '4000000000009995',
];
const PAYMENTS = 28;
const SETTLE_LIMIT_MS = 60_000;

export const paymentScenarios: readonly Scenario[] = POINTS.map(killAt);

function killAt(point: Failpoint): Scenario {
  return {
    name: `kill-payments-at-${point}`,
    about: `kill -9 of a worker of the payments pool at ${point}`,
    diesAt: point,
    async play({ stage, random, afterwards }: Play) {
      const [victim, other] = stage.workers;
      const hit = random.between(1, 3);
      await Promise.all([victim.kill(), other.kill()]);
      await victim.start({ failpoints: `${point}=kill@${hit}`, pools: ['payments', 'ledger', 'sweeper'] });
      const paid = payEach(stage);
      let died = false;
      const pushed = pushUntil(stage, () => died);
      await untilEnded(stage, victim);
      died = true;
      expectThat(victim.output.includes(`failpoint ${point}: SIGKILL`), `It died elsewhere:\n${victim.output}`);
      await Promise.all([victim.start({ pools: ALL_POOLS }), other.start({ pools: ALL_POOLS })]);
      await Promise.all([paid, pushed]);
      afterwards(() => look(stage));
    },
  };
}

/** Each payment under a key of its own, until its answer is certain; every third one is refunded in part. */
async function payEach({ clients, accounts }: Stage): Promise<void> {
  await Promise.all(
    Array.from({ length: PAYMENTS }, async (_, number) => {
      const account = accounts[number % accounts.length]!;
      const source = { type: 'card', number: CARDS[number % CARDS.length], exp_month: 12, exp_year: 2034, cvc: '123' };
      const body = {
        account: account.id,
        amount: 10_000 + number,
        currency: account.currency,
        capture: number % 2 === 0 ? 'automatic' : 'manual',
        return_url: 'https://shop.example/return',
        source,
      };
      const answer = await certainAnswer(clients, { path: '/v1/payments', key: randomUUID(), body }, { first: number });
      const { id, status } = succeeded(answer) as unknown as { id: string; status: string };
      const follow = { captured: 'refunds', authorized: 'capture' }[status];
      if (follow === undefined) return;
      const request = { path: `/v1/payments/${id}/${follow}`, key: randomUUID(), body: { amount: 1_000 } };
      await certainAnswer(clients, request, { first: number });
    }),
  );
}

/** What the sweeper or a payer would do later is done now. */
async function pushUntil({ behind }: Stage, isOver: () => boolean): Promise<void> {
  await until(
    async () => {
      await endChallenges(behind);
      await makeOperationsDue(behind);
      return isOver();
    },
    (over) => over,
    { timeoutMs: SETTLE_LIMIT_MS },
  );
}

/** Everything ends, and what we keep is what the acquirer keeps. */
async function look({ behind }: Stage): Promise<string[]> {
  await until(
    async () => {
      await endChallenges(behind);
      await makeOperationsDue(behind);
      return countOpenOperations(behind);
    },
    (open) => open === 0n,
    { timeoutMs: SETTLE_LIMIT_MS },
  );
  return brokenPayments(behind);
}
