import type { LookupAddress } from 'node:dns';
import { afterEach, describe, expect, test } from 'vitest';
import { createHostNames, NameNotFound } from '../../../src/outside/connections/host-names.ts';
import { postEvent, RESPONSE_KEPT_BYTES, RESPONSE_READ_BYTES } from '../../../src/outside/connections/post-event.ts';
import {
  createSafeAgent,
  type ResolveName,
  resolveBy,
  type SafeAgent,
  type SafeAgentOptions,
} from '../../../src/outside/connections/safe-connect.ts';
import { parseAllowList } from '../../../src/values/public-address.ts';
import { type Answer, answering, type Receiver, startReceiver, startSocketServer } from '../../support/receiver.ts';

const cleanUp: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const undo of cleanUp.splice(0).reverse()) await undo();
});

function agent(options: Partial<Omit<SafeAgentOptions, 'allow'>> & { allow?: string[] } = {}): SafeAgent {
  const made = createSafeAgent({
    mode: 'test',
    resolve: resolveBy(createHostNames()),
    ...options,
    allow: parseAllowList(options.allow ?? ['127.0.0.1:*']),
  });
  cleanUp.push(async () => made.destroy());
  return made;
}

async function receiver(answer?: Answer): Promise<Receiver> {
  const made = await startReceiver(answer);
  cleanUp.push(made.close);
  return made;
}

async function socketServer(...args: Parameters<typeof startSocketServer>) {
  const made = await startSocketServer(...args);
  cleanUp.push(made.close);
  return made;
}

const post = (dispatcher: SafeAgent, url: string, { timeoutMs = 5_000, body = '{}' } = {}) =>
  postEvent(dispatcher, {
    url,
    headers: { 'content-type': 'application/json', 'webhook-id': 'evt_1' },
    body,
    timeoutMs,
  });

