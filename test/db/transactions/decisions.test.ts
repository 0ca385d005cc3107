/** Decision endpoints: what they are asked, what their answers change, and what happens without one. */
import type { ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Client, type List, type Problem, succeeded } from '../../../scripts/harness/client.ts';
import { until } from '../../../scripts/harness/until.ts';
import { isUuid } from '../../../src/values/ids.ts';
import { createSigningKey, verify } from '../../../src/values/standard-webhooks.ts';
import { act, type Controls, makeCard } from '../../support/cards.ts';
import { startContracted } from '../../support/contracted.ts';
import {
  APPROVES,
  type DecisionEndpoint,
  HANGS,
  startDecisionEndpoint,
  updateProgram,
} from '../../support/decision-endpoint.ts';
import { findingsOf } from '../../support/findings.ts';
import type { Product } from '../../support/product.ts';
import {
  answerOf,
  MERCHANT,
  nextReference,
  purchase,
  readTransaction,
  requestPurchase,
  type Transaction,
  tell,
} from '../../support/purchases.ts';
import type { Answer } from '../../support/receiver.ts';

const PARTIAL = { partial_approval_allowed: true };
const SUSPECTED = { decision: 'declined', decline_code: 'suspected_fraud' };
/** The longest that a program may have, for endpoints that answer. */
const TIMEOUT_MS = 2_000;
/** For those that hang. */
const SHORT_MS = 200;

/** Approves, and sends on for as long as anybody reads: what is cut off at a limit has no end, and counts for nothing. */
const endless =
  (text: string, pause: (next: () => void) => unknown): Answer =>
  (response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).write(JSON.stringify(APPROVES).slice(0, -1));
    const more = (error?: Error | null) => {
      if (!error && !response.destroyed) response.write(text, () => pause(more));
    };
    more();
  };
const DRIPS = endless(' ', (next) => setTimeout(next, 20));
const FLOODS = endless(' '.repeat(64 * 1_024), (next) => next());

let product: Product;
let endpoint: DecisionEndpoint;
let client: Client;
let bookId: string;
let account: string;
let card: string;
let secret: string;

beforeAll(async () => {
  product = await startContracted({ backend: 'postgres' });
});
afterAll(() => product?.close());

beforeEach(async () => {
  endpoint = await startDecisionEndpoint();
  const made = await product.organisation();
  ({ client } = made);
  bookId = made.keys.testBookId;
  secret = (await decidedAt(endpoint.url))!;
  account = (await client.openAccount({ currency: 'USD', funds: 100_000 })).id;
  card = (await makeCard(client, { account })).id;
});
afterEach(async () => {
  try {
    expect(await findingsOf({ pool: product.runtime.pool, id: bookId })).toEqual([]);
  } finally {
    await endpoint.close();
  }
});

const decidedAt = (url: string, standing: 'approve' | 'decline' = 'decline', timeoutMs = TIMEOUT_MS) =>
  updateProgram(client, { decision: { url, default: standing, timeout_ms: timeoutMs } });
const buy = (amount: number, body: object = {}) => purchase(client, { card, amount, ...body });
const references = () => ({ message_reference: nextReference(), network_reference: nextReference() });
const available = async () =>
  (await client.read<{ balance: { available: number } }>(`/v1/accounts/${account}`)).balance.available;
const transactions = async () => (await client.read<List<Transaction>>('/v1/transactions?limit=100')).data;

