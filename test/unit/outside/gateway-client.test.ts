/** Calls to a gateway end within their limit, whatever the other side does: then nobody knows what it did (gateway-client.ts). */
import type { Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { answerWithoutTls, drip, startRawServer } from '../../../scripts/harness/raw-server.ts';
import { PATIENCE_MS } from '../../../scripts/harness/until.ts';
import { ANSWER_BYTES_MAX, GatewayClient, GatewayRefusal } from '../../../src/outside/gateway/gateway-client.ts';
import { PartyUnreachable } from '../../../src/outside/party/party.ts';
import { createSigningKey, newSecret, verify } from '../../../src/values/standard-webhooks.ts';

class Unreachable extends PartyUnreachable {}
const contract = {
  refusals: { card_refused: 'unnamed', instruction_refused: 'named' },
  unreachable: Unreachable,
} as const;

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** A client of a gateway that does this with each connection. */
async function clientOf(
  answer: (socket: Socket) => void,
  { secrets = [newSecret()], callTimeoutMs = PATIENCE_MS } = {},
): Promise<GatewayClient> {
  const server = await startRawServer(answer);
  const url = `http://127.0.0.1:${server.port}/base`;
  const client = new GatewayClient({ url, secrets, callTimeoutMs, callsAtOnce: 2, ...contract });
  closers.push(
    () => server.close(),
    () => client.close(),
  );
  return client;
}

const call = {
  path: '/instructions/inquire',
  body: { call: 'inquire', reference: 'CH1', amount: 9_007_199_254_740_993n },
};
const ask = (client: GatewayClient) => client.call(call, { id: 'msg_1', read: (body) => body });
const answerWith = (head: string, body: string) => (socket: Socket) =>
  void socket.once('data', () => socket.end(`HTTP/1.1 ${head}\r\ncontent-length: ${body.length}\r\n\r\n${body}`));

test.each<[string, (socket: Socket) => void]>([
  ['takes the connection and says nothing', (socket) => void socket.resume()],
  ['sends a byte of its head now and then', drip],
  [
    'stalls within its answer',
    (socket) => void socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{')),
  ],
  [
    'breaks off within its answer',
    (socket) => void socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{')),
  ],
  ['hangs up', (socket) => void socket.once('data', () => socket.destroy())],
  ['speaks another protocol', answerWithoutTls],
  ['leads elsewhere', answerWith('302 Found\r\nlocation: http://127.0.0.1:1/', '{}')],
  ['answers an error with an answer in it', answerWith('500 Internal Server Error', '{"status":"succeeded"}')],
  ['answers too much', answerWith('200 OK', `{"padding":"${'x'.repeat(ANSWER_BYTES_MAX)}"}`)],
])('a gateway that %s gave no answer', async (_, answer) => {
  const client = await clientOf(answer, { callTimeoutMs: 500 });
  await expect(ask(client)).rejects.toBeInstanceOf(Unreachable);
});

test.each(['100 Continue', '102 Processing', '103 Early Hints\r\nlink: </a>'])(
  'a gateway that says %s before its answer has answered',
  async (interim) => {
    const client = await clientOf((socket) =>
      socket.on('data', () =>
        socket.write(`HTTP/1.1 ${interim}\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 8\r\n\r\n{"a": 1}`),
      ),
    );
    for (let call = 0; call < 3; call++) expect(await ask(client)).toEqual({ a: 1 });
  },
);

test('a gateway that is not there gave no answer', async () => {
  const server = await startRawServer((socket) => socket.resume());
  await server.close();
  const url = `http://127.0.0.1:${server.port}`;
  const client = new GatewayClient({ url, secrets: [newSecret()], callTimeoutMs: 500, callsAtOnce: 2, ...contract });
  await expect(ask(client)).rejects.toBeInstanceOf(Unreachable);
  await client.close();
});

test('a call is signed under each secret, over the body that is sent, with all digits of its amounts', async () => {
  const secrets = [newSecret(), newSecret()];
  let heard = '';
  const client = await clientOf(
    (socket) => {
      socket.once('data', (data) => {
        heard = data.toString();
        socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}');
      });
    },
    { secrets },
  );
  expect(await ask(client)).toEqual({});
  const [head, body] = heard.split('\r\n\r\n') as [string, string];
  expect(head).toMatch(/^POST \/base\/instructions\/inquire HTTP\/1\.1/);
  expect(body).toContain('"amount":9007199254740993');
  const headers = Object.fromEntries(
    head
      .split('\r\n')
      .slice(1)
      .map((line) => line.split(': ') as [string, string]),
  );
  for (const secret of secrets)
    expect(verify({ headers, body }, [createSigningKey(secret)], Date.now() / 1_000)).toBeUndefined();
});

test.each`
  body                                                      | code
  ${'{"code":"card_refused"}'}                              | ${'card_refused'}
  ${'{"code":"instruction_refused","reference":"CH1"}'}     | ${'instruction_refused'}
  ${'{"code":"instruction_refused","reference":"another"}'} | ${undefined}
  ${'{"code":"instruction_refused"}'}                       | ${undefined}
  ${'{"code":"toString"}'}                                  | ${undefined}
`('422 $body is the refusal $code, or no answer', async ({ body, code }) => {
  const client = await clientOf(answerWith('422 Unprocessable Content', body));
  const thrown: unknown = await ask(client).catch((error: unknown) => error);
  if (code === undefined) expect(thrown).toBeInstanceOf(Unreachable);
  else expect(thrown).toMatchObject({ code, name: GatewayRefusal.name });
});

test('an answer with a fault in its text is not read, and its text is in no message', async () => {
  const client = await clientOf(answerWith('200 OK', '{"status":"succeeded","memo":"secret"}'));
  const fault = (text: string) => (text.includes('secret') ? 'The answer says too much' : undefined);
  const asked = client.call(call, { id: 'msg_1', read: (body) => body, fault });
  await expect(asked).rejects.toThrow("The gateway's answer is unknown (inquire): The answer says too much");
  await expect(asked).rejects.toBeInstanceOf(Unreachable);
});
