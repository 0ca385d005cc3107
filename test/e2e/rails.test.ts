/** What a rail can say, early, late, twice and against its own word: every magic alias and every simulation. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Account, Client, Entry, List, Payout } from '../support/client.ts';
import { until } from '../support/client.ts';
import { expectInvariants } from '../support/invariants.ts';
import { describeOnEachBackend, type Product, startProduct } from '../support/product.ts';

const FUNDS = 100_000;
const AMOUNT = 10_000;
const FEE = 50;

interface Return {
  amount: number;
  reason: string | null;
  journal_entries: string[];
}

const balanceOf = async (client: Client, account: Pick<Account, 'id'>) =>
  (await client.read<Account>(`/v1/accounts/${account.id}`)).balance;
const holding = (posted: number, held = 0) => ({ posted, held, available: posted - held });
const stepsOf = async (client: Client, { id }: Payout) =>
  (await client.read<List<Entry>>(`/v1/journal/entries?resource=${id}`)).data.map(({ step }) => step).reverse();
const returnsOf = async (client: Client, { id }: Payout) =>
  (await client.read<List<Return>>(`/v1/payouts/${id}/returns`)).data;
const eventsOf = async (client: Client, { id }: Payout) =>
  (await client.read<List<{ type: string }>>(`/v1/events?object=${id}`)).data.map(({ type }) => type).reverse();

describeOnEachBackend('the sandbox rail', (backend) => {
  let product: Product;
  beforeAll(async () => {
    product = await startProduct({ backend });
  });
  afterAll(() => product?.close());

  async function send(alias: string): Promise<{ client: Client; account: Account; payout: Payout }> {
    const { client } = await product.organisation();
    const account = await client.openAccount({ funds: FUNDS });
    const payout = await client.pay({ account: account.id, amount: AMOUNT, destination: { type: 'cliq', alias } });
    return { client, account, payout };
  }

  async function sendPending() {
    const { client, account, payout } = await send('PENDING');
    await client.payoutUntil(payout.id, ({ inquiries_seen, ...shown }: never) => isWithRail(shown));
    const simulate = (action: string, body?: unknown, idempotencyKey?: string) =>
      client.post<Payout>(`/v1/simulations/payouts/${payout.id}/${action}`, body, { idempotencyKey });
    return { client, account, payout, simulate };
  }
