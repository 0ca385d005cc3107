/** Back-tests of controls over the API: what past purchases would have come to, pages, limits, and what is refused. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Client, type Problem, succeeded } from '../../../scripts/harness/client.ts';
import type { Pool } from '../../../src/db/pool.ts';
import { parsePublicId } from '../../../src/values/ids.ts';
import { type Backtest, backtest, requestBacktest, totalsOf } from '../../support/backtests.ts';
import { act, type Card, type Controls, makeCard } from '../../support/cards.ts';
import { startContracted } from '../../support/contracted.ts';
import type { Product } from '../../support/product.ts';
import { advanceClock, MERCHANT, nextReference, purchase, type Transaction, tell } from '../../support/purchases.ts';

let product: Product;
let client: Client;
let account: string;
let card: Card;

beforeAll(async () => {
  product = await startContracted({ backend: 'postgres' });
});
afterAll(() => product?.close());
beforeEach(async () => {
  ({ client } = await product.organisation());
  account = (await client.openAccount({ currency: 'USD', funds: 100_000 })).id;
  card = await makeCard(client, { account });
});

type Message = readonly [action: string, body?: object];

/** One purchase, with what its processor says of it afterwards. Before it, the clock of the book may be moved. */
interface Bought {
  readonly at?: { by: string } | { to: string };
  readonly amount: number;
  readonly body?: object;
  readonly later?: readonly Message[];
  /** A clearing of nothing that was authorized. */
  readonly isForced?: true;
}

const RESTAURANT = { merchant: { ...MERCHANT, mcc: '5812' } };
const ABROAD = { merchant: { ...MERCHANT, country: 'FR' } };
const CASH = { kind: 'cash', merchant: { ...MERCHANT, mcc: '6011' } };
const PARTIAL = { partial_approval_allowed: true };
const CLEARED: Message = ['clear', { currency: 'USD' }];

const day = (amount: number, more: object = {}) => ({ limits: [{ window: 'day', amount, ...more }] });
const clears = (amount: number): Message => [CLEARED[0], { ...CLEARED[1], amount }];

async function plays(history: readonly Bought[]): Promise<string[]> {
  const ids: string[] = [];
  for (const { at, amount, body = {}, later = [], isForced } of history) {
    if (at !== undefined) await advanceClock(client, at);
    const { id } = isForced ? await force(amount) : await purchase(client, { card: card.id, amount, ...body });
    for (const [action, said] of later) await tell(client, id, action, said);
    ids.push(id);
  }
  return ids;
}

async function force(amount: number): Promise<Transaction> {
  const references = { message_reference: nextReference(), network_reference: nextReference() };
  const clearing = { ...references, card: card.id, merchant: MERCHANT, amount, currency: 'USD' };
  return succeeded(await client.post<Transaction>('/v1/transactions/clearings', clearing));
}

/** `2: approved 8000, then declined 0 (limit day)` for the second purchase. */
function changesOf({ data }: Backtest, ids: readonly string[]): string[] {
  return data.map(({ transaction, was, would_be, rule }) => {
    const outcome = ({ decision, approved_amount }: typeof was) => `${decision} ${approved_amount}`;
    const by = [rule?.rule ?? 'unknown', ...(rule?.window ? [rule.window] : [])].join(' ');
    return `${ids.indexOf(transaction) + 1}: ${outcome(was)}, then ${outcome(would_be)} (${by})`;
  });
}

interface Case {
  readonly name: string;
  readonly active?: object;
  readonly shadow?: object;
  readonly ofAccount?: object;
  readonly candidate: object;
  readonly history: readonly Bought[];
  readonly totals: string;
  readonly changes: readonly string[];
}

