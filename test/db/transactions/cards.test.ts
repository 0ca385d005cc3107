/** Golden scenarios of cards and tokens (section F), over HTTP: what purchases make of a card, and a card of purchases. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Client, type Event, type List, succeeded } from '../../../scripts/harness/client.ts';
import { parsePublicId } from '../../../src/values/ids.ts';
import { act, type Card, type CardToken, type Controls, makeCard, SHIPPING } from '../../support/cards.ts';
import { ClearingFiles } from '../../support/clearing-files.ts';
import { type Clears, clearsByFile, clearsOverHttp } from '../../support/clears.ts';
import { startContracted } from '../../support/contracted.ts';
import { findingsOf } from '../../support/findings.ts';
import type { OrganisationKeys, Product } from '../../support/product.ts';
import { advanceClock, answerOf, MERCHANT, purchase, readTransaction, tell } from '../../support/purchases.ts';

let product: Product;
let client: Client;
let keys: OrganisationKeys;
let account: string;
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
});
afterEach(async () => {
  expect(await findingsOf({ pool: product.runtime.pool, id: keys.testBookId })).toEqual([]);
});

const make = (body: object = {}) => makeCard(client, { account, ...body });
const readCard = (id: string) => client.read<Card>(`/v1/cards/${id}`);
const buy = (card: string, amount: number, body: object = {}) => purchase(client, { card, amount, ...body });
const said = async (card: string, amount: number, body: object = {}) => answerOf(await buy(card, amount, body));
/** The newest events, oldest first: `card.closed` and the object that it is about. */
const latest = async (count: number) =>
  (await client.read<List<Event>>(`/v1/events?limit=${count}`)).data
    .map(({ type, data }) => `${type} ${data.object.id}`)
    .toReversed();
/** How many commits have written these events. */
async function commitsOf(events: readonly string[]): Promise<number> {
  const { data } = await client.read<List<Event>>(`/v1/events?limit=100`);
  const ids = data.filter(({ type, data: { object } }) => events.includes(`${type} ${object.id}`)).map(({ id }) => id);
  const { rows } = await product.runtime.pool.query<{ commits: number }>(
    'SELECT count(DISTINCT xmin::text)::int AS commits FROM events WHERE id = ANY($1)',
    [ids.map((id) => parsePublicId('event', id))],
  );
  return rows[0]!.commits;
}
const posted = async () =>
  (await client.read<{ balance: { posted: number } }>(`/v1/accounts/${account}`)).balance.posted;
const physical = async (body: object = {}) => {
  const { id } = await make({ type: 'physical', shipping: SHIPPING, ...body });
  return act(client, id, 'activate');
};

