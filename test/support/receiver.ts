/** A webhook receiver on the loopback address: keeps its requests, and answers as the test wants. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createSocketServer, type Server, type Socket } from 'node:net';

export interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

export interface Receiver {
  readonly port: number;
  readonly url: string;
  readonly received: Received[];
  /** Resolves once `count` requests have arrived completely. */
  arrivals(count: number): Promise<void>;
  close(): Promise<void>;
}

export type Answer = (response: ServerResponse, request: Received, number: number) => void;

export const answering =
  (status: number, headers: Record<string, string> = {}, body = ''): Answer =>
  (response) =>
    response.writeHead(status, headers).end(body);

export async function startReceiver(answer: Answer = answering(200)): Promise<Receiver> {
  const received: Received[] = [];
  const waiting = new Set<() => void>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const each = { path: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks).toString('utf8') };
      received.push(each);
      for (const check of waiting) check();
      answer(response, each, received.length);
    });
  });
  const port = await listen(server);
  return {
    port,
    url: `http://127.0.0.1:${port}/hooks`,
    received,
    arrivals: (count) =>
      new Promise((resolve) => {
        const check = () => {
          if (received.length < count) return;
          waiting.delete(check);
          resolve();
        };
        waiting.add(check);
        check();
      }),
    close: () => close(server),
  };
}

/** A TCP server, for answers that no HTTP server gives. */
export async function startSocketServer(
  onConnection: (socket: Socket) => void,
): Promise<{ port: number; url: string; close(): Promise<void> }> {
  const sockets = new Set<Socket>();
  const server = createSocketServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    onConnection(socket);
  });
  const port = await listen(server);
  const end = () => {
    for (const socket of sockets) socket.destroy();
    return close(server);
  };
  return { port, url: `http://127.0.0.1:${port}/hooks`, close: end };
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

function close(server: Server & { closeAllConnections?: () => void }): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeAllConnections?.();
  return closed;
}
