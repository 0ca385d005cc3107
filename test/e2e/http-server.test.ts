/** The API as a process: its answers to invalid HTTP, limits shared between processes, and its end. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Client, type List, type Payout, type Problem, until } from '../../scripts/harness/client.ts';
import { startProcess } from '../../scripts/harness/processes.ts';
import { programOf } from '../../scripts/harness/programs.ts';
import { readConfig } from '../../src/config.ts';
import { createLogger } from '../../src/process/log.ts';
import { createRuntime } from '../../src/runtime.ts';
import { startApi } from '../../src/server.ts';
import { makeOrganisation, type Product, startProduct, testEnvironment } from '../support/product.ts';

let product: Product;
beforeAll(async () => {
  product = await startProduct({ backend: 'postgres', pools: [] });
});
afterAll(() => product?.close());

/** Sends bytes and reads until the server closes. */
async function raw(bytes: string): Promise<string> {
  const socket = connect(Number(new URL(product.baseUrl).port), '127.0.0.1');
  let answer = '';
  socket.on('data', (part) => {
    answer += part;
  });
  socket.on('error', () => undefined);
  socket.write(bytes);
  await once(socket, 'close');
  return answer;
}

describe('invalid HTTP', () => {
  test.each`
    what                        | bytes                                                                                      | detail
    ${'a greeting'}             | ${'HELLO\r\n\r\n'}                                                                         | ${'not valid HTTP'}
    ${'TLS'}                    | ${'\u0016\u0003\u0001\u0002\u0000\u0001'}                                                  | ${'not valid HTTP'}
    ${'two lengths'}            | ${'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'}        | ${'not valid HTTP'}
    ${'a length and chunks'}    | ${'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n'} | ${'not valid HTTP'}
    ${'headers without an end'} | ${`GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(40_000)}\r\n\r\n`}                         | ${'too long'}
  `('such as $what is answered with a problem, and the connection is closed', async ({ bytes, detail }) => {
    const answer = await raw(bytes);
    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(answer).toMatch(/\r\nRequest-Id: req_[0-9a-z]{26}\r\n/);
    const problem = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4)) as Problem;
    expect(problem.status).toBe(400);
    expect(problem.detail).toContain(detail);
  });
});

test('a client that disconnects mid-body does no harm', async () => {
  const { keys, client } = await product.organisation();
  const socket = connect(Number(new URL(product.baseUrl).port), '127.0.0.1');
  socket.write(
    `POST /v1/payouts HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${keys.testKey}\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: 500\r\n\r\n`,
  );
  // The server has read the head, and waits for the body.
  await once(socket, 'data');
  await new Promise((resolve) => socket.write('{"amount":', resolve));
  socket.destroy();
  expect((await client.get('/v1/limits')).status).toBe(200);
});

test('an endless body is answered, and the connection is closed', async () => {
  const { keys } = await product.organisation();
  const socket = connect(Number(new URL(product.baseUrl).port), '127.0.0.1');
  let answer = '';
  let sent = 0;
  socket.on('data', (part) => {
    answer += part;
  });
  socket.on('error', () => undefined);
  socket.write(
    `POST /v1/payouts HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${keys.testKey}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`,
  );
  const chunk = `10000\r\n${' '.repeat(65_536)}\r\n`;
  const closed = new Promise((resolve) => socket.once('close', resolve));
  const pump = setInterval(() => {
    for (let index = 0; index < 16 && socket.writable; index++) {
      socket.write(chunk);
      sent += 65_536;
    }
  }, 1);
  await closed;
  clearInterval(pump);
  expect(answer).toMatch(/^HTTP\/1\.1 413 /);
  expect(sent).toBeGreaterThan(1_048_576);
});

