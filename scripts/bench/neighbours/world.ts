/** The product with a well-behaved book and room for hostile ones, under the default limits. New for each scenario. */
import { setTimeout as delay } from 'node:timers/promises';
import type { BookId } from '../../../src/ledger/book/book.ts';
import { newSecret } from '../../../src/values/standard-webhooks.ts';
import { type ApiClient, createApiClient, openFundedAccounts, payoutRequest } from '../api-client.ts';
import { arrived } from '../arrivals.ts';
import type { BenchContext } from '../bench.ts';
import { issueKey, openBook } from '../book.ts';
import { type Helper, type ProductProcess, startApiProcess, startHelper, startWorkerProcess } from '../children.ts';
import { sendPosts } from '../http-load.ts';
import type { Received } from '../receiver.ts';
import { type Stage, setStage } from '../stage.ts';
import type { Attack, HostileQuestion, Outcomes } from './attack.ts';
import type { Seen } from './bars.ts';
import type { OutsideQuestion } from './outside.ts';
import { type Sent, seenOf, sendSteadily } from './well-behaved.ts';

/** The pool that calls strangers' servers has a process of its own, as in docs/operations.md. */
const POOLS_OF_WORKERS = [['ledger', 'rails', 'payments', 'sweeper'], ['webhooks']];
const ACCOUNTS = 100;
const HOSTILE_ACCOUNTS = 10;
/** Compilers, caches and connections are warm after these. */
const WARM_UP_PAYOUTS = 2_000;
/** More than any of these benches uses; the limiter counts all the same. */
const RAISED = { writesPerSecond: 1_000_000, readsPerSecond: 1_000_000 };
/** How long a book's last webhooks are awaited after its load has ended. */
const WAIT_AT_MOST_MS = 60_000;

export interface HostileBook {
  readonly id: BookId;
  /** Has the default limits of a key. */
  readonly key: string;
  /** Has a key of higher limits, for setup that a real book did long before. */
  readonly client: ApiClient;
  readonly accounts: readonly string[];
}

export interface World {
  readonly stage: Stage;
  readonly api: ProductProcess;
  readonly workers: readonly ProductProcess[];
  /**
   * Carries this many payouts as fast as they go. Resolves to payouts a second, from the first request to the last
   * webhook.
   */
  carry(payouts: number): Promise<number>;
  /** Runs the well-behaved book at a steady rate, until its last webhook has arrived or its wait has ended. */
  observe(load: { perSecond: number; seconds: number }): Promise<Seen>;
  openHostileBook(): Promise<HostileBook>;
  attack(attack: Attack): Promise<void>;
  endAttacks(): Promise<Outcomes>;
  outside(question: OutsideQuestion): Promise<number>;
}

/** What a scenario finds outside. */
export interface Surroundings {
  /** `host:port` pairs beside 127.0.0.1 that webhooks may reach. */
  readonly allowHosts?: readonly string[];
  /** Payments of the test books go to a gateway whose calls take so long. Otherwise to the sandbox acquirer. */
  readonly gatewayDelayMs?: number;
  /** That gateway reports the outcome of no payment. */
  readonly gatewayIsSilent?: boolean;
}

