/** Cursors: every list refuses one that is no object of it, whether nobody has that id, another book has it, or another list. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Account, Client, Endpoint, List, Payout, Problem } from '../../scripts/harness/client.ts';
import { succeeded } from '../../scripts/harness/client.ts';
import { ROUTES } from '../../src/http/routes.ts';
import { type IdKind, newId, parsePublicId, publicId } from '../../src/values/ids.ts';
import { type Product, startProduct } from '../support/product.ts';

interface Furnished {
  readonly client: Client;
  readonly account: Account;
  readonly payout: Payout;
  readonly payment: { id: string };
  readonly endpoint: Endpoint;
  readonly reader: { id: string };
  readonly hold: { readonly id: string };
  /** Public ids. */
  readonly settlement: string;
  readonly release: string;
}

let product: Product;
let own: Furnished;
let other: Furnished;

beforeAll(async () => {
  product = await startProduct({ backend: 'postgres', pools: [] });
  own = await furnished();
  other = await furnished();
});
afterAll(() => product?.close());

/** A book in which most lists have something to show. */
async function furnished(): Promise<Furnished> {
  const { client } = await product.organisation();
  const endpoint = succeeded(
    await client.post<Endpoint>('/v1/webhooks', { url: 'https://example.com/hooks', events: ['payout.*'] }),
  );
  const account = await client.openAccount();
  const payout = await client.pay({ account: account.id });
  const hold = succeeded(await client.post<{ id: string }>(`/v1/accounts/${account.id}/holds`, { amount: 100 }));
  const source = { type: 'card', number: '4242424242424242', exp_month: 12, exp_year: 2034, cvc: '123' };
  const asked = { account: account.id, amount: 10_000, currency: 'JOD', source };
  const payment = succeeded(
    await client.post<{ id: string }>('/v1/payments', asked, { headers: { prefer: 'respond-async' } }),
  );
  const card = { number: '4242424242424242', exp_month: 12, exp_year: 2034, cvc: '123' };
  succeeded(await client.post('/v1/payments/tokens', { card }));
  const reader = succeeded(
    await client.post<{ id: string }>('/v1/payments/readers', { registration_code: 'SIMULATED-A', label: 'Counter' }),
  );
  succeeded(await client.post('/v1/payments', { ...asked, source: { type: 'terminal', reader: reader.id } }));
  await disputed(account, payment);
  return { client, account, payout, payment, endpoint, hold, reader, ...(await paidOut(account, payment)) };
}

/** A dispute of the payment: no worker runs here, so the row is written as one would. */
async function disputed(account: Account, payment: { id: string }): Promise<string> {
  const id = newId();
  await product.runtime.pool.query(
    `INSERT INTO payment_disputes (book_id, id, status, stage, payment_id, account_id, amount, currency, fee, fee_refunded, reason,
       acquirer, acquirer_reference, notice_id, evidence_due_at, is_overdue, portions, entry_ids, request_id, version, created_at,
       updated_at)
     SELECT book_id, $2, 'opened', 'inquiry', id, $3, 10, 'JOD', 0, 0, 'fraudulent', 'test', 'D-1', $2, now(), false, '[]', '[]', $2, 1,
       now(), now() FROM payments WHERE id = $1`,
    [parsePublicId('payment', payment.id), id, parsePublicId('account', account.id)],
  );
  return publicId('dispute', id);
}

/** What an acquirer paid of the payment, and what was released: no worker runs here, so the rows are written as they would be. */
async function paidOut(account: Account, payment: { id: string }): Promise<{ settlement: string; release: string }> {
  const { pool } = product.runtime;
  const accountId = parsePublicId('account', account.id)!;
  const paymentId = parsePublicId('payment', payment.id)!;
  const [settlement, share, release] = [newId(), newId(), newId()];
  const { rows } = await pool.query('SELECT book_id FROM accounts WHERE id = $1', [accountId]);
  const bookId = rows[0].book_id;
  await pool.query(
    `INSERT INTO settlements (book_id, id, acquirer, currency, status, lines, reported, taken, amount, exceptions, version, created_at,
       updated_at) VALUES ($1, $2, 'test', 'JOD', 'completed', 1, 10, 1, 10, 0, 1, now(), now())`,
    [bookId, settlement],
  );
  await pool.query(
    `INSERT INTO settlement_lines (book_id, id, settlement_id, line_id, type, reference, currency, amount, created_at)
     VALUES ($1, $2, $3, 'A-1', 'capture', 'R', 'JOD', 10, now())`,
    [bookId, newId(), settlement],
  );
  await pool.query(
    `INSERT INTO payment_shares (book_id, id, account_id, currency, kind, status, available_on, amount, lent, round, release_id, version,
       created_at, updated_at) VALUES ($1, $2, $3, 'JOD', 'ready', 'released', '2026-01-01', 0, 0, 0, $4, 1, now(), now())`,
    [bookId, share, accountId, release],
  );
  await pool.query(
    `INSERT INTO payment_share_lines (book_id, id, share_id, payment_id, operation_id, round, amount, created_at)
     VALUES ($1, $2, $3, $4, $4, 0, 10, now())`,
    [bookId, newId(), share, paymentId],
  );
  await pool.query(
    `INSERT INTO payment_releases (book_id, id, share_id, round, account_id, amount, currency, entry_id, version, created_at, updated_at)
     VALUES ($1, $2, $3, 0, $4, 10, 'JOD', $2, 1, now(), now())`,
    [bookId, release, share, accountId],
  );
  return { settlement: publicId('settlement', settlement), release: publicId('release', release) };
}