describe.each(['over HTTP', 'by file'])('what clears comes %s', (way) => {
  let clears: Clears;
  beforeEach(() => {
    const bookId = keys.testBookId;
    clears = way === 'by file' ? clearsByFile(client, { product, bookId, files }) : clearsOverHttp(client, bookId);
  });

  test('G67 a card for one use closes at its first approved amount above zero', async () => {
    const { id } = await make({ type: 'single_use' });
    expect(await said(id, 0, { kind: 'account_verification' })).toBe('approved 0, 85');
    expect(await said(id, 100_001)).toBe('declined insufficient_funds, 51');
    expect(await said(id, 500, { kind: 'refund' })).toBe('approved 500, 00');
    expect(await readCard(id)).toMatchObject({ status: 'active' });
    const used = await buy(id, 5_000);
    expect(answerOf(used)).toBe('approved 5000, 00');
    expect(await readCard(id)).toMatchObject({ status: 'closed', closed_reason: 'used' });
    const told = [`card.closed ${id}`, `transaction.authorized ${used.id}`];
    expect((await latest(2)).toSorted()).toEqual(told);
    expect(await commitsOf(told)).toBe(1);
    expect(await said(id, 1)).toBe('declined card_closed, 46');
    expect(await tell(client, used.id, 'reverse')).toMatchObject({ amounts: { held: 0 } });
    expect(await readCard(id)).toMatchObject({ status: 'closed' });
    const cleared = { event: 'transaction.cleared', entries: 'C→S 5000', flags: ['late'] };
    expect(await clears.clear(used, 5_000)).toMatchObject(cleared);
    expect(await posted()).toBe(95_000);
    const refunded = { event: 'transaction.refunded', entries: 'S→C 5000', flags: [] };
    expect(await clears.refund(used, 5_000)).toMatchObject(refunded);
    expect(await posted()).toBe(100_000);
  });

  test('G68 a card is locked to merchant and acquirer of its first approval', async () => {
    const { id } = await make({ type: 'merchant_locked' });
    const at = (merchant: string, acquirer_id: string) => ({ merchant: { ...MERCHANT, id: merchant, acquirer_id } });
    expect(await said(id, 1_000, at('M1', 'Q1'))).toBe('approved 1000, 00');
    expect((await readCard(id)).locked_to).toEqual({ merchant: 'M1', acquirer: 'Q1' });
    expect(await said(id, 1_000, at('M2', 'Q1'))).toBe('declined merchant_blocked, 57');
    expect(await said(id, 1_000, at('M1', 'Q2'))).toBe('declined merchant_blocked, 57');
    expect(await said(id, 1_000, at('M1', 'Q1'))).toBe('approved 1000, 00');
    const forced = await clears.force(id, 700, { ...MERCHANT, id: 'M2' });
    expect(forced).toMatchObject({ event: 'transaction.force_posted', entries: 'C→S 700', flags: ['forced'] });
    expect(await posted()).toBe(99_300);
    const next = await act(client, id, 'replace', { reason: 'lost' });
    expect(next.locked_to).toEqual({ merchant: 'M1', acquirer: 'Q1' });
  });

  test('G69 lost, and recurring afterwards', async () => {
    const { id } = await make();
    const body = { card: id, limits: [{ window: 'day', amount: 10_000 }], status: 'active' };
    const controls = succeeded(await client.post<Controls>('/v1/cards/controls', body)).id;
    const used = async () =>
      (await client.read<Controls>(`/v1/cards/controls/${controls}`)).limits[0]!.usage![0]!.amount;
    const recurring = { entry_mode: 'recurring' };
    const first = await buy(id, 3_000);
    const next = await act(client, id, 'replace', { reason: 'lost' });
    expect(await readCard(id)).toMatchObject({ status: 'closed', closed_reason: 'lost' });
    expect(next).toMatchObject({ status: 'active', replacement_for: id });
    expect(await said(id, 4_000, recurring)).toBe('declined card_closed, 41');
    expect(await said(next.id, 4_000, recurring)).toBe('approved 4000, 00');
    expect(await used()).toEqual({ used: 7_000, remaining: 3_000 });
    const cleared = { event: 'transaction.cleared', entries: 'C→S 3000', flags: [] };
    expect(await clears.clear(first, 3_000)).toMatchObject(cleared);
    expect(await used()).toEqual({ used: 7_000, remaining: 3_000 });
    expect(await posted()).toBe(97_000);
    const stolen = await act(client, next.id, 'replace', { reason: 'stolen' });
    expect(await said(next.id, 100)).toBe('declined card_closed, 43');
    expect(await said(stolen.id, 3_001)).toBe('declined limit_period, 61');
  });

  test('G73 the card expires', async () => {
    const { id, exp_month, exp_year } = await make();
    const over = Date.UTC(exp_year!, exp_month!);
    await advanceClock(client, { to: new Date(over - 3_600_000).toISOString() });
    const last = await buy(id, 1_000);
    expect(answerOf(last)).toBe('approved 1000, 00');
    await advanceClock(client, { to: new Date(over).toISOString() });
    expect(await said(id, 1_000)).toBe('declined card_expired, 54');
    const cleared = { event: 'transaction.cleared', entries: 'C→S 1000', flags: [] };
    expect(await clears.clear(last, 1_000)).toMatchObject(cleared);
    expect(await posted()).toBe(99_000);
    const refunded = { event: 'transaction.refunded', entries: 'S→C 1000', flags: [] };
    expect(await clears.refund(last, 1_000)).toMatchObject(refunded);
    expect(await posted()).toBe(100_000);
    expect(await said(id, 1_000, { kind: 'refund' })).toBe('approved 1000, 00');
  });

  test('G74 frozen', async () => {
    const { id } = await make();
    const held = await buy(id, 5_000);
    await act(client, id, 'freeze');
    expect(answerOf(await tell(client, held.id, 'increment', { amount: 1_000 }))).toBe('declined card_frozen, 62');
    expect(await readTransaction(client, held.id)).toMatchObject({ amounts: { held: 5_000 } });
    const cleared = { event: 'transaction.cleared', entries: 'C→S 5000', flags: [] };
    expect(await clears.clear(held, 5_000)).toMatchObject(cleared);
    expect(await posted()).toBe(95_000);
    const pushed = await buy(id, 700, { kind: 'transfer_in', message: 'single' });
    expect(answerOf(pushed)).toBe('approved 700, 00');
    expect(pushed).toMatchObject({ status: 'settled', flags: [], amounts: { refunded: 700 } });
    const [{ journal_entries }] = (await client.read<List<Event>>('/v1/events?limit=1')).data as [Event];
    const postings = journal_entries.flatMap((entry) => entry.postings);
    expect(postings.map(({ debit, credit, amount }) => [debit.code, credit.code, amount])).toEqual([
      ['scheme_settlement', 'customer', 700],
    ]);
    expect(await posted()).toBe(95_700);
  });
});