const CASES: readonly Case[] = [
  {
    name: 'a day limit: what would be declined uses up nothing',
    candidate: day(10_000),
    history: [{ amount: 8_000 }, { amount: 8_000 }, { amount: 2_000 }],
    totals: 'approved 3 of 3, then 2',
    changes: ['2: approved 8000, then declined 0 (limit day)'],
  },
  {
    name: 'a reversal gives back what was used',
    candidate: day(10_000),
    history: [
      { amount: 8_000, later: [['reverse']] },
      { amount: 8_000, later: [['reverse', { amount: 6_000 }]] },
      { amount: 8_000 },
    ],
    totals: 'approved 3 of 3, then 3',
    changes: [],
  },
  {
    name: 'a clearing of less gives back the rest, one of more uses more',
    candidate: day(10_000),
    history: [{ amount: 8_000, later: [clears(3_000)] }, { amount: 7_000, later: [clears(7_500)] }, { amount: 1 }],
    totals: 'approved 3 of 3, then 2',
    changes: ['3: approved 1, then declined 0 (limit day)'],
  },
  {
    name: 'a count',
    candidate: { limits: [{ window: 'month', count: 1 }] },
    history: [{ amount: 100 }, { amount: 0, body: { kind: 'account_verification' } }, { amount: 100 }],
    totals: 'approved 3 of 3, then 2',
    changes: ['3: approved 100, then declined 0 (limit month)'],
  },
  {
    name: 'categories',
    candidate: { mcc: { block: ['5800-5899'] } },
    history: [{ amount: 100 }, { amount: 200, body: RESTAURANT, later: [clears(200)] }],
    totals: 'approved 2 of 2, then 1',
    changes: ['2: approved 200, then declined 0 (mcc)'],
  },
  {
    name: 'countries',
    candidate: { countries: { allow: ['US'] } },
    history: [{ amount: 100, body: ABROAD }, { amount: 200 }],
    totals: 'approved 2 of 2, then 1',
    changes: ['1: approved 100, then declined 0 (country)'],
  },
  {
    name: 'a limit for cash alone',
    candidate: day(5_000, { for: { kinds: ['cash', 'quasi_cash'] } }),
    history: [{ amount: 9_000 }, { amount: 4_000, body: CASH }, { amount: 2_000, body: CASH }, { amount: 9_000 }],
    totals: 'approved 4 of 4, then 3',
    changes: ['3: approved 2000, then declined 0 (limit day)'],
  },
  {
    name: 'more than the active controls allow',
    active: { mcc: { block: ['5812'] }, ...day(5_000) },
    candidate: day(10_000),
    history: [{ amount: 4_000 }, { amount: 4_000 }, { amount: 1_000, body: RESTAURANT }, { amount: 2_000 }],
    totals: 'approved 1 of 4, then 3',
    changes: ['2: declined 0, then approved 4000 (limit day)', '3: declined 0, then approved 1000 (mcc)'],
  },
  {
    name: 'controls that are tried out decide nothing',
    shadow: { mcc: { block: ['5812'] } },
    candidate: { cash: 'block' },
    history: [
      { amount: 100, body: RESTAURANT },
      { amount: 100, body: CASH },
    ],
    totals: 'approved 2 of 2, then 1',
    changes: ['2: approved 100, then declined 0 (cash)'],
  },
  {
    name: 'controls of another scope stay',
    active: { countries: { block: ['FR'] } },
    ofAccount: day(5_000),
    candidate: {},
    history: [{ amount: 1_000, body: ABROAD }, { amount: 6_000, body: ABROAD }, { amount: 6_000 }],
    totals: 'approved 0 of 3, then 1',
    changes: ['1: declined 0, then approved 1000 (country)'],
  },
  {
    name: 'funds stay as they were',
    active: { countries: { block: ['FR'] } },
    candidate: {},
    history: [
      { amount: 100_001, body: ABROAD },
      { amount: 100_000, body: ABROAD },
    ],
    totals: 'approved 0 of 2, then 1',
    changes: ['2: declined 0, then approved 100000 (country)'],
  },
  {
    name: 'a part, beside a limit that counts purchases',
    active: day(1_000),
    ofAccount: { limits: [{ window: 'month', count: 2_000 }] },
    candidate: day(100_000),
    history: [{ amount: 3_000, body: PARTIAL }],
    totals: 'approved 1 of 1, then 1',
    changes: ['1: approved 1000, then approved 3000 (limit day)'],
  },
  {
    name: 'a part',
    candidate: day(10_000),
    history: [
      { amount: 8_000 },
      { amount: 8_000, body: PARTIAL, later: [clears(8_000)] },
      { amount: 1, body: PARTIAL },
    ],
    totals: 'approved 3 of 3, then 2',
    changes: ['2: approved 8000, then approved 2000 (limit day)', '3: approved 1, then declined 0 (limit day)'],
  },
  {
    name: 'a larger part',
    active: day(5_000),
    candidate: day(7_000),
    history: [{ amount: 8_000, body: PARTIAL }, { amount: 100 }],
    totals: 'approved 1 of 2, then 1',
    changes: ['1: approved 5000, then approved 7000 (limit day)'],
  },
  {
    name: 'a part that funds bind',
    active: { limits: [{ window: 'authorization', amount: 150_000 }] },
    candidate: { limits: [{ window: 'authorization', amount: 200_000 }] },
    history: [{ amount: 140_000, body: PARTIAL }],
    totals: 'approved 1 of 1, then 1',
    changes: [],
  },
  {
    name: 'a purchase without its cash',
    candidate: { cash: 'block' },
    history: [
      { amount: 5_000, body: { cashback_amount: 2_000, ...PARTIAL } },
      { amount: 5_000, body: { cashback_amount: 2_000 } },
    ],
    totals: 'approved 2 of 2, then 1',
    changes: ['1: approved 5000, then approved 3000 (cash)', '2: approved 5000, then declined 0 (cash)'],
  },
  {
    name: 'an increment',
    candidate: { limits: [{ window: 'authorization', amount: 10_000 }] },
    history: [
      {
        amount: 8_000,
        later: [
          ['increment', { amount: 1_500 }],
          ['increment', { amount: 1_000 }],
        ],
      },
    ],
    totals: 'approved 1 of 1, then 1',
    changes: ['1: approved 10500, then approved 9500 (limit authorization)'],
  },
  {
    name: 'what no issuer can refuse counts, and is not decided',
    candidate: day(10_000),
    history: [{ amount: 9_000, isForced: true }, { amount: 2_000 }],
    totals: 'approved 1 of 1, then 0',
    changes: ['2: approved 2000, then declined 0 (limit day)'],
  },
  {
    name: 'what cleared although it was declined counts once',
    active: { mcc: { block: ['5812'] } },
    candidate: day(10_000),
    history: [{ amount: 6_000, body: RESTAURANT, later: [clears(6_000)] }, { amount: 4_000 }, { amount: 1 }],
    totals: 'approved 2 of 3, then 2',
    changes: ['1: declined 0, then approved 6000 (mcc)', '3: approved 1, then declined 0 (limit day)'],
  },
  {
    name: 'a budget that refunds fill up again',
    candidate: { limits: [{ window: 'all_time', amount: 10_000, net_of_refunds: true }] },
    history: [
      { amount: 10_000, later: [clears(10_000), ['refund', { amount: 4_000, currency: 'USD' }]] },
      { amount: 4_000 },
      { amount: 1 },
    ],
    totals: 'approved 3 of 3, then 2',
    changes: ['3: approved 1, then declined 0 (limit all_time)'],
  },
];

