/** The whole path of a payout: HTTP, queue, ledger, rail, webhook. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Account, Client, Entry, List } from '../../scripts/harness/client.ts';
import { until } from '../../scripts/harness/client.ts';
import { pathOf, type Receiver, startReceiver } from '../../scripts/harness/receiver.ts';
import { expectInvariants } from '../support/invariants.ts';
import { describeOnEachBackend, type Product, startProduct } from '../support/product.ts';

const entriesOf = (client: Client, resource: string) =>
  client.read<List<Entry>>(`/v1/journal/entries?resource=${resource}`).then(({ data }) => data.reverse());

/** `customer → pool 100`, the notation of the API reference. */
const written = (entry: Entry) =>
  entry.postings.map(({ debit, credit, amount }) => `${debit.code} → ${credit.code} ${amount}`);

const balanceOf = async (client: Client, account: Pick<Account, 'id'>) =>
  (await client.read<Account>(`/v1/accounts/${account.id}`)).balance;

describeOnEachBackend('a payout', (backend) => {
  let product: Product;
  let receiver: Receiver;

  beforeAll(async () => {
    product = await startProduct({ backend });
    receiver = await startReceiver();
  });
  afterAll(async () => {
    await product?.close();
    await receiver?.close();
  });

  test('to an alias is accepted, held, sent, paid, booked and announced', async () => {
    const { client } = await product.organisation();
    const endpoint = await receiver.subscribe(client);
    const account = await client.openAccount({ funds: 50_000 });
    const accepted = await client.requestPayout({
      account: account.id,
      amount: 5_124,
      destination: { type: 'cliq', alias: 'ZAINA', provider: 'wallet-one' },
      body: { description: 'Invoice 1041', external_id: 'inv-1041', metadata: { order: '77' } },
    });
    expect(accepted.status).toBe(202);
    expect(accepted.headers['idempotent-replayed']).toBeUndefined();
    expect(accepted.body).toMatchObject({
      status: 'pending',
      waiting_on: 'ledger',
      livemode: false,
      amount: 5_124,
      fee: 26,
      amount_returned: 0,
      currency: 'JOD',
      currency_exponent: 3,
      account: account.id,
      destination: { type: 'cliq', alias_masked: 'Z**NA', provider: 'wallet-one' },
      description: 'Invoice 1041',
      remittance: 'Invoice 1041',
      external_id: 'inv-1041',
      metadata: { order: '77' },
      rail: 'sandbox',
      outcome: null,
      journal_entries: [],
      allowed_actions: ['cancel'],
      request_id: accepted.headers['request-id'],
      version: 1,
    });

    const paid = await client.payoutUntil(accepted.body.id, 'paid');
    expect(paid).toMatchObject({ waiting_on: 'nobody', allowed_actions: [], failure: null, version: 3 });
    expect(paid.rail_reference).toMatch(/^SBX/);
    expect(paid.end_to_end_id).toMatch(/^[A-Z0-9]{35}$/);
    expect(paid.end_to_end_id).toBe(accepted.body.end_to_end_id);

    const entries = await entriesOf(client, paid.id);
    expect(entries.map(({ step }) => step)).toEqual(['reserved', 'paid']);
    expect(entries.map(({ id }) => id)).toEqual(paid.journal_entries);
    expect(entries.map(written)).toEqual([
      ['customer → payouts_in_transit 5124'],
      ['payouts_in_transit → pool 5124', 'customer → due_operator 26'],
    ]);
    expect(await client.read(`/v1/journal/entries/${entries[0]!.id}`)).toEqual(entries[0]);
    expect(await balanceOf(client, account)).toEqual({ posted: 44_850, held: 0, available: 44_850 });

    const types = ['payout.created', 'payout.processing', 'payout.paid'];
    const arrived = await Promise.all(types.map((type) => receiver.event(pathOf(endpoint), type, paid.id)));
    for (const { id, body, event, forged } of arrived) {
      expect(forged).toBeUndefined();
      expect((await client.get(`/v1/events/${id}`)).text).toBe(body);
      expect(event.request_id).toBe(accepted.headers['request-id']);
    }
    expect(arrived.map(({ event }) => event.object_sequence)).toEqual([1, 2, 3]);
    expect(arrived[2]!.event.data).toMatchObject({ object: paid, previous_attributes: { status: 'processing' } });
    // An event shows an entry as it always did; the journal's own routes show more.
    expect(entries).toMatchObject(arrived.flatMap(({ event }) => event.journal_entries));
  });

  test('to another account of the book arrives in the commit that reserves it, without fee or rail', async () => {
    const { client } = await product.organisation();
    const [from, to] = [await client.openAccount({ funds: 9_000 }), await client.openAccount({ funds: 0 })];
    const destination = { type: 'account', account: to.id };
    const accepted = await client.pay({ account: from.id, amount: 9_000, destination });
    expect(accepted).toMatchObject({ status: 'pending', fee: 0, rail: 'book', destination });
    const paid = await client.payoutUntil(accepted.id, 'paid');
    const entries = await entriesOf(client, paid.id);
    expect(entries.map(written)).toEqual([
      ['customer → payouts_in_transit 9000'],
      ['payouts_in_transit → customer 9000'],
    ]);
    expect(entries[0]!.posted_at).toBe(entries[1]!.posted_at);
    expect(await balanceOf(client, from)).toEqual({ posted: 0, held: 0, available: 0 });
    expect(await balanceOf(client, to)).toEqual({ posted: 9_000, held: 0, available: 9_000 });
  });

  test('without an account uses the default account of its currency', async () => {
    const { client } = await product.organisation();
    expect((await client.requestPayout()).body).toMatchObject({ code: 'resource_not_found', param: '/account' });
    const first = await client.openAccount();
    await client.openAccount();
    const kuwait = await client.openAccount({ currency: 'KWD' });
    expect([first.is_default, kuwait.is_default]).toEqual([true, true]);
    expect((await client.pay({})).account).toBe(first.id);
    expect((await client.pay({ currency: 'KWD' })).account).toBe(kuwait.id);
  });

  test('of the full balance less its fee is accepted; one unit more is refused with both amounts', async () => {
    const { client } = await product.organisation();
    const account = await client.openAccount({ funds: 10_050 });
    const refused = await client.requestPayout({ account: account.id, amount: 10_001 });
    expect(refused.status).toBe(422);
    expect(refused.body).toMatchObject({
      code: 'insufficient_funds',
      param: '/amount',
      available: 10_050,
      required: 10_051,
      currency: 'JOD',
      currency_exponent: 3,
      retryable: false,
    });
    expect((await client.read<List<unknown>>('/v1/payouts')).data).toEqual([]);
    const { id } = await client.pay({ account: account.id, amount: 10_000 });
    await client.payoutUntil(id, 'paid');
    expect(await balanceOf(client, account)).toEqual({ posted: 0, held: 0, available: 0 });
  });

  test('may use the overdraft limit of its account', async () => {
    const { client } = await product.organisation();
    const account = await client.openAccount({ funds: 0, overdraft_limit: 2_010 });
    const { id } = await client.pay({ account: account.id, amount: 2_000 });
    await client.payoutUntil(id, 'paid');
    expect(await balanceOf(client, account)).toEqual({ posted: -2_010, held: 0, available: -2_010 });
    expect((await client.requestPayout({ account: account.id, amount: 1 })).body).toMatchObject({
      code: 'insufficient_funds',
    });
  });

  test.each([
    ['JPY', 0],
    ['USD', 2],
    ['KWD', 3],
  ])('in %s has %s decimals, up to the largest amount of a request', async (currency, exponent) => {
    const { client } = await product.organisation();
    const account = await client.openAccount({ currency, funds: Number.MAX_SAFE_INTEGER });
    expect(account.currency_exponent).toBe(exponent);
    const to = await client.openAccount({ currency, funds: 0 });
    const destination = { type: 'account', account: to.id };
    const { id } = await client.pay({ account: account.id, currency, amount: Number.MAX_SAFE_INTEGER, destination });
    await client.payoutUntil(id, 'paid');
    expect((await client.get(`/v1/accounts/${to.id}`)).text).toContain('"posted":9007199254740991');
  });

  test('Prefer: wait holds the answer past the first status, and the stored answer keeps the first', async () => {
    const { client } = await product.organisation();
    const account = await client.openAccount();
    const idempotencyKey = randomUUID();
    const waited = await client.requestPayout({ account: account.id, idempotencyKey, headers: { prefer: 'wait=10' } });
    expect(waited.status).toBe(202);
    expect(waited.headers['preference-applied']).toBe('wait=10');
    expect(waited.body.status).not.toBe('pending');
    expect(waited.body.version).toBeGreaterThan(1);

    const stored = await client.requestPayout({ account: account.id, idempotencyKey });
    expect(stored.headers['idempotent-replayed']).toBe('true');
    expect(stored.body).toMatchObject({ id: waited.body.id, status: 'pending', version: 1 });

    await client.payoutUntil(waited.body.id, 'paid');
    const again = await client.requestPayout({ account: account.id, idempotencyKey, headers: { prefer: 'wait=10' } });
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect(again.body).toMatchObject({ id: waited.body.id, status: 'paid', version: 3 });
  });

  test('after these tests every invariant holds', async () => {
    await until(
      () => product.runtime.pool.query(`SELECT FROM payouts WHERE status IN ('pending', 'processing') LIMIT 1`),
      ({ rowCount }) => rowCount === 0,
    );
    await expectInvariants({ database: product.database });
  });
});