/** Each list with its path in a book and the kind of its cursors. */
const LISTS: [operation: string, path: (of: Furnished) => string, cursor: IdKind | 'sequence'][] = [
  ['listPayouts', () => '/v1/payouts', 'payout'],
  ['listPayouts', () => '/v1/payouts?created_at[gte]=2020-01-01T00:00:00Z', 'payout'],
  ['listPayouts', () => '/v1/payouts?status=pending', 'payout'],
  ['getPayoutTimeline', ({ payout }) => `/v1/payouts/${payout.id}/timeline`, 'event'],
  ['getAccountTimeline', ({ account }) => `/v1/accounts/${account.id}/timeline`, 'event'],
  ['getHoldTimeline', ({ account, hold }) => `/v1/accounts/${account.id}/holds/${hold.id}/timeline`, 'event'],
  ['listPayments', () => '/v1/payments', 'payment'],
  ['getPaymentTimeline', ({ payment }) => `/v1/payments/${payment.id}/timeline`, 'event'],
  ['listPaymentCaptures', ({ payment }) => `/v1/payments/${payment.id}/captures`, 'capture'],
  ['listPaymentRefunds', ({ payment }) => `/v1/payments/${payment.id}/refunds`, 'refund'],
  ['listRefunds', () => '/v1/payments/refunds', 'refund'],
  ['listRefunds', () => '/v1/payments/refunds?created_at[gte]=2020-01-01T00:00:00Z', 'refund'],
  ['listDisputes', () => '/v1/payments/disputes', 'dispute'],
  ['listPaymentTokens', () => '/v1/payments/tokens', 'paymentToken'],
  ['listReaders', () => '/v1/payments/readers', 'reader'],
  ['listReaderActions', ({ reader }) => `/v1/payments/readers/${reader.id}/actions`, 'readerAction'],
  ['listReleases', () => '/v1/payments/releases', 'release'],
  ['listReleases', () => '/v1/payments/releases?created_at[gte]=2020-01-01T00:00:00Z', 'release'],
  ['listReleaseLines', ({ release }) => `/v1/payments/releases/${release}/lines`, 'releaseLine'],
  ['listSettlements', () => '/v1/payments/settlements', 'settlement'],
  ['listSettlements', () => '/v1/payments/settlements?created_at[gte]=2020-01-01T00:00:00Z', 'settlement'],
  ['listSettlementLines', ({ settlement }) => `/v1/payments/settlements/${settlement}/lines`, 'settlementLine'],
  ['listPayoutReturns', ({ payout }) => `/v1/payouts/${payout.id}/returns`, 'payoutReturn'],
  ['listAccounts', () => '/v1/accounts', 'account'],
  ['listAccounts', () => '/v1/accounts?created_at[gte]=2020-01-01T00:00:00Z', 'account'],
  ['listAccountEntries', ({ account }) => `/v1/accounts/${account.id}/entries`, 'sequence'],
  ['listHolds', ({ account }) => `/v1/accounts/${account.id}/holds`, 'hold'],
  ['listHolds', ({ account }) => `/v1/accounts/${account.id}/holds?created_at[gte]=2020-01-01T00:00:00Z`, 'hold'],
  ['listJournalEntries', () => '/v1/journal/entries', 'entry'],
  ['listCheckpoints', () => '/v1/journal/checkpoints', 'checkpoint'],
  ['listExceptions', () => '/v1/exceptions', 'exception'],
  ['listEvents', () => '/v1/events', 'event'],
  ['listWebhookEndpoints', () => '/v1/webhooks', 'webhookEndpoint'],
  ['listWebhookDeliveries', ({ endpoint }) => `/v1/webhooks/${endpoint.id}/deliveries`, 'event'],
];

/** A step of a timeline is its event. */
interface Shown {
  readonly id?: string;
  readonly event?: string;
}
const cursorOf = ({ id, event }: Shown) => (id ?? event)!;

const withCursor = (path: string, param: string, cursor: string) =>
  `${path}${path.includes('?') ? '&' : '?'}${param}=${cursor}`;

async function expectRefused(path: string, cursor: string): Promise<void> {
  for (const param of ['starting_after', 'ending_before']) {
    const { status, body } = await own.client.get<Problem>(withCursor(path, param, cursor));
    expect([status, body.code, body.param]).toEqual([400, 'cursor_invalid', param]);
  }
}

/** Of what no book here has. They are made as the others. */
const TIMELINES_AS_OTHERS = [
  'getExceptionTimeline',
  'getDisputeTimeline',
  'getRefundTimeline',
  'getSettlementTimeline',
];

