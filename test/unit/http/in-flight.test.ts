/** Requests in flight of a book are released whenever their clients disconnect. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { createTestApp, KEYS } from './test-app.ts';

test('a client that disconnects during authentication leaves nothing in flight', async () => {
  const { app, services, handled } = createTestApp();
  const authenticate = services.gate.authenticate.bind(services.gate);
  let asked = () => {};
  let answer = () => {};
  const isAsked = new Promise<void>((resolve) => {
    asked = resolve;
  });
  const isAnswered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  services.gate.authenticate = async (...given) => {
    asked();
    await isAnswered;
    return authenticate(...given);
  };
  const server = createServer(app).listen(0);
  await once(server, 'listening');
  const socket = connect((server.address() as { port: number }).port, '127.0.0.1');
  socket.write(`GET /v1/things HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${KEYS.test}\r\n\r\n`);
  const [serverSocket] = await once(server, 'connection');
  await isAsked;
  socket.destroy();
  await once(serverSocket, 'close');
  answer();
  await expect.poll(() => handled.length).toBe(1);
  const { requests, bytes, waiting } = services.inFlight.usageOf(handled[0]!.principal.bookId);
  expect({ requests, bytes, waiting }).toEqual({ requests: 0, bytes: 0, waiting: 0 });
  server.close();
});
