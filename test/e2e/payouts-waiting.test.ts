/** Payouts before any worker moves them: what is held, cancellation, and dry runs. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Account, type Client, type List, type Payout, until } from '../../scripts/harness/client.ts';
import { pathOf, startReceiver } from '../../scripts/harness/receiver.ts';
import { expectInvariants } from '../support/invariants.ts';
import { describeOnEachBackend, lookInto, type Product, startProduct } from '../support/product.ts';

const balanceOf = async (client: Client, account: Pick<Account, 'id'>) =>
  (await client.read<Account>(`/v1/accounts/${account.id}`)).balance;

describeOnEachBackend('a payout that waits', (backend) => {
  let product: Product;
  beforeAll(async () => {
    product = await startProduct({ backend, pools: [] });
  });
  afterAll(() => product?.close());

  test('holds its amount and fee, which no other payout can spend', async () => {
    const { client } = await product.organisation();
    const account = await client.openAccount({ funds: 30_000 });
    await client.pay({ account: account.id, amount: 10_000 });
    expect(await balanceOf(client, account)).toEqual({ posted: 30_000, held: 10_050, available: 19_950 });
    await client.pay({ account: account.id, amount: 10_000 });
    expect((await client.requestPayout({ account: account.id, amount: 10_000 })).body).toMatchObject({
      code: 'insufficient_funds',
      available: 9_900,
      required: 10_050,
    });
    expect(await balanceOf(client, account)).toEqual({ posted: 30_000, held: 20_100, available: 9_900 });
  });

  test('is canceled: the money is available again, and an event is emitted', async () => {
    const { client } = await product.organisation();
    const account = await client.openAccount({ funds: 30_000 });
    const { id } = await client.pay({ account: account.id, amount: 10_000 });
    const canceled = await client.post<Payout>(`/v1/payouts/${id}/cancel`);
    expect(canceled.status).toBe(200);
    expect(canceled.body).toMatchObject({ status: 'canceled', waiting_on: 'nobody', allowed_actions: [], version: 2 });
    expect(await balanceOf(client, account)).toEqual({ posted: 30_000, held: 0, available: 30_000 });
    const events = await client.read<List<{ type: string }>>(`/v1/events?object=${id}`);
    expect(events.data.map(({ type }) => type)).toEqual(['payout.canceled', 'payout.created']);

    const twice = await client.post(`/v1/payouts/${id}/cancel`);
    expect(twice.status).toBe(409);
    expect(twice.body).toMatchObject({ code: 'state_conflict', current_status: 'canceled', allowed_actions: [] });
  });

  test('is canceled only at its current version', async () => {
    const { client } = await product.organisation();
    const account = await client.openAccount();
    const { id, version } = await client.pay({ account: account.id });
    const cancel = (ifMatch: string) =>
      client.post(`/v1/payouts/${id}/cancel`, undefined, { headers: { 'if-match': ifMatch } });
    const stale = await cancel(String(version + 1));
    expect(stale.status).toBe(412);
    expect(stale.body).toMatchObject({ code: 'version_mismatch', version });
    expect((await cancel('soon')).body).toMatchObject({ code: 'parameter_invalid', param: 'If-Match' });
    expect((await cancel(`"${version}"`)).status).toBe(200);
    expect((await cancel(`"${version}"`)).status).toBe(412);
  });

  test('delays a Prefer: wait only for the requested time', async () => {
    const { client } = await product.organisation();
    const account = await client.openAccount();
    const accepted = await client.requestPayout({ account: account.id, headers: { prefer: 'wait=1' } });
    expect(accepted.body.status).toBe('pending');
    expect(accepted.headers['preference-applied']).toBe('wait=1');
    const { headers } = await client.get(`/v1/payouts/${accepted.body.id}`, {
      headers: { prefer: 'respond-async, wait=0' },
    });
    expect(headers['preference-applied']).toBe('wait=0');
  });

  test('keeps its account from being closed, and is listed as the reason', async () => {
    const { client } = await product.organisation();
    const account = await client.openAccount({ funds: 10_050 });
    const { id } = await client.pay({ account: account.id, amount: 10_000 });
    const refused = await client.post(`/v1/accounts/${account.id}/close`);
    expect(refused.status).toBe(409);
    expect(refused.body).toMatchObject({
      code: 'account_not_empty',
      blocked_by: [
        { type: 'balance', posted: 10_050, currency: 'JOD' },
        { type: 'holds', held: 10_050, currency: 'JOD' },
        { type: 'payouts_in_flight', payouts: [id] },
      ],
    });
  });

  test('fails when its account is frozen before it is reserved, and the money is available again', async () => {
    const { client } = await product.organisation();
    const account = await client.openAccount({ funds: 30_000 });
    const { id } = await client.pay({ account: account.id });
    await client.post(`/v1/accounts/${account.id}/freeze`);
    expect((await client.requestPayout({ account: account.id })).body).toMatchObject({
      code: 'account_frozen',
      param: '/account',
    });
    await product.startPools(['ledger', 'sweeper']);
    const failed = await client.payoutUntil(id, 'failed');
    await product.stopPools();
    expect(failed).toMatchObject({
      failure: { code: 'source_account_frozen', rail_code: null },
      sent_at: null,
      journal_entries: [],
    });
    expect(await balanceOf(client, account)).toEqual({ posted: 30_000, held: 0, available: 30_000 });
  });

  test('a dry run answers amount, fee and balances, makes the same checks, and writes nothing', async () => {
    const { client } = await product.organisation();
    const account = await client.openAccount({ funds: 10_050 });
    const look = lookInto(product.database);
    const rows = () =>
      look
        .query(`SELECT (SELECT count(*) FROM payouts) + (SELECT count(*) FROM holds) + (SELECT count(*) FROM idempotency_keys)
          + (SELECT sum(event_sequence + entry_sequence) FROM books) AS count`)
        .then(({ rows: [row] }) => row.count);
    const before = await rows();
    const idempotencyKey = 'used for a dry run'.replaceAll(' ', '-');
    const dry = await client.requestPayout({ account: account.id, query: '?dry_run=true', idempotencyKey });
    expect(dry.status).toBe(200);
    expect(dry.body).toMatchObject({
      dry_run: true,
      status: 'pending',
      amount: 10_000,
      fee: 50,
      resulting_balances: [{ account: account.id, available: 0, currency: 'JOD', currency_exponent: 3 }],
    });
    const short = { account: account.id, amount: 10_001, query: '?dry_run=true', idempotencyKey: null };
    expect((await client.requestPayout(short)).body).toMatchObject({ code: 'insufficient_funds', required: 10_051 });
    expect(await rows()).toBe(before);
    expect((await client.get(`/v1/payouts/${dry.body.id}`)).status).toBe(404);
    // The key is still free: another request may use it.
    expect((await client.requestPayout({ account: account.id, amount: 1, idempotencyKey })).status).toBe(202);
    await look.end();
  });

  test('is paid once the pools run, and its waiting events are delivered', async () => {
    const { client } = await product.organisation();
    const receiver = await startReceiver();
    const endpoint = await receiver.subscribe(client);
    const account = await client.openAccount();
    const ids = await Promise.all(
      Array.from({ length: 25 }, async () => (await client.pay({ account: account.id })).id),
    );
    expect(receiver.received).toEqual([]);
    await product.startPools(['ledger', 'rails', 'webhooks', 'sweeper']);
    for (const id of ids) await client.payoutUntil(id, 'paid');
    for (const id of ids) await receiver.event(pathOf(endpoint), 'payout.paid', id);
    // This includes the payouts of the tests before.
    const open = `SELECT FROM payouts WHERE status IN ('pending', 'processing')
      UNION ALL SELECT FROM webhook_deliveries WHERE status = 'pending'`;
    await until(
      () => product.runtime.pool.query(open),
      ({ rowCount }) => rowCount === 0,
    );
    await expectInvariants({ database: product.database, receiver, endpoints: [endpoint] });
    await receiver.close();
  });
});