describe('an answer', () => {
  test.each`
    answer                                     | body       | said                                | source        | held
    ${APPROVES}                                | ${{}}      | ${'approved 6000, 00'}              | ${'endpoint'} | ${6_000}
    ${{ ...APPROVES, approved_amount: 4_000 }} | ${PARTIAL} | ${'approved 4000, 10'}              | ${'endpoint'} | ${4_000}
    ${{ ...APPROVES, approved_amount: 4_000 }} | ${{}}      | ${'declined decision_declined, 05'} | ${'endpoint'} | ${0}
    ${{ ...APPROVES, approved_amount: 9_000 }} | ${{}}      | ${'approved 6000, 00'}              | ${'endpoint'} | ${6_000}
    ${{ decision: 'declined' }}                | ${PARTIAL} | ${'declined decision_declined, 05'} | ${'endpoint'} | ${0}
    ${SUSPECTED}                               | ${{}}      | ${'declined suspected_fraud, 59'}   | ${'endpoint'} | ${0}
  `('$answer narrows what our rules allow: $said', async ({ answer, body, said, source, held }) => {
    endpoint.answers(answer);
    const bought = await buy(6_000, body);
    expect([answerOf(bought), bought.decision_source, bought.amounts.held]).toEqual([said, source, held]);
    expect(endpoint.received).toHaveLength(1);
    expect(await available()).toBe(100_000 - held);
  });

  test('narrows what our rules approve of a part', async () => {
    endpoint.answers({ ...APPROVES, approved_amount: 150_000 });
    const bought = await buy(120_000, PARTIAL);
    expect([answerOf(bought), bought.decision_source]).toEqual(['approved 100000, 10', 'endpoint']);
    expect(endpoint.asked()[0]).toMatchObject({ approved_amount: 100_000, network_response_code: '10' });
  });

  test('gives metadata, also with a decline: beside what the transaction has, in its event and its index', async () => {
    endpoint.answers({ ...APPROVES, metadata: { case: '7', risk: 'low' } });
    const { id, metadata } = await buy(1_000);
    expect(metadata).toEqual({ case: '7', risk: 'low' });
    succeeded(await client.patch(`/v1/transactions/${id}`, { metadata: { ...metadata, mine: 'kept' } }));
    endpoint.answers({ ...SUSPECTED, metadata: { risk: 'high' } });
    const incremented = await tell(client, id, 'increment', { amount: 500 });
    expect(answerOf(incremented)).toBe('declined suspected_fraud, 59');
    expect(incremented.metadata).toEqual({ case: '7', risk: 'high', mine: 'kept' });
    expect((await readTransaction(client, id)).metadata).toEqual(incremented.metadata);
    const { data } = await client.read<List<{ data: { object: Transaction } }>>('/v1/events?limit=1');
    expect(data[0]!.data.object.metadata).toEqual(incremented.metadata);
    const found = await client.read<List<Transaction>>('/v1/transactions?metadata[risk]=high');
    expect(found.data.map((each) => each.id)).toEqual([id]);
  });
});

test('G66 row by row: what is used of the limits after each answer', async () => {
  const limits = [{ window: 'day', amount: 50_000 }];
  const own = await makeCard(client, { account, controls: { limits } });
  const [controls] = (await client.read<List<Controls>>(`/v1/cards/${own.id}/controls`)).data;
  const used = async () =>
    (await client.read<Controls>(`/v1/cards/controls/${controls!.id}`)).limits[0]!.usage![0]?.amount?.used ?? 0;
  const rows: unknown[] = [];
  const row = async (answer: object | Answer, body: object = {}) => {
    endpoint.answers(answer);
    const { length } = endpoint.received;
    const bought = await buy(6_000, { card: own.id, ...body });
    rows.push([answerOf(bought), bought.decision_source, endpoint.received.length - length, await used()]);
    return bought;
  };
  await row({ ...APPROVES, approved_amount: 4_000 }, PARTIAL);
  await row({ ...APPROVES, approved_amount: 4_000 });
  await row({ ...APPROVES, approved_amount: 9_000 });
  const named = references();
  const late = await row(HANGS, named);
  expect(await row(APPROVES, named)).toEqual(late);
  await row({ decision: 'approve' });
  await row((response: ServerResponse) => response.writeHead(500).end(JSON.stringify(APPROVES)));
  await act(client, own.id, 'freeze');
  await row(APPROVES);
  const unavailable = 'declined decision_unavailable, 05';
  expect(rows).toEqual([
    ['approved 4000, 10', 'endpoint', 1, 4_000],
    ['declined decision_declined, 05', 'endpoint', 1, 4_000],
    ['approved 6000, 00', 'endpoint', 1, 10_000],
    [unavailable, 'default', 1, 10_000],
    [unavailable, 'default', 0, 10_000],
    [unavailable, 'default', 1, 10_000],
    [unavailable, 'default', 1, 10_000],
    ['declined card_frozen, 62', 'rules', 0, 10_000],
  ]);
});

