import { type ChildProcess, spawn } from 'node:child_process';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { programOf } from '../../../scripts/harness/programs.ts';
import { createSigningKey, newSecret, sign, verify } from '../../../src/values/standard-webhooks.ts';

const secret = newSecret();
const children: ChildProcess[] = [];
const servers: Server[] = [];

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  for (const server of servers.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
});

interface Call {
  method: string;
  path: string;
  authorization: string | undefined;
  body: Record<string, unknown> | undefined;
}

/** The part of the API that the script uses. */
async function startApi(status = 201): Promise<{ url: string; calls: Call[] }> {
  const calls: Call[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk) => {
      text += chunk;
    });
    request.on('end', () => {
      const { method = '', url: path = '', headers } = request;
      calls.push({ method, path, authorization: headers.authorization, body: text ? JSON.parse(text) : undefined });
      const answer = status < 300 ? { id: 'we_1', secret } : { status, detail: '127.0.0.1 is not a public address.' };
      response.writeHead(method === 'POST' ? status : 200).end(JSON.stringify(answer));
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, calls };
}

/** Runs the script, with a wait for its output. */
function run(...options: string[]) {
  const child = spawn(process.execPath, [...programOf('scripts/listen.ts'), ...options], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  let printed = '';
  const checks = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      printed += chunk;
      for (const check of checks) check();
    });
  }
  const exit = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const says = (pattern: RegExp) =>
    new Promise<RegExpExecArray>((resolve, reject) => {
      const check = () => {
        const match = pattern.exec(printed);
        if (match) resolve(match);
        return match;
      };
      checks.add(check);
      if (!check()) void exit.then((code) => check() ?? reject(new Error(`ended with ${code} and said: ${printed}`)));
    });
  return { child, exit, says };
}

function send(url: string, event: { id: string; type: string; data: unknown }, key = secret) {
  const body = JSON.stringify(event);
  const timestampSeconds = Math.floor(Date.now() / 1_000);
  return fetch(url, {
    method: 'POST',
    body,
    headers: {
      'webhook-id': event.id,
      'webhook-timestamp': String(timestampSeconds),
      'webhook-signature': sign({ id: event.id, timestampSeconds, body }, [createSigningKey(key)]),
    },
  });
}

const paid = { id: 'evt_1', type: 'payout.paid', data: { object: { id: 'po_1', status: 'paid' } } };

test('registers itself, prints signed events, refuses others, and deletes its endpoint at the end', async () => {
  const api = await startApi();
  const { child, says, exit } = run(
    '--url',
    `${api.url}/`,
    '--key',
    'sk_test_x',
    '--events',
    'payout.*,account.created',
  );
  const [, url] = await says(/Listening at (\S+) for payout\.\*, account\.created \(we_1\)/);
  expect(api.calls[0]).toMatchObject({
    method: 'POST',
    path: '/v1/webhooks',
    authorization: 'Bearer sk_test_x',
    body: { url, events: ['payout.*', 'account.created'] },
  });

  expect((await send(url!, paid)).status).toBe(200);
  await says(/^\d\d:\d\d:\d\d\.\d{3} {2}payout\.paid +po_1 {2}paid$/m);
  expect((await send(url!, paid)).status).toBe(200);
  await says(/po_1 {2}paid {2}\(again\)$/m);
  expect((await send(url!, paid, newSecret())).status).toBe(400);
  await says(/Refused a request: no signature holds/);

  child.kill('SIGINT');
  expect(await exit).toBe(0);
  expect(api.calls.at(-1)).toMatchObject({ method: 'DELETE', path: '/v1/webhooks/we_1' });
});

test('prints event bodies with --json', async () => {
  const api = await startApi();
  const { says } = run('--url', api.url, '--key', 'sk_test_x', '--json');
  const [, url] = await says(/Listening at (\S+)/);
  await send(url!, paid);
  const [line] = await says(/^\{.*\}$/m);
  expect(JSON.parse(line)).toEqual(paid);
});

test('sends events on with --forward-to as they came, and answers as the receiver does', async () => {
  const api = await startApi();
  const received: { target: string; headers: IncomingHttpHeaders; body: string }[] = [];
  const receiver = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      received.push({ target: request.url!, headers: request.headers, body });
      // Nobody has asked for it; some servers send it all the same.
      response.writeContinue();
      response.writeHead(503, { 'retry-after': '7' }).end('later');
    });
  });
  servers.push(receiver);
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const target = "/a/../hooks/%2e%2e/b?x='1'";
  const forwardTo = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}${target}`;
  const { says } = run('--url', api.url, '--key', 'sk_test_x', '--forward-to', forwardTo);
  const [, said] = await says(/Sending events on to (\S+), signed with whsec_/);
  expect(said).toBe(forwardTo);
  const [, url] = await says(/Listening at (\S+)/);

  const answer = await send(url!, paid);
  expect([answer.status, answer.headers.get('retry-after'), await answer.text()]).toEqual([503, '7', 'later']);
  await says(/po_1 {2}paid {2}→ 503/);
  const { headers, body } = received[0]!;
  expect(received[0]!.target).toBe(target);
  expect(verify({ headers, body }, [createSigningKey(secret)], Math.floor(Date.now() / 1_000))).toBeUndefined();

  expect((await send(url!, paid, newSecret())).status).toBe(400);
  expect(received).toHaveLength(1);
  receiver.close();
  receiver.closeAllConnections();
  expect((await send(url!, paid)).status).toBe(502);
  // On a connection that was still open, or on a new one.
  await says(/→ no answer: .*(?:ECONNREFUSED|ECONNRESET|socket hang up)/);
});

test.each`
  what                             | options                                                  | says
  ${'an API that does not answer'} | ${['--url', 'http://127.0.0.1:9', '--key', 'sk_test_x']} | ${/Nothing answers at http:\/\/127\.0\.0\.1:9/}
  ${'a URL without a key'}         | ${['--url', 'http://127.0.0.1:9']}                       | ${/name a key too/}
  ${'a receiver that is no URL'}   | ${['--forward-to', 'hooks']}                             | ${/It is a URL such as/}
  ${'a port that is none'}         | ${['--port', 'x']}                                       | ${/It is a number from 0 to 65535/}
`('exits with a reason and a hint for $what', async ({ options, says: pattern }) => {
  const { says, exit } = run(...options);
  await says(pattern);
  expect(await exit).toBe(1);
});

test('exits with the reason of the API when its address is refused', async () => {
  const api = await startApi(422);
  const { says, exit } = run('--url', api.url, '--key', 'sk_test_x');
  await says(/POST \/v1\/webhooks was answered with 422: 127\.0\.0\.1 is not a public address/);
  expect(await exit).toBe(1);
});
