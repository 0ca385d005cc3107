/**
 * Everything that a rail can report, early, late, twice and in contradiction: every magic alias and every simulation.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Account, Client, Entry, List, Payout } from '../../scripts/harness/client.ts';
import { until } from '../../scripts/harness/client.ts';
import { expectInvariants } from '../support/invariants.ts';
import { describeOnEachBackend, type Product, startProduct } from '../support/product.ts';

const FUNDS = 100_000;
const AMOUNT = 10_000;
const FEE = 50;

interface Return {
  id: string;
  amount: number;
  reason: string | null;
  journal_entries: string[];
}

const balanceOf = async (client: Client, account: Pick<Account, 'id'>) =>
  (await client.read<Account>(`/v1/accounts/${account.id}`)).balance;
const holding = (posted: number, held = 0) => ({ posted, held, available: posted - held });
const stepsOf = async (client: Client, { id }: { readonly id: string }) =>
  (await client.read<List<Entry>>(`/v1/journal/entries?resource=${id}`)).data.map(({ step }) => step).reverse();
const returnsOf = async (client: Client, { id }: Payout) =>
  (await client.read<List<Return>>(`/v1/payouts/${id}/returns`)).data;
const eventsOf = async (client: Client, { id }: Payout) =>
  (await client.read<List<{ type: string }>>(`/v1/events?object=${id}`)).data.map(({ type }) => type).reverse();

const exceptionsAbout = async (client: Client, { id }: Payout) =>
  (await client.read<List<{ kind: string }>>(`/v1/exceptions?resource=${id}`)).data.map(({ kind }) => kind);

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

  /** A payout at the rail, which has not reported a result yet. */
  async function sendPending() {
    const { client, account, payout } = await send('PENDING');
    const pending = await client.payoutUntil(payout.id, ({ next_inquiry_at }) => next_inquiry_at !== null);
    return { client, account, payout: pending };
  }

  const simulate = (client: Client, { id }: Payout, action: string, body?: unknown, idempotencyKey?: string) =>
    client.post<Payout>(`/v1/simulations/payouts/${id}/${action}`, body, { idempotencyKey });

  test.each([
    ['NOALIAS', 'alias_unregistered', 'BE23'],
    ['CLOSED', 'payee_account_closed', 'AC04'],
    ['BLOCKED', 'payee_account_blocked', 'AC06'],
    ['LIMIT', 'amount_exceeds_rail_limit', 'AM02'],
    ['MISMATCH', 'payee_name_mismatch', 'BE01'],
    ['BANKDOWN', 'payee_bank_unavailable', 'AB08'],
  ])('%s fails with %s, and the money is returned', async (alias, code, railCode) => {
    const { client, account, payout } = await send(alias);
    const failed = await client.payoutUntil(payout.id, 'failed');
    expect(failed).toMatchObject({ failure: { code, rail_code: railCode }, waiting_on: 'nobody', outcome: null });
    expect(await stepsOf(client, failed)).toEqual(['reserved', 'failed']);
    expect(await balanceOf(client, account)).toEqual(holding(FUNDS));
    expect(await eventsOf(client, failed)).toEqual(['payout.created', 'payout.processing', 'payout.failed']);
  });

  test('any other alias pays at once; a magic alias matches only as a whole', async () => {
    for (const alias of ['SHOP1', 'pending', 'PENDING2', ' CLOSED', '+962790000000']) {
      const { client, payout } = await send(alias);
      await client.payoutUntil(payout.id, 'paid');
    }
  });

  test.each([
    ['TIMEOUT', 'paid', null],
    ['TIMEOUTFAIL', 'failed', 'payee_bank_unavailable'],
  ] as const)('%s is unknown first, and %s after an inquiry', async (alias, status, code) => {
    const { client, account, payout } = await send(alias);
    const unknown = await client.payoutUntil(payout.id, ({ outcome }) => outcome === 'unknown');
    expect(unknown).toMatchObject({ status: 'processing', waiting_on: 'inquiry', failure: null });
    expect(Date.parse(unknown.next_inquiry_at!)).toBeGreaterThan(Date.parse(unknown.sent_at!));
    expect(await balanceOf(client, account)).toEqual(holding(FUNDS - AMOUNT, FEE));

    const settled = await client.payoutUntil(payout.id, status);
    expect(settled).toMatchObject({ outcome: null, next_inquiry_at: null, end_to_end_id: payout.end_to_end_id });
    expect(settled.failure?.code ?? null).toBe(code);
    expect(await stepsOf(client, settled)).toEqual(['reserved', status]);
    expect(await balanceOf(client, account)).toEqual(holding(status === 'paid' ? FUNDS - AMOUNT - FEE : FUNDS));
  });

  test('RETURN is paid and returned in full: the fee stays', async () => {
    const { client, account, payout } = await send('RETURN');
    const returned = await client.payoutUntil(payout.id, 'returned');
    expect(returned).toMatchObject({ amount_returned: AMOUNT, waiting_on: 'nobody' });
    const steps = await stepsOf(client, returned);
    expect(steps).toEqual(['reserved', 'paid']);
    const [own] = await returnsOf(client, returned);
    expect(own).toMatchObject({ payout: payout.id, amount: AMOUNT, currency: 'JOD' });
    expect(await stepsOf(client, own!)).toEqual(['returned']);
    expect(await balanceOf(client, account)).toEqual(holding(FUNDS - FEE));
    expect((await eventsOf(client, returned)).at(-1)).toBe('payout.returned');
  });

  test('RETURNHALF stays paid, with half of its amount returned', async () => {
    const { client, account, payout } = await send('RETURNHALF');
    const half = await client.payoutUntil(payout.id, ({ amount_returned }) => amount_returned > 0);
    expect(half).toMatchObject({ status: 'paid', amount_returned: AMOUNT / 2 });
    expect(await returnsOf(client, half)).toMatchObject([{ amount: AMOUNT / 2 }]);
    expect(await balanceOf(client, account)).toEqual(holding(FUNDS - AMOUNT / 2 - FEE));
    expect((await simulate(client, half, 'return')).body).toMatchObject({
      status: 'returned',
      amount_returned: AMOUNT,
    });
  });

  test('PENDING stays processing until a simulation completes it', async () => {
    const { client, account, payout } = await sendPending();
    expect(payout).toMatchObject({ status: 'processing', waiting_on: 'rail', outcome: null });
    const completed = await simulate(client, payout, 'complete');
    expect(completed.status).toBe(200);
    expect(completed.body).toMatchObject({ status: 'paid', next_inquiry_at: null });
    expect(await balanceOf(client, account)).toEqual(holding(FUNDS - AMOUNT - FEE));
    const twice = await simulate(client, payout, 'complete');
    expect(twice.status).toBe(409);
    expect(twice.body).toMatchObject({ code: 'state_conflict', current_status: 'paid', allowed_actions: [] });
  });

  test('PENDING fails with the given code, of the API or of the rail', async () => {
    for (const [told, code, railCode] of [
      ['compliance_rejected', 'compliance_rejected', 'RR04'],
      ['AC04', 'payee_account_closed', 'AC04'],
      ['ZZ99', 'refused_by_payee', 'ZZ99'],
      [undefined, 'refused_by_payee', 'MS03'],
    ]) {
      const { client, account, payout } = await sendPending();
      const { body } = await simulate(client, payout, 'fail', told === undefined ? {} : { code: told });
      expect(body).toMatchObject({ status: 'failed', failure: { code, rail_code: railCode } });
      expect(await balanceOf(client, account)).toEqual(holding(FUNDS));
      expect((await simulate(client, payout, 'fail')).status).toBe(409);
      expect((await simulate(client, payout, 'return')).status).toBe(409);
    }
  });

  test('E4: rejected as a duplicate is unknown, with an exception; paid it is once the rail says so', async () => {
    const { client, account, payout } = await sendPending();
    const { body: unknown } = await simulate(client, payout, 'fail', { code: 'DU04' });
    expect(unknown).toMatchObject({ status: 'processing', outcome: 'unknown', failure: null });
    expect(await exceptionsAbout(client, payout)).toEqual(['rail_duplicate']);
    expect(await stepsOf(client, payout)).toEqual(['reserved']);
    expect((await simulate(client, payout, 'complete')).body).toMatchObject({ status: 'paid', outcome: null });
    expect(await stepsOf(client, payout)).toEqual(['reserved', 'paid']);
    expect(await balanceOf(client, account)).toEqual(holding(FUNDS - AMOUNT - FEE));
    expect(await eventsOf(client, payout)).not.toContain('payout.failed');
  });

  test('a paid payout is returned in parts, each booked once, and never more than was paid', async () => {
    const { client, account, payout } = await send('SHOP1');
    await client.payoutUntil(payout.id, 'paid');
    const key = randomUUID();
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => simulate(client, payout, 'return', { amount: 4_000 }, key)),
    );
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(answers[0]!.body).toMatchObject({ status: 'paid', amount_returned: 4_000 });
    expect((await simulate(client, payout, 'return', { amount: 6_001 })).body).toMatchObject({
      code: 'amount_above_maximum',
      param: '/amount',
      limit: 6_000,
    });
    const rest = await simulate(client, payout, 'return');
    expect(rest.body).toMatchObject({ status: 'returned', amount_returned: AMOUNT });
    expect((await returnsOf(client, payout)).map(({ amount }) => amount)).toEqual([6_000, 4_000]);
    expect(await balanceOf(client, account)).toEqual(holding(FUNDS - FEE));
    expect((await simulate(client, payout, 'return')).status).toBe(409);
  });

  test('paid after failed: taken from the account below its floor, flagged, and an exception', async () => {
    const { client, account, payout } = await sendPending();
    await simulate(client, payout, 'fail');
    const other = await client.openAccount({ funds: 0 });
    const empty = { account: account.id, amount: FUNDS, destination: { type: 'account', account: other.id } };
    await client.payoutUntil((await client.pay(empty)).id, 'paid');

    const contradicted = await simulate(client, payout, 'complete');
    expect(contradicted.body).toMatchObject({ status: 'paid', failure: null });
    expect(await stepsOf(client, payout)).toEqual(['reserved', 'failed', 'paid_after_failed']);
    const [entry] = (await client.read<List<Entry>>(`/v1/journal/entries?resource=${payout.id}`)).data;
    expect(entry).toMatchObject({ floor_overridden: true, postings: [{ amount: AMOUNT }] });
    expect(await balanceOf(client, account)).toEqual(holding(-AMOUNT));
    expect((await eventsOf(client, payout)).at(-1)).toBe('payout.paid');
    expect(await exceptionsAbout(client, payout)).toEqual(['paid_after_failed']);
  });

  test('failed after paid: booked as a return, and an exception', async () => {
    const { client, account, payout } = await send('SHOP1');
    await client.payoutUntil(payout.id, 'paid');
    const contradicted = await simulate(client, payout, 'fail', { code: 'AC04' });
    expect(contradicted.body).toMatchObject({ status: 'returned', amount_returned: AMOUNT });
    expect(await returnsOf(client, payout)).toMatchObject([{ amount: AMOUNT, reason: 'AC04' }]);
    expect(await balanceOf(client, account)).toEqual(holding(FUNDS - FEE));
    expect(await eventsOf(client, payout)).toContain('payout.returned');
    expect(await exceptionsAbout(client, payout)).toEqual(['failed_after_paid']);
    const { rows } = await product.runtime.pool.query('SELECT kind FROM exceptions WHERE status = $1', ['open']);
    expect(rows.map(({ kind }) => kind).sort()).toEqual(['failed_after_paid', 'paid_after_failed', 'rail_duplicate']);
  });

  test('a transfer within the book has no rail: nothing can be simulated', async () => {
    const { client } = await product.organisation();
    const [from, to] = [await client.openAccount(), await client.openAccount()];
    const transfer = await client.pay({ account: from.id, destination: { type: 'account', account: to.id } });
    const paid = await client.payoutUntil(transfer.id, 'paid');
    for (const action of ['complete', 'fail', 'return']) {
      expect((await simulate(client, paid, action)).body).toMatchObject({
        code: 'state_conflict',
        current_status: 'paid',
      });
    }
  });

  test('after these tests every invariant holds', async () => {
    await until(
      () => product.runtime.pool.query(`SELECT FROM payouts WHERE status IN ('pending', 'processing') LIMIT 1`),
      ({ rowCount }) => rowCount === 0,
    );
    await expectInvariants({ database: product.database });
  });
});

