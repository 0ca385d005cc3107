/** Golden scenarios at the edge of a window and of a month (G59, G60, G73), to the second: the clock of the machine stands still meanwhile. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Client, succeeded } from '../../../scripts/harness/client.ts';
import { type Card, type Controls, makeCard } from '../../support/cards.ts';
import { startContracted } from '../../support/contracted.ts';
import { findingsOf } from '../../support/findings.ts';
import type { OrganisationKeys, Product } from '../../support/product.ts';
import { advanceClock, answerOf, purchase, tell } from '../../support/purchases.ts';

let stoodAt: number | undefined;
const clock = { now: () => stoodAt ?? Date.now() };
const stand = () => {
  stoodAt = Date.now();
};

let product: Product;
let client: Client;
let keys: OrganisationKeys;
let card: Card;

beforeAll(async () => {
  product = await startContracted({ backend: 'postgres', clock });
});
afterAll(() => product?.close());
beforeEach(async () => {
  ({ client, keys } = await product.organisation());
  const account = (await client.openAccount({ currency: 'USD', funds: 100_000 })).id;
  card = await makeCard(client, { account });
});
afterEach(async () => {
  stoodAt = undefined;
  expect(await findingsOf({ pool: product.runtime.pool, id: keys.testBookId })).toEqual([]);
});

const buy = (amount: number) => purchase(client, { card: card.id, amount });
const said = async (amount: number) => answerOf(await buy(amount));

async function ofCard(limits: readonly object[]): Promise<string> {
  const body = { card: card.id, limits, status: 'active' };
  return succeeded(await client.post<Controls>('/v1/cards/controls', body)).id;
}
async function usage(controls: string, place = 0) {
  const { limits } = await client.read<Controls>(`/v1/cards/controls/${controls}`);
  return limits[place]!.usage![0]!;
}
async function amountOf(controls: string, place = 0): Promise<string> {
  const { used, remaining } = (await usage(controls, place)).amount!;
  return `${used}, ${remaining}`;
}

test("G59 January's authorization is reversed in February", async () => {
  const year = new Date().getUTCFullYear() + 1;
  const controls = await ofCard([
    { window: 'month', amount: 50_000 },
    { window: 'year', amount: 100_000 },
  ]);
  const both = async () => [await amountOf(controls, 0), await amountOf(controls, 1)];
  stand();
  await advanceClock(client, { to: `${year}-01-31T23:59:59Z` });
  const january = await buy(20_000);
  expect(january).toMatchObject({ created_at: `${year}-01-31T23:59:59.000Z`, approved_amount: 20_000 });
  expect(await both()).toEqual(['20000, 30000', '20000, 80000']);
  await advanceClock(client, { to: `${year}-02-01T00:00:00Z` });
  expect(await both()).toEqual(['0, 50000', '20000, 80000']);
  await buy(10_000);
  expect(await both()).toEqual(['10000, 40000', '30000, 70000']);
  await tell(client, january.id, 'reverse');
  expect(await both()).toEqual(['10000, 40000', '10000, 90000']);
});

test('G60 midnight in another time zone', async () => {
  succeeded(await client.patch('/v1/cards/program', { time_zone: 'Asia/Amman' }));
  const controls = await ofCard([{ window: 'day', amount: 10_000 }]);
  const day = new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 10);
  stand();
  await advanceClock(client, { to: `${day}T20:59:59Z` });
  expect(await said(8_000)).toBe('approved 8000, 00');
  expect(await amountOf(controls)).toBe('8000, 2000');
  // Jordan keeps UTC+3 all the year.
  expect((await usage(controls)).resets_at).toBe(`${day}T21:00:00.000Z`);
  await advanceClock(client, { to: `${day}T21:00:00Z` });
  expect(await said(8_000)).toBe('approved 8000, 00');
  expect(await amountOf(controls)).toBe('8000, 2000');
});

test('G73 the card expires with the last millisecond of its month', async () => {
  const over = Date.UTC(card.exp_year!, card.exp_month!);
  stand();
  await advanceClock(client, { to: new Date(over - 1).toISOString() });
  expect(await said(1_000)).toBe('approved 1000, 00');
  await advanceClock(client, { to: new Date(over).toISOString() });
  expect(await said(1_000)).toBe('declined card_expired, 54');
});