describe('a question', () => {
  test('has the transaction as our rules alone would leave it, and nothing is held meanwhile', async () => {
    let seen: Promise<number> | undefined;
    endpoint.answers((response) => {
      seen = available();
      void seen.then(() => response.end(JSON.stringify(APPROVES)));
    });
    const bought = await buy(6_000, { network_reference: 'net-asked' });
    expect(await seen).toBe(100_000);
    const [asked] = endpoint.asked();
    expect(asked).toMatchObject({
      id: bought.id,
      object: 'transaction',
      network_reference: 'net-asked',
      status: 'pending',
      decision: 'approved',
      decision_source: 'rules',
      approved_amount: 6_000,
      amounts: { authorized: 6_000, held: 6_000 },
      merchant: MERCHANT,
      metadata: {},
    });
    expect(asked).not.toHaveProperty('dry_run');
    expect(asked!.rules.length).toBeGreaterThan(0);
    // The rule of the endpoint is the one that the answer adds.
    expect(bought.rules.filter(({ verdict }) => verdict === 'pass')).toHaveLength(asked!.rules.length + 1);
  });

  test('is signed under the secret of the program, and under both while it is rolled', async () => {
    await buy(100);
    const rolled = succeeded(
      await client.post<{ decision_secret: string }>('/v1/cards/program/roll_secret', { overlap_seconds: 60 }),
    ).decision_secret;
    await buy(100);
    succeeded(await client.post('/v1/cards/program/roll_secret', { overlap_seconds: 0 }));
    await buy(100);
    const now = Math.floor(Date.now() / 1_000);
    const [before, both, after] = endpoint.received.map((message) =>
      [secret, rolled].map((each) => verify(message, [createSigningKey(each)], now) === undefined),
    );
    expect([before, both, after]).toEqual([
      [true, false],
      [true, true],
      [false, false],
    ]);
    for (const { headers } of endpoint.received) expect(isUuid(headers['webhook-id'])).toBe(true);
    expect(new Set(endpoint.received.map(({ headers }) => headers['webhook-id'])).size).toBe(3);
  });

  test('is asked about every request of a debit: increments, single messages, cash', async () => {
    const { id } = await buy(1_000);
    await tell(client, id, 'increment', { amount: 500 });
    await buy(700, { message: 'single' });
    await buy(800, { kind: 'cash' });
    expect(endpoint.asked().map((each) => [each.approved_amount, each.amounts.authorized])).toEqual([
      [1_000, 1_000],
      [500, 1_500],
      [700, 700],
      [800, 800],
    ]);
  });

  test('has the message in full: of an increment and of a part the transaction does not say what was asked for', async () => {
    const { id } = await buy(1_000, {
      cvv_result: 'match',
      cashback_amount: 200,
      merchant_amount: 900,
      merchant_currency: 'EUR',
    });
    const [asked] = endpoint.asked();
    expect(asked!.message).toMatchObject({
      object: 'transaction_event',
      transaction: id,
      type: 'authorization',
      amount: 1_000,
      cashback_amount: 200,
      merchant_amount: 900,
      merchant_currency: 'EUR',
      checks: { entry_mode: 'chip', cvv_result: 'match' },
      journal_entries: [],
    });
    await tell(client, id, 'increment', { amount: 500 });
    expect(endpoint.asked()[1]).toMatchObject({
      amounts: { authorized: 1_500 },
      message: { type: 'increment', amount: 500 },
    });
    await buy(200_000, { partial_approval_allowed: true });
    expect(endpoint.asked()[2]).toMatchObject({
      approved_amount: 98_500,
      message: { amount: 200_000, partial_approval_allowed: true },
    });
  });

  test('about a status check has the fuel amount, and the answer is measured by it', async () => {
    const fuel = [{ currency: 'USD', amount: 10_000, status_check_max: 100 }];
    const decision = { url: endpoint.url, default: 'decline', timeout_ms: TIMEOUT_MS } as const;
    await updateProgram(client, { decision, fuel });
    const check = { merchant: { ...MERCHANT, mcc: '5542' } };
    expect(answerOf(await buy(100, check))).toBe('approved 100, 00');
    expect(endpoint.asked()[0]).toMatchObject({
      ...{ approved_amount: 100, amounts: { authorized: 10_000, held: 10_000 }, message: { flags: ['fuel'] } },
    });
    // As the example of docs/cards.md answers.
    endpoint.answers({ ...APPROVES, approved_amount: 10_000 });
    expect(answerOf(await buy(100, check))).toBe('approved 100, 00');
    endpoint.answers({ ...APPROVES, approved_amount: 9_999 });
    expect(answerOf(await buy(100, check))).toBe('declined decision_declined, 05');
  });

  test('is not asked about verifications, inquiries, credits, advices, and what follows', async () => {
    await buy(0, { kind: 'account_verification' });
    await buy(0, { kind: 'balance_inquiry' });
    await buy(900, { kind: 'refund' });
    const advised = { advice: { reason: 'stand_in', of: 'authorization', decision: 'approved', approved_amount: 800 } };
    const about = { card, merchant: MERCHANT, currency: 'USD', ...references() };
    const { id } = succeeded(await client.post<Transaction>('/v1/transactions/advices', { ...about, ...advised }));
    await tell(client, id, 'clear', { amount: 800, currency: 'USD' });
    await tell(client, id, 'refund', { amount: 100, currency: 'USD' });
    expect(endpoint.received).toEqual([]);
  });

  test('is not asked about what our rules decline', async () => {
    const bought = await buy(100_001);
    expect([answerOf(bought), bought.decision_source]).toEqual(['declined insufficient_funds, 51', 'rules']);
    expect(endpoint.received).toEqual([]);
  });

  test('has an id of its message: a repeat is not asked, and repeats at once are asked under one id', async () => {
    const asked = { card, amount: 6_000, ...references() };
    const first = await requestPurchase(client, asked);
    const again = await requestPurchase(client, asked);
    expect([again.text, again.headers['idempotent-replayed']]).toEqual([first.text, 'true']);
    expect(endpoint.received).toHaveLength(1);

    endpoint.forget();
    const twice = { card, amount: 5_000, ...references() };
    const held: (() => void)[] = [];
    endpoint.answers((response) => {
      held.push(() => response.end(JSON.stringify(APPROVES)));
      // Both are open before either is answered.
      if (held.length === 2) for (const answer of held) answer();
    });
    const [one, other] = await Promise.all([requestPurchase(client, twice), requestPurchase(client, twice)]);
    expect(one.text).toBe(other.text);
    expect(new Set(endpoint.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(await available()).toBe(100_000 - 6_000 - 5_000);
  });

  test('of a dry run says so, under another id, and nothing is written', async () => {
    endpoint.answers({ ...SUSPECTED, metadata: { case: '7' } });
    const body = {
      ...{ card, amount: 6_000, currency: 'USD', merchant: MERCHANT, entry_mode: 'chip' },
      ...references(),
    };
    const tried = succeeded(await client.post<Transaction & { dry_run: true }>('/v1/transactions?dry_run=true', body));
    expect([answerOf(tried), tried.decision_source, tried.dry_run]).toEqual([
      'declined suspected_fraud, 59',
      'endpoint',
      true,
    ]);
    expect(await transactions()).toEqual([]);
    endpoint.answers(APPROVES);
    expect(answerOf(succeeded(await client.post<Transaction>('/v1/transactions', body)))).toBe('approved 6000, 00');
    expect(endpoint.asked().map((each) => each.dry_run)).toEqual([true, undefined]);
    const [dry, wet] = endpoint.received.map(({ headers }) => headers['webhook-id']);
    expect(dry).not.toBe(wet);
  });
});

describe('the commit decides every rule again', () => {
  test('funds that are gone by then decline, whatever the endpoint says', async () => {
    endpoint.answers((response) => {
      void client
        .post(`/v1/accounts/${account}/holds`, { amount: 95_000 })
        .then(() => response.end(JSON.stringify(APPROVES)));
    });
    const bought = await buy(6_000);
    expect([answerOf(bought), bought.decision_source]).toEqual(['declined insufficient_funds, 51', 'rules']);
    expect(endpoint.received).toHaveLength(1);
  });

  test('an endpoint that is removed meanwhile has said nothing', async () => {
    endpoint.answers((response) => {
      void updateProgram(client, { decision: null }).then(() => response.end(JSON.stringify(SUSPECTED)));
    });
    const bought = await buy(6_000);
    expect([answerOf(bought), bought.decision_source]).toEqual(['approved 6000, 00', 'rules']);
    expect(answerOf(await buy(100))).toBe('approved 100, 00');
    expect(endpoint.received).toHaveLength(1);
  });

  test('an endpoint that takes its place is asked instead', async () => {
    const next = await startDecisionEndpoint();
    try {
      next.answers({ ...APPROVES, approved_amount: 2_000 });
      endpoint.answers((response) => {
        void decidedAt(next.url).then(() => response.end(JSON.stringify(APPROVES)));
      });
      expect(answerOf(await buy(6_000, PARTIAL))).toBe('approved 2000, 10');
      expect([endpoint.received.length, next.received.length]).toEqual([1, 1]);
    } finally {
      await next.close();
    }
  });
});

describe.each`
  standing     | said                                   | held
  ${'decline'} | ${'declined decision_unavailable, 05'} | ${0}
  ${'approve'} | ${'approved 6000, 00'}                 | ${6_000}
`('without an answer the default applies: $standing', ({ standing, said, held }) => {
  beforeEach(() => decidedAt(endpoint.url, standing, SHORT_MS));
  const bySaid = async (body: object = {}) => {
    const bought = await buy(6_000, body);
    expect([answerOf(bought), bought.decision_source, bought.amounts.held]).toEqual([said, 'default', held]);
    return bought;
  };

  test('in time; a repeat gets the first answer, and nobody is asked', async () => {
    endpoint.answers(HANGS);
    const named = references();
    const began = performance.now();
    const bought = await bySaid(named);
    expect(performance.now() - began).toBeGreaterThanOrEqual(SHORT_MS - 5);
    endpoint.answers(APPROVES);
    expect(await buy(6_000, named)).toEqual(bought);
    expect(endpoint.received).toHaveLength(1);
  });

  test.each`
    what                 | answer
    ${'a wrong form'}    | ${{ decision: 'approve' }}
    ${'too much'}        | ${{ ...APPROVES, metadata: { note: 'n'.repeat(501) } }}
    ${'a status of 500'} | ${(response: ServerResponse) => response.writeHead(500).end(JSON.stringify(APPROVES))}
    ${'one that drips'}  | ${DRIPS}
    ${'one that floods'} | ${FLOODS}
    ${'a redirect'}      | ${(response: ServerResponse) => response.writeHead(302, { location: '/' }).end()}
  `('but $what', async ({ answer }) => {
    endpoint.answers(answer);
    await bySaid();
    expect(endpoint.received).toHaveLength(1);
  });

  test('metadata that do not fit beside those of the transaction', async () => {
    const full = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`k${at}`, 'v']));
    endpoint.answers({ ...APPROVES, metadata: full });
    const { id } = await buy(1_000);
    endpoint.answers({ ...APPROVES, metadata: { one: 'more' } });
    const { decision_source, metadata } = await tell(client, id, 'increment', { amount: 1 });
    expect([decision_source, metadata]).toEqual(['default', full]);
  });

  test('where connections break off: after five the breaker is open, and a probe finds out that it is back', async () => {
    endpoint.answers((response) => response.destroy());
    for (let failure = 0; failure < 5; failure++) await release(await bySaid());
    expect(endpoint.received).toHaveLength(5);
    endpoint.answers({ ...APPROVES, approved_amount: 10 });
    await release(await bySaid());
    expect(endpoint.received).toHaveLength(5);
    await until(async () => (await buy(11, PARTIAL)).decision_source === 'endpoint');
    expect(answerOf(await buy(11, PARTIAL))).toBe('approved 10, 10');
  });

  /** So that each has the funds of the first. */
  async function release({ id, amounts }: Transaction): Promise<void> {
    if (amounts.held > 0) await tell(client, id, 'reverse');
  }
});

