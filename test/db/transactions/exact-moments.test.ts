/** Golden scenarios at the edge of a window and of a month (G59, G60, G73), to the second: the clock of the machine stands still meanwhile. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Client, succeeded } from '../../../scripts/harness/client.ts';
import { parsePublicId } from '../../../src/values/ids.ts';
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

test('a limit with a filter counts what began behind its version, and not what came first in the same moment', async () => {
  stand();
  const first = await buy(4_000);
  const content = { window: 'day', count: 10, for: { mccs: ['5411'] } };
  const controls = await ofCard([{ ...content, amount: 5_000 }]);
  const ofProgram = { program: true, limits: [{ ...content, amount: 50_000 }], status: 'shadow' };
  const { id: tried } = succeeded(await client.post<Controls>('/v1/cards/controls', ofProgram));
  expect(answerOf(await tell(client, first.id, 'increment', { amount: 1_000 }))).toBe('approved 1000, 00');
  expect([await amountOf(controls), (await usage(controls)).count]).toMatchObject(['0, 5000', { used: 0 }]);
  const second = await buy(4_000);
  expect(second.created_at).toBe(first.created_at);
  expect(answerOf(await tell(client, second.id, 'increment', { amount: 1_001 }))).toBe('declined limit_period, 61');
  expect(answerOf(await tell(client, second.id, 'increment', { amount: 1_000 }))).toBe('approved 1000, 00');
  expect([await amountOf(controls), await amountOf(tried)]).toEqual(['5000, 0', '5000, 45000']);
  succeeded(await client.post(`/v1/cards/controls/${tried}/activate`));
  await tell(client, first.id, 'reverse');
  expect([await amountOf(controls), await amountOf(tried)]).toEqual(['5000, 0', '5000, 45000']);
});

test('verify finds a counter that misses a purchase of the very moment in which its version came into force', async () => {
  stand();
  const controls = await ofCard([{ window: 'day', amount: 5_000, for: { mccs: ['5411'] } }]);
  await buy(4_000);
  const { pool } = product.runtime;
  const change = async (by: number) =>
    pool.query('UPDATE card_counters SET day_amount = day_amount + $2 WHERE controls_id = $1', [
      parsePublicId('cardControls', controls),
      by,
    ]);
  await change(-1);
  const found = await findingsOf({ pool, id: keys.testBookId });
  expect(found.map(({ check }) => check)).toEqual(['card_counter.sum']);
  await change(1);
});
