/** The three shapes of a use case, as routes of a real API: outside before the commit, outside first, outside after it. */
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { until } from '../../scripts/harness/client.ts';
import { type RouteRequest, route } from '../../src/api/route.ts';
import { askedBy, runUseCase } from '../../src/api/run-use-case.ts';
import { waitFor } from '../../src/api/waits.ts';
import { ApiError } from '../../src/errors/errors.ts';
import type { UseCase } from '../../src/idempotency/use-case.ts';
import { RowLoads } from '../../src/ledger/rows/row-loads.ts';
import { type PayoutInput, type PayoutRuntime, requestPayout } from '../../src/payouts/payout/accept-payout.ts';
import { payoutResource } from '../../src/payouts/payout/payout-resource.ts';
import { payouts } from '../../src/payouts/payout/payout-table.ts';
import { RecentSingles } from '../../src/payouts/payout/recent-singles.ts';
import { reservePayouts } from '../../src/payouts/payout/reserve-payouts.ts';
import { type Api, startApi } from '../../src/server.ts';
import { type Gate, gate } from '../support/gate.ts';
import { type OrganisationKeys, type Product, startProduct } from '../support/product.ts';

let product: Product;
let keys: OrganisationKeys;
let api: Api;
let stopping: Promise<void> | undefined;

beforeAll(async () => {
  product = await startProduct({ backend: 'postgres', pools: [] });
  const organisation = await product.organisation();
  keys = organisation.keys;
  await organisation.client.openAccount({ funds: 1_000_000 });
});
afterAll(() => product?.close());

/** What the outside was told, and what it waits for. */
let told: string[];
let outside: Gate;
beforeEach(async () => {
  told = [];
  outside = gate();
  stopping = undefined;
  api = await startApi(product.runtime, { routes });
});
afterEach(async () => {
  outside.open();
  await stopApi();
});

/** Once: a test may stop it by itself. */
function stopApi(): Promise<void> {
  stopping ??= api.close();
  return stopping;
}

type Case = UseCase<PayoutRuntime, PayoutInput>;

/** As a card decision: the processor is asked before the commit, and moves nothing. */
const decided: Case = {
  async prepare(runtime, input) {
    told.push(`decide ${input.amount}`);
    if (input.amount > 5_000n) throw new ApiError('rail_unavailable', { detail: 'Declined.' });
    return requestPayout.prepare(runtime, input);
  },
};

/** As a simulation: the outside is told before the commit, so a repeat must not tell it again. */
const toldFirst: Case = { ...decided, keyFirst: true };

/** As an acquirer: it is called once the row is committed, and its answer is a command of its own. */
const followed: Case = {
  async prepare(runtime, input) {
    const { command } = await requestPayout.prepare(runtime, input);
    return {
      command,
      async follow({ resourceId }) {
        told.push('capture');
        await outside.promise;
        const reserving = {
          ...product.runtime,
          singles: new RecentSingles(),
          payouts: new RowLoads(product.runtime.pool, payouts),
        };
        await reservePayouts(reserving, input.bookId, [resourceId!]);
      },
    };
  },
};

function handle(useCase: Case) {
  return (request: RouteRequest) =>
    runUseCase(request, useCase, {
      ...askedBy(request),
      mode: request.principal.mode,
      amount: BigInt(request.params.amount!),
      currency: 'JOD',
      destination: { type: 'cliq', alias: 'A' },
      dryRun: request.params.amount === '7',
    });
}

const planted = { method: 'post', tag: 'Payouts', summary: 'Planted', scope: null, responses: {} } as const;
const amount = { amount: 'text' } as const;
const waits = waitFor(payoutResource, { defaultSeconds: 20 });
const routes = [
  route({ ...planted, path: '/decided/:amount', operation: 'a', params: amount, handle: handle(decided) }),
  route({ ...planted, path: '/told_first/:amount', operation: 'b', params: amount, handle: handle(toldFirst) }),
  route({ ...planted, path: '/followed/:amount', operation: 'c', params: amount, handle: handle(followed) }),
  route({
    ...planted,
    path: '/followed_first/:amount',
    operation: 'd',
    params: amount,
    handle: handle({ ...followed, answers: 'after_follow' }),
  }),
  route({ ...planted, path: '/waits/:amount', operation: 'e', params: amount, waits, handle: handle(followed) }),
];

async function ask(path: string, headers: Record<string, string> = {}) {
  const response = await fetch(`${api.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${keys.testKey}`, 'idempotency-key': randomUUID(), ...headers },
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: JSON.parse(text) };
}

const statusOf = async (text: string) => {
  const endToEndId = JSON.parse(text).end_to_end_id;
  const { rows } = await product.runtime.pool.query('SELECT status FROM payouts WHERE end_to_end_id = $1', [
    endToEndId,
  ]);
  return rows[0]?.status;
};