export async function openWorld(
  { closing, queue, profile }: BenchContext,
  { allowHosts = [], gatewayDelayMs, gatewayIsSilent = false }: Surroundings = {},
): Promise<World> {
  const outside = startHelper(closing, 'neighbours/outside');
  const hostile = startHelper(closing, 'neighbours/hostile');
  const receivers = { paid: startHelper(closing, 'receiver'), returned: startHelper(closing, 'receiver') };
  const ask = (question: OutsideQuestion) => outside.ask<number>(question);
  const plain = await setStage(closing, { queue, profile });
  const { RATE_LIMIT_WRITES_PER_SECOND, RATE_LIMIT_READS_PER_SECOND, ...environment } = plain.environment;
  const stage: Stage = {
    ...plain,
    environment: {
      ...environment,
      WEBHOOK_ALLOW_HOSTS: ['127.0.0.1:*', ...allowHosts].join(','),
      WEBHOOK_DNS_SERVERS: `127.0.0.1:${await ask({ ask: 'name server' })}`,
      ...(gatewayDelayMs === undefined
        ? {}
        : await gatewayEnvironment(ask, { delayMs: gatewayDelayMs, isSilent: gatewayIsSilent })),
    },
  };
  const bookId = await openBook(stage.pool, 'Well-behaved');
  const key = await issueKey(stage.pool, bookId, RAISED);
  const api = await startApiProcess(stage);
  const client = createApiClient(api.url, key);
  const accounts = await openFundedAccounts(client, ACCOUNTS);
  for (const [name, receiver] of Object.entries(receivers)) {
    const url = `http://127.0.0.1:${await receiver.ask<number>({ ask: 'port' })}/`;
    await client.post('/v1/webhooks', { url, events: [`payout.${name}`] });
  }
  const workers = await Promise.all(POOLS_OF_WORKERS.map((pools) => startWorkerProcess(stage, pools)));
  /** Webhooks expected in all. */
  const expected = { paid: 0, returned: 0 };
  let hostileBooks = 0;

  async function carry(payouts: number): Promise<number> {
    const began = Date.now();
    await sendPosts({ url: api.url, key, bodies: accounts.map(payoutRequest), requests: payouts });
    expected.paid += payouts;
    await arrived(receivers.paid, expected.paid);
    const { times } = await receivers.paid.ask<Received>({ ask: 'received' });
    return payouts / ((times.at(-1)! - began) / 1_000);
  }

  async function observe(load: { perSecond: number; seconds: number }) {
    const sent: Sent[] = await sendSteadily({ url: api.url, key, accounts, ...load });
    const accepted = sent.filter(({ id }) => id !== null);
    expected.paid += accepted.length;
    expected.returned += accepted.filter(({ returns }) => returns).length;
    const deadline = performance.now() + WAIT_AT_MOST_MS;
    for (const name of ['paid', 'returned'] as const) await arrivedBefore(receivers[name], expected[name], deadline);
    const got = {
      paid: await receivers.paid.ask<Received>({ ask: 'received' }),
      returned: await receivers.returned.ask<Received>({ ask: 'received' }),
      abandonedAt: Date.now(),
    };
    return seenOf(sent, got);
  }

  async function openHostileBook(): Promise<HostileBook> {
    // An organisation is found by its name, so each has a name of its own.
    const id = await openBook(stage.pool, `Hostile ${++hostileBooks}`);
    const client = createApiClient(api.url, await issueKey(stage.pool, id, RAISED));
    return {
      id,
      key: await issueKey(stage.pool, id),
      client,
      accounts: await openFundedAccounts(client, HOSTILE_ACCOUNTS),
    };
  }

  await carry(WARM_UP_PAYOUTS);
  return {
    stage,
    api,
    workers,
    carry,
    observe,
    openHostileBook,
    async attack(attack) {
      await hostile.ask<true>({ ask: 'begin', attack } satisfies HostileQuestion);
    },
    endAttacks: () => hostile.ask<Outcomes>({ ask: 'end' } satisfies HostileQuestion),
    outside: ask,
  };
}

/** A partner's gateway for test books, which takes card numbers. */
async function gatewayEnvironment(
  ask: World['outside'],
  kind: { delayMs: number; isSilent: boolean },
): Promise<Record<string, string>> {
  const secret = newSecret();
  return {
    ACQUIRER_HTTP_NAME: 'bench_gateway',
    ACQUIRER_HTTP_URL: `http://127.0.0.1:${await ask({ ask: 'gateway', secret, ...kind })}`,
    ACQUIRER_HTTP_SECRETS: secret,
    ACQUIRER_HTTP_MODE: 'test',
    ACQUIRER_HTTP_CARD_DATA: 'true',
  };
}

async function arrivedBefore(receiver: Helper, count: number, deadline: number): Promise<void> {
  while (performance.now() < deadline && (await receiver.ask<number>({ ask: 'count' })) < count) await delay(20);
}
