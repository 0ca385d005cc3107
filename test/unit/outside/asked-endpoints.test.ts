/** Endpoints that are asked, over real connections: what is an answer, when somebody is asked at all, and how long it takes. */
import { randomBytes } from 'node:crypto';
import { afterEach, describe, expect, test } from 'vitest';
import { createSecretBox } from '../../../src/db/secret-box.ts';
import type { Mode } from '../../../src/ledger/book/book.ts';
import { CallLimits } from '../../../src/outside/calls/call-limits.ts';
import type { SealedKey } from '../../../src/outside/connections/opened-keys.ts';
import { RESPONSE_READ_BYTES } from '../../../src/outside/connections/post-event.ts';
import type { ResolveName } from '../../../src/outside/connections/safe-connect.ts';
import { AskedEndpoints, QUESTIONS_OPEN_MAX } from '../../../src/outside/questions/asked-endpoints.ts';
import { Breakers } from '../../../src/outside/questions/breakers.ts';
import { createLogger } from '../../../src/process/log.ts';
import { systemClock } from '../../../src/values/clock.ts';
import { newId } from '../../../src/values/ids.ts';
import { createSigningKey, newSecret, verify } from '../../../src/values/standard-webhooks.ts';
import { type Answer, answering, type Receiver, startReceiver, startSocketServer } from '../../support/receiver.ts';

const cleanUp: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const undo of cleanUp.splice(0).reverse()) await undo();
});

const secretBox = createSecretBox(randomBytes(32).toString('base64'));
const bookId = newId();

interface Setting {
  readonly allowHosts?: readonly string[];
  readonly resolve?: ResolveName;
  readonly now?: () => number;
}

function asker({ allowHosts = ['127.0.0.1:*'], resolve, now }: Setting = {}): AskedEndpoints {
  const made = new AskedEndpoints({
    ...{ limits: new CallLimits(), secretBox, clock: systemClock, log: createLogger('silent', 'test') },
    ...{ allowHosts, dnsServers: [], breakers: new Breakers({ ...(now && { now }) }) },
    ...(resolve && { resolve }),
  });
  cleanUp.push(() => made.close());
  return made;
}

async function endpoint(answer: Answer): Promise<Receiver> {
  const made = await startReceiver(answer);
  cleanUp.push(made.close);
  return made;
}

const sealed = (secret: string): SealedKey => {
  const place = { bookId, table: 'card_programs', column: 'secret_sealed', rowId: bookId };
  return { sealed: secretBox.seal(secret, place), place };
};
const KEYS = [sealed(newSecret())];

/** Says `yes` where the response does. */
const ask = (
  of: AskedEndpoints,
  url: string,
  {
    timeoutMs = 5_000,
    mode = 'test',
    keys = KEYS,
    book = bookId,
  }: { timeoutMs?: number; mode?: Mode; keys?: readonly SealedKey[]; book?: string } = {},
) =>
  of.ask({
    ...{ bookId: book, mode, url, id: 'question', body: '{"amount":1}', keys, timeoutMs },
    read: (response) => (response === 'yes' ? 'yes' : undefined),
  });

const says = (text: string, status = 200) => answering(status, {}, text);

describe('a question', () => {
  test('is one POST with its body, signed by every secret, the newest first', async () => {
    const { url, received } = await endpoint(says('yes'));
    const secrets = [newSecret(), newSecret()];
    expect(await ask(asker(), url, { keys: secrets.map(sealed) })).toEqual({ answer: 'yes' });
    expect(received).toHaveLength(1);
    const [{ headers, body }] = received as [(typeof received)[number]];
    expect(body).toBe('{"amount":1}');
    expect(headers).toMatchObject({ 'content-type': 'application/json', 'webhook-id': 'question' });
    expect(String(headers['webhook-signature']).split(' ')).toHaveLength(2);
    const now = Math.floor(Date.now() / 1_000);
    for (const secret of secrets) expect(verify({ headers, body }, [createSigningKey(secret)], now)).toBeUndefined();
    expect(verify({ headers, body }, [createSigningKey(newSecret())], now)).toBe('no signature holds');
  });

  test.each`
    answer                                                 | unanswered
    ${says('maybe')}                                       | ${'wrong_form'}
    ${says('')}                                            | ${'wrong_form'}
    ${says('yes', 500)}                                    | ${'status'}
    ${says('yes', 304)}                                    | ${'status'}
    ${answering(302, { location: 'http://127.0.0.1:9/' })} | ${'redirect_not_followed'}
    ${says('x'.repeat(RESPONSE_READ_BYTES + 1))}           | ${'answer_incomplete'}
  `('that is answered otherwise has no answer: $unanswered', async ({ answer, unanswered }) => {
    const { url, received } = await endpoint(answer);
    expect(await ask(asker(), url)).toEqual({ unanswered });
    expect(received).toHaveLength(1);
  });

  test('whose answer redirects reaches nobody else', async () => {
    const secret = await endpoint(says('yes'));
    const { url } = await endpoint(answering(307, { location: secret.url }));
    expect(await ask(asker(), url)).toEqual({ unanswered: 'redirect_not_followed' });
    expect(secret.received).toEqual([]);
  });

  test('that is flooded is given up at a limit', async () => {
    let written = 0;
    const { url } = await endpoint((response) => {
      response.writeHead(200);
      const flood = () => {
        while (!response.destroyed) {
          written += 65_536;
          if (!response.write('y'.repeat(65_536))) return response.once('drain', flood);
        }
      };
      flood();
    });
    expect(await ask(asker(), url)).toEqual({ unanswered: 'answer_incomplete' });
    expect(written).toBeLessThan(RESPONSE_READ_BYTES * 500);
  });
});