describe('a payout that is processing, and that no job has brought to the rail', () => {
  let product: Product;
  beforeAll(async () => {
    product = await startProduct({ backend: 'postgres', pools: ['ledger'] });
  });
  afterAll(() => product?.close());

  test('is completed and failed once it is there; a simulation that nobody serves may be sent again', async () => {
    const { client } = await product.organisation();
    const { id: account } = await client.openAccount({ funds: FUNDS });
    const pending = async () => {
      const { id } = await client.pay({ account, amount: AMOUNT, destination: { type: 'cliq', alias: 'PENDING' } });
      return client.payoutUntil(id, 'processing');
    };
    const [kept, completed, failed] = [await pending(), await pending(), await pending()];
    const simulate = ({ id }: Payout, action: string, idempotencyKey?: string) =>
      client.post<Payout & { retryable?: boolean }>(`/v1/simulations/payouts/${id}/${action}`, {}, { idempotencyKey });

    const key = randomUUID();
    const unserved = await simulate(kept, 'fail', key);
    expect(unserved.body).toMatchObject({ code: 'state_conflict', retryable: true, current_status: 'processing' });
    expect(unserved.headers['retry-after']).toBe('1');

    const answers = [simulate(completed, 'complete'), simulate(failed, 'fail')];
    await product.startPools(['rails']);
    expect((await Promise.all(answers)).map(({ status, body }) => [status, body.status])).toEqual([
      [200, 'paid'],
      [200, 'failed'],
    ]);
    expect((await simulate(kept, 'fail', key)).body).toMatchObject({ status: 'failed' });
    await expectInvariants({ database: product.database });
  });
});
