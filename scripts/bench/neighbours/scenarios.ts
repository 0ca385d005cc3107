/** The hostile neighbours, one scenario each. They do no more than a key with the default limits can (API.md §9). */
import { setTimeout as delay } from 'node:timers/promises';
import { METADATA_LIMITS } from '../../../src/api/schemas/fields.ts';
import { payoutRequest } from '../api-client.ts';
import { openAccounts } from '../book.ts';
import { UPDATES_FIELD } from './bars.ts';
import { manyMembers } from './large-bodies.ts';
import {
  countBehind,
  countUpdatedDeliveries,
  countWaitingDeliveries,
  insertUnbookableNotices,
  markTransaction,
  putBehind,
} from './notices-and-deliveries-store.ts';
import type { HostileBook, Surroundings, World } from './world.ts';

export interface Scenario extends Surroundings {
  readonly name: string;
  /**
   * Resolves when the neighbour is at work, for at least this many seconds. The function returned is called after the
   * measurement, and gives figures of this scenario alone.
   */
  begin(world: World, seconds: number): Promise<(() => Promise<Record<string, number>>) | undefined>;
}

/** The default limits of a key. */
const WRITES_PER_SECOND = 100;
const READS_PER_SECOND = 400;
/** Above the limit, so that the limit is reached. */
const ABOVE = 1.2;
/** Connections of a client of the usual size. */
const CONNECTIONS = 64;

const ENDPOINTS_PER_BOOK = 50;
/** Limit until all silent receivers are known; an attempt at one takes 15 s. */
const FOUND_OUT_MS = 60_000;
const POLL_MS = 200;

export const SCENARIOS: readonly Scenario[] = [
  {
    name: 'writes',
    async begin(world) {
      await makePayouts(world, await world.openHostileBook(), WRITES_PER_SECOND * ABOVE);
      return undefined;
    },
  },
  {
    name: 'filters',
    async begin(world) {
      const book = await world.openHostileBook();
      const pairs = Array.from({ length: METADATA_LIMITS.keys }, (_, index) => `k${index}`);
      // Each pair is on half of the accounts, and each on another half.
      await openAccounts(world.stage.pool, book.id, {
        count: 20_000,
        metadata: (number) => Object.fromEntries(pairs.slice(0, 10).map((key, bit) => [key, `${(number >> bit) & 1}`])),
      });
      await world.carry(WORK_THROUGH_PAYOUTS);
      const filter = (count: number) =>
        Array.from({ length: count }, (_, index) => `metadata[k${index}]=${index % 2}`).join('&');
      const paths = [
        `/v1/accounts?limit=100&${filter(5)}`,
        `/v1/accounts?limit=100&${filter(400)}`,
        `/v1/payouts?limit=100&${filter(5)}`,
        `/v1/accounts?limit=100&${filter(10)}`,
        `/v1/payouts?limit=100&${filter(400)}`,
      ];
      await world.attack({
        kind: 'requests',
        url: world.api.url,
        key: book.key,
        requests: paths.map((path) => ({ method: 'GET', path })),
        connections: CONNECTIONS,
        rates: [{ perSecond: READS_PER_SECOND * ABOVE, seconds: 1 }],
      });
      return undefined;
    },
  },
  {
    name: 'large_bodies',
    async begin(world, seconds) {
      const { key } = await world.openHostileBook();
      await world.attack({
        kind: 'requests',
        url: world.api.url,
        key,
        requests: manyMembers().map((body) => ({ method: 'POST', path: '/v1/payouts', body })),
        connections: CONNECTIONS,
        rates: [
          { perSecond: 6, seconds: seconds / 2 },
          { perSecond: WRITES_PER_SECOND, seconds: seconds / 2 },
        ],
      });
      return undefined;
    },
  },
  {
    name: 'unread_answers',
    async begin(world) {
      const book = await world.openHostileBook();
      const { keys, value } = METADATA_LIMITS;
      const metadata = Object.fromEntries(Array.from({ length: keys }, (_, key) => [`key${key}`, 'x'.repeat(value)]));
      await openAccounts(world.stage.pool, book.id, { count: 200, metadata: () => metadata });
      await world.carry(WORK_THROUGH_PAYOUTS);
      const path = '/v1/accounts?limit=100';
      const { url } = world.api;
      await world.attack({ kind: 'unread', url, key: book.key, path, connections: 300, perSecond: READS_PER_SECOND });
      return undefined;
    },
  },
  {
    name: 'slow_receiver',
    async begin(world) {
      const book = await world.openHostileBook();
      const port = await world.outside({ ask: 'listen', as: 'slow', hosts: ['127.0.0.1'] });
      await openEndpoints(book, [`http://127.0.0.1:${port}/`]);
      await makePayouts(world, book, WRITES_PER_SECOND * ABOVE);
      return undefined;
    },
  },
  {
    name: 'dead_dns',
    async begin(world) {
      const book = await world.openHostileBook();
      const names = Array.from({ length: ENDPOINTS_PER_BOOK }, (_, index) => `hooks-${index}.neighbour-bench.example`);
      await openEndpoints(
        book,
        names.map((name) => `http://${name}/`),
      );
      // Each payout goes to all of the endpoints: five hundred deliveries a second.
      await makePayouts(world, book, 10);
      return undefined;
    },
  },
  endpointsHalfDead(),
  {
    name: 'unbookable_notices',
    async begin(world) {
      const book = await world.openHostileBook();
      await insertUnbookableNotices(world.stage.pool, book.id, 6_000);
      return undefined;
    },
  },
  {
    name: 'waiting_deliveries',
    async begin(world, seconds) {
      const { pool } = world.stage;
      const book = await world.openHostileBook();
      const port = await world.outside({ ask: 'closed port' });
      const urls = Array.from({ length: 4 }, (_, index) => `http://127.0.0.1:${port}/${index}`);
      await openEndpoints(book, urls, ['account.created']);
      await openAccounts(pool, book.id, { count: 200_000 / urls.length });
      const waiting = await countWaitingDeliveries(pool, book.id);
      await world.carry(WORK_THROUGH_PAYOUTS);
      await putBehind(pool, book.id);
      const mark = await markTransaction(pool);
      return async () => ({
        waiting_deliveries: waiting,
        [UPDATES_FIELD]: (await countUpdatedDeliveries(pool, book.id, mark)) / seconds,
      });
    },
  },
  {
    name: 'idle_connections',
    async begin(world) {
      const { key } = await world.openHostileBook();
      await world.attack({ kind: 'idle', url: world.api.url, key, silent: 4_000, halfHeaders: 500, halfBodies: 500 });
      return undefined;
    },
  },
  {
    name: 'endless_uploads',
    async begin(world) {
      const { key, accounts } = await world.openHostileBook();
      const item = JSON.stringify(payoutRequest(accounts[0]!));
      await world.attack({ kind: 'uploads', url: world.api.url, key, item, connections: 8 });
      return undefined;
    },
  },
];

