/**
 * Back-tests beside what really happens: the same purchases are made in two books, whose cards have other controls. Testing the controls
 * that decided changes nothing; testing those of the other book says what that book has decided.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Client, succeeded } from '../../../scripts/harness/client.ts';
import { backtest } from '../../support/backtests.ts';
import { type Controls, makeCard } from '../../support/cards.ts';
import { startContracted } from '../../support/contracted.ts';
import type { Product } from '../../support/product.ts';
import { advanceClock, MERCHANT, messagesOf, purchase, type Transaction, tell } from '../../support/purchases.ts';
import { runs } from '../../support/runs.ts';

let product: Product;
beforeAll(async () => {
  product = await startContracted({ backend: 'postgres' });
});
afterAll(() => product?.close());

const MCCS = ['5411', '5812', '6011'];
const COUNTRIES = ['US', 'FR'];
const WINDOWS = ['authorization', 'day', 'week', 'month', 'year', 'all_time'];
/** Of an authorization: seven days. */
const EXPIRY_HOURS = 7 * 24;
const given = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });

const limit = fc
  .record({
    window: fc.constantFrom(...WINDOWS),
    amount: fc.integer({ min: 0, max: 20 }),
    count: given(fc.integer({ min: 0, max: 6 })),
    for: given(fc.record({ mccs: fc.subarray(MCCS, { minLength: 1 }) })),
    net_of_refunds: fc.boolean(),
  })
  .map(({ count, net_of_refunds, ...rest }) => ({
    ...rest,
    ...(rest.window !== 'authorization' && { count }),
    ...(rest.window === 'all_time' && { net_of_refunds }),
  }));

const controls = fc.record(
  {
    limits: fc.array(limit, { maxLength: 4 }),
    mcc: fc.record({ block: fc.subarray(MCCS, { minLength: 1, maxLength: 1 }) }),
    countries: fc.record({ allow: fc.subarray(COUNTRIES, { minLength: 1 }) }),
    cash: fc.constantFrom('allow', 'block'),
  },
  { requiredKeys: ['limits'] },
);

type Step =
  | {
      readonly type: 'buy';
      readonly amount: number;
      readonly mcc: string;
      readonly country: string;
      readonly partial: boolean;
    }
  | { readonly type: 'increment'; readonly of: number; readonly amount: number }
  | { readonly type: 'reverse'; readonly of: number; readonly amount: number | undefined }
  | { readonly type: 'clear'; readonly of: number; readonly amount: number }
  | { readonly type: 'refund'; readonly of: number; readonly amount: number }
  | { readonly type: 'wait'; readonly hours: number };

const amount = fc.integer({ min: 1, max: 12 });
const of = fc.nat({ max: 20 });
const buy = fc.record({
  type: fc.constant('buy' as const),
  ...{ amount, mcc: fc.constantFrom(...MCCS), country: fc.constantFrom(...COUNTRIES), partial: fc.boolean() },
});
const wait = fc.record({ type: fc.constant('wait' as const), hours: fc.constantFrom(5, 30, 100) });
const increment = fc.record({ type: fc.constant('increment' as const), of, amount });
const reverse = fc.record({ type: fc.constant('reverse' as const), of, amount: given(amount) });
const clear = fc.record({ type: fc.constant('clear' as const), of, amount });
const refund = fc.record({ type: fc.constant('refund' as const), of, amount });

interface Side {
  readonly client: Client;
  readonly card: string;
  readonly ids: string[];
}

async function side(content: object): Promise<Side> {
  const { client } = await product.organisation();
  const account = await client.openAccount({ currency: 'USD', funds: 1_000_000 });
  const { id: card } = await makeCard(client, { account: account.id });
  succeeded(await client.post<Controls>('/v1/cards/controls', { card, ...content, status: 'active' }));
  return { client, card, ids: [] };
}

async function take({ client, card, ids }: Side, step: Step): Promise<void> {
  switch (step.type) {
    case 'wait':
      return advanceClock(client, { by: `PT${step.hours}H` });
    case 'buy': {
      const merchant = { ...MERCHANT, mcc: step.mcc, country: step.country };
      const asked = { card, amount: step.amount, merchant, partial_approval_allowed: step.partial };
      ids.push((await purchase(client, asked)).id);
      return;
    }
    default: {
      const id = ids[step.of % ids.length];
      if (id === undefined) return;
      const { type, amount: said } = step;
      const currency = type === 'clear' || type === 'refund' ? { currency: 'USD' } : {};
      await tell(client, id, type, { ...(said !== undefined && { amount: said }), ...currency });
    }
  }
}

/** What its requests were approved for. */
async function outcomeOf(client: Client, id: string) {
  const requests = (await messagesOf(client, id)).filter(
    ({ type }) => type === 'authorization' || type === 'increment',
  );
  return {
    decision: requests.some(({ decision }) => decision === 'approved') ? 'approved' : 'declined',
    approved_amount: requests.reduce((sum, { approved_amount }) => sum + approved_amount!, 0),
  };
}

test('the controls that decided everything change nothing', async () => {
  const steps = fc.array(fc.oneof({ weight: 4, arbitrary: buy }, wait, increment, reverse, clear, refund), {
    ...{ minLength: 10, maxLength: 25 },
  });
  await fc.assert(
    fc.asyncProperty(controls, steps, async (content, history) => {
      const one = await side(content);
      for (const step of history) await take(one, step);
      const outcomes = await Promise.all(one.ids.map((id) => outcomeOf(one.client, id)));
      const approved = outcomes.filter(({ decision }) => decision === 'approved').length;
      const of = { controls: content, card: one.card };
      const same = { transactions: one.ids.length, approved, would_approve: approved, changed: 0, data: [] };
      expect(await backtest(one.client, of)).toMatchObject(same);
      // Nor from any moment on: what came before fills the counters.
      const middle = one.ids[Math.floor(one.ids.length / 2)];
      if (middle === undefined) return;
      const { created_at: from } = await one.client.read<Transaction>(`/v1/transactions/${middle}`);
      expect(await backtest(one.client, { ...of, from })).toMatchObject({ changed: 0 });
    }),
    { numRuns: runs(12) },
  );
});

test('other controls change what they change where they are active', async () => {
  const steps = fc.array(fc.oneof({ weight: 4, arbitrary: buy }, wait, increment), { minLength: 10, maxLength: 25 });
  await fc.assert(
    fc.asyncProperty(controls, controls, steps, async (content, other, history) => {
      const [here, there] = [await side(content), await side(other)];
      let hours = 0;
      for (const step of history) {
        // What was approved in one book alone would expire there: nothing tells the other what became of it.
        if (step.type === 'wait' && hours + step.hours >= EXPIRY_HOURS) continue;
        if (step.type === 'wait') hours += step.hours;
        await take(here, step);
        await take(there, step);
      }
      const tested = await backtest(here.client, { controls: other, card: here.card });
      const would = new Map(tested.data.map(({ transaction, would_be }) => [transaction, would_be]));
      for (const [at, id] of here.ids.entries()) {
        const really = await outcomeOf(there.client, there.ids[at]!);
        expect([at, would.get(id) ?? (await outcomeOf(here.client, id))]).toEqual([at, really]);
      }
    }),
    { numRuns: runs(12) },
  );
});
