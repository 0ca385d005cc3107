/** A server that keeps to no protocol: an endpoint's address may lead to one. */
import { createServer, type Socket } from 'node:net';

export interface RawServer {
  readonly port: number;
  close(): Promise<void>;
}

const DRIP_EVERY_MS = 400;

/** Begins an answer and sends a byte of it now and then. The answer never ends and is never quite silent. */
export function drip(socket: Socket): void {
  const answer = `HTTP/1.1 200 OK\r\nx-patience: ${'y'.repeat(10_000)}`;
  let at = 0;
  const timer = setInterval(() => socket.write(answer[at++]!), DRIP_EVERY_MS);
  socket.once('close', () => clearInterval(timer));
  socket.resume();
}

/** Answers a TLS handshake with plain text. */
export function answerWithoutTls(socket: Socket): void {
  socket.once('data', () => socket.end('I do not speak TLS.\r\n'));
}

export async function startRawServer(answer: (socket: Socket) => void): Promise<RawServer> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.once('close', () => sockets.delete(socket));
    answer(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  return {
    port,
    close() {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
