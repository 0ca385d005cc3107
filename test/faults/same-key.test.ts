/** One key, one answer, for any number of concurrent requests to any process. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Load } from '../../scripts/faults/load.ts';
import type { Account, Answer, Payout, Problem } from '../../scripts/harness/client.ts';
import { ALL_POOLS, describeOnOneBackend } from '../support/product.ts';
import { type Stage, startStage } from './stage.ts';

const AT_ONCE = 100;
const ROUNDS = 5;
const FUNDS = 10_000_000;

type PayoutOrProblem = Pick<Payout, 'id'> & Pick<Problem, 'code'>;

describeOnOneBackend('the same idempotency key over two API processes', (backend) => {
  let stage: Stage;
  let load: Load;
  const paid: string[] = [];

  beforeAll(async () => {
    stage = await startStage({ backend, apis: 2, workers: { all: { pools: ALL_POOLS } } });
    load = await stage.load();
  });
  afterAll(() => stage?.close());

  function atOnce(account: Account, amount: (at: number) => number): Promise<Answer<PayoutOrProblem>[]> {
    const idempotencyKey = randomUUID();
    return Promise.all(
      Array.from({ length: AT_ONCE }, (_, at) =>
        stage.clients[at % 2]!.requestPayout<PayoutOrProblem>({
          account: account.id,
          amount: amount(at),
          idempotencyKey,
        }),
      ),
    );
  }

  test('a hundred times at once is one payout and one answer, byte for byte', async () => {
    const [one, other] = stage.clients;
    const account = await one!.openAccount({ funds: FUNDS });
    for (let round = 0; round < ROUNDS; round++) {
      const answers = await atOnce(account, () => 777);
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]));
      expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
      expect(answers.filter(({ headers }) => headers['idempotent-replayed'] === undefined)).toHaveLength(1);
      paid.push(answers[0]!.body.id);
    }
    for (const id of paid) await one!.payoutUntil(id, 'paid');
    // The amount, and its fee of half a per cent, rounded half to even.
    const { balance } = await other!.read<Account>(`/v1/accounts/${account.id}`);
    expect(balance.posted).toBe(FUNDS - ROUNDS * (777 + 4));
  });

  test('for two different requests at once is one of them, and refusals that name it', async () => {
    const account = await stage.clients[0]!.openAccount({ funds: FUNDS });
    const answers = await atOnce(account, (at) => (at % 3 === 0 ? 500 : 600));
    const accepted = answers.filter(({ status }) => status === 202);
    const refused = answers.filter(({ status }) => status === 422);
    expect([accepted.length > 0, accepted.length + refused.length]).toEqual([true, AT_ONCE]);
    expect(new Set(accepted.map(({ text }) => text)).size).toBe(1);
    const { id } = accepted[0]!.body;
    for (const { body } of refused) expect(body).toMatchObject({ code: 'idempotency_key_reused', resource: id });
    paid.push(id);
  });

  test('and afterwards every invariant holds', async () => {
    await load.untilAccepted(200);
    await stage.settleAndCheck(load, paid);
  });
});
