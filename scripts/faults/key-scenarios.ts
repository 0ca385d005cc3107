/** One key has one answer, for every caller and every process, however many requests come at once. */
import { randomUUID } from 'node:crypto';
import type { Payout } from '../harness/client.ts';
import { expectThat, type Scenario } from './scenario.ts';

const AT_ONCE = 100;

export const keyScenarios: readonly Scenario[] = [
  {
    name: 'same-key-at-once',
    about:
      'the same idempotency key a hundred times at once over two API processes: one payout and one answer, byte for byte',
    quick: true,
    async play({ stage, random }) {
      const account = stage.accounts[0]!.id;
      for (let round = 0; round < 3; round++) {
        const [idempotencyKey, amount] = [randomUUID(), random.between(1, 5_000)];
        const ask = (at: number) =>
          stage.clients[at % stage.clients.length]!.requestPayout<Payout>({ account, amount, idempotencyKey });
        const answers = await Promise.all(Array.from({ length: AT_ONCE }, (_, at) => ask(at)));
        const texts = new Set(answers.map(({ status, text }) => `${status} ${text}`));
        const first = answers.filter(({ headers }) => headers['idempotent-replayed'] === undefined);
        expectThat(texts.size === 1, `One key had ${texts.size} answers: ${[...texts].slice(0, 2).join('\n')}`);
        expectThat(answers[0]!.status === 202, `The answer was ${[...texts][0]}`);
        expectThat(first.length === 1, `${first.length} answers claim to be the first`);
        stage.accepted.add(answers[0]!.body.id);
      }
    },
  },
];