test('G70 damaged, the same number goes on', async () => {
  const old = await physical();
  await buy(old.id, 100, { pin_result: 'no_match' });
  const next = await act(client, old.id, 'replace', { reason: 'damaged' });
  expect(next).toMatchObject({ status: 'pending_activation', pin_attempts_left: 2 });
  expect(await said(old.id, 100)).toBe('approved 100, 00');
  await act(client, next.id, 'activate');
  const told = [`card.activated ${next.id}`, `card.closed ${old.id}`];
  expect((await latest(2)).toSorted()).toEqual(told);
  expect(await commitsOf(told)).toBe(1);
  expect(await readCard(old.id)).toMatchObject({ status: 'closed', closed_reason: 'damaged' });
  expect(await client.get(`/v1/cards/${old.id}/details`)).toMatchObject({
    status: 409,
    body: { code: 'state_conflict' },
  });
  expect(await said(old.id, 100)).toBe('declined card_closed, 46');
  expect(await said(next.id, 100)).toBe('approved 100, 00');
});

test('a number has one PIN, whichever of its cards it is entered with', async () => {
  const old = await physical();
  const next = await act(client, old.id, 'replace', { reason: 'renewal' });
  const pins = () => Promise.all([old, next].map(async ({ id }) => (await readCard(id)).pin_status));
  const enter = (id: string, pin_result: string) => said(id, 100, { pin_result });
  for (const _ of [1, 2, 3]) await enter(old.id, 'no_match');
  expect(await pins()).toEqual(['blocked', 'blocked']);
  await act(client, next.id, 'unblock_pin');
  expect(await pins()).toEqual(['ok', 'ok']);
  expect(await enter(old.id, 'match')).toBe('approved 100, 00');
  for (const _ of [1, 2, 3]) await enter(old.id, 'no_match');
  await act(client, next.id, 'activate');
  expect(await enter(next.id, 'match')).toBe('declined pin_blocked, 75');
  await act(client, next.id, 'unblock_pin');
  expect(await enter(next.id, 'match')).toBe('approved 100, 00');
  // Another number has another PIN.
  for (const _ of [1, 2, 3]) await enter(next.id, 'no_match');
  const found = await act(client, next.id, 'replace', { reason: 'lost' });
  expect(found).toMatchObject({ pin_status: 'ok', pin_attempts_left: 3 });
});

test('G71 a token, then the card is replaced', async () => {
  const old = await physical();
  const asked = { token_reference: 'T-1', wallet: 'apple_pay' };
  const { id: token } = succeeded(await client.post<CardToken>(`/v1/cards/${old.id}/tokens`, asked));
  const move = async (action: string) => succeeded(await client.post(`/v1/cards/tokens/${token}/${action}`));
  const pay = (amount: number) => purchase(client, { token, amount, entry_mode: 'contactless' });
  await move('approve');
  expect(await latest(1)).toEqual([`card_token.activated ${token}`]);
  const next = await act(client, old.id, 'replace', { reason: 'stolen' });
  expect(next).toMatchObject({ status: 'pending_activation' });
  expect(await readCard(old.id)).toMatchObject({ status: 'closed', closed_reason: 'stolen' });
  const paid = await pay(2_000);
  expect(answerOf(paid)).toBe('approved 2000, 00');
  expect(paid).toMatchObject({ card: next.id, token, amounts: { held: 2_000 } });
  expect(await said(next.id, 2_000)).toBe('declined card_not_active, 78');
  await move('suspend');
  expect(answerOf(await pay(1_000))).toBe('declined token_suspended, 62');
  await act(client, next.id, 'close');
  const told = [`card.closed ${next.id}`, `card_token.deactivated ${token}`];
  expect((await latest(2)).toSorted()).toEqual(told);
  expect(await commitsOf(told)).toBe(1);
  expect(await client.read<CardToken>(`/v1/cards/tokens/${token}`)).toMatchObject({ status: 'deactivated' });
  expect(answerOf(await pay(1))).toBe('declined card_closed, 46');
});

