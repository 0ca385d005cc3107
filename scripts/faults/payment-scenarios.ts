/** The acquirer is away or its answers are lost, a process hangs or dies around its calls: each payer is charged once. */
import { randomUUID } from 'node:crypto';
import { makeRowsDue } from '../harness/database-store.ts';
import { certainAnswer } from './certain-answer.ts';
import { CARD_NUMBERS, CVC, type Payment } from './payment-plans.ts';
import { anyPending, operationsToSubmit, submittedTwice } from './payment-records-store.ts';
import { expectThat, type Play, pause, type Scenario, untilThat } from './scenario.ts';
import { ALL_POOLS, type Stage } from './stage.ts';

const ACQUIRER = 'countinghouse-sandbox-acquirer';
const MAKE_DUE_EVERY_MS = 500;
const HOUR_MS = 3_600_000;
/** Payments whose answers an API awaits when it dies. */
const WAITING = 8;

async function freezeBeforeTheAcquirer({ stage, payments, random }: Play, aheadMs: number): Promise<void> {
  const [frozen, other] = stage.workers;
  await frozen.kill();
  const failpoints = `acquirer.submit.before=stop@${random.between(1, 5)}`;
  await frozen.start({ pools: ['payments'], failpoints });
  await frozen.reached('acquirer.submit.before');
  other.setClockAhead(aheadMs);
  const waiting = await operationsToSubmit(stage.behind);
  expectThat(waiting.length > 0, 'No operation waits for the acquirer');
  await untilMoved(stage, 'others move what it left', async () => !(await anyPending(stage.behind, waiting)));
  frozen.thaw();
  await untilMoved(stage, 'it sends what it was about to send', () => submittedTwice(stage.behind, waiting));
  other.setClockAhead(0);
  await payments.untilMore(5);
  await frozen.kill();
  await frozen.start({ pools: ALL_POOLS });
}

/** Polls until `isSo`, and makes rows due meanwhile. */
function untilMoved({ behind }: Stage, what: string, isSo: () => Promise<boolean>): Promise<void> {
  let makeDueAt = 0;
  return untilThat(what, async () => {
    if (performance.now() > makeDueAt) {
      makeDueAt = performance.now() + MAKE_DUE_EVERY_MS;
      await makeRowsDue(behind);
    }
    return isSo();
  });
}

/** Asks one API for payments, and lets it wait for the acquirer. Resolves with the requests once it is dead. */
async function killWhileItWaits({ stage }: Play) {
  const [client] = stage.clients;
  const account = stage.accounts[0]!;
  const card = { type: 'card', number: CARD_NUMBERS[0]!, exp_month: 12, exp_year: 2034, cvc: CVC };
  const requests = Array.from({ length: WAITING }, (_, at) => {
    const body = { account: account.id, currency: account.currency, amount: 20_000 + at, source: card };
    return { path: '/v1/payments', key: randomUUID(), body };
  });
  // No worker notifies the API of their outcome.
  for (const worker of stage.workers) worker.freeze();
  const waiting = requests.map(({ path, body, key }) => client!.post(path, body, { idempotencyKey: key }));
  const broken = Promise.allSettled(waiting);
  await untilThat('the operations of all of them', async () => {
    return (await operationsToSubmit(stage.behind)).length >= WAITING;
  });
  await stage.apis[0]!.kill();
  const answered = (await broken).filter(({ status }) => status === 'fulfilled').length;
  expectThat(answered === 0, `${answered} answers came although nobody asked the acquirer`);
  for (const worker of stage.workers) worker.thaw();
  return requests;
}

export const paymentScenarios: readonly Scenario[] = [
  {
    name: 'frozen-before-the-acquirer',
    about:
      'SIGSTOP just before the acquirer is called; others ask, are told "not found", and send; then SIGCONT: sent again, charged once',
    play: (play) => freezeBeforeTheAcquirer(play, 0),
  },
  {
    name: 'frozen-before-the-acquirer-and-a-clock-ahead',
    about:
      'the same, and the clock of whoever asks is an hour ahead: "not found" is final by the clock of the acquirer, not by ours',
    play: (play) => freezeBeforeTheAcquirer(play, HOUR_MS),
  },
  {
    name: 'acquirer-times-out',
    about: 'no answer of the acquirer arrives for twelve seconds, and no call reaches it; then all of them do',
    async play({ stage, load, payments }) {
      stage.network.worker.postgres.impair({ blackHole: true, only: ACQUIRER });
      await Promise.all([load.untilMore(20), pause(12_000)]);
      stage.network.worker.postgres.heal();
      await payments.untilMore(10);
    },
  },
  {
    name: 'acquirer-takes-no-card',
    about: 'the acquirer exchanges no card for six seconds: 503, nothing exists, and the same keys pay afterwards',
    async play({ stage, load, payments }) {
      stage.network.api.postgres.impair({ blackHole: true, only: ACQUIRER });
      await Promise.all([load.untilMore(20), pause(6_000)]);
      stage.network.api.postgres.heal();
      await payments.untilMore(10);
    },
  },
  {
    name: 'acquirer-answers-lost',
    about: 'the acquirer has carried out what it was asked, and its answers break off, again and again',
    async play({ stage, load, payments, random }) {
      for (let round = 0; round < 8; round++) {
        const cutAfterBytes = random.between(1, 4_000);
        stage.network.worker.postgres.impair({ cutAfterBytes, only: ACQUIRER });
        // Payments may all wait meanwhile: so long an answer never comes through.
        await Promise.all([load.untilMore(3), pause(random.between(500, 1_500))]);
      }
      stage.network.worker.postgres.heal();
      await payments.untilMore(10);
    },
  },
  {
    name: 'api-killed-while-it-waits',
    about:
      'kill -9 of an API that waits for the acquirer on behalf of payers: asked again under the same keys, the other one knows each payment',
    async play(play) {
      const { stage } = play;
      const [, other] = stage.clients;
      const requests = await killWhileItWaits(play);
      for (const request of requests) {
        const answer = await certainAnswer<Payment>([other!], request);
        expectThat(answer.status < 300, `${request.key} was answered ${answer.status} ${answer.text}`);
        stage.acceptedPayments.add(answer.body.id);
        await untilThat('the payment is captured', async () => {
          const { body } = await other!.get<Payment>(`/v1/payments/${answer.body.id}`);
          return body.status === 'captured';
        });
      }
      await stage.apis[0]!.start();
      await play.payments.untilMore(5);
    },
  },
];