describe('a taken port', () => {
  test('is an error that names PORT', async () => {
    const port = Number(new URL(product.baseUrl).port);
    const config = readConfig({ ...testEnvironment(product.database, undefined), PORT: String(port) });
    const runtime = createRuntime(config, createLogger('silent', 'test'));
    await expect(startApi(runtime)).rejects.toMatchObject({
      name: 'ListenError',
      code: 'EADDRINUSE',
      message: expect.stringContaining(`PORT: ${port} is taken`),
    });
    await runtime.close();
  });

  test('with an unavailable host names HOST', async () => {
    const config = readConfig({ ...testEnvironment(product.database, undefined), HOST: '203.0.113.1' });
    const runtime = createRuntime(config, createLogger('silent', 'test'));
    await expect(startApi(runtime)).rejects.toMatchObject({
      name: 'ListenError',
      message: expect.stringContaining('HOST: 203.0.113.1'),
    });
    await runtime.close();
  });
});

test('links in answers use the address on which the API listens', async () => {
  const { client } = await product.organisation();
  const { body } = await client.get<Problem>('/v1/payouts/po_x');
  expect(body.type).toBe(`${product.baseUrl}/docs/errors/resource_not_found`);
  expect((await fetch(body.type)).status).toBe(200);
});

const REFERENCE = [
  ...['/openapi.json', '/docs', '/docs/assets/api-reference.js', '/docs/assets/reference.css'],
  ...['/docs/guides', '/docs/cards', '/docs/errors', '/docs/errors/insufficient_funds'],
];

/** What an API tells of itself, but for where it listens. */
async function referenceOf(url: string) {
  return Promise.all(
    REFERENCE.map(async (path) => {
      const answer = await fetch(`${url}${path}`);
      const body = (await answer.text()).replaceAll(url, '');
      return { path, status: answer.status, type: answer.headers.get('content-type'), body };
    }),
  );
}

describe('a process that receives SIGTERM', () => {
  test('answers held requests, is not ready, and exits with 0', async () => {
    const api = await startProcess('api', testEnvironment(product.database, undefined, { DRAIN_TIMEOUT_MS: '20000' }));
    const { testKey } = await makeOrganisation(product.runtime.pool);
    const client = new Client(api.url, testKey);
    await client.openAccount();
    // The same from the bundle of a build, which looks for examples, guides and assets from where it lies itself.
    const reference = await referenceOf(api.url);
    expect(reference.map(({ status }) => status)).toEqual(REFERENCE.map(() => 200));
    expect(reference).toEqual(await referenceOf(product.baseUrl));
    // Longer than the process may drain.
    const held = client.requestPayout({ headers: { prefer: 'wait=30' } });
    await until(async () => (await client.read<List<Payout>>('/v1/payouts')).data.length === 1);
    const ended = api.terminate();
    const answer = await held;
    expect(answer.status).toBe(202);
    expect(answer.body.status).toBe('pending');
    // Rejects unless the process ends with 0.
    await ended;
    await client.close();
  });
});

test('a process without a usable configuration says what is missing, and exits with 1', async () => {
  const environment = testEnvironment(product.database, undefined);
  const [unset, owner, away, taken] = await Promise.all([
    startAndFail({ ...environment, DATABASE_URL: '' }),
    startAndFail({ ...environment, DATABASE_URL: product.database.ownerUrl }),
    startAndFail({ ...environment, DATABASE_URL: 'postgres://x:y@127.0.0.1:1/z' }),
    startAndFail({ ...environment, PORT: new URL(product.baseUrl).port }),
  ]);
  expect(unset).toEqual({
    code: 1,
    said: expect.stringMatching(/^The configuration has a fault:\n {2}DATABASE_URL: is not set/),
  });
  expect(owner).toEqual({
    code: 1,
    said: expect.stringMatching(/^The role countinghouse_owner of DATABASE_URL owns/),
  });
  expect(away).toEqual({ code: 1, said: expect.stringMatching(/^DATABASE_URL: the database does not answer/) });
  expect(taken).toEqual({ code: 1, said: expect.stringMatching(/^PORT: \d+ is taken/) });
});

/** Runs the API until it exits. */
async function startAndFail(environment: Record<string, string>): Promise<{ code: number | null; said: string }> {
  const child = spawn(process.execPath, programOf('src/server.ts'), {
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (part) => {
    said += part;
  });
  await once(child, 'exit');
  return { code: child.exitCode, said };
}