test('every list is looked at here, but for some timelines', () => {
  const lists = ROUTES.filter(
    ({ query, operation }) =>
      'starting_after' in ((query as { shape?: object })?.shape ?? {}) && !TIMELINES_AS_OTHERS.includes(operation),
  );
  expect(new Set(LISTS.map(([operation]) => operation))).toEqual(new Set(lists.map(({ operation }) => operation)));
});

describe.each(LISTS)('%s', (_, path, kind) => {
  test('refuses a cursor that nothing has', () =>
    expectRefused(path(own), kind === 'sequence' ? '99' : publicId(kind, newId())));

  // What has a number has none in another book, and these books have no returns, captures, refunds, checkpoints and exceptions.
  test.runIf(!['sequence', 'payoutReturn', 'capture', 'refund', 'checkpoint', 'exception'].includes(kind))(
    'refuses a cursor of another book, and takes its own',
    async () => {
      const [first] = (await other.client.read<List<Shown>>(path(other))).data;
      await expectRefused(path(own), cursorOf(first!));
      const [known] = (await own.client.read<List<Shown>>(path(own))).data;
      await own.client.read(withCursor(path(own), 'starting_after', cursorOf(known!)));
      await own.client.read(withCursor(path(own), 'ending_before', cursorOf(known!)));
    },
  );
});

test('a cursor of another list of the book is refused', async () => {
  const { client, account, payout, endpoint } = own;
  const second = await client.openAccount({ funds: 1_000 });
  const held = succeeded(await client.post<{ id: string }>(`/v1/accounts/${second.id}/holds`, { amount: 100 }));
  await expectRefused(`/v1/accounts/${account.id}/holds`, held.id);
  // A hold that a payout made is read by its id, and in no list.
  await expectRefused(`/v1/accounts/${account.id}/holds`, payout.hold);
  // Of the events, only those of payouts are delivered to the endpoint.
  const events = await client.read<List<{ id: string }>>('/v1/events?type=account.created');
  await expectRefused(`/v1/webhooks/${endpoint.id}/deliveries`, events.data[0]!.id);
});

test('an object that the filters no longer let through is still a cursor of the list', async () => {
  const { client, account } = own;
  const [first] = (await client.read<List<Payout>>('/v1/payouts?status=pending&limit=1')).data;
  const second = await client.pay({ account: account.id });
  succeeded(await client.post(`/v1/payouts/${second.id}/cancel`));
  const page = await client.read<List<Payout>>(`/v1/payouts?status=pending&starting_after=${second.id}`);
  expect(page.data[0]!.id).toBe(first!.id);
});

test('an endpoint that was deleted is still a cursor: a client may delete what it reads', async () => {
  const { client } = own;
  const { id } = succeeded(await client.post<Endpoint>('/v1/webhooks', { url: 'https://example.com/deleted' }));
  succeeded(await client.delete(`/v1/webhooks/${id}`));
  const page = await client.read<List<Endpoint>>(`/v1/webhooks?starting_after=${id}`);
  expect(page.data.map((endpoint) => endpoint.id)).toEqual([own.endpoint.id]);
});

test('a timeline is read in pages, oldest first, forwards and backwards', async () => {
  const { client } = own;
  const { id } = await client.openAccount({ funds: 0 });
  for (const action of ['freeze', 'unfreeze', 'freeze', 'unfreeze'])
    succeeded(await client.post(`/v1/accounts/${id}/${action}`));
  const path = `/v1/accounts/${id}/timeline`;
  const read = (query: string) => client.read<List<{ event: string; type: string }> & { url: string }>(path + query);
  const whole = await read('');
  expect(whole).toMatchObject({ object: 'timeline', has_more: false, next_cursor: null, url: path });
  expect(whole.data.map(({ type }) => type.slice('account.'.length))).toEqual([
    'created',
    'frozen',
    'unfrozen',
    'frozen',
    'unfrozen',
  ]);
  const events = whole.data.map(({ event }) => event);
  const pageOf = async (query: string) => {
    const { data, has_more: hasMore, next_cursor: cursor } = await read(query);
    return [data.map(({ event }) => events.indexOf(event)), hasMore && events.indexOf(cursor!)];
  };
  expect(await pageOf('?limit=2')).toEqual([[0, 1], 1]);
  expect(await pageOf(`?limit=2&starting_after=${events[1]}`)).toEqual([[2, 3], 3]);
  expect(await pageOf(`?limit=2&starting_after=${events[3]}`)).toEqual([[4], false]);
  expect(await pageOf(`?limit=2&starting_after=${events[4]}`)).toEqual([[], false]);
  expect(await pageOf(`?limit=2&ending_before=${events[4]}`)).toEqual([[2, 3], 2]);
  expect(await pageOf(`?limit=2&ending_before=${events[2]}`)).toEqual([[0, 1], false]);
  // An event of another object is no cursor of this one.
  const [other] = (await client.read<List<{ event: string }>>(`/v1/payouts/${own.payout.id}/timeline`)).data;
  await expectRefused(path, other!.event);
});
