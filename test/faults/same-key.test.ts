/** One key, one answer: whoever asks, wherever, however often at once. */
import { randomUUID } from 'node:crypto';
import { afterEach, expect, test } from 'vitest';
import type { Payout } from '../support/client.ts';
import { ALL_POOLS, describeOnEachBackend } from '../support/product.ts';
import { FAULT_LIMIT_MS, type Stage, startStage } from './stage.ts';

const AT_ONCE = 100;
const ROUNDS = 5;

describeOnEachBackend('the same idempotency key', (backend) => {
  let stage: Stage | undefined;
  afterEach(() => stage?.close());

  test(
    'a hundred times at once over two API processes is one payout and one answer, byte for byte',
    async () => {
      stage = await startStage({ backend, apis: 2, workers: { all: { pools: ALL_POOLS } } });
      const { clients } = stage;
      const load = await stage.load();
      const account = await clients[0]!.openAccount({ funds: 10_000_000 });
      const paid: string[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        const idempotencyKey = randomUUID();
        const answers = await Promise.all(
          Array.from({ length: AT_ONCE }, (_, at) =>
            clients[at % clients.length]!.requestPayout<Payout>({ account: account.id, amount: 777, idempotencyKey }),
          ),
        );
        expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]));
        expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
        expect(answers.filter(({ headers }) => headers['idempotent-replayed'] === undefined)).toHaveLength(1);
        paid.push(answers[0]!.body.id);
      }
      for (const id of paid) await clients[0]!.payoutUntil(id, 'paid');
      const { balance } = await clients[1]!.read<{ balance: { posted: number } }>(`/v1/accounts/${account.id}`);
      // Five times the amount and its fee of half a per cent, halves to even.
      expect(balance.posted).toBe(10_000_000 - ROUNDS * (777 + 4));
      await load.untilAccepted(200);
      await stage.settleAndCheck(load, paid);
    },
    FAULT_LIMIT_MS,
  );

  test(
    'for two different requests at once is one of them, and a refusal that names it',
    async () => {
      stage = await startStage({ backend, apis: 2, workers: { all: { pools: ALL_POOLS } } });
      const { clients } = stage;
      const load = await stage.load();
      const account = await clients[0]!.openAccount({ funds: 10_000_000 });
      const idempotencyKey = randomUUID();
      const answers = await Promise.all(
        Array.from({ length: AT_ONCE }, (_, at) =>
          clients[at % clients.length]!.post<Record<string, string>>(
            '/v1/payouts',
            {
              account: account.id,
              amount: at % 3 === 0 ? 500 : 600,
              currency: 'JOD',
              destination: { type: 'cliq', alias: 'SHOP1' },
            },
            { idempotencyKey },
          ),
        ),
      );
      const accepted = answers.filter(({ status }) => status === 202);
      const refused = answers.filter(({ status }) => status === 422);
      expect(accepted.length + refused.length).toBe(AT_ONCE);
      expect(new Set(accepted.map(({ text }) => text)).size).toBe(1);
      const { id } = accepted[0]!.body as { id: string };
      for (const { body } of refused) expect(body).toMatchObject({ code: 'idempotency_key_reused', resource: id });
      await stage.settleAndCheck(load, [id]);
    },
    FAULT_LIMIT_MS,
  );
});
