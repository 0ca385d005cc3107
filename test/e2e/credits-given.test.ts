/** Row I5 of the scenarios: a credit that names no account is given to a book by `npm run ops -- rails assign`, and booked by two of its people. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Client, type List, type Problem, succeeded, until } from '../../scripts/harness/client.ts';
import { program } from '../../scripts/ops.ts';
import { operatorBooks } from '../../src/organisations/organisation-store.ts';
import { reportCredits } from '../../src/outside/credits/credit-store.ts';
import { publicId } from '../../src/values/ids.ts';
import { startContracted } from '../support/contracted.ts';
import { addPersonOf } from '../support/people.ts';
import type { OrganisationKeys, Product } from '../support/product.ts';
import { runHere } from '../support/run-here.ts';

interface Exception {
  id: string;
  version: number;
  status: string;
  waiting: { account: string | null; amount: number; currency: string } | null;
}

const AMOUNT = 50_000;
const UNALLOCATED = '/v1/exceptions?kind=inbound_unallocated';
let product: Product;
let client: Client;
let keys: OrganisationKeys;

beforeAll(async () => {
  product = await startContracted({ backend: 'postgres' });
  ({ client, keys } = await product.organisation());
});
afterAll(() => product?.close());

/** A bank books a credit without a reference of ours. */
async function reportCredit(): Promise<string> {
  const { pool, secretBox, clock } = product.runtime;
  const { test: bookId } = await operatorBooks(pool);
  await reportCredits(pool, { bookId, rail: 'example_bank', secretBox, now: clock.now() }, [
    {
      ...{ bankAccount: 'JO79CHSB0000000000000000000001', bankReference: 'NTRF-1', place: 'one' },
      ...{ amount: BigInt(AMOUNT), currency: 'JOD', endToEndId: null, payerName: 'Jana Haddad', payerAccount: null },
      ...{ remittance: ['Invoice 7'], valueOn: null, bookedOn: null },
    },
  ]);
  return bookId;
}

const rowsOf = async (of: Client) => (await of.read<List<Exception>>(UNALLOCATED)).data;

test('I5: one person of the operator gives it, two of the book move and approve: pool to that account, once', async () => {
  const { pool } = product.runtime;
  const operatorBook = await reportCredit();
  const person = await addPersonOf(pool, operatorBook, {
    name: 'Olga',
    scopes: ['exceptions:read', 'exceptions:write'],
  });
  const operator = product.client(person.key);
  const [waiting] = await until(
    () => rowsOf(operator),
    (found) => found.length === 1,
  );
  const book = publicId('book', keys.testBookId);
  const assign = (key: string, ...words: string[]) =>
    runHere(program, ['rails', 'assign', ...words, '--url', product.baseUrl], { COUNTINGHOUSE_API_KEY: key });
  expect(await rowsOf(client)).toEqual([]);
  expect(await assign(person.key, waiting!.id, `${book.slice(0, -4)}0000`)).toMatchObject({
    code: 1,
    err: expect.stringContaining('404'),
  });
  expect((await assign(keys.testKey, waiting!.id, book)).code).toBe(1);
  expect(await assign(person.key, waiting!.id, book)).toMatchObject({ code: 0, err: '' });
  expect(await assign(person.key, waiting!.id, book)).toMatchObject({ code: 1, err: expect.stringContaining('409') });

  const [given] = await until(
    () => rowsOf(client),
    (found) => found.length === 1,
  );
  expect(given!.waiting).toMatchObject({ account: null, amount: AMOUNT, currency: 'JOD' });
  const { id: account } = await client.openAccount();
  const { posted: before } = await client.read<{ posted: number }>(`/v1/accounts/${account}/balance`);
  const [ada, ben] = [
    await addPersonOf(pool, keys.testBookId, { name: 'Ada' }),
    await addPersonOf(pool, keys.testBookId, { name: 'Ben' }),
  ];
  const path = `/v1/exceptions/${given!.id}`;
  succeeded(await client.post(`${path}/assign`, { person: ada.id }));
  const moved = succeeded(await product.client(ada.key).post<Exception>(`${path}/move_to`, { account }));
  const alone = await product.client(ada.key).post<Problem>(`${path}/approve`, { version: moved.version });
  expect([alone.status, alone.body.code]).toEqual([422, 'self_approval_forbidden']);
  succeeded(await product.client(ben.key).post(`${path}/approve`, { version: moved.version }));
  expect((await client.read<{ posted: number }>(`/v1/accounts/${account}/balance`)).posted).toBe(before + AMOUNT);
  const lines = await client.read<List<{ direction: string; amount: number }>>(`/v1/accounts/${account}/entries`);
  expect(lines.data.filter(({ amount }) => amount === AMOUNT)).toMatchObject([{ direction: 'credit' }]);
  expect((await product.client(ben.key).post(`${path}/approve`, { version: moved.version })).status).toBe(412);
});