function openPromise() {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

/** Answers each question with the next list of addresses, and repeats the last list. */
function resolving(...answers: string[][]): ResolveName & { questions: string[] } {
  const questions: string[] = [];
  const resolve: ResolveName = (host, _options, callback) => {
    const addresses = answers[Math.min(questions.length, answers.length - 1)]!;
    questions.push(host);
    callback(
      null,
      addresses.map((address): LookupAddress => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  };
  return Object.assign(resolve, { questions });
}

describe('an answer', () => {
  test('of 2xx is returned with its body, and the body sent arrives to the byte', async () => {
    const hooks = await receiver(answering(202, { 'retry-after': '7' }, 'thanks'));
    const body = '{"text":"zwölf € 🏦"}';
    expect(await post(agent(), `${hooks.url}?a=b`, { body })).toEqual({
      status: 202,
      error: null,
      retryAfter: '7',
      response: 'thanks',
      isWhole: true,
    });
    expect(hooks.received[0]).toMatchObject({
      path: '/hooks?a=b',
      body,
      headers: { 'webhook-id': 'evt_1', 'content-type': 'application/json' },
    });
  });

  test('without a body has null', async () => {
    const hooks = await receiver(answering(204));
    expect(await post(agent(), hooks.url)).toMatchObject({ status: 204, response: null });
  });

  test.each([301, 302, 303, 307, 308])(
    'that redirects with %i is not followed, and the outcome says so',
    async (status) => {
      const secret = await receiver();
      const hooks = await receiver(answering(status, { location: secret.url }));
      expect(await post(agent(), hooks.url)).toMatchObject({ status, error: 'redirect_not_followed' });
      expect(secret.received).toHaveLength(0);
    },
  );

  test.each([200, 304, 404, 500])('with %i says all by its status', async (status) => {
    const hooks = await receiver(answering(status));
    expect(await post(agent(), hooks.url)).toMatchObject({ status, error: null });
  });

  test('keeps its first 4 KB, without characters that the database refuses', async () => {
    const hooks = await receiver(answering(500, {}, `a\u0000b${'€'.repeat(RESPONSE_KEPT_BYTES)}`));
    const { response } = await post(agent(), hooks.url);
    expect(response!.startsWith('a\ufffdb€')).toBe(true);
    expect(Buffer.byteLength(response!)).toBeLessThanOrEqual(RESPONSE_KEPT_BYTES + 6);
  });

  test('that floods is cut at a limit, and keeps its status', async () => {
    let written = 0;
    const ended = openPromise();
    const hooks = await receiver((response) => {
      response.writeHead(200);
      const flood = () => {
        while (!response.destroyed) {
          written += 65_536;
          if (!response.write('x'.repeat(65_536))) return response.once('drain', flood);
        }
      };
      response.on('close', ended.resolve);
      flood();
    });
    expect(await post(agent(), hooks.url)).toMatchObject({
      status: 200,
      error: null,
      response: 'x'.repeat(RESPONSE_KEPT_BYTES),
    });
    await ended.promise;
    expect(written).toBeLessThan(RESPONSE_READ_BYTES * 500);
  });

  test('that never comes is a timeout', async () => {
    const hooks = await receiver(() => undefined);
    expect(await post(agent(), hooks.url, { timeoutMs: 50 })).toEqual({
      status: null,
      error: 'timeout',
      retryAfter: undefined,
      response: null,
      isWhole: false,
    });
  });

  test('whose headers drip is a timeout', async () => {
    const hooks = await socketServer((socket) => {
      const drip = setInterval(() => socket.write('x'), 5);
      socket.write('HTTP/1.1 200 OK\r\nx: ');
      socket.on('close', () => clearInterval(drip));
    });
    expect(await post(agent(), hooks.url, { timeoutMs: 100 })).toMatchObject({ status: null, error: 'timeout' });
  });

  test('whose body drips is cut at the time limit, and keeps its status', async () => {
    const hooks = await receiver((response) => {
      response.writeHead(200);
      const drip = setInterval(() => response.write('x'), 5);
      response.on('close', () => clearInterval(drip));
    });
    const outcome = await post(agent(), hooks.url, { timeoutMs: 1_000 });
    expect(outcome).toMatchObject({ status: 200, error: null });
    expect(outcome.response).toMatch(/^x+$/);
  });

  test.each`
    answer                                                   | error
    ${'not http at all\r\n\r\n'}                             | ${'answer_invalid'}
    ${'HTTP/1.1 20x OK\r\n\r\n'}                             | ${'answer_invalid'}
    ${`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(70_000)}\r\n\r\n`} | ${'answer_invalid'}
    ${''}                                                    | ${'connection_closed'}
  `('that is invalid is $error', async ({ answer, error }) => {
    const hooks = await socketServer((socket) => socket.once('data', () => socket.end(answer)));
    expect(await post(agent(), hooks.url)).toMatchObject({ status: null, error });
  });

  // RFC 9110, 15.2: a client takes any of them, asked for or not.
  test.each([
    ['100 Continue'],
    ['100 Continue', '100 Continue'],
    ['102 Processing'],
    ['103 Early Hints\r\nlink: </a>'],
    ['100 Continue', '103 Early Hints\r\nlink: </a>', '199 Whatever'],
  ])('of %s is not final', async (...interim) => {
    let connections = 0;
    const hooks = await socketServer((socket) => {
      connections++;
      const answer = [...interim, '200 OK\r\ncontent-length: 2'].map((head) => `HTTP/1.1 ${head}\r\n\r\n`).join('');
      socket.on('data', () => socket.write(`${answer}ok`));
    });
    const dispatcher = agent();
    for (let event = 0; event < 3; event++)
      expect(await post(dispatcher, hooks.url)).toMatchObject({ status: 200, response: 'ok', isWhole: true });
    expect(connections).toBeLessThanOrEqual(2);
  });

  test('of 1xx without an end is cut off', async () => {
    const hooks = await socketServer((socket) => {
      const flood = () => {
        while (!socket.destroyed)
          if (!socket.write('HTTP/1.1 100 Continue\r\n\r\n')) return socket.once('drain', flood);
      };
      socket.once('data', flood);
    });
    expect(await post(agent(), hooks.url)).toMatchObject({ status: null, error: 'answer_invalid' });
  });
});

describe('a URL', () => {
  test.each`
    given                           | path
    ${''}                           | ${'/'}
    ${'?'}                          | ${'/?'}
    ${"?x='1'"}                     | ${"/?x='1'"}
    ${'/a/../b'}                    | ${'/a/../b'}
    ${'/%2e%2e/b/.'}                | ${'/%2e%2e/b/.'}
    ${'//a//b/'}                    | ${'//a//b/'}
    ${'/a;b,c=(d)!$&*+@:~?/?:@%7e'} | ${'/a;b,c=(d)!$&*+@:~?/?:@%7e'}
  `('with $given is called as it was given', async ({ given, path }) => {
    const hooks = await receiver();
    expect(await post(agent(), `HTTP://127.0.0.1:${hooks.port}${given}`)).toMatchObject({ status: 200 });
    expect(hooks.received[0]).toMatchObject({ path, headers: { host: `127.0.0.1:${hooks.port}` } });
  });

  // Earlier releases took some that no request can carry as they are.
  test('that no request can carry is called as the parser writes it', async () => {
    const hooks = await receiver();
    expect(await post(agent(), `http://127.0.0.1:${hooks.port}/a b/ü#c`)).toMatchObject({ status: 200 });
    expect(hooks.received[0]).toMatchObject({ path: '/a%20b/%C3%BC' });
  });
});

describe('a connection', () => {
  test('that is refused, is not TLS, or has an unknown name gets an error code', async () => {
    const hooks = await receiver();
    expect(await post(agent(), hooks.url.replace('http:', 'https:'))).toMatchObject({
      status: null,
      error: 'tls_failed_handshake',
    });
    await hooks.close();
    expect(await post(agent(), hooks.url)).toMatchObject({ status: null, error: 'connection_refused' });
    const unknown: ResolveName = (_host, _options, callback) => callback(new NameNotFound('unknown'), []);
    expect(await post(agent({ resolve: unknown }), 'http://hooks.example.com/')).toMatchObject({
      status: null,
      error: 'name_not_found',
    });
  });

  // Codes of Node and of OpenSSL's verification, as the socket reports them.
  test.each`
    code                                      | error
    ${'CERT_HAS_EXPIRED'}                     | ${'tls_failed_expired'}
    ${'CERT_NOT_YET_VALID'}                   | ${'tls_failed_expired'}
    ${'DEPTH_ZERO_SELF_SIGNED_CERT'}          | ${'tls_failed_untrusted'}
    ${'SELF_SIGNED_CERT_IN_CHAIN'}            | ${'tls_failed_untrusted'}
    ${'UNABLE_TO_VERIFY_LEAF_SIGNATURE'}      | ${'tls_failed_untrusted'}
    ${'UNABLE_TO_GET_ISSUER_CERT_LOCALLY'}    | ${'tls_failed_untrusted'}
    ${'CERT_REVOKED'}                         | ${'tls_failed_untrusted'}
    ${'INVALID_PURPOSE'}                      | ${'tls_failed_untrusted'}
    ${'ERR_TLS_CERT_ALTNAME_INVALID'}         | ${'tls_failed_wrong_name'}
    ${'HOSTNAME_MISMATCH'}                    | ${'tls_failed_wrong_name'}
    ${'ERR_SSL_WRONG_VERSION_NUMBER'}         | ${'tls_failed_handshake'}
    ${'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION'} | ${'tls_failed_handshake'}
    ${'EPROTO'}                               | ${'tls_failed_handshake'}
  `('that fails with $code is $error', async ({ code, error }) => {
    const lookup: ResolveName = (_host, _options, callback) => callback(Object.assign(new Error(code), { code }), []);
    expect(await post(agent({ resolve: lookup }), 'https://hooks.example.com/')).toMatchObject({ status: null, error });
  });

  test('is kept for the next event', async () => {
    let connections = 0;
    const hooks = await socketServer((socket) => {
      connections++;
      socket.on('data', () => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'));
    });
    const dispatcher = agent();
    for (let event = 0; event < 20; event++) expect(await post(dispatcher, hooks.url)).toMatchObject({ status: 200 });
    // The answer may be reported before its connection is free again, so the second event may open another.
    expect(connections).toBeLessThanOrEqual(2);
  });

  test('that is not open in time is a timeout, and sends nothing when it opens later', async () => {
    const hooks = await receiver();
    const late = openPromise();
    const resolve: ResolveName = (_host, _options, callback) =>
      void late.promise.then(() => callback(null, [{ address: '127.0.0.1', family: 4 }]));
    const dispatcher = agent({ resolve });
    expect(await post(dispatcher, `http://hooks.example.com:${hooks.port}/late`, { timeoutMs: 30 })).toMatchObject({
      error: 'timeout',
    });
    late.resolve();
    // The second event uses the connection for which the first was waiting.
    expect(await post(dispatcher, `http://hooks.example.com:${hooks.port}/next`)).toMatchObject({ status: 200 });
    expect(hooks.received.map(({ path }) => path)).toEqual(['/next']);
  });
});

describe('the address check refuses before it connects', () => {
  const forbidden = { status: null, error: 'address_forbidden' };

  test.each`
    addresses                   | what
    ${['127.0.0.1']}            | ${'a private address'}
    ${['8.8.8.8', '127.0.0.1']} | ${'one private address among public ones'}
    ${['::1']}                  | ${'the IPv6 loopback'}
    ${['::ffff:127.0.0.1']}     | ${'a mapped address'}
    ${['64:ff9b::7f00:1']}      | ${'a translated address'}
    ${['169.254.169.254']}      | ${'the metadata service'}
    ${['0.0.0.0']}              | ${'this host'}
  `('a name that resolves to $what', async ({ addresses }) => {
    const hooks = await receiver();
    const resolve = resolving(addresses);
    expect(await post(agent({ resolve, allow: [] }), `http://hooks.example.com:${hooks.port}/`)).toMatchObject(
      forbidden,
    );
    expect(resolve.questions).toEqual(['hooks.example.com']);
    expect(hooks.received).toHaveLength(0);
  });

  test.each([
    '127.0.0.1',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '2130706433',
    '0x7f.1',
    '0177.0.0.1',
    '127.1',
    '0',
    '169.254.169.254',
    '10.0.0.1',
  ])('the literal %s, without resolving it', async (host) => {
    const hooks = await receiver();
    const resolve = resolving(['127.0.0.1']);
    expect(await post(agent({ resolve, allow: [] }), `http://${host}:${hooks.port}/`)).toMatchObject(forbidden);
    expect(resolve.questions).toEqual([]);
    expect(hooks.received).toHaveLength(0);
  });

  test('a name that resolves to another address the second time', async () => {
    const hooks = await receiver(answering(200, { connection: 'close' }));
    const resolve = resolving(['127.0.0.1'], ['127.0.0.2']);
    const dispatcher = agent({ resolve, allow: [`127.0.0.1:${hooks.port}`] });
    const url = `http://rebinding.example.com:${hooks.port}/`;
    expect(await post(dispatcher, url)).toMatchObject({ status: 200 });
    expect(await post(dispatcher, url)).toMatchObject(forbidden);
    expect(resolve.questions).toHaveLength(2);
    expect(hooks.received).toHaveLength(1);
  });

  test('in live mode, everything of the allow list and everything without https', async () => {
    const hooks = await receiver();
    const live = agent({
      mode: 'live',
      allow: ['127.0.0.1:*', 'hooks.example.com:*'],
      resolve: resolving(['127.0.0.1']),
    });
    expect(await post(live, hooks.url)).toMatchObject(forbidden);
    const publicName = resolving(['8.8.8.8']);
    expect(await post(agent({ mode: 'live', resolve: publicName }), 'http://example.com/')).toMatchObject(forbidden);
    expect(publicName.questions).toEqual([]);
    expect(await post(live, hooks.url.replace('http:', 'https:'))).toMatchObject(forbidden);
    expect(await post(live, `https://hooks.example.com:${hooks.port}/`)).toMatchObject(forbidden);
    expect(hooks.received).toHaveLength(0);
  });
});

describe('the allow list lets test books reach', () => {
  test('a listed name, whatever its address', async () => {
    const hooks = await receiver();
    const dispatcher = agent({ allow: [`hooks.example.com:${hooks.port}`], resolve: resolving(['127.0.0.1']) });
    expect(await post(dispatcher, `http://hooks.example.com:${hooks.port}/`)).toMatchObject({ status: 200 });
  });

  test('a listed address, by any name', async () => {
    const hooks = await receiver();
    const dispatcher = agent({ allow: [`127.0.0.1:${hooks.port}`], resolve: resolving(['127.0.0.1']) });
    expect(await post(dispatcher, `http://hooks.example.com:${hooks.port}/`)).toMatchObject({ status: 200 });
  });

  test('no other port', async () => {
    const hooks = await receiver();
    expect(await post(agent({ allow: [`127.0.0.1:${hooks.port + 1}`] }), hooks.url)).toMatchObject({
      error: 'address_forbidden',
    });
  });
});