describe('G72 the PIN', () => {
  test('the third wrong one blocks it, and stops PIN entry alone', async () => {
    const { id } = await make();
    const enter = (pin_result: string) => said(id, 1_000, { pin_result });
    for (const left of [2, 1, 0]) {
      expect(await enter('no_match')).toBe('declined pin_incorrect, 55');
      expect(await readCard(id)).toMatchObject({ pin_attempts_left: left });
    }
    expect(await readCard(id)).toMatchObject({ pin_status: 'blocked' });
    const told = await latest(2);
    expect(told).toEqual([expect.stringMatching(/^transaction.declined /), `card.pin_blocked ${id}`]);
    expect(await commitsOf(told)).toBe(1);
    expect(await enter('match')).toBe('declined pin_blocked, 75');
    expect(await said(id, 1_000, { entry_mode: 'ecommerce' })).toBe('approved 1000, 00');
    await act(client, id, 'unblock_pin');
    expect(await latest(1)).toEqual([`card.pin_unblocked ${id}`]);
    expect(await enter('match')).toBe('approved 1000, 00');
    expect(await readCard(id)).toMatchObject({ pin_status: 'ok', pin_attempts_left: 3 });
  });

  test('wrong, right, wrong, wrong: not blocked, for a right one sets the count to 0', async () => {
    const { id } = await make();
    const answers: string[] = [];
    for (const result of ['no_match', 'match', 'no_match', 'no_match'])
      answers.push(await said(id, 1_000, { pin_result: result }));
    const wrong = 'declined pin_incorrect, 55';
    expect(answers).toEqual([wrong, 'approved 1000, 00', wrong, wrong]);
    expect(await readCard(id)).toMatchObject({ pin_status: 'ok', pin_attempts_left: 1 });
  });

  test('a wrong one counts whatever else declines, a right one sets the count to 0', async () => {
    const { id } = await make();
    await act(client, id, 'freeze');
    expect(await said(id, 1_000, { pin_result: 'no_match' })).toBe('declined card_frozen, 62');
    expect(await readCard(id)).toMatchObject({ pin_attempts_left: 2 });
    await act(client, id, 'unfreeze');
    expect(await said(id, 1_000, { pin_result: 'match' })).toBe('approved 1000, 00');
    expect(await readCard(id)).toMatchObject({ pin_attempts_left: 3 });
  });

  test('twenty wrong ones at once block it, and each is counted once', async () => {
    const { id } = await make();
    const answers = await Promise.all(Array.from({ length: 20 }, () => said(id, 1_000, { pin_result: 'no_match' })));
    const count = (of: string) => answers.filter((answer) => answer === of).length;
    expect([count('declined pin_incorrect, 55'), count('declined pin_blocked, 75')]).toEqual([3, 17]);
    expect(await readCard(id)).toMatchObject({ pin_status: 'blocked', pin_attempts_left: 0 });
  });
});

test('a physical card that is on its way is announced', async () => {
  const { id } = await make({ type: 'physical', shipping: SHIPPING });
  expect(await act(client, id, 'ship')).toMatchObject({ shipping: { status: 'shipped' } });
  expect(await latest(1)).toEqual([`card.shipped ${id}`]);
});

describe('G75 controls that cannot be evaluated', () => {
  test('what nobody lists is in no list', async () => {
    const { id } = await make({ controls: { mcc: { allow: ['5411'] }, countries: { block: ['RU'] } } });
    const unknown = await buy(id, 1_000, { merchant: { ...MERCHANT, mcc: '9998' } });
    expect([answerOf(unknown), unknown.flags]).toEqual(['declined mcc_blocked, 57', ['unlisted']]);
    const elsewhere = await buy(id, 1_000, { merchant: { ...MERCHANT, country: 'XZ' } });
    expect([answerOf(elsewhere), elsewhere.flags]).toEqual(['approved 1000, 00', ['unlisted']]);
  });

  test.each`
    amount   | entry_mode     | result             | answer
    ${5_000} | ${'ecommerce'} | ${null}            | ${'approved 5000, 00'}
    ${5_001} | ${'ecommerce'} | ${'not_performed'} | ${'declined three_d_secure_required, 1A'}
    ${5_001} | ${'ecommerce'} | ${null}            | ${'declined three_d_secure_required, 1A'}
    ${5_001} | ${'ecommerce'} | ${'attempted'}     | ${'declined three_d_secure_required, 1A'}
    ${5_001} | ${'ecommerce'} | ${'authenticated'} | ${'approved 5001, 00'}
    ${9_000} | ${'recurring'} | ${null}            | ${'approved 9000, 00'}
  `('$entry_mode of $amount with 3-D Secure $result: $answer', async ({ amount, entry_mode, result, answer }) => {
    const { id } = await make({ controls: { require_three_d_secure_above: 5_000 } });
    expect(await said(id, amount, { entry_mode, ...(result && { three_d_secure: { result } }) })).toBe(answer);
  });
});