const control = async (content: object, status: string, subject: object = { card: card.id }) =>
  succeeded(await client.post<Controls>('/v1/cards/controls', { ...subject, ...content, status }));

test.each(CASES)('$name', async ({ active, shadow, ofAccount, candidate, history, totals, changes }) => {
  if (active) await control(active, 'active');
  if (shadow) await control(shadow, 'shadow');
  if (ofAccount) await control(ofAccount, 'active', { account });
  const ids = await plays(history);
  const tested = await backtest(client, { controls: candidate, card: card.id });
  expect([totalsOf(tested), ...changesOf(tested, ids)]).toEqual([totals, ...changes]);
  expect(tested).toMatchObject({ changed: changes.length, balances: 'as_decided', has_more: false, next_cursor: null });
});

test('a fee that was not covered is not covered by other controls', async () => {
  succeeded(await client.patch('/v1/cards/program', { fees: { cash: { fixed: 300 } } }));
  await plays([{ amount: 99_701, body: CASH }]);
  expect(totalsOf(await backtest(client, { controls: day(1_000_000), card: card.id }))).toBe('approved 0 of 1, then 0');
});

test('midnight is that of the program, and other days count apart', async () => {
  succeeded(await client.patch('/v1/cards/program', { time_zone: 'Asia/Amman' }));
  const date = new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 10);
  // Jordan keeps UTC+3 all the year.
  const ids = await plays([
    { at: { to: `${date}T12:00:00Z` }, amount: 8_000 },
    { at: { to: `${date}T20:59:00Z` }, amount: 8_000 },
    { at: { to: `${date}T21:00:00Z` }, amount: 8_000 },
    { at: { by: 'PT20H' }, amount: 8_000 },
  ]);
  const test = (controls: object, more: object = {}) => backtest(client, { controls, card: card.id, ...more });
  const byDay = ['2: approved 8000, then declined 0 (limit day)', '4: approved 8000, then declined 0 (limit day)'];
  expect(changesOf(await test(day(10_000)), ids)).toEqual(byDay);
  // Purchases before `from` have used up what they did.
  const since = { from: `${date}T20:00:00Z` };
  expect(changesOf(await test(day(10_000), since), ids)).toEqual(byDay);
  expect(totalsOf(await test(day(10_000), since))).toBe('approved 3 of 3, then 1');
  const until = { to: `${date}T21:00:00Z` };
  expect(changesOf(await test(day(10_000), until), ids)).toEqual(byDay.slice(0, 1));
  const allTime = { limits: [{ window: 'all_time', amount: 24_000 }] };
  expect(changesOf(await test(allTime, since), ids)).toEqual(['4: approved 8000, then declined 0 (limit all_time)']);
});

