/** Files that are answered piece by piece: whole, unfinished, refused, and to a client that leaves. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { until } from '../../../scripts/harness/until.ts';
import { type BookUsage, InFlight } from '../../../src/http/limits/in-flight.ts';
import { RequestContext, type RequestContextParts } from '../../../src/http/pipeline/request-context.ts';
import { createLogger } from '../../../src/process/log.ts';

const parts: RequestContextParts = {
  log: createLogger('silent', 'api'),
  addressOf: () => '127.0.0.1',
  metrics: { observeRequest: () => undefined } as unknown as RequestContextParts['metrics'],
};
let server: Server | undefined;
afterEach(() => server?.close());

/** Answers every request with the content; what becomes of it is told. */
async function serving(content: () => AsyncIterable<string>) {
  const usage: BookUsage = new InFlight().usageOf('book');
  const ended: unknown[] = [];
  server = createServer((request, response) => {
    const context = new RequestContext(parts, request, response);
    context.enter(usage);
    response.on('close', () => context.leave());
    context
      .sendFile({ contentType: 'text/csv; charset=utf-8', name: 'statement.csv', content: content() }, { status: 200 })
      .then(() => ended.push('done'))
      .catch((error: unknown) => {
        ended.push(error);
        context.send({ status: 500, body: '{}' });
      });
  });
  await new Promise<void>((resolve) => server!.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, usage, ended };
}

test('a file is its pieces, under its name, and nothing of it stays in flight', async () => {
  const { url, usage, ended } = await serving(async function* () {
    for (let piece = 0; piece < 50; piece++) yield `${piece}`.padEnd(64_000, '.');
  });
  const answer = await fetch(url);
  expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8');
  expect(answer.headers.get('content-disposition')).toBe('attachment; filename="statement.csv"');
  expect((await answer.text()).length).toBe(50 * 64_000);
  await until(
    () => Promise.resolve(usage),
    ({ requests, bytes }) => requests === 0 && bytes === 0,
  );
  expect(ended).toEqual(['done']);
});

test('what fails before the first piece is an error like any other', async () => {
  const { url, ended } = await serving(async function* () {
    if (ended.length === 0) throw new Error('no connection');
    yield 'never';
  });
  expect((await fetch(url)).status).toBe(500);
  expect(ended).toEqual([new Error('no connection')]);
});

test('what fails later ends the connection, so that nobody takes a part for the whole', async () => {
  const { url, usage } = await serving(async function* () {
    yield 'a,b\r\n';
    throw new Error('the database has gone');
  });
  await expect(fetch(url).then((answer) => answer.text())).rejects.toThrow();
  await until(
    () => Promise.resolve(usage),
    ({ requests, bytes }) => requests === 0 && bytes === 0,
  );
});

test('a client that leaves ends the reading', async () => {
  let closed = false;
  const { url, usage } = await serving(async function* () {
    try {
      for (;;) yield '.'.repeat(64_000);
    } finally {
      closed = true;
    }
  });
  const leaving = new AbortController();
  const answer = await fetch(url, { signal: leaving.signal });
  await answer.body!.getReader().read();
  leaving.abort();
  await until(() => Promise.resolve(closed), Boolean);
  await until(
    () => Promise.resolve(usage),
    ({ requests, bytes }) => requests === 0 && bytes === 0,
  );
});
