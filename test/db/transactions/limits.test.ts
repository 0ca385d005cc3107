/** Golden scenarios of limits and decisions (section E), over HTTP: answers, and what the limits show as used and remaining. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Client, succeeded } from '../../../scripts/harness/client.ts';
import { act, type Card, type Controls, makeCard } from '../../support/cards.ts';
import { ClearingFiles } from '../../support/clearing-files.ts';
import { type Clears, clearsByFile, clearsOverHttp } from '../../support/clears.ts';
import { startContracted } from '../../support/contracted.ts';
import { findingsOf } from '../../support/findings.ts';
import type { OrganisationKeys, Product } from '../../support/product.ts';
import {
  advanceClock,
  answerOf,
  MERCHANT,
  nextReference,
  purchase,
  readTransaction,
  type Transaction,
  tell,
} from '../../support/purchases.ts';

let product: Product;
let client: Client;
let keys: OrganisationKeys;
let account: string;
let card: Card;
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
  account = (await client.openAccount({ currency: 'USD', funds: 100_000 })).id;
  card = await makeCard(client, { account });
});
afterEach(async () => {
  expect(await findingsOf({ pool: product.runtime.pool, id: keys.testBookId })).toEqual([]);
});

const RESTAURANT = { merchant: { ...MERCHANT, mcc: '5812' } };
const LODGING = { merchant: { ...MERCHANT, mcc: '7011' } };
const PARTIAL = { partial_approval_allowed: true };
const CASH = { kind: 'cash', merchant: { ...MERCHANT, mcc: '6011' } };

async function control(subject: object, content: object, status = 'active'): Promise<string> {
  const body = { ...subject, ...content, status };
  return succeeded(await client.post<Controls>('/v1/cards/controls', body)).id;
}
const ofCard = (content: object, status?: string) => control({ card: card.id }, content, status);

const buy = (amount: number, body: object = {}) => purchase(client, { card: card.id, amount, ...body });
const said = async (amount: number, body: object = {}) => answerOf(await buy(amount, body));

async function usage(controls: string, place = 0) {
  const { limits } = await client.read<Controls>(`/v1/cards/controls/${controls}`);
  const [shown, ...others] = limits[place]!.usage!.filter(({ currency }) => currency === 'USD');
  if (shown === undefined || others.length > 0) throw new Error('A limit is shown once a currency');
  return shown;
}
async function amountOf(controls: string, place = 0): Promise<string> {
  const { used, remaining } = (await usage(controls, place)).amount!;
  return `${used}, ${remaining}`;
}
async function countOf(controls: string): Promise<string> {
  const { used, remaining } = (await usage(controls)).count!;
  return `${used}, ${remaining}`;
}

type Decided = Pick<Transaction, 'rules'>;
const failing = ({ rules }: Decided) =>
  rules.filter(({ verdict }) => verdict !== 'pass').map(({ rule, verdict }) => `${rule} ${verdict}`);
const failed = ({ rules }: Decided) => rules.find(({ verdict }) => verdict === 'fail')!;
const byReference = (amount: number, body: object = {}) => ({
  ...{ message_reference: nextReference(), network_reference: nextReference(), card: card.id },
  ...{ amount, currency: 'USD', merchant: MERCHANT, ...body },
});

describe.each(['over HTTP', 'by file'])('what clears comes %s', (way) => {
  let clears: Clears;
  beforeEach(() => {
    const bookId = keys.testBookId;
    clears = way === 'by file' ? clearsByFile(client, { product, bookId, files }) : clearsOverHttp(client, bookId);
  });

  test('G55 a day limit', async () => {
    const most = Number.MAX_SAFE_INTEGER;
    const limits = [
      { window: 'day', amount: 50_000 },
      { window: 'all_time', amount: most, count: 1_000 },
    ];
    const controls = await ofCard({ limits });
    const first = await buy(30_000);
    expect(answerOf(first)).toBe('approved 30000, 00');
    expect(await amountOf(controls)).toBe('30000, 20000');
    const declined = await buy(25_000);
    expect(answerOf(declined)).toBe('declined limit_period, 61');
    expect(failed(declined)).toEqual({
      ...{ rule: 'limit', scope: 'card', verdict: 'fail', window: 'day', measure: 'amount' },
      ...{ limit: 50_000, used: 30_000, remaining: 20_000 },
    });
    expect(await amountOf(controls)).toBe('30000, 20000');
    const part = await buy(25_000, { ...PARTIAL, ...RESTAURANT });
    expect(answerOf(part)).toBe('approved 20000, 10');
    expect(await amountOf(controls)).toBe('50000, 0');
    await tell(client, first.id, 'reverse', { amount: 10_000 });
    expect(await amountOf(controls)).toBe('40000, 10000');
    const cleared = { event: 'transaction.cleared', entries: 'C→S 24000', flags: ['over_cleared'] };
    expect(await clears.clear(part, 24_000)).toMatchObject(cleared);
    expect(await amountOf(controls)).toBe('44000, 6000');
    expect(await clears.refund(part, 5_000)).toMatchObject({
      event: 'transaction.refunded',
      entries: 'S→C 5000',
      flags: [],
    });
    expect(await amountOf(controls)).toBe('44000, 6000');
    await advanceClock(client, { by: 'P7D' });
    expect(await readTransaction(client, first.id)).toMatchObject({ status: 'expired' });
    expect(await amountOf(controls)).toBe('0, 50000');
    expect(await usage(controls, 1)).toMatchObject({
      amount: { used: 24_000, remaining: most - 24_000 },
      count: { used: 1, remaining: 999 },
    });
  });

  test('G58 forced posts and advices count, and remaining stops at 0', async () => {
    const controls = await ofCard({ limits: [{ window: 'month', amount: 50_000 }] });
    const { transaction: forced, reference, ...left } = await clears.force(card.id, 40_000);
    expect(left).toEqual({ event: 'transaction.force_posted', entries: 'C→S 40000', flags: ['forced'] });
    expect(await amountOf(controls)).toBe('40000, 10000');
    const advice = { reason: 'stand_in', of: 'authorization', decision: 'approved', approved_amount: 30_000 };
    succeeded(await client.post('/v1/transactions/advices', byReference(30_000, { advice })));
    expect(await amountOf(controls)).toBe('70000, 0');
    expect(await said(1)).toBe('declined limit_period, 61');
    expect(await amountOf(controls)).toBe('70000, 0');
    const reversed = { event: 'transaction.clearing_reversed', entries: 'S→C 40000', flags: [] };
    expect(await clears.takeBack(forced, 'clearing_reversal', 40_000, reference)).toMatchObject(reversed);
    expect(await amountOf(controls)).toBe('30000, 20000');
  });

  test('G63 a budget that refunds fill up again', async () => {
    const controls = await ofCard({ limits: [{ window: 'all_time', amount: 10_000, net_of_refunds: true }] });
    const bought = await buy(10_000);
    expect(await clears.clear(bought, 10_000)).toMatchObject({ entries: 'C→S 10000', flags: [] });
    expect(await amountOf(controls)).toBe('10000, 0');
    const { reference, ...refunded } = await clears.refund(bought, 4_000);
    expect(refunded).toMatchObject({ event: 'transaction.refunded', entries: 'S→C 4000', flags: [] });
    expect(await amountOf(controls)).toBe('6000, 4000');
    expect(await said(5_000)).toBe('declined limit_period, 61');
    expect(await amountOf(controls)).toBe('6000, 4000');
    const reversed = { event: 'transaction.refund_reversed', entries: 'C→S 4000', flags: [] };
    expect(await clears.takeBack(bought, 'refund_reversal', 4_000, reference)).toMatchObject(reversed);
    expect(await amountOf(controls)).toBe('10000, 0');
  });
});

test('G56 a limit per purchase and an increment', async () => {
  await ofCard({ limits: [{ window: 'authorization', amount: 20_000 }] });
  const { id } = await buy(15_000, LODGING);
  const more = (amount: number) => tell(client, id, 'increment', { amount });
  const declined = await more(6_000);
  expect(answerOf(declined)).toBe('declined limit_per_authorization, 61');
  expect(failed(declined)).toMatchObject({ limit: 20_000, used: 15_000, remaining: 5_000 });
  expect(answerOf(await more(5_000))).toBe('approved 5000, 00');
  expect(failed(await more(1))).toMatchObject({ limit: 20_000, used: 20_000, remaining: 0 });
  expect(await readTransaction(client, id)).toMatchObject({ status: 'pending', amounts: { held: 20_000 } });
});

test('G57 a count', async () => {
  const controls = await ofCard({ limits: [{ window: 'day', count: 2 }] });
  const verification = { kind: 'account_verification' };
  const first = await buy(1_000);
  expect(await countOf(controls)).toBe('1, 1');
  expect(await said(0, verification)).toBe('approved 0, 85');
  expect(await countOf(controls)).toBe('1, 1');
  const second = await buy(1_000);
  expect(await countOf(controls)).toBe('2, 0');
  expect(answerOf(await tell(client, second.id, 'increment', { amount: 500 }))).toBe('approved 500, 00');
  expect(await countOf(controls)).toBe('2, 0');
  expect(await said(1_000)).toBe('declined velocity_count, 65');
  expect(await countOf(controls)).toBe('2, 0');
  await tell(client, first.id, 'reverse');
  expect(await countOf(controls)).toBe('1, 1');
  expect(await said(1_000)).toBe('approved 1000, 00');
  expect(await countOf(controls)).toBe('2, 0');
  expect(await said(0, verification)).toBe('approved 0, 85');
});

test('G61 a limit for cash alone', async () => {
  const limits = [{ window: 'day', amount: 30_000, for: { kinds: ['cash', 'quasi_cash'] } }];
  const controls = await control({ account }, { limits });
  const other = await makeCard(client, { account });
  await buy(40_000);
  expect(await amountOf(controls)).toBe('0, 30000');
  await buy(25_000, CASH);
  expect(await amountOf(controls)).toBe('25000, 5000');
  const { counted_since } = await client.read<Controls>(`/v1/cards/controls/${controls}`);
  expect((await usage(controls)).counted_since).toBe(counted_since);
  for (const by of [card, other]) {
    const declined = await buy(6_000, { ...CASH, card: by.id });
    expect([answerOf(declined), failed(declined).scope]).toEqual(['declined limit_period, 61', 'account']);
  }
  expect(await amountOf(controls)).toBe('25000, 5000');
});

test('G62 the strictest scope decides', async () => {
  await ofCard({ limits: [{ window: 'month', amount: 100_000 }] });
  const controls = await control({ account }, { limits: [{ window: 'month', amount: 60_000 }] });
  await control({ program: true }, { limits: [{ window: 'authorization', amount: 50_000 }] });
  const declined = await buy(55_000);
  expect([answerOf(declined), failed(declined).scope]).toEqual(['declined limit_per_authorization, 61', 'program']);
  expect(await amountOf(controls)).toBe('0, 60000');
  expect(await said(45_000)).toBe('approved 45000, 00');
  expect(await amountOf(controls)).toBe('45000, 15000');
  expect(await said(20_000, PARTIAL)).toBe('approved 15000, 10');
  expect(await amountOf(controls)).toBe('60000, 0');
});

test('G64 shadow', async () => {
  const content = { limits: [{ window: 'day', amount: 5_000 }], mcc: { block: ['5812'] } };
  const controls = await ofCard(content, 'shadow');
  const decided = await buy(8_000, RESTAURANT);
  expect(answerOf(decided)).toBe('approved 8000, 00');
  expect(failing(decided)).toEqual(['mcc shadow_fail', 'limit shadow_fail']);
  expect(await amountOf(controls)).toBe('8000, 0');
  expect(decided.amounts.held).toBe(8_000);
});

test('G65 several rules fail', async () => {
  const empty = await client.openAccount({ currency: 'USD', funds: 0 });
  const frozen = await makeCard(client, { account: empty.id, controls: { countries: { block: ['US'] } } });
  await act(client, frozen.id, 'freeze');
  const decided = await buy(100, { card: frozen.id });
  expect(answerOf(decided)).toBe('declined card_frozen, 62');
  expect(failing(decided)).toEqual(['card_status fail', 'country fail', 'funds fail']);
});

test('G89 an authorization on a frozen account', async () => {
  const { id } = await buy(5_000);
  succeeded(await client.post(`/v1/accounts/${account}/freeze`));
  expect(await said(1)).toBe('declined account_frozen, 62');
  expect(await readTransaction(client, id)).toMatchObject({ status: 'pending', amounts: { held: 5_000 } });
});

describe('a purchase counts where it began', () => {
  test('an increment on another day uses up nothing of that day, and more of the month', async () => {
    // Both days are of one month.
    const at = new Date();
    const month = new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, 10)).toISOString().slice(0, 8);
    await advanceClock(client, { to: `${month}10T12:00:00Z` });
    const controls = await ofCard({
      limits: [
        { window: 'day', amount: 20_000 },
        { window: 'month', amount: 30_000 },
      ],
    });
    const { id } = await buy(20_000, LODGING);
    await advanceClock(client, { by: 'P1D' });
    await buy(5_000);
    expect(answerOf(await tell(client, id, 'increment', { amount: 5_000 }))).toBe('approved 5000, 00');
    expect([await amountOf(controls, 0), await amountOf(controls, 1)]).toEqual(['5000, 15000', '30000, 0']);
    expect(answerOf(await tell(client, id, 'increment', { amount: 1 }))).toBe('declined limit_period, 61');
  });

  test('a limit with a filter counts purchases that began since its version is in force', async () => {
    const { id } = await buy(20_000, LODGING);
    await advanceClock(client, { by: 'PT1S' });
    const controls = await ofCard({ limits: [{ window: 'day', amount: 10_000, for: { mccs: ['7011'] } }] });
    expect(answerOf(await tell(client, id, 'increment', { amount: 15_000 }))).toBe('approved 15000, 00');
    expect(await amountOf(controls)).toBe('0, 10000');
    expect(await said(15_000, LODGING)).toBe('declined limit_period, 61');
  });
});

test('limits hold among purchases at once', async () => {
  const controls = await ofCard({ limits: [{ window: 'day', amount: 10_000, count: 8 }] });
  const answers = await Promise.all(Array.from({ length: 40 }, () => said(1_000)));
  const approved = answers.filter((answer) => answer === 'approved 1000, 00');
  expect(approved).toHaveLength(8);
  expect(new Set(answers)).toEqual(new Set(['approved 1000, 00', 'declined velocity_count, 65']));
  expect(await usage(controls)).toMatchObject({ amount: { used: 8_000 }, count: { used: 8, remaining: 0 } });
});