test('of an account and of the program all cards count, each currency apart, and a line as one card', async () => {
  const other = await makeCard(client, { account });
  const euro = (await client.openAccount({ currency: 'EUR', funds: 100_000 })).id;
  const abroad = await makeCard(client, { account: euro });
  const ids = await plays([{ amount: 6_000 }]);
  const buy = async (by: string, currency = 'USD') =>
    ids.push((await purchase(client, { card: by, amount: 6_000, currency })).id);
  await buy(other.id);
  await buy(abroad.id, 'EUR');
  const replacement = await act(client, card.id, 'replace', { reason: 'lost' });
  const next = (await client.read<{ data: Card[] }>(`/v1/cards?account=${account}`)).data.find(
    ({ replacement_for }) => replacement_for === card.id,
  );
  await buy(next?.id ?? replacement.id);
  const test = async (subject: object) => changesOf(await backtest(client, { controls: day(10_000), ...subject }), ids);
  const declined = (at: number) => `${at}: approved 6000, then declined 0 (limit day)`;
  expect(await test({ account })).toEqual([declined(2), declined(4)]);
  expect(await test({ account: euro })).toEqual([]);
  expect(await test({ program: true })).toEqual([declined(2), declined(4)]);
  expect(await test({ card: card.id })).toEqual([declined(4)]);
  expect(await test({ card: other.id })).toEqual([]);
});

test('the lock of a card is no rule of controls', async () => {
  card = await makeCard(client, { account, type: 'merchant_locked' });
  await control({ merchants: { block: ['M2'] } }, 'active');
  const of = (id: string) => ({ merchant: { ...MERCHANT, id } });
  const ids = await plays([
    { amount: 100, body: of('M2') },
    { amount: 100, body: of('M1') },
    { amount: 100, body: of('M3') },
  ]);
  const tested = await backtest(client, { controls: {}, card: card.id });
  expect(changesOf(tested, ids)).toEqual(['1: declined 0, then approved 100 (merchant)']);
});

test('pages of one back-test, whatever comes meanwhile', async () => {
  const ids = await plays(Array.from({ length: 5 }, () => ({ amount: 100, body: RESTAURANT })));
  const body = { controls: { mcc: { block: ['5812'] } }, card: card.id };
  const first = await backtest(client, body, '?limit=2');
  expect(first).toMatchObject({ changed: 5, has_more: true, next_cursor: ids[1] });
  await plays([{ amount: 100, body: RESTAURANT }]);
  const seen = first.data.map(({ transaction }) => transaction);
  const asOf = { as_of_sequence: first.as_of_sequence };
  let { next_cursor } = first;
  while (next_cursor !== null) {
    const page = await backtest(client, { ...body, ...asOf }, `?limit=2&starting_after=${next_cursor}`);
    expect(page).toMatchObject({ ...asOf, transactions: 5, changed: 5 });
    seen.push(...page.data.map(({ transaction }) => transaction));
    ({ next_cursor } = page);
  }
  expect(seen).toEqual(ids);
  const before = await backtest(client, { ...body, ...asOf }, `?limit=2&ending_before=${ids[3]}`);
  expect(before.data.map(({ transaction }) => transaction)).toEqual([ids[1], ids[2]]);
  expect(before).toMatchObject({ has_more: true, next_cursor: ids[1] });
  expect(totalsOf(await backtest(client, body))).toBe('approved 6 of 6, then 0');
});

