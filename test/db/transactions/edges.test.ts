/** Purchases at their edges: of accounts that are closed or frozen, of tokens whose card was replaced, and with as many messages as there may be. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Client, type List, succeeded } from '../../../scripts/harness/client.ts';
import { DISPUTES_MAX } from '../../../src/transactions/disputes/dispute-store.ts';
import { MESSAGES_MAX } from '../../../src/transactions/message/messages-store.ts';
import { parsePublicId, publicId } from '../../../src/values/ids.ts';
import { act, type CardToken, makeCard } from '../../support/cards.ts';
import { ClearingFiles } from '../../support/clearing-files.ts';
import { startContracted } from '../../support/contracted.ts';
import { findingsOf } from '../../support/findings.ts';
import type { OrganisationKeys, Product } from '../../support/product.ts';
import {
  MERCHANT,
  nextReference,
  purchase,
  readTransaction,
  type Transaction,
  type TransactionDispute,
  tell,
} from '../../support/purchases.ts';

let product: Product;
let client: Client;
let keys: OrganisationKeys;
let account: string;
let card: string;
const files = new ClearingFiles();

beforeAll(async () => {
  product = await startContracted({ backend: 'postgres' });
});
afterAll(async () => {
  files.remove();
  await product?.close();
});
beforeEach(async () => {
  ({ client, keys } = await product.organisation());
  account = (await client.openAccount({ currency: 'USD', funds: 1_000 })).id;
  card = (await makeCard(client, { account })).id;
});

const book = () => ({ pool: product.runtime.pool, id: keys.testBookId });
const bought = async (amount: number, body: object = {}) => {
  const { id } = await purchase(client, { card, amount, ...body });
  return tell(client, id, 'clear', { amount, currency: 'USD' });
};
const forced = (named: object, amount: number) => ({
  ...{ message_reference: nextReference(), network_reference: nextReference(), ...named },
  ...{ amount, currency: 'USD', merchant: MERCHANT },
});
const disputed = async ({ id }: Pick<Transaction, 'id'>, amount: number) => {
  const path = `/v1/transactions/${id}/disputes`;
  const dispute = succeeded(await client.post<TransactionDispute>(path, { amount, reason: 'product_not_received' }));
  return async (action: string) => succeeded(await client.post(`${path}/${dispute.id}/${action}`));
};
const exceptions = async () => {
  const { data } = await client.read<List<{ kind: string; waiting: { amount: number } | null }>>('/v1/exceptions');
  return data.map(({ kind, waiting }) => `${kind} ${waiting?.amount ?? 0}`);
};

describe('disputes', () => {
  afterEach(async () => {
    expect(await findingsOf(book())).toEqual([]);
  });

  test('of a closed account credit and debit it all the same, flagged, with an exception each', async () => {
    const bought1000 = await bought(1_000);
    await act(client, card, 'close');
    succeeded(await client.post(`/v1/accounts/${account}/close`));
    const move = await disputed(bought1000, 300);
    await move('submit');
    expect(await exceptions()).toEqual(['dispute_account_closed 300']);
    expect((await readTransaction(client, bought1000.id)).flags).toEqual(['account_closed']);
    await move('lose');
    expect(await exceptions()).toEqual(['dispute_account_closed 0', 'dispute_account_closed 300']);
    const { amounts, flags } = await readTransaction(client, bought1000.id);
    expect([amounts.disputed, flags]).toEqual([0, ['account_closed']]);
  });

  test('that are lost debit a frozen account below zero, and the transaction says so', async () => {
    const first = await bought(1_000);
    const move = await disputed(first, 300);
    await move('submit');
    await bought(300);
    succeeded(await client.post(`/v1/accounts/${account}/freeze`));
    await move('lose');
    expect((await readTransaction(client, first.id)).flags).toEqual(['below_floor', 'account_frozen']);
    expect(await exceptions()).toEqual([]);
  });
});

test('a forced post of a token finds the purchase that the token made with the new card', async () => {
  const asked = { token_reference: 'T-1', wallet: 'apple_pay' };
  const { id: token } = succeeded(await client.post<CardToken>(`/v1/cards/${card}/tokens`, asked));
  succeeded(await client.post(`/v1/cards/tokens/${token}/approve`));
  const next = await act(client, card, 'replace', { reason: 'stolen' });
  const { amount, ...named } = forced({ token }, 200);
  const open = await purchase(client, { ...named, amount, entry_mode: 'contactless' });
  expect(open.card).toBe(next.id);
  const post = succeeded(await client.post<Transaction>('/v1/transactions/clearings', forced({ token }, 200)));
  expect(post).toMatchObject({ card: next.id, flags: ['forced'], resembles: open.id });
  expect(await findingsOf(book())).toEqual([]);
});

describe('the key of a processor', () => {
  test('decides about tokens, and asks what became of a message', async () => {
    const processor = await product.clientWith({
      ...{ bookId: keys.testBookId, mode: 'test', scopes: ['transactions:process'] },
    });
    const request = async (reference: string) =>
      succeeded(
        await processor.post<CardToken>(`/v1/cards/${card}/tokens`, { token_reference: reference, wallet: 'other' }),
      ).id;
    const approved = await processor.post<CardToken>(`/v1/cards/tokens/${await request('T-1')}/approve`);
    expect(succeeded(approved).status).toBe('active');
    const declined = await processor.post<CardToken>(`/v1/cards/tokens/${await request('T-2')}/decline`);
    expect(succeeded(declined).status).toBe('deactivated');
    const message = forced({ card }, 100);
    const { id } = succeeded(await processor.post<Transaction>('/v1/transactions/clearings', message));
    const path = `/v1/transactions/messages/${message.message_reference}`;
    expect(await processor.read(path)).toMatchObject({ transaction: id });
  });

  test('does nothing else with a token', async () => {
    const processor = await product.clientWith({
      ...{ bookId: keys.testBookId, mode: 'test', scopes: ['transactions:process'] },
    });
    const asked = { token_reference: 'T-1', wallet: 'other' };
    const { id } = succeeded(await processor.post<CardToken>(`/v1/cards/${card}/tokens`, asked));
    const { status, body } = await processor.post(`/v1/cards/tokens/${id}/deactivate`);
    expect([status, body]).toMatchObject([403, { required_scope: 'cards:write' }]);
  });
});

describe('a transaction takes so many and no more', () => {
  /** As many rows as `count` of them, all like the first one. */
  const filled = async (id: string, { table, count }: { table: string; count: number }) => {
    const { pool } = product.runtime;
    const { rows } = await pool.query<{ column_name: string }>(
      `SELECT column_name FROM information_schema.columns WHERE table_name = $1 AND table_schema = current_schema()`,
      [table],
    );
    const own: Readonly<Record<string, string>> = {
      ...{ id: 'gen_random_uuid()', ordinal: 'ordinal + place', reference: "reference || '-' || place" },
    };
    const names = rows.map(({ column_name: name }) => name);
    await pool.query(
      `INSERT INTO ${table} (${names.join(', ')})
       SELECT ${names.map((name) => own[name] ?? name).join(', ')} FROM ${table}, generate_series(1, $2) AS place
       WHERE transaction_id = $1 AND ordinal = 1`,
      [parsePublicId('transaction', id), count - 1],
    );
  };

  test('messages: also a clearing and a refund are refused', async () => {
    const { id } = await purchase(client, { card, amount: 1 });
    await filled(id, { table: 'transaction_messages', count: MESSAGES_MAX });
    for (const action of ['clear', 'refund']) {
      const message = { message_reference: nextReference(), amount: 1, currency: 'USD' };
      const { status, body } = await client.post(`/v1/transactions/${id}/${action}`, message);
      expect([status, body]).toMatchObject([422, { code: 'limit_exceeded', limit: MESSAGES_MAX }]);
    }
    const { transactions } = await client.read<{ transactions: object }>('/v1/limits');
    expect(transactions).toEqual({ messages: MESSAGES_MAX, disputes: DISPUTES_MAX });
  });

  test('messages: a line of a clearing file contradicts its transaction, and is left to people', async () => {
    const { id, network_reference } = await purchase(client, { card, amount: 1 });
    await filled(id, { table: 'transaction_messages', count: MESSAGES_MAX });
    const program = publicId('book', keys.testBookId);
    const line = { message_reference: nextReference(), network_reference, program, card, amount: 1 };
    const [taken] = await files.takeLines(product.runtime, [line]);
    expect(taken!.intake).toMatchObject({ booked: 0, known: 0, exceptions: 1 });
    const { data } = await client.read<List<object>>('/v1/exceptions?kind=message_contradicts');
    const detail = expect.stringContaining(`at most ${MESSAGES_MAX} messages`);
    expect(data).toMatchObject([{ status: 'open', resource: 'clearing_line', detail }]);
    expect(await readTransaction(client, id)).toMatchObject({ status: 'pending', version: 1 });
  });

  test('disputes', async () => {
    const { id } = await bought(1_000);
    await disputed({ id }, 1);
    await filled(id, { table: 'transaction_disputes', count: DISPUTES_MAX });
    await product.runtime.pool.query('UPDATE transactions SET disputes = $2 WHERE id = $1', [
      ...[parsePublicId('transaction', id), DISPUTES_MAX],
    ]);
    const asked = { amount: 1, reason: 'product_not_received' };
    const { status, body } = await client.post(`/v1/transactions/${id}/disputes`, asked);
    expect([status, body]).toMatchObject([422, { code: 'limit_exceeded', limit: DISPUTES_MAX }]);
  });
});