test('beyond 64 open questions of a book the default applies at once', async () => {
  await updateProgram(client, { decision: { url: endpoint.url, default: 'approve', timeout_ms: 2_000 } });
  const held: (() => void)[] = [];
  endpoint.answers((response) => {
    held.push(() => response.end(JSON.stringify({ ...APPROVES, approved_amount: 5 })));
  });
  // The first message of a book finds out that it has an endpoint.
  const open = Array.from({ length: 64 }, () => buy(10, PARTIAL));
  await endpoint.arrivals(64);
  expect((await buy(10)).decision_source).toBe('default');
  for (const answer of held) answer();
  expect(new Set((await Promise.all(open)).map(answerOf))).toEqual(new Set(['approved 5, 10']));
  expect(endpoint.received).toHaveLength(64);
});

test('a private address is not asked', async () => {
  const refused = await client.patch<Problem>('/v1/cards/program', {
    decision: { url: 'https://10.0.0.1/', default: 'approve' },
  });
  expect([refused.status, refused.body.code]).toEqual([422, 'webhook_url_forbidden']);
});

test('decisions are counted once each, by what decided, and questions by their outcome', async () => {
  const samples = async () => {
    const text = await product.runtime.metrics.render();
    const found = text.matchAll(/^countinghouse_(card_decisions|decision_questions)_total\{([^}]*)\} (\d+)$/gm);
    return new Map([...found].map(([, name, labels, value]) => [`${name} ${labels}`, Number(value)]));
  };
  const before = await samples();
  const asked = { card, amount: 6_000, ...references() };
  await requestPurchase(client, asked);
  await requestPurchase(client, asked);
  await client.post('/v1/transactions?dry_run=true', {
    ...{ card, amount: 100, currency: 'USD', entry_mode: 'chip', merchant: MERCHANT },
    ...references(),
  });
  await buy(1_000_000);
  endpoint.answers({ decision: 'perhaps' });
  await buy(100);
  const after = await samples();
  const grown = [...after].map(([name, value]) => [name, value - (before.get(name) ?? 0)] as const);
  expect(Object.fromEntries(grown.filter(([, value]) => value > 0))).toEqual({
    'card_decisions by="endpoint",decision="approved"': 1,
    'card_decisions by="rules",decision="declined"': 1,
    'card_decisions by="default",decision="declined"': 1,
    'decision_questions outcome="answered"': 2,
    'decision_questions outcome="wrong_form"': 1,
  });
});