describe('outside before the commit', () => {
  test('asks, then commits', async () => {
    const { status, text } = await ask('/decided/1000');
    expect([status, told, await statusOf(text)]).toEqual([202, ['decide 1000'], 'pending']);
  });

  test('what it declines is no command', async () => {
    expect((await ask('/decided/6000')).body).toMatchObject({ code: 'rail_unavailable', detail: 'Declined.' });
  });

  test('asks again on a repeat, whose answer is the first', async () => {
    const key = { 'idempotency-key': randomUUID() };
    const first = await ask('/decided/1000', key);
    const again = await ask('/decided/1000', key);
    expect(again.text).toBe(first.text);
    expect(told).toHaveLength(2);
  });
});

describe('outside first', () => {
  test('tells it once, however often the request is repeated', async () => {
    const key = { 'idempotency-key': randomUUID() };
    const first = await ask('/told_first/1000', key);
    const again = await ask('/told_first/1000', key);
    expect(again.text).toBe(first.text);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect((await ask('/told_first/1001', key)).body).toMatchObject({ code: 'idempotency_key_reused' });
    expect(told).toEqual(['decide 1000']);
  });
});

describe('outside after the commit', () => {
  test('the answer does not wait for it', async () => {
    const { status, text } = await ask('/followed/1000');
    expect([status, told, await statusOf(text)]).toEqual([202, ['capture'], 'pending']);
    outside.open();
    await until(
      () => statusOf(text),
      (now) => now === 'processing',
    );
  });

  test('or it does, where the use case says so', async () => {
    const asked = ask('/followed_first/1000');
    await until(
      () => Promise.resolve(told),
      ({ length }) => length === 1,
    );
    outside.open();
    const { status, text, body } = await asked;
    expect([status, body.status, await statusOf(text)]).toEqual([202, 'pending', 'processing']);
  });

  test('a failure of it is no failure of the request', async () => {
    outside.breakWith(new Error('the acquirer is away'));
    expect((await ask('/followed_first/1000')).status).toBe(202);
  });

  test.each`
    path                      | headers | why
    ${'/followed/7'}          | ${{}}   | ${'a dry run'}
    ${'/followed/9999999999'} | ${{}}   | ${'a refusal'}
  `('nothing follows $why', async ({ path, headers }) => {
    await ask(path, headers);
    expect(told).toEqual([]);
  });

  test('nothing follows a replay', async () => {
    const key = { 'idempotency-key': randomUUID() };
    const first = await ask('/followed/1000', key);
    expect((await ask('/followed/1000', key)).text).toBe(first.text);
    expect(told).toEqual(['capture']);
  });

  test('a process that stops finishes it', async () => {
    const { text } = await ask('/followed/1000');
    let closed = false;
    const closing = stopApi().then(() => {
      closed = true;
    });
    await until(
      () =>
        fetch(`${api.url}/livez`).then(
          () => 'up',
          () => 'down',
        ),
      (now) => now === 'down',
    );
    expect([closed, await statusOf(text)]).toEqual([false, 'pending']);
    outside.open();
    await closing;
    expect(await statusOf(text)).toBe('processing');
  });

  test('but not beyond its limit', async () => {
    const impatient = { ...product.runtime, config: { ...product.runtime.config, DRAIN_TIMEOUT_MS: 100 } };
    await stopApi();
    stopping = undefined;
    api = await startApi(impatient, { routes });
    const { text } = await ask('/followed/1000');
    await stopApi();
    expect(await statusOf(text)).toBe('pending');
  });
});

describe('a route that waits by default', () => {
  test('shows the object once it has left its first status; the stored answer stays the first', async () => {
    const key = { 'idempotency-key': randomUUID() };
    outside.open();
    const first = await ask('/waits/1000', key);
    expect(first.body.status).toBe('processing');
    expect(first.headers.get('preference-applied')).toBeNull();
    const at = { ...key, prefer: 'respond-async' };
    const stored = await ask('/waits/1000', at);
    expect(stored.body).toMatchObject({ id: first.body.id, status: 'pending' });
    expect(stored.headers.get('preference-applied')).toBe('respond-async');
    const again = await ask('/waits/1000', key);
    expect(again.body).toMatchObject({ id: first.body.id, status: 'processing' });
    expect(again.headers.get('idempotent-replayed')).toBe('true');
  });

  test('answers at once where the client prefers it', async () => {
    const { body, headers } = await ask('/waits/1000', { prefer: 'respond-async' });
    expect([body.status, headers.get('preference-applied')]).toEqual(['pending', 'respond-async']);
  });

  test('waits no longer than the client says', async () => {
    const { body, headers } = await ask('/waits/1000', { prefer: 'wait=0' });
    expect([body.status, headers.get('preference-applied')]).toEqual(['pending', 'wait=0']);
  });

  test('does not wait for a refusal', async () => {
    expect((await ask('/waits/9999999999')).body.code).toBe('insufficient_funds');
  });
});

test('what a wait shows is the row as its table loads it', async () => {
  outside.open();
  const { body } = await ask('/waits/1000');
  const rows = await payouts.load(product.runtime.pool, keys.testBookId, []);
  expect(rows.size).toBe(0);
  expect(body).toMatchObject({ object: 'payout', version: 2, waiting_on: 'rail' });
});