describe('refused', () => {
  const NOBODY = 'card_01k5c2r3v8e9m0x6y7z4a1b2cd';
  const later = { from: '2026-02-01T00:00:00Z', to: '2026-01-01T00:00:00Z' };
  test.each<[string, object | (() => object), number, string, string]>([
    ['nobody is named', {}, 400, 'parameter_missing', '/card'],
    ['two are named', () => ({ card: card.id, account }), 400, 'parameter_invalid', '/program'],
    ['three are named', () => ({ card: card.id, account, program: true }), 400, 'parameter_invalid', '/program'],
    ['a program that is not', { program: false }, 400, 'parameter_invalid', '/program'],
    ['an end before the beginning', { program: true, ...later }, 400, 'parameter_invalid', '/to'],
    ['no time at all', { program: true, from: later.from, to: later.from }, 400, 'parameter_invalid', '/to'],
    ['a day in place of a time', { program: true, from: '2026-02-01' }, 400, 'parameter_invalid', '/from'],
    [
      'an event that is yet to come',
      { program: true, as_of_sequence: 1_000_000 },
      400,
      'parameter_invalid',
      '/as_of_sequence',
    ],
    ['an unknown card', { card: NOBODY }, 404, 'resource_not_found', '/card'],
    ['an unknown account', { account: 'acct_01k5c2r3v8e9m0x6y7z4a1b2cd' }, 404, 'resource_not_found', '/account'],
    ['no controls', { program: true, controls: undefined }, 400, 'parameter_missing', '/controls'],
    ['a status', { program: true, controls: { status: 'active' } }, 400, 'parameter_unknown', '/controls/status'],
    [
      'controls that do not fit together',
      { program: true, controls: { mcc: { allow: ['5411'], block: ['5812'] } } },
      400,
      'parameter_invalid',
      '/controls/mcc',
    ],
  ])('%s', async (_, given, status, code, param) => {
    const body = typeof given === 'function' ? given() : given;
    const refused = await requestBacktest(client, { controls: {}, ...body });
    expect(refused.status).toBe(status);
    expect((refused.body as unknown as Problem).errors?.[0] ?? refused.body).toMatchObject({ code, param });
  });

  test("another book's card, account and cursor", async () => {
    const { client: foreign } = await product.organisation();
    const own = (await foreign.openAccount({ currency: 'USD' })).id;
    const theirs = await makeCard(foreign, { account: own });
    for (const subject of [{ card: theirs.id }, { account: own }])
      expect((await requestBacktest(client, { controls: {}, ...subject })).status).toBe(404);
    const { id } = await purchase(client, { card: card.id, amount: 1 });
    const body = { controls: {}, program: true };
    for (const [of, name] of [
      [client, 'starting_after'],
      [foreign, 'ending_before'],
    ] as const) {
      const refused = await requestBacktest(of, body, `?${name}=${id}`);
      expect([refused.status, (refused.body as unknown as Problem).code]).toEqual([400, 'cursor_invalid']);
    }
  });

  test('more transactions than are folded at once', async () => {
    const { id } = await purchase(client, { card: card.id, amount: 1 });
    // They are counted before a message is read: the copies have none.
    await copyPurchase(product.runtime.pool, { id, copies: 100_000 });
    const refused = await requestBacktest(client, { controls: day(1), card: card.id });
    expect(refused).toMatchObject({ status: 422, body: { code: 'limit_exceeded', limit: 100_000 } });
    const earlier = await backtest(client, { controls: day(1), card: card.id, to: '2001-01-01T00:00:00Z' });
    expect(earlier).toMatchObject({ transactions: 0, changed: 0 });
  });
});

/** Copies the row of a purchase, with ids of the same time. */
async function copyPurchase(pool: Pool, { id, copies }: { id: string; copies: number }): Promise<void> {
  const atOnce = 10_000; // well within the timeout of a statement
  for (let from = 1; from <= copies; from += atOnce)
    await pool.query(
      `INSERT INTO transactions SELECT copy.* FROM transactions t, generate_series($2::integer, $3::integer) AS n (number),
        LATERAL jsonb_populate_record(t, jsonb_build_object('id', gen_random_uuid(), 'network_reference', 'copy-' || number,
          'begun_by', left(t.begun_by::text, 24) || lpad(to_hex(number), 12, '0'))) AS copy
        WHERE t.id = $1`,
      [parsePublicId('transaction', id), from, Math.min(from + atOnce - 1, copies)],
    );
}