describe('the time limit', () => {
  const limited = async (url: string, setting: Setting = {}, timeoutMs = 200) => {
    const began = performance.now();
    const heard = await ask(asker(setting), url, { timeoutMs });
    return { heard, ms: performance.now() - began };
  };

  test('ends a question that nobody answers', async () => {
    const { url } = await endpoint(() => undefined);
    const { heard, ms } = await limited(url);
    expect(heard).toEqual({ unanswered: 'timeout' });
    expect(ms).toBeGreaterThanOrEqual(195);
  });

  test('covers headers and bodies that drip', async () => {
    const dripping = (head: string) =>
      startSocketServer((socket) => {
        socket.once('data', () => {
          socket.write(head);
          const drip = setInterval(() => socket.write('x'), 5);
          socket.on('close', () => clearInterval(drip));
        });
      });
    const [headers, body] = await Promise.all([
      dripping('HTTP/1.1 200 OK\r\nx: '),
      dripping('HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n'),
    ]);
    cleanUp.push(headers.close, body.close);
    expect((await limited(headers.url)).heard).toEqual({ unanswered: 'timeout' });
    // The headers have to be there before it is over.
    expect((await limited(body.url, {}, 2_000)).heard).toEqual({ unanswered: 'answer_incomplete' });
  });

  test('covers the name, and a name that comes later leads nowhere', async () => {
    const { port, received } = await endpoint(says('yes'));
    let resolved: () => void = () => undefined;
    const resolve: ResolveName = (_host, _options, callback) => {
      resolved = () => callback(null, [{ address: '127.0.0.1', family: 4 }]);
    };
    const { heard } = await limited(`http://decisions.example:${port}/`, { resolve });
    expect(heard).toEqual({ unanswered: 'timeout' });
    resolved();
    expect(received).toEqual([]);
  });
});

test.each`
  mode      | allowHosts
  ${'test'} | ${[]}
  ${'live'} | ${['127.0.0.1:*']}
`('a private address is not connected to in $mode mode, opened: $allowHosts', async ({ mode, allowHosts }) => {
  const { url, port, received } = await endpoint(says('yes'));
  const resolve: ResolveName = (_host, _options, callback) => callback(null, [{ address: '127.0.0.1', family: 4 }]);
  const of = asker({ allowHosts, resolve });
  const forbidden = { unanswered: 'address_forbidden' };
  expect(await ask(of, url, { mode })).toEqual(forbidden);
  expect(await ask(of, `https://decisions.example:${port}/`, { mode })).toEqual(forbidden);
  expect(received).toEqual([]);
});

describe('of a book', () => {
  test(`${QUESTIONS_OPEN_MAX} questions are open, and beyond them nobody is asked, whatever other books do`, async () => {
    const waiting: (() => void)[] = [];
    const { url, received, arrivals } = await endpoint((response) => {
      waiting.push(() => response.end('yes'));
    });
    const of = asker();
    const open = Array.from({ length: QUESTIONS_OPEN_MAX }, () => ask(of, url));
    await arrivals(QUESTIONS_OPEN_MAX);
    expect(await ask(of, url)).toEqual({ unanswered: 'busy' });
    expect(received).toHaveLength(QUESTIONS_OPEN_MAX);
    const other = ask(of, url, { book: newId() });
    await arrivals(QUESTIONS_OPEN_MAX + 1);
    for (const answer of waiting) answer();
    expect(await Promise.all([...open, other])).toEqual(
      Array.from({ length: QUESTIONS_OPEN_MAX + 1 }, () => ({ answer: 'yes' })),
    );
    const again = ask(of, url);
    await arrivals(QUESTIONS_OPEN_MAX + 2);
    waiting.at(-1)!();
    expect(await again).toEqual({ answer: 'yes' });
  });

  test('five failures in a row open the breaker, a probe a second asks, and its answer closes it', async () => {
    let isWell = false;
    let now = 0;
    const { url, received } = await endpoint((response) => response.writeHead(isWell ? 200 : 503).end('yes'));
    const of = asker({ now: () => now });
    for (let failure = 0; failure < 5; failure++) expect(await ask(of, url)).toEqual({ unanswered: 'status' });
    expect(await ask(of, url)).toEqual({ unanswered: 'breaker_open' });
    now += 1_000;
    expect(await ask(of, url)).toEqual({ unanswered: 'status' });
    expect(await ask(of, url)).toEqual({ unanswered: 'breaker_open' });
    expect(received).toHaveLength(6);
    // Neither another book nor another URL pays for it.
    expect(await ask(of, url, { book: newId() })).toEqual({ unanswered: 'status' });
    expect(await ask(of, `${url}/next`)).toEqual({ unanswered: 'status' });
    isWell = true;
    now += 1_000;
    expect(await ask(of, url)).toEqual({ answer: 'yes' });
    expect(await ask(of, url)).toEqual({ answer: 'yes' });
  });

  test('answers in a wrong form open it like none at all', async () => {
    const { url } = await endpoint(says('maybe'));
    const of = asker({ now: () => 0 });
    for (let failure = 0; failure < 5; failure++) expect(await ask(of, url)).toEqual({ unanswered: 'wrong_form' });
    expect(await ask(of, url)).toEqual({ unanswered: 'breaker_open' });
  });
});