/**
 * 1,000 endpoints of twenty books, each at an address of its own: half answer, a quarter are silent, a quarter refuse.
 */
function endpointsHalfDead(): Scenario {
  const books = 20;
  const kinds = ['fast', 'silent', 'fast', 'refused'] as const;
  const endpoints = Array.from({ length: books * ENDPOINTS_PER_BOOK }, (_, number) => ({
    host: `127.1.${Math.floor(number / ENDPOINTS_PER_BOOK)}.${(number % ENDPOINTS_PER_BOOK) + 1}`,
    book: Math.floor(number / ENDPOINTS_PER_BOOK),
    kind: kinds[number % kinds.length]!,
  }));
  return {
    name: 'endpoints_half_dead',
    allowHosts: endpoints.map(({ host }) => `${host}:*`),
    async begin(world) {
      const hostsOf = (kind: string) => endpoints.filter((endpoint) => endpoint.kind === kind).map(({ host }) => host);
      const ports = {
        fast: await world.outside({ ask: 'listen', as: 'fast', hosts: hostsOf('fast') }),
        silent: await world.outside({ ask: 'listen', as: 'silent', hosts: hostsOf('silent') }),
        refused: await world.outside({ ask: 'closed port' }),
      };
      for (let number = 0; number < books; number++) {
        const book = await world.openHostileBook();
        const own = endpoints.filter((endpoint) => endpoint.book === number);
        await openEndpoints(
          book,
          own.map(({ host, kind }) => `http://${host}:${ports[kind]}/`),
        );
        // Each payout goes to fifty endpoints: a thousand deliveries a second in all.
        await makePayouts(world, book, 1);
      }
      // The measurement begins when the product knows which half of the endpoints is dead.
      const dead = hostsOf('silent').length + hostsOf('refused').length;
      const until = performance.now() + FOUND_OUT_MS;
      while ((await countBehind(world.stage.pool)) < dead) {
        if (performance.now() > until)
          throw new Error(`Fewer than ${dead} endpoints are known to be dead after a minute`);
        await delay(POLL_MS);
      }
      return undefined;
    },
  };
}

/**
 * Setup makes at once what would come over hours: the product works through the rest while it carries these payouts.
 */
const WORK_THROUGH_PAYOUTS = 500;

async function openEndpoints(
  { client }: HostileBook,
  urls: readonly string[],
  events: readonly string[] = ['payout.paid'],
): Promise<void> {
  await Promise.all(urls.map((url) => client.post('/v1/webhooks', { url, events })));
}

async function makePayouts(world: World, book: HostileBook, perSecond: number): Promise<void> {
  await world.attack({
    kind: 'requests',
    url: world.api.url,
    key: book.key,
    requests: book.accounts.map((account) => ({
      method: 'POST',
      path: '/v1/payouts',
      body: JSON.stringify(payoutRequest(account)),
    })),
    connections: CONNECTIONS,
    rates: [{ perSecond, seconds: 1 }],
  });
}
