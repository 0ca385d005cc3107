/**
 * Clients that send requests and do not read the answers: their memory is bounded, and other clients are not affected.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Client, succeeded, until } from '../../scripts/harness/client.ts';
import { PATIENCE_MS } from '../../scripts/harness/until.ts';
import { Connections } from '../../src/http/connections/connections.ts';
import {
  ASSURED_BYTES,
  addBytes,
  IN_FLIGHT_LIMITS,
  InFlight,
  PROCESS_BYTES,
  requireRoom,
} from '../../src/http/limits/in-flight.ts';
import { newId } from '../../src/values/ids.ts';
import { type OrganisationKeys, type Product, startProduct } from '../support/product.ts';

let product: Product;
let keys: OrganisationKeys;
let client: Client;

beforeAll(async () => {
  product = await startProduct({
    backend: 'postgres',
    pools: [],
    // Nothing is read here for as long as a slow machine needs to fill a book's limit.
    api: { answerMs: PATIENCE_MS },
    environment: { RATE_LIMIT_READS_PER_SECOND: '100000', RATE_LIMIT_WRITES_PER_SECOND: '100000' },
  });
  ({ keys, client } = await product.organisation());
});
afterAll(() => product?.close());

function open(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.pause();
  return new Promise((resolve) => socket.once('connect', () => resolve(socket)));
}

test('a connection whose answers are not read is no longer read, and continues once they are', async () => {
  const waiting: ServerResponse[] = [];
  let begun = 0;
  let arrived = 0;
  let free = false;
  const serve = (_request: IncomingMessage, response: ServerResponse) => {
    begun++;
    if (free) response.end('x');
    else waiting.push(response);
  };
  const connections = new Connections(serve, { answerMs: PATIENCE_MS });
  const server = createServer((request, response) => {
    arrived++;
    connections.arrived(request, response);
  });
  server.on('connection', (socket) => connections.open(socket));
  await once(server.listen(0), 'listening');
  const socket = await open((server.address() as { port: number }).port);
  const requests = 20_000;
  for (let sent = 0; sent < requests; sent += 100) socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(100));
  await until(
    () => arrived,
    (count) => count > 8,
  );
  // One read of the socket holds this many requests. Another read would come with the next turn of the event loop.
  await new Promise((resolve) => setImmediate(resolve));
  await new Promise((resolve) => setImmediate(resolve));
  expect(begun).toBe(8);
  expect(arrived).toBeLessThan(3_000);
  let answers = 0;
  socket.on('data', (part) => {
    answers += part.toString().split('HTTP/1.1 200').length - 1;
  });
  socket.resume();
  free = true;
  for (const response of waiting) response.end('x');
  await until(
    () => answers,
    (count) => count > requests - 100,
  );
  expect(begun).toBe(requests);
  socket.destroy();
  server.closeAllConnections();
  server.close();
  connections.close();
});

test('an answer that is not read in time closes its connection', async () => {
  const clock = { now: 0 };
  const connections = new Connections((_request, response) => void response.end(Buffer.alloc(32_000_000)), {
    answerMs: 5_000,
    now: () => clock.now,
  });
  const server = createServer((request, response) => connections.arrived(request, response));
  server.on('connection', (socket) => connections.open(socket));
  await once(server.listen(0), 'listening');
  const reader = await open((server.address() as { port: number }).port);
  const idle = await open((server.address() as { port: number }).port);
  const closed = once(reader, 'close');
  reader.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  await once(server, 'request');
  connections.endUnread();
  clock.now += 4_999;
  connections.endUnread();
  expect(reader.destroyed).toBe(false);
  clock.now += 1;
  connections.endUnread();
  reader.resume();
  await closed;
  idle.resume();
  expect(idle.destroyed).toBe(false);
  idle.destroy();
  server.close();
  connections.close();
});

test('a book has a limit of bytes and of requests in flight', () => {
  const inFlight = new InFlight();
  const bookId = newId();
  const usage = inFlight.usageOf(bookId);
  usage.requests = IN_FLIGHT_LIMITS.requests;
  expect(() => inFlight.usageOf(bookId)).toThrow(expect.objectContaining({ code: 'rate_limited' }));
  usage.waiting = 1;
  expect(inFlight.usageOf(bookId)).toBe(usage);
  usage.bytes = IN_FLIGHT_LIMITS.bytes;
  expect(() => inFlight.usageOf(bookId)).toThrow(expect.objectContaining({ headers: { 'Retry-After': '1' } }));
  expect(inFlight.usageOf(newId())).not.toBe(usage);
});

test('greedy books cannot use more than the process has; each book keeps its assured part', () => {
  const inFlight = new InFlight();
  const answer = 64 * 1_024;
  const greedy = Array.from({ length: 20 }, () => inFlight.usageOf(newId()));
  const hasRoom = (usage: (typeof greedy)[number]) => {
    try {
      requireRoom(usage);
      return true;
    } catch (error) {
      expect(error).toMatchObject({ headers: { 'Retry-After': '1' } });
      return false;
    }
  };
  const takeTurns = () => {
    for (let taken = true; taken; ) {
      taken = false;
      for (const usage of greedy) {
        if (!hasRoom(usage)) continue;
        addBytes(usage, answer);
        taken = true;
      }
    }
  };
  takeTurns();
  const total = () => greedy.reduce((sum, { bytes }) => sum + bytes, 0);
  expect(total()).toBeLessThanOrEqual(PROCESS_BYTES);
  for (const { bytes } of greedy) expect(bytes).toBeGreaterThan(PROCESS_BYTES / 25);
  expect(() => requireRoom(greedy[0]!)).toThrow(expect.objectContaining({ code: 'service_unavailable' }));

  const late = inFlight.usageOf(newId());
  for (; late.bytes < ASSURED_BYTES; addBytes(late, answer)) requireRoom(late);
  addBytes(late, PROCESS_BYTES);
  const last = inFlight.usageOf(newId());
  for (; last.bytes < ASSURED_BYTES; addBytes(last, answer)) requireRoom(last);
  expect(hasRoom(last)).toBe(false);

  for (const usage of [...greedy, late]) addBytes(usage, -usage.bytes);
  for (; last.bytes < IN_FLIGHT_LIMITS.bytes; addBytes(last, answer)) requireRoom(last);
  expect(() => requireRoom(last)).toThrow(expect.objectContaining({ code: 'rate_limited' }));
});

test('unread pages fill the limit of their own book only, and closing the connections frees it', async () => {
  const metadata = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`key${index}`, '\u20ac'.repeat(500)]));
  await Promise.all(
    Array.from({ length: 100 }, async (_, index) =>
      succeeded(await client.post('/v1/accounts', { currency: 'JOD', name: `Account ${index}`, metadata })),
    ),
  );
  const port = Number(new URL(product.baseUrl).port);
  const { client: neighbour } = await product.organisation();
  const request = `GET /v1/accounts?limit=100 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${keys.testKey}\r\n\r\n`;
  // Few: the system takes some pages of each connection before the process holds any, and those that are refused meanwhile are
  // none. So more are requested until the process has reached its limit.
  const sockets = await Promise.all(Array.from({ length: 6 }, () => open(port)));
  const refused = await until(
    () => {
      for (const socket of sockets) socket.write(request.repeat(20));
      return client.get('/v1/limits');
    },
    ({ status }) => status === 429,
  );
  expect(refused.body).toMatchObject({ code: 'rate_limited', limit: IN_FLIGHT_LIMITS.bytes });
  expect(refused.headers['retry-after']).toBe('1');
  expect((await neighbour.get('/v1/limits')).status).toBe(200);
  for (const socket of sockets) socket.destroy();
  await until(
    () => client.get('/v1/limits'),
    ({ status }) => status === 200,
  );
});

test('requests with Prefer: wait do not count as in flight', async () => {
  const { client: waiting } = await product.organisation();
  await waiting.openAccount();
  const waits = Array.from({ length: 5 }, () => waiting.requestPayout({ headers: { prefer: 'wait=1' } }));
  for (const held of await Promise.all(waits)) expect(held.status).toBe(202);
});
